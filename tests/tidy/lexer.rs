//! Just enough of a Rust lexer that comments and literals are never mistaken for code.

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword, without a raw identifier's `r#`.
    Ident,
    /// `::`, `->`, or one character of any other punctuation.
    Punct,
    /// A string, character or number literal.
    Literal,
    /// A comment of any kind, with its delimiters.
    Comment,
}

/// A piece of source text and the line (counted from 1) that it starts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl Token<'_> {
    /// True for this identifier or punctuation, false for a literal or comment with the same text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Ident | Kind::Punct)
    }
}

/// Splits source text into tokens; white space is dropped.
pub(super) fn lex(source: &str) -> Vec<Token<'_>> {
    let (mut rest, mut line, mut tokens) = (source, 1, Vec::new());
    while let Some(first) = rest.chars().next() {
        let (kind, length) =
            if first.is_whitespace() { (None, first.len_utf8()) } else { measure(rest, first) };
        let (text, tail) = rest.split_at(length);
        if let Some(kind) = kind {
            tokens.push(Token {
                kind,
                text: text.strip_prefix("r#").filter(|_| kind == Kind::Ident).unwrap_or(text),
                line,
            });
        }
        line += text.matches('\n').count();
        rest = tail;
    }
    tokens
}

/// The kind and the length in bytes of the token that `rest` starts with.
fn measure(rest: &str, first: char) -> (Option<Kind>, usize) {
    let (kind, length) = if rest.starts_with("//") {
        (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
    } else if rest.starts_with("/*") {
        (Kind::Comment, block_comment(rest))
    } else if let Some(length) = string(rest).or_else(|| character(rest)) {
        (Kind::Literal, length)
    } else if rest.starts_with("::") || rest.starts_with("->") {
        (Kind::Punct, 2)
    } else if first.is_ascii_digit() {
        (Kind::Literal, word(rest))
    } else if is_word(first) {
        let raw = rest.strip_prefix("r#").filter(|name| name.starts_with(is_word));
        (Kind::Ident, raw.map_or_else(|| word(rest), |name| 2 + word(name)))
    } else {
        (Kind::Punct, first.len_utf8())
    };
    (Some(kind), length)
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn word(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let tail = rest.as_bytes().get(at..).unwrap_or_default();
        match tail {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a string literal with any prefix (`b`, `c`, `r`, `br`, `cr`) and any number of `#`.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        rest.strip_prefix(prefix).is_some_and(|tail| tail.trim_start_matches('#').starts_with('"'))
    })?;
    let tail = rest.strip_prefix(prefix)?;
    let hashes = tail.len() - tail.trim_start_matches('#').len();
    let open = prefix.len() + hashes + 1;
    if prefix.ends_with('r') {
        let close = format!("\"{}", "#".repeat(hashes));
        Some(rest.get(open..)?.find(&close).map_or(rest.len(), |at| open + at + close.len()))
    } else {
        // Without `r` a `#` before the quote is punctuation of its own.
        (hashes == 0).then(|| open + escaped(rest.get(open..).unwrap_or_default(), '"'))
    }
}

/// The length of a character or byte literal; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let tail = rest.strip_prefix("b'").or_else(|| rest.strip_prefix('\''))?;
    let open = rest.len() - tail.len();
    let mut chars = tail.chars();
    let first = chars.next()?;
    (first == '\\' || chars.next() == Some('\'')).then(|| open + escaped(tail, '\''))
}

/// The length up to and with the closing quote, where a backslash hides one character.
fn escaped(tail: &str, quote: char) -> usize {
    let mut hidden = false;
    for (at, c) in tail.char_indices() {
        match c {
            _ if hidden => hidden = false,
            '\\' => hidden = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    tail.len()
}

#[cfg(test)]
mod tests {
    use super::{Kind, lex};

    fn of_kind(source: &str, kind: Kind) -> Vec<&str> {
        lex(source).into_iter().filter(|token| token.kind == kind).map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        let source = r##"
            a /* b /* c */ d */ e // f
            "g \" h" r#"i " j"# b"k" c"l" br"m\" 'n' '\'' b'o' 1.5e3 '"' p
        "##;
        assert_eq!(of_kind(source, Kind::Ident), ["a", "e", "p"]);
        assert_eq!(of_kind(source, Kind::Comment), ["/* b /* c */ d */", "// f"]);
    }

    #[test]
    fn lifetimes_raw_identifiers_and_paths_are_code() {
        assert_eq!(
            of_kind("fn r#type<'a>(x: &'a str) -> b::C<'_>", Kind::Ident),
            ["fn", "type", "a", "x", "a", "str", "b", "C", "_"]
        );
        assert_eq!(of_kind("a::b -> c: d", Kind::Punct), ["::", "->", ":"]);
    }

    #[test]
    fn lines_are_counted_through_tokens_of_several_lines() {
        let last = lex("\"a\nb\" /* c\nd */\ne").pop().expect("the source has tokens");
        assert_eq!((last.text, last.line), ("e", 4));
    }

    #[test]
    fn what_is_never_closed_ends_with_the_file() {
        for source in ["/* a", "\"a", "r#\"a\"", "'\\", "b\"\\"] {
            assert_eq!(lex(source).len(), 1, "{source}");
        }
    }
}
