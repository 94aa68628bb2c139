//! Agreement with `serde_json`, places that lead back, and no panic on anything.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::read;
use crate::compile::document::{Document, Limits, Node, ReadError};

pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |float| float.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 60, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Names, prose with escapes, pointer characters, and anything else.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![r"[a-z]{0,12}", r#"[ -~\n\t\\"/%\u{0}\u{e9}\u{1F600}]{0,24}"#, any::<String>()]
}

/// Every node below and including `node`.
pub(super) fn subtree(node: Node<'_>) -> Vec<Node<'_>> {
    let children = node.items().chain(node.entries().map(|(_, value)| value));
    std::iter::once(node).chain(children.flat_map(subtree)).collect()
}

/// Edits that keep a text near JSON: at a place, replace or insert or delete, a byte that means something to it.
fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let byte =
        prop_oneof![prop::sample::select(b"{}[],:\"\\ntfu0123456789abcdeE+-. \n\t/*'".to_vec()), any::<u8>()];
    prop::collection::vec((any::<prop::sample::Index>(), 0_u8..3, byte), 0..4)
}

fn edited(value: &Value, edits: Vec<(prop::sample::Index, u8, u8)>) -> Vec<u8> {
    let mut text = value.to_string().into_bytes();
    for (place, edit, byte) in edits {
        let at = place.index(text.len() + 1);
        match edit {
            0 if at < text.len() => text[at] = byte,
            1 if at < text.len() => drop(text.remove(at)),
            _ => text.insert(at, byte),
        }
    }
    text
}

/// Equal but for the last place of a float, where `serde_json` rounds less carefully.
fn alike(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= a.abs() * 1e-15 + f64::from_bits(1)
        }
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn values_survive_the_way_through_text(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let document = read(&text);
        prop_assert_eq!(&document.root().to_value(), &value);
        prop_assert_eq!(document.root().to_value_exact(), Ok(value));
    }

    #[test]
    fn offsets_stand_at_the_first_byte_of_the_value(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { format!("\u{FEFF}{value:#}") } else { value.to_string() };
        let document = read(&text);
        for node in subtree(document.root()) {
            let rest = &text[node.offset() as usize..];
            prop_assert!(!rest.starts_with([' ', '\n', ',', ':']), "{node:?} at {rest:?}");
            let there = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next();
            let there = there.and_then(Result::ok);
            prop_assert!(there.is_some_and(|there| alike(&node.to_value(), &there)), "{node:?} at {rest:?}");
        }
    }

    #[test]
    fn pointers_lead_back(value in any_value()) {
        let document = read(&value.to_string());
        for node in subtree(document.root()) {
            let pointer = node.pointer();
            prop_assert_eq!(document.at(&pointer).map(Node::id), Some(node.id()));
            let theirs = value.pointer(&pointer).cloned();
            prop_assert_eq!(theirs, Some(node.to_value()), "serde_json reads the pointer in the same way");
            let encoded = percent_encoding::utf8_percent_encode(&pointer, percent_encoding::NON_ALPHANUMERIC);
            let reference = format!("#{encoded}");
            prop_assert_eq!(document.resolve_fragment(&reference).map(Node::id), Some(node.id()));
        }
    }

    /// Accepts what `serde_json` accepts, with the same value, and refuses what it refuses. Two differences are meant:
    /// a number beyond `f64` is kept, and a byte order mark is skipped.
    #[test]
    fn agrees_with_serde_json_on_damaged_texts(value in any_value(), edits in edits()) {
        let text = edited(&value, edits);
        let ours = Document::from_json(text.as_slice(), &Limits::default());
        match serde_json::from_slice::<Value>(&text) {
            Ok(theirs) => {
                let ours = ours.map(|document| document.root().to_value());
                let agreed = ours.as_ref().is_ok_and(|ours| alike(ours, &theirs));
                prop_assert!(agreed, "{:?}: {ours:?}, not {theirs}", String::from_utf8_lossy(&text));
            }
            Err(error) if error.to_string().contains("number out of range") => {}
            Err(error) => {
                prop_assert!(ours.is_err(), "{:?} is refused by serde_json: {error}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        read_or_refused(&bytes, Document::from_json(bytes.as_slice(), &Limits::default()))?;
    }

    #[test]
    fn any_soup_of_tokens_is_read_or_refused(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", "1e", ".5", "true",
            "nul", "/", "//", " ", "\n", "\u{e9}", "\u{1F600}", "\u{FEFF}", "\u{1}",
        ]), 0..24))
    {
        let text = tokens.concat();
        read_or_refused(text.as_bytes(), Document::from_json(text.as_str(), &Limits::default()))?;
    }

    /// A plain map is the model: the last member of a key counts, the others are reported.
    #[test]
    fn repeated_keys_behave_as_in_a_map(members in prop::collection::vec(("[a-f]{1,2}", 0_u64..1000), 0..50)) {
        let written: Vec<_> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let document = read(&format!("{{{}}}", written.join(",")));
        let model: HashMap<_, _> = members.iter().cloned().collect();
        let root = document.root();
        for (key, value) in &model {
            prop_assert_eq!(root.get(key).and_then(Node::as_u64), Some(*value));
        }
        prop_assert!(root.get("g").is_none());
        let entries: HashMap<_, _> =
            root.entries().map(|(key, value)| (key.to_owned(), value.as_u64().unwrap_or(u64::MAX))).collect();
        prop_assert_eq!(&entries, &model);
        prop_assert_eq!(root.entries().count(), model.len());
        prop_assert_eq!(root.len(), model.len());
        prop_assert_eq!(document.duplicate_keys().len(), members.len() - model.len());
        for duplicate in document.duplicate_keys() {
            let key = document.node(duplicate.kept).key();
            prop_assert!(key.is_some_and(|key| root.get(key).map(Node::id) == Some(duplicate.kept)));
            prop_assert!(duplicate.shadowed < duplicate.kept);
            prop_assert_eq!(document.node(duplicate.shadowed).key(), key);
        }
    }
}

/// Pointers lead back, and a refusal has a place and words.
pub(super) fn read_or_refused(bytes: &[u8], read: Result<Document, ReadError>) -> Result<(), TestCaseError> {
    match read {
        Ok(document) => {
            for node in subtree(document.root()) {
                prop_assert_eq!(document.at(&node.pointer()).map(Node::id), Some(node.id()));
            }
        }
        Err(error) => {
            prop_assert!(error.offset() <= bytes.len());
            prop_assert!(!error.to_string().is_empty());
        }
    }
    Ok(())
}
