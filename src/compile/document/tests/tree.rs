//! Lookups, iteration, pointers and repeated keys.

use super::read;
use crate::compile::document::{Document, DuplicateKey, Format, Kind, Limits, Node};

#[test]
fn documents_are_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    let document = read("[1]");
    shared(&document);
    assert_eq!(document.format(), Format::Json);
    let clone = document.clone();
    assert_eq!(clone.text().as_ptr(), document.text().as_ptr(), "a clone shares the text");
}

#[test]
fn nodes_answer_for_their_kind_only() {
    let document = read(r#"[null, true, false, 1.50, "s", [0], {"k": 0}]"#);
    let answers: Vec<_> = document
        .root()
        .items()
        .map(|n| {
            (n.kind(), n.is_null(), n.as_bool(), n.number_text(), n.as_str(), n.len(), n.entries().count())
        })
        .collect();
    assert_eq!(
        answers,
        [
            (Kind::Null, true, None, None, None, 0, 0),
            (Kind::Bool, false, Some(true), None, None, 0, 0),
            (Kind::Bool, false, Some(false), None, None, 0, 0),
            (Kind::Number, false, None, Some("1.50"), None, 0, 0),
            (Kind::String, false, None, None, Some("s"), 0, 0),
            (Kind::Array, false, None, None, None, 1, 0),
            (Kind::Object, false, None, None, None, 1, 1),
        ]
    );
    assert!(document.root().get("0").is_none(), "arrays have no members");
    assert!(document.at("/4/0").is_none(), "strings have no items");
}

#[test]
fn as_u64_takes_plain_integers() {
    let document = read("[0, 18446744073709551615, 18446744073709551616, -1, 1.0, 1e2]");
    let answers: Vec<_> = document.root().items().map(Node::as_u64).collect();
    assert_eq!(answers, [Some(0), Some(u64::MAX), None, None, None, None]);
}

#[test]
fn texts_without_escapes_are_borrowed() {
    let document = read(r#"{"plain": "text", "esc\u0061ped": "a\nb"}"#);
    let range = document.text().as_bytes().as_ptr_range();
    let borrowed: Vec<_> = document
        .root()
        .entries()
        .flat_map(|(key, value)| [key, value.as_str().expect("a string")])
        .map(|text| (text, range.contains(&text.as_ptr())))
        .collect();
    assert_eq!(borrowed, [("plain", true), ("text", true), ("escaped", false), ("a\nb", false)]);
}

#[test]
fn pointers_follow_rfc_6901() {
    // The document of RFC 6901, section 5, and its two tables.
    let text = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#;
    let document = read(text);
    let table = [
        ("", "#", "object"),
        ("/foo", "#/foo", "array"),
        ("/foo/0", "#/foo/0", "bar"),
        ("/", "#/", "0"),
        ("/a~1b", "#/a~1b", "1"),
        ("/c%d", "#/c%25d", "2"),
        ("/e^f", "#/e%5Ef", "3"),
        ("/g|h", "#/g%7Ch", "4"),
        ("/i\\j", "#/i%5Cj", "5"),
        ("/k\"l", "#/k%22l", "6"),
        ("/ ", "#/%20", "7"),
        ("/m~0n", "#/m~0n", "8"),
    ];
    for (pointer, fragment, expected) in table {
        let node = document.at(pointer).expect(pointer);
        let shown = node.as_str().or(node.number_text()).map_or(node.kind().to_string(), str::to_owned);
        assert_eq!(shown, expected, "{pointer}");
        assert_eq!(node.pointer(), pointer);
        assert_eq!(document.resolve_fragment(fragment).map(Node::id), Some(node.id()), "{fragment}");
    }
}

#[test]
fn what_is_no_pointer_leads_nowhere() {
    let document = read(r#"{"a": [1, 2], "~": 3, "~2": 4, "01": 5}"#);
    for pointer in [
        "a",
        "/b",
        "/a/2",
        "/a/-",
        "/a/01",
        "/a/+1",
        "/a/",
        "/a/0/",
        "/~",
        "/~2",
        "#/a",
        "/a/99999999999999999999",
    ] {
        assert!(document.at(pointer).is_none(), "{pointer}");
    }
    assert!(document.at("/01").is_some(), "only array indexes have no leading zeros");
    for reference in ["#a", "/a", "other.json#/a", "#/a%FF", "##/a"] {
        assert!(document.resolve_fragment(reference).is_none(), "{reference}");
    }
    assert_eq!(document.resolve_fragment("").map(Node::id), Some(document.root().id()));
    assert_eq!(document.resolve_fragment("#/%61/1").and_then(Node::as_u64), Some(2));
}

#[test]
fn the_last_of_repeated_keys_counts_and_all_are_reported() {
    let document = read(r#"{"a": {"x": 1}, "b": 2, "a": 3, "\u0061": 4}"#);
    let root = document.root();
    let kept = root.get("a").expect("the key is there");
    assert_eq!(kept.as_u64(), Some(4));
    assert_eq!(
        root.entries().map(|(key, value)| (key, value.as_u64())).collect::<Vec<_>>(),
        [("b", Some(2)), ("a", Some(4))]
    );
    assert_eq!(root.len(), 2);
    let reported: Vec<_> = document
        .duplicate_keys()
        .iter()
        .map(|&DuplicateKey { object, key_offset, shadowed, kept }| {
            (object, key_offset, document.node(shadowed).offset(), document.node(kept).key(), kept)
        })
        .collect();
    assert_eq!(
        reported,
        [(root.id(), 1, 6, Some("a"), kept.id()), (root.id(), 24, 29, Some("a"), kept.id())]
    );
    let shadowed = document.node(document.duplicate_keys()[0].shadowed);
    assert_eq!(shadowed.get("x").and_then(Node::as_u64), Some(1), "a shadowed value can be looked at");
}

/// `{"k0": 0, "k1": 1, ...}`, each key above `repeated_from` written twice.
fn wide(keys: usize, repeated_from: usize) -> Document {
    let members = (0..keys).chain(repeated_from..keys).map(|n| format!("\"k{n}\":{n}"));
    read(&format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

#[test]
fn large_objects_answer_like_small_ones() {
    for keys in [1, 8, 15, 16, 17, 18, 33, 5000] {
        for repeated_from in [0, keys / 2, keys] {
            let document = wide(keys, repeated_from);
            let root = document.root();
            assert_eq!(root.len(), keys);
            assert_eq!(root.entries().count(), keys);
            assert_eq!(document.duplicate_keys().len(), keys - repeated_from);
            for n in 0..keys {
                let found = root.get(&format!("k{n}")).expect("every key is found");
                assert_eq!(found.as_u64(), Some(n as u64));
                assert_eq!(found.pointer(), format!("/k{n}"));
            }
            assert!(
                root.get("k").is_none() && root.get(&format!("k{keys}")).is_none() && root.get("").is_none()
            );
        }
    }
}

#[test]
fn values_of_the_same_text_are_the_same() {
    let texts = [
        r#"{"a":{"b":1}}"#,
        r#"{"a":{"b":12}}"#,
        r#"{"a":{"b":1},"c":2}"#,
        r#"{"a":[{"b":1}]}"#,
        r#"{"a":[]}"#,
        r#"{"a":{}}"#,
        r#"{"a":[[]]}"#,
        r#"{"a":"1"}"#,
        r#"{ "a":"1"}"#,
        r#"{"a":"\"\\","b":false}"#,
        r#"{"a":"","a":true}"#,
        "[1,[null]]",
        "[[1],null]",
        "[]",
        "-1.50",
        "\"s\"",
    ];
    let document = read(&format!("[{0},{0}]", texts.join(",")));
    let written: Vec<_> = document.root().items().map(Node::written).collect();
    let (once, again) = written.split_at(texts.len());
    assert_eq!(once, again);
    for (text, written) in texts.iter().zip(once) {
        let written = written.expect("it ends without escapes");
        assert_eq!(text.trim_end_matches(['}', ']']), written.trim_end_matches(['}', ']']));
        assert_eq!(once.iter().filter(|other| **other == Some(written)).count(), 1, "{written}");
    }
    let escaped = read(r#"{"a": ["\u0061"]}"#);
    assert_eq!(escaped.root().written(), None, "the end of such a text is not kept");
    let yaml = Document::from_yaml("[&a 1, *a, &a 2, *a]", &Limits::default()).expect("this is YAML");
    assert!(yaml.root().items().all(|item| item.written().is_none()), "`*a` is 1 and 2");
}

#[test]
fn nodes_know_their_place() {
    let document = read(r#"{"a": [{"b": 1}]}"#);
    let one = document.at("/a/0/b").expect("the node is there");
    assert_eq!(one.key(), Some("b"));
    let item = one.parent().expect("it stands in an object");
    assert_eq!((item.key(), item.pointer()), (None, "/a/0".to_owned()));
    assert!(document.root().parent().is_none());
    assert_eq!(format!("{one:?}"), "number at `/a/0/b`");
    assert!(document.root().id() < item.id() && item.id() < one.id(), "ids are ordered as the text");
    assert!(read("[]").root().is_empty() && !read("[0]").root().is_empty());
}
