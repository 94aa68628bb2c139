//! Canonical JSON text (RFC 8785), straight from the document's nodes.

use std::cmp::Ordering;

use crate::compile::document::{Kind, Node};

use super::number;

/// A text that grows. Whoever writes an object gives its keys in the order of [`key_order`].
#[derive(Debug, Default)]
pub(in super::super) struct Text<'d> {
    bytes: Vec<u8>,
    /// Members of the objects that are being written, so that sorting them allocates nothing.
    members: Vec<(&'d str, Node<'d>)>,
}

/// The order of keys: by UTF-16 code units (RFC 8785 section 3.2.3, case 064).
///
/// It differs from the order of UTF-8 bytes in one thing: pairs of surrogates come before U+E000 to U+FFFF.
pub(in super::super) fn key_order(one: &str, other: &str) -> Ordering {
    let rank = |byte: u8| if matches!(byte, 0xEE | 0xEF) { byte + 0x10 } else { byte };
    match one.bytes().zip(other.bytes()).find(|(one, other)| one != other) {
        Some((one, other)) => rank(one).cmp(&rank(other)),
        None => one.len().cmp(&other.len()),
    }
}

impl<'d> Text<'d> {
    pub(in super::super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(in super::super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Begins an object (`{`) or array (`[`).
    pub(in super::super) fn open(&mut self, bracket: u8) {
        self.separate();
        self.bytes.push(bracket);
    }

    /// Ends what was begun.
    pub(in super::super) fn close(&mut self, bracket: u8) {
        self.bytes.push(bracket);
    }

    /// Takes the place of a value for a member.
    pub(in super::super) fn key(&mut self, key: &str) {
        self.string(key);
        self.bytes.push(b':');
    }

    pub(in super::super) fn string(&mut self, text: &str) {
        self.separate();
        self.bytes.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(at) = first_escaped(rest) {
            self.bytes.extend_from_slice(&rest[..at]);
            self.escape(rest[at]);
            rest = &rest[at + 1..];
        }
        self.bytes.extend_from_slice(rest);
        self.bytes.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let short = match byte {
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0C => b'f',
            b'\r' => b'r',
            0..b' ' => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                self.bytes.extend_from_slice(b"\\u00");
                return self.bytes.extend_from_slice(&digits);
            }
            itself => itself,
        };
        self.bytes.extend_from_slice(&[b'\\', short]);
    }

    /// A number, by its value.
    pub(in super::super) fn number(&mut self, text: &str) {
        self.separate();
        number::write(text, &mut self.bytes);
    }

    pub(in super::super) fn bool(&mut self, value: bool) {
        self.word(if value { "true" } else { "false" });
    }

    /// Strings in the given order.
    pub(in super::super) fn strings<'s>(&mut self, strings: impl IntoIterator<Item = &'s str>) {
        self.open(b'[');
        strings.into_iter().for_each(|string| self.string(string));
        self.close(b']');
    }

    /// A value whose order counts, keys apart: recurses once per level, which the limits of documents bound.
    pub(in super::super) fn data(&mut self, node: Node<'d>) {
        match node.kind() {
            Kind::Null => self.word("null"),
            Kind::Bool => self.bool(node.as_bool() == Some(true)),
            Kind::Number => self.number(node.number_text().unwrap_or_default()),
            Kind::String => self.string(node.as_str().unwrap_or_default()),
            Kind::Array => {
                self.open(b'[');
                for item in node.items() {
                    self.data(item);
                }
                self.close(b']');
            }
            Kind::Object => {
                let start = self.members.len();
                self.members.extend(node.entries());
                self.members[start..].sort_unstable_by(|one, other| key_order(one.0, other.0));
                self.open(b'{');
                for at in start..self.members.len() {
                    let (key, value) = self.members[at];
                    self.key(key);
                    self.data(value);
                }
                self.close(b'}');
                self.members.truncate(start);
            }
        }
    }

    /// Values whose order and repetition do not count (ruling 16).
    pub(in super::super) fn data_set(&mut self, list: Node<'d>) {
        self.open(b'[');
        let start = self.bytes.len();
        let mut ranges = Vec::new();
        for item in list.items() {
            let from = self.bytes.len();
            self.data(item);
            // Without the comma before it.
            ranges.push(from + usize::from(from > start)..self.bytes.len());
        }
        let written = self.bytes.split_off(start);
        let mut items: Vec<&[u8]> =
            ranges.into_iter().map(|range| &written[range.start - start..range.end - start]).collect();
        items.sort_unstable();
        items.dedup();
        for item in items {
            self.separate();
            self.bytes.extend_from_slice(item);
        }
        self.close(b']');
    }

    fn word(&mut self, word: &str) {
        self.separate();
        self.bytes.extend_from_slice(word.as_bytes());
    }

    /// A comma between values; none at the beginning and after a key.
    fn separate(&mut self) {
        if !matches!(self.bytes.last(), None | Some(b'{' | b'[' | b':')) {
            self.bytes.push(b',');
        }
    }
}

/// Where the first byte stands that has to be escaped; looks at whole chunks, which the compiler turns into few steps.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 32;
    let is_escaped = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    let any = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_escaped(byte));
    let clean = bytes.chunks(CHUNK).take_while(|chunk| !any(chunk)).count() * CHUNK;
    bytes.get(clean..)?.iter().position(is_escaped).map(|at| clean + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::document::{Document, Limits};

    fn canonical(json: &str) -> String {
        let document = Document::from_json(json, &Limits::default()).expect("test data is JSON");
        let mut text = Text::default();
        text.data(document.root());
        String::from_utf8(text.bytes).expect("UTF-8 in, UTF-8 out")
    }

    #[test]
    fn case_064_keys_are_ordered_by_utf_16_code_units() {
        let written = canonical(
            r#"{"\uFF21": 1, "\uD83D\uDE80": 2, "a": 3, "": 4, "ab": 5, "\u00e9": 6, "\uD7FF": 7}"#,
        );
        assert_eq!(written, "{\"\":4,\"a\":3,\"ab\":5,\"é\":6,\"\u{D7FF}\":7,\"🚀\":2,\"Ａ\":1}");
        let by_units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        let table = [
            "",
            "a",
            "b",
            "ab",
            "é",
            "\u{7FF}",
            "\u{800}",
            "\u{D7FF}",
            "\u{E000}",
            "\u{FFFF}",
            "\u{10000}",
            "\u{10FFFF}",
        ];
        for (one, other) in table.iter().flat_map(|one| table.iter().map(move |other| (one, other))) {
            assert_eq!(key_order(one, other), by_units(one).cmp(&by_units(other)), "{one:?} {other:?}");
        }
    }

    #[test]
    fn strings_are_written_as_rfc_8785_says() {
        let written =
            canonical(r#"["\u0000\u001F\b\f\n\r\t\"\\\/\u007f\u00e9\u20ac", "", "plain, {\"a\": 1}"]"#);
        assert_eq!(
            written,
            "[\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\u{7f}é€\",\"\",\"plain, {\\\"a\\\": 1}\"]"
        );
    }

    #[test]
    fn what_is_written_means_the_same_again() {
        let json = r#" {"b": [1, 2.50, {"z": null, "a": [[], {}]}], "a": true, "c": "x,{[:", "d": false} "#;
        let once = canonical(json);
        assert_eq!(once, r#"{"a":true,"b":[1,2.5,{"a":[[],{}],"z":null}],"c":"x,{[:","d":false}"#);
        assert_eq!(canonical(&once), once);
    }

    #[test]
    fn sets_have_one_order_and_no_repetitions() {
        let document =
            Document::from_json(r#"["b", {"y": 1, "x": 2}, 1.0, "a", 1, [2, 1], "b"]"#, &Limits::default());
        let document = document.expect("JSON");
        let mut text = Text::default();
        text.data_set(document.root());
        assert_eq!(text.as_bytes(), br#"["a","b",1,[2,1],{"x":2,"y":1}]"#);
    }
}
