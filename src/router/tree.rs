//! The text of a JSON value as a tree of its pieces, so that digits, escapes and order stay as they were received.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// As deep as `serde_json` reads.
const MOST_DEPTH: usize = 128;

/// A value: its pieces of the text, and how long they are without white space.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) len: usize,
    pub(super) kind: Kind<'t>,
}

#[derive(Debug)]
pub(super) enum Kind<'t> {
    /// A number, `true`, `false` or `null`.
    Atom(&'t str),
    /// With its quotes and escapes.
    String(&'t str),
    List(Vec<Node<'t>>),
    /// Names with their quotes and escapes.
    Object(Vec<(&'t str, Node<'t>)>),
}

impl<'t> Node<'t> {
    /// The tree of a text; `None` where it is nested deeper than values are read.
    pub(super) fn of(text: &'t RawValue) -> Option<Self> {
        Scanner { text: text.get(), at: 0 }.value(MOST_DEPTH)
    }

    pub(super) const fn atom(text: &'t str) -> Self {
        Self { len: text.len(), kind: Kind::Atom(text) }
    }

    const fn string(text: &'t str) -> Self {
        Self { len: text.len(), kind: Kind::String(text) }
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        let len = items.iter().map(|item| item.len).sum::<usize>() + 2 + items.len().saturating_sub(1);
        Self { len, kind: Kind::List(items) }
    }

    pub(super) fn object(members: Vec<(&'t str, Self)>) -> Self {
        let inner = members.iter().map(|(name, value)| name.len() + 1 + value.len).sum::<usize>();
        Self { len: inner + 2 + members.len().saturating_sub(1), kind: Kind::Object(members) }
    }

    /// Appends the text, without white space.
    pub(super) fn write(&self, out: &mut String) {
        match &self.kind {
            Kind::Atom(text) | Kind::String(text) => out.push_str(text),
            Kind::List(items) => joined(out, ['[', ']'], items, |out, item| item.write(out)),
            Kind::Object(members) => joined(out, ['{', '}'], members, |out, (name, value)| {
                out.push_str(name);
                out.push(':');
                value.write(out);
            }),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::with_capacity(self.len);
        self.write(&mut out);
        out
    }
}

/// Appends what is between brackets, with commas.
pub(super) fn joined<T>(
    out: &mut String,
    [open, close]: [char; 2],
    all: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (at, one) in all.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, one);
    }
    out.push(close);
}

/// What a string says.
pub(super) fn said(quoted: &str) -> Cow<'_, str> {
    let bare = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !bare.contains('\\') {
        return Cow::Borrowed(bare);
    }
    // Half a surrogate pair says nothing; such text stays as it is written.
    serde_json::from_str(quoted).map_or(Cow::Borrowed(bare), Cow::Owned)
}

/// Reads a text that is known to be JSON.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn value(&mut self, depth: usize) -> Option<Node<'t>> {
        let deeper = depth.checked_sub(1)?;
        match self.next_mark()? {
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                while self.goes_on(b']')? {
                    items.push(self.value(deeper)?);
                }
                Some(Node::list(items))
            }
            b'{' => {
                let mut members = Vec::new();
                self.at += 1;
                while self.goes_on(b'}')? {
                    let name = self.string()?;
                    // The colon.
                    self.next_mark()?;
                    self.at += 1;
                    members.push((name, self.value(deeper)?));
                }
                Some(Node::object(members))
            }
            b'"' => self.string().map(Node::string),
            _ => {
                let rest = self.text.get(self.at..)?;
                let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                self.take(end).map(Node::atom)
            }
        }
    }

    /// The next byte that is no white space; it is not taken.
    fn next_mark(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.at += skipped;
        rest.get(skipped).copied()
    }

    /// Whether there is a further piece before the closing bracket; takes the comma or the bracket.
    fn goes_on(&mut self, close: u8) -> Option<bool> {
        let mark = self.next_mark()?;
        if mark == b',' {
            self.at += 1;
            self.next_mark()?;
        } else if mark == close {
            self.at += 1;
        }
        Some(mark != close)
    }

    fn string(&mut self) -> Option<&'t str> {
        self.next_mark()?;
        let mut is_escaped = false;
        let end = self.text.as_bytes().get(self.at + 1..)?.iter().position(|byte| {
            let is_end = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            is_end
        })?;
        self.take(end + 2)
    }

    fn take(&mut self, len: usize) -> Option<&'t str> {
        let piece = self.text.get(self.at..self.at + len)?;
        self.at += len;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_as_it_is_but_for_white_space() {
        let text = "\t{ \"a\\u0062\\\"\" : [ 1.10 ,12345678901234567890123 , -0e+1,{ },[ ] ] ,\"b\\\\\":\"x, ]} \\\"\"\n,\"c\":null}";
        let raw: Box<RawValue> = RawValue::from_string(text.trim().to_owned()).expect("JSON");
        let node = Node::of(&raw).expect("not too deep");
        let written = node.to_text();
        assert_eq!(
            written,
            r#"{"a\u0062\"":[1.10,12345678901234567890123,-0e+1,{},[]],"b\\":"x, ]} \"","c":null}"#
        );
        assert_eq!(node.len, written.len());
        for (depth, is_read) in [(127, true), (128, false)] {
            let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            let raw = RawValue::from_string(deep).expect("JSON");
            assert_eq!(Node::of(&raw).is_some(), is_read, "{depth}");
        }
    }
}
