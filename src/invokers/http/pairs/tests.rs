use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

const FORM: Style = Style::Form { explode: true, reserved: false };
const JOINED: Style = Style::Form { explode: false, reserved: false };
const SPACE: Style = Style::Delimited { delimiter: Delimiter::Space, reserved: false };
const PIPE: Style = Style::Delimited { delimiter: Delimiter::Pipe, reserved: false };
const DEEP: Style = Style::DeepObject { reserved: false };
const BRACKETS: Style = Style::Brackets { reserved: false };
const FORM_RESERVED: Style = Style::Form { explode: true, reserved: true };
const JOINED_RESERVED: Style = Style::Form { explode: false, reserved: true };
const PIPE_RESERVED: Style = Style::Delimited { delimiter: Delimiter::Pipe, reserved: true };

/// The query that the pairs make, or `!` with the reason.
fn query(style: Style, name: &str, value: &Value) -> String {
    match pairs(style, name, value) {
        Ok(pairs) => {
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
        }
        Err(no_form) => format!("!{no_form:?}"),
    }
}

#[test]
fn values_by_style() {
    let table = [
        (FORM, json!({"semi": ";", "dot": "."}), "semi=%3B&dot=."),
        (FORM, json!(["a", "", "c d"]), "x=a&x=&x=c%20d"),
        (FORM, json!([null]), ""),
        (JOINED, json!(["a", "b,c", "d e"]), "x=a,b%2Cc,d%20e"),
        (JOINED, json!({"k": "v", "l,m": ","}), "x=k,v,l%2Cm,%2C"),
        (JOINED, json!("a,b"), "x=a%2Cb"),
        (JOINED, json!([""]), "x="),
        (JOINED, json!({}), ""),
        (JOINED, json!([[1]]), "!Nested"),
        (SPACE, json!(["a", "b+c"]), "x=a%20b%2Bc"),
        (SPACE, json!(["a b"]), "!Split"),
        (SPACE, json!({"R": 100, "G": 200}), "x=R%20100%20G%20200"),
        (SPACE, json!("a"), "!Kind"),
        (SPACE, json!([]), ""),
        (PIPE, json!(["a", "b c", "d,e"]), "x=a%7Cb%20c%7Cd%2Ce"),
        (PIPE, json!(["a|b"]), "!Split"),
        (PIPE, json!({"a|b": 1}), "!Split"),
        (PIPE, json!(["%7C", "%20"]), "x=%257C%7C%2520"),
        (DEEP, json!({"a": 1, "b c": "d&e"}), "x%5Ba%5D=1&x%5Bb%20c%5D=d%26e"),
        (DEEP, json!({"a": null}), ""),
        (DEEP, json!({"a]": 1}), "!Split"),
        (DEEP, json!({"": 1}), "!Split"),
        (DEEP, json!({"a": {"b": 1}}), "!Nested"),
        (DEEP, json!({"a": [1]}), "!Nested"),
        (DEEP, json!(["a"]), "!Kind"),
        (DEEP, json!("a"), "!Kind"),
        (
            BRACKETS,
            json!({"a": {"b c": [1, true]}, "d": "&"}),
            "x%5Ba%5D%5Bb%20c%5D%5B0%5D=1&x%5Ba%5D%5Bb%20c%5D%5B1%5D=true&x%5Bd%5D=%26",
        ),
        (
            BRACKETS,
            json!([{"a": 1, "b": 2}, {"a": 3}]),
            "x%5B0%5D%5Ba%5D=1&x%5B0%5D%5Bb%5D=2&x%5B1%5D%5Ba%5D=3",
        ),
        (BRACKETS, json!([["a"], ["b", "c"]]), "x%5B0%5D%5B0%5D=a&x%5B1%5D%5B0%5D=b&x%5B1%5D%5B1%5D=c"),
        (BRACKETS, json!("a b"), "x=a%20b"),
        (BRACKETS, json!(""), "x="),
        // Items that are left out leave no gap.
        (BRACKETS, json!([null, "a", null, "b"]), "x%5B0%5D=a&x%5B1%5D=b"),
        (BRACKETS, json!({"a": null, "b": {}, "c": []}), ""),
        (BRACKETS, json!([]), ""),
        (BRACKETS, json!(["a", {}, "b"]), "!Empty"),
        (BRACKETS, json!({"a": [[]]}), "!Empty"),
        (BRACKETS, json!([{"a": null}]), "!Empty"),
        (BRACKETS, json!({"a": {"b]": 1}}), "!Split"),
        (BRACKETS, json!({"a": {"": 1}}), "!Split"),
        (Style::Json, json!("a"), "x=%22a%22"),
        (Style::Json, json!([]), "x=%5B%5D"),
        (Style::Json, json!({"a": [1, {"b": "&"}]}), "x=%7B%22a%22%3A%5B1%2C%7B%22b%22%3A%22%26%22%7D%5D%7D"),
        (Style::Text, json!("a b"), "x=a%20b"),
        (Style::Text, json!(["a"]), "!Kind"),
        (Style::Unsupported, json!("a"), "!Place"),
        (Style::Simple { explode: false }, json!("a"), "!Place"),
    ];
    for (style, value, due) in table {
        assert_eq!(query(style, "x", &value), due, "{style:?} {value}");
    }
}

#[test]
fn allow_reserved_passes_what_cannot_leave_its_value() {
    let table = [
        (FORM_RESERVED, json!(":/?@!$()*,;"), "x=:/?@!$()*,;"),
        (FORM_RESERVED, json!("a&b=c+d#e[f]'g'"), "x=a%26b%3Dc%2Bd%23e%5Bf%5D%27g%27"),
        (FORM_RESERVED, json!("a%2Fb%zz%"), "x=a%2Fb%25zz%25"),
        (FORM_RESERVED, json!("a b|é"), "x=a%20b%7C%C3%A9"),
        (FORM_RESERVED, json!({"a/b": "c/d"}), "a%2Fb=c/d"),
        (JOINED_RESERVED, json!(["a/b", "c,d"]), "x=a/b,c%2Cd"),
        (JOINED_RESERVED, json!("c,d"), "x=c,d"),
        (PIPE_RESERVED, json!(["a/b", "c"]), "x=a/b%7Cc"),
        // A triple passes, and would be taken for the delimiter.
        (PIPE_RESERVED, json!(["a%7cb"]), "!Split"),
        (Style::DeepObject { reserved: true }, json!({"a": "b/[c]"}), "x%5Ba%5D=b/%5Bc%5D"),
        (Style::Brackets { reserved: true }, json!({"a": ["b/[c]"]}), "x%5Ba%5D%5B0%5D=b/%5Bc%5D"),
    ];
    for (style, value, due) in table {
        assert_eq!(query(style, "x", &value), due, "{style:?} {value}");
    }
}

/// Puts a pair into a tree: members by name, items by index, as servers with this convention do.
fn grow(tree: &mut Value, path: &[&str], text: &str) {
    match path {
        [] => *tree = json!(text),
        [step, rest @ ..] => {
            if let Ok(index) = step.parse::<usize>() {
                let items = match tree {
                    Value::Array(items) => items,
                    other => {
                        *other = json!([]);
                        other.as_array_mut().expect("a list")
                    }
                };
                if index == items.len() {
                    items.push(Value::Null);
                }
                grow(&mut items[index], rest, text);
            } else {
                grow(&mut tree[*step], rest, text);
            }
        }
    }
}

/// Strings in lists and objects, none of them empty; no name is a number.
fn nested() -> impl Strategy<Value = Value> {
    let text = "\\PC*".prop_map(Value::from);
    text.prop_recursive(4, 24, 4, |inner| {
        let name = "[^\\[\\]\\p{Cc}0-9]{1,4}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// What a form decoder reads (RFC 1866 section 8.2.1).
fn decoded(query: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

proptest! {
    #[test]
    fn exploded_pairs_read_back_as_they_were(members in prop::collection::btree_map("\\PC*", "\\PC*", 1..5)) {
        let due: Vec<(String, String)> = members.clone().into_iter().collect();
        let object: Map<String, Value> = members.into_iter().map(|(name, value)| (name, json!(value))).collect();
        let written = query(FORM, "x", &Value::Object(object.clone()));
        prop_assert_eq!(decoded(&written), due.clone());
        let list = Value::Array(object.into_iter().map(|(_, value)| value).collect());
        let named: Vec<_> = due.into_iter().map(|(_, value)| ("x".to_owned(), value)).collect();
        prop_assert_eq!(decoded(&query(FORM, "x", &list)), named);
    }

    #[test]
    fn brackets_read_back_as_they_were(value in nested()) {
        let mut tree = Value::Null;
        for (name, text) in decoded(&query(BRACKETS, "x", &value)) {
            let steps: Vec<&str> = name.split(['[', ']']).filter(|step| !step.is_empty()).collect();
            prop_assert_eq!(steps[0], "x");
            grow(&mut tree, &steps[1..], &text);
        }
        prop_assert_eq!(tree, value);
    }

    /// Split first, then decode (Appendix C of `OpenAPI` 3.1.1).
    #[test]
    fn joined_items_read_back_as_they_were(items in prop::collection::vec("\\PC*", 1..5), reserved: bool) {
        let written = query(Style::Form { explode: false, reserved }, "x", &json!(items));
        let value = written.strip_prefix("x=").expect("one pair");
        prop_assert!(!value.contains(['&', '#', '+', ' ']));
        let read: Vec<_> = value
            .split(',')
            .map(|item| percent_encoding::percent_decode_str(item).decode_utf8_lossy().into_owned())
            .collect();
        if reserved {
            // Triples pass, so that only text without them reads back.
            prop_assert_eq!(read.len(), items.len());
        } else {
            prop_assert_eq!(read, items);
        }
    }

    #[test]
    fn delimited_items_read_back_or_are_refused(items in prop::collection::vec("\\PC*|[a-z| ]*", 1..5)) {
        for (style, delimiter) in [(SPACE, ' '), (PIPE, '|')] {
            match pairs(style, "x", &json!(items)) {
                Ok(pairs) => {
                    let read = decoded(&format!("x={}", pairs[0].1)).remove(0).1;
                    prop_assert_eq!(read.split(delimiter).collect::<Vec<_>>(), items.clone());
                }
                Err(no_form) => {
                    prop_assert_eq!(no_form, NoForm::Split);
                    prop_assert!(items.iter().any(|item| item.contains(delimiter)));
                }
            }
        }
    }

    /// Whatever the value is, it stays one value under its own name.
    #[test]
    fn allow_reserved_keeps_a_value_whole(text in "\\PC*|[&=#+\\[\\]'%0-9a-f]*") {
        let pairs = decoded(&query(FORM_RESERVED, "x", &json!(text)));
        prop_assert_eq!(pairs.len(), 1);
        prop_assert_eq!(&pairs[0].0, "x");
        if !text.contains('%') {
            prop_assert_eq!(&pairs[0].1, &text);
        }
    }
}
