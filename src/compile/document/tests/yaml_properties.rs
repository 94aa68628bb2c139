//! YAML and JSON agree on every value, however it is written; nothing makes the reader panic.

use proptest::prelude::*;
use serde_json::Value;

use super::properties::{any_value, read_or_refused, subtree};
use crate::compile::document::{Document, Limits, Node};

fn read(text: &str) -> Result<Document, TestCaseError> {
    Document::from_yaml(text, &Limits::default())
        .map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))
}

/// Two styles for each kind of value, drawn one after another.
struct Emitter {
    styles: Vec<bool>,
    used: usize,
    out: String,
}

impl Emitter {
    fn draw(&mut self) -> bool {
        self.used += 1;
        self.styles.get(self.used % self.styles.len().max(1)).copied().unwrap_or(true)
    }

    /// Writes `value` behind a key or dash at this depth of indentation.
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) if !members.is_empty() && self.draw() => {
                for (key, member) in members {
                    self.line(depth);
                    self.scalar(key);
                    self.out.push(':');
                    self.value(member, depth + 1);
                }
            }
            Value::Array(items) if !items.is_empty() && self.draw() => {
                for item in items {
                    self.line(depth);
                    self.out.push('-');
                    self.value(item, depth + 1);
                }
            }
            Value::Null if self.draw() => {}
            Value::String(text) if is_literal(text) && self.draw() => self.literal(text, depth),
            Value::String(text) => {
                self.out.push(' ');
                self.scalar(text);
            }
            // JSON is YAML in flow style.
            other => {
                self.out.push(' ');
                self.out.push_str(&other.to_string());
            }
        }
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }

    fn scalar(&mut self, text: &str) {
        let is_word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if is_word && !matches!(text, "null" | "true" | "false") && self.draw() {
            self.out.push_str(text);
        } else if is_printable && self.draw() {
            self.out.push_str(&format!("'{}'", text.replace('\'', "''")));
        } else {
            self.out.push_str(&Value::from(text).to_string());
        }
    }

    fn literal(&mut self, text: &str, depth: usize) {
        let chomping = if text.ends_with('\n') { '+' } else { '-' };
        self.out.push_str(&format!(" |2{chomping}"));
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.line(depth);
            self.out.push_str(line);
        }
    }
}

/// Whether a literal block can hold the text, by careful rules.
fn is_literal(text: &str) -> bool {
    let last = text.strip_suffix('\n').unwrap_or(text).rsplit('\n').next().unwrap_or_default();
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) && !last.trim().is_empty()
}

fn emitted(value: &Value, styles: Vec<bool>) -> String {
    let mut emitter = Emitter { styles, used: 0, out: String::new() };
    // A member, so that everything in it is indented.
    emitter.out.push_str("root:");
    emitter.value(value, 1);
    emitter.out.push('\n');
    emitter.out
}

proptest! {
    #[test]
    fn json_is_yaml(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let (json, yaml) = (super::read(&text), read(&text)?);
        prop_assert_eq!(&yaml.root().to_value(), &value);
        for (ours, theirs) in subtree(yaml.root()).into_iter().zip(subtree(json.root())) {
            prop_assert_eq!(ours.offset(), theirs.offset(), "{:?}", ours);
            prop_assert_eq!(ours.number_text(), theirs.number_text());
        }
    }

    #[test]
    fn block_style_stands_for_the_same_values(
        value in any_value(),
        styles in prop::collection::vec(any::<bool>(), 1..40),
        carriage_returns in any::<bool>(),
    ) {
        let mut text = emitted(&value, styles);
        if carriage_returns {
            text = text.replace('\n', "\r\n");
        }
        let document = read(&text)?;
        let root = document.at("/root").map(Node::to_value);
        prop_assert_eq!(root, Some(value), "{}", text);
    }

    /// What an alias repeats is what it would have been in its place.
    #[test]
    fn aliases_repeat_their_anchor(value in any_value(), styles in prop::collection::vec(any::<bool>(), 1..40)) {
        let text = emitted(&value, styles);
        let document = read(&format!("{}again: [*a, {{k: *a}}]\n", text.replacen("root:", "root: &a", 1)))?;
        for pointer in ["/root", "/again/0", "/again/1/k"] {
            let node = document.at(pointer).map(Node::to_value);
            prop_assert_eq!(node.as_ref(), Some(&value), "{} at {}", text, pointer);
        }
        let (first, again) = (document.at("/root").map(subtree), document.at("/again/0").map(subtree));
        let offsets = |nodes: Option<Vec<Node<'_>>>| nodes.map(|nodes| nodes.into_iter().map(Node::offset).collect::<Vec<_>>());
        prop_assert_eq!(offsets(first), offsets(again));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        read_or_refused(&bytes, Document::from_yaml(bytes.as_slice(), &Limits::default()))?;
        read_or_refused(&bytes, Document::from_text(bytes.as_slice(), &Limits::default()))?;
    }

    #[test]
    fn any_soup_of_tokens_is_read_or_refused(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "a", "b: ", "- ", "? ", ": ", ":", "\n", "\n  ", "\n    ", "\r\n", "\t", "[", "]", "{", "}", ",", "&a ",
            "*a", "*a ", "&b ", "*b", "<<: ", "!!str ", "!!int ", "!x ", "! ", "'", "\"", "\\", "|", ">", "|-\n", "# c\n",
            "---\n", "...\n", "%YAML 1.1\n", "0x1F", "012", ".inf", "~", "1.5", "true", "\u{e9}", "\u{1F600}", "\u{FEFF}",
            "\u{85}", "\u{2028}", "\u{0}",
        ]), 0..24))
    {
        let text = tokens.concat();
        read_or_refused(text.as_bytes(), Document::from_yaml(text.as_str(), &Limits::default()))?;
        read_or_refused(text.as_bytes(), Document::from_text(text.as_str(), &Limits::default()))?;
    }
}
