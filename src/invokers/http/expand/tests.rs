use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn simple_expansion_by_the_table_of_the_rfc() {
    let table = [
        (json!("value"), false, Some("value")),
        (json!("Hello World!"), false, Some("Hello%20World%21")),
        (json!(["red", "green", "blue"]), false, Some("red,green,blue")),
        (json!(["red", "green", "blue"]), true, Some("red,green,blue")),
        (json!({"semi": ";", "dot": ".", "comma": ","}), false, Some("semi,%3B,dot,.,comma,%2C")),
        (json!({"semi": ";", "dot": ".", "comma": ","}), true, Some("semi=%3B,dot=.,comma=%2C")),
        (json!(["am", "p/m", "a,b"]), false, Some("am,p%2Fm,a%2Cb")),
        (json!([]), false, None),
        (json!({}), false, None),
        (json!(null), false, None),
        (json!([null, 1, null, true]), false, Some("1,true")),
        (json!({"a": null, "b": 2}), true, Some("b=2")),
        (json!({"a": null}), true, None),
        (json!(""), false, Some("")),
        (json!([""]), false, Some("")),
        (json!(9_007_199_254_740_993_u64), false, Some("9007199254740993")),
        (json!(i64::MIN), false, Some("-9223372036854775808")),
        (json!(u64::MAX), false, Some("18446744073709551615")),
        (json!(0.1), false, Some("0.1")),
        (json!(-0.0), false, Some("-0.0")),
        (json!(1e300), false, Some("1e%2B300")),
        (json!("e\u{301}"), false, Some("e%CC%81")),
        (json!("%2e%2e"), false, Some("%252e%252e")),
    ];
    for (value, explode, expected) in table {
        let flat = flatten(&value).expect("flat");
        let text = flat.map(|flat| simple(&flat, explode, encode));
        assert_eq!(text.as_deref(), expected, "{value}");
    }
}

#[test]
fn what_is_nested_has_no_form() {
    for value in [json!([[1]]), json!([{"a": 1}]), json!({"a": []}), json!({"a": {"b": 1}})] {
        assert_eq!(flatten(&value), Err(NoForm::Nested), "{value}");
    }
}

#[test]
fn label_and_matrix_expansion_by_the_tables_of_the_rfc() {
    let keys = json!({"semi": ";", "dot": ".", "comma": ","});
    let list = json!(["red", "green", "blue"]);
    // Value, exploded, label (RFC 6570 section 3.2.5), matrix (3.2.7).
    let table = [
        (json!("value"), false, Ok(".value"), ";x=value"),
        (json!("50%"), true, Ok(".50%25"), ";x=50%25"),
        (json!(""), false, Ok("."), ";x"),
        (list.clone(), false, Ok(".red,green,blue"), ";x=red,green,blue"),
        (list, true, Ok(".red.green.blue"), ";x=red;x=green;x=blue"),
        (keys.clone(), false, Ok(".semi,%3B,dot,.,comma,%2C"), ";x=semi,%3B,dot,.,comma,%2C"),
        // `.semi=%3B.dot=..comma=%2C` in the RFC, which nobody could take apart again.
        (keys, true, Err(NoForm::Split), ";semi=%3B;dot=.;comma=%2C"),
        (json!({"a": 1, "b": ""}), true, Ok(".a=1.b="), ";a=1;b"),
        (json!([1.5, 2]), true, Err(NoForm::Split), ";x=1.5;x=2"),
        (json!(["", "a"]), true, Ok("..a"), ";x;x=a"),
    ];
    for (value, explode, due_label, due_matrix) in table {
        let flat = flatten(&value).expect("flat").expect("defined");
        assert_eq!(label(&flat, explode), due_label.map(str::to_owned), "{value}");
        assert_eq!(matrix("x", &flat, explode), due_matrix, "{value}");
    }
}

#[test]
fn literals_keep_what_is_encoded_already() {
    let table = [
        ("/a b/", "/a%20b/"),
        ("/%41%zz%", "/%41%25zz%25"),
        ("/a//b/", "/a//b/"),
        ("/v1/{x}|^`\\", "/v1/%7Bx%7D%7C%5E%60%5C"),
        ("/größe:do", "/gr%C3%B6%C3%9Fe:do"),
        ("/a?b#c", "/a%3Fb%23c"),
    ];
    for (text, expected) in table {
        assert_eq!(literal(text, b"?#"), expected);
    }
}

proptest! {
    #[test]
    fn simple_and_matrix_items_read_back_as_they_were(items in prop::collection::vec("\\PC*", 1..5)) {
        let value = json!(items);
        let flat = flatten(&value).expect("flat").expect("defined");
        let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let joined = simple(&flat, false, encode);
        prop_assert_eq!(joined.split(',').map(decode).collect::<Vec<_>>(), items.clone());
        let exploded = matrix("x", &flat, true);
        let pairs = exploded.strip_prefix(';').expect("a pair").split(';');
        let read: Vec<_> = pairs.map(|pair| decode(pair.strip_prefix("x=").unwrap_or_default())).collect();
        prop_assert_eq!(read, items);
    }

    #[test]
    fn encoding_is_reversible_and_holds_only_unreserved_characters(text in "\\PC*|[\\x00-\\x7f]*") {
        let encoded = encode(&text);
        prop_assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
        prop_assert_eq!(percent_encoding::percent_decode_str(&encoded).decode_utf8().expect("UTF-8"), text);
    }

    #[test]
    fn a_literal_is_the_same_when_it_is_written_twice(text in "\\PC*") {
        let once = literal(&text, b"?#");
        prop_assert_eq!(literal(&once, b"?#"), once);
    }
}
