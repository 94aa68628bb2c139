//! Documents with one thing wrong, anywhere: never a panic, never an operation lost without a word, and whatever is
//! there can be used.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use super::*;

const DOCUMENTS: &[&str] = &[
    include_str!("../../../../fixtures/documents/pets-3.0.json"),
    include_str!("../../../../fixtures/documents/orders-3.1.json"),
];

/// What may stand in the place of anything.
fn replacements() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1.5),
        json!(""),
        json!("x"),
        json!("null"),
        json!([]),
        json!([null, 1]),
        json!(["a", "a"]),
        json!({}),
        json!({"": {"": 1}}),
        json!({"$ref": 1}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "other.json#/a"}),
        json!({"$ref": "#/components/schemas/Pet"}),
        json!({"$ref": "#/components/schemas/Order"}),
        json!({"$ref": "#/components"}),
        json!({"$ref": "#/paths"}),
        json!({"allOf": [{"$ref": "#/components/schemas/Pet"}, {"$ref": "#/components/schemas/Order"}]}),
        json!({"type": "array", "items": [{"type": "null"}], "minLength": "1", "exclusiveMaximum": true}),
        json!({"type": ["string", "string"], "enum": [], "required": ["a", "a"], "oneOf": []}),
    ]
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                places(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Whether the document's own regular expressions are why a schema cannot be used.
fn is_about_a_pattern(message: &str) -> bool {
    message.contains("regex")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn one_wrong_thing_anywhere(
        text in select(DOCUMENTS),
        changes in prop::collection::vec((any::<Index>(), select(replacements())), 1..4),
    ) {
        let mut document: Value = serde_json::from_str(text).expect("fixtures are JSON");
        for (place, replacement) in changes {
            let mut found = Vec::new();
            places(&document, "", &mut found);
            let place = place.get(&found);
            if let Some(target) = document.pointer_mut(place) && !place.is_empty() {
                *target = replacement;
            }
        }
        let read = Document::from_json(document.to_string(), &Limits::default()).expect("this is JSON");
        let Ok(compiled) = compile(read, &Options::new("demo")) else { return Ok(()) };
        assert_nothing_is_lost(&compiled);
        for endpoint in &compiled.endpoints {
            let arguments = endpoint.arguments.iter().filter_map(|argument| argument.schema.as_ref());
            let replies = endpoint.replies.all().iter().flat_map(|reply| reply.content.iter());
            for schema in arguments.chain(replies.filter_map(|content| content.schema.as_ref())) {
                if let Err(error) = schema.prepare() {
                    prop_assert!(is_about_a_pattern(&error.to_string()), "{error}: {}", schema.to_value().expect("it is at hand"));
                }
            }
        }
    }
}
