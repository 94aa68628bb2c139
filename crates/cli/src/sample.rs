//! A value that a schema is likely to accept, to show what a call looks like.

use serde_json::{Map, Value, json};

use crate::types::definition;

/// How deep a sample goes.
const DEEPEST: u8 = 8;

/// A small value like the schema: its own example where it gives one, else its required parts.
pub(crate) fn sample(schema: &Value, definitions: &Map<String, Value>) -> Value {
    build(schema, definitions, DEEPEST)
}

fn build(schema: &Value, definitions: &Map<String, Value>, depth: u8) -> Value {
    let Some(object) = schema.as_object().filter(|_| depth > 0) else { return Value::Null };
    let first =
        |keyword: &str| object.get(keyword).and_then(Value::as_array).and_then(|values| values.first());
    let given = ["const", "example", "default"].iter().find_map(|keyword| object.get(*keyword));
    if let Some(given) = given.or_else(|| first("examples")).or_else(|| first("enum")) {
        return given.clone();
    }
    if let Some(target) = object.get("$ref").and_then(Value::as_str) {
        return definition(target, definitions)
            .map_or(Value::Null, |target| build(target, definitions, depth - 1));
    }
    if let Some(Value::Array(parts)) = object.get("allOf") {
        return merged(
            parts.iter().map(|part| build(part, definitions, depth - 1)),
            object,
            definitions,
            depth,
        );
    }
    if let Some(choice) = first("oneOf").or_else(|| first("anyOf")) {
        return build(choice, definitions, depth - 1);
    }
    plain(object, definitions, depth)
}

/// All parts in one object, or the first part that is something.
fn merged(
    parts: impl Iterator<Item = Value>,
    own: &Map<String, Value>,
    definitions: &Map<String, Value>,
    depth: u8,
) -> Value {
    let mut all = plain(own, definitions, depth);
    for part in parts {
        match (&mut all, part) {
            (Value::Object(all), Value::Object(part)) => all.extend(part),
            (Value::Null, part) => all = part,
            _ => {}
        }
    }
    all
}

/// By type alone.
fn plain(object: &Map<String, Value>, definitions: &Map<String, Value>, depth: u8) -> Value {
    let name = match object.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or_default(),
        _ if object.contains_key("properties") => "object",
        _ => "",
    };
    match name {
        "string" => string(object),
        "integer" | "number" => object.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "array" => match object.get("items") {
            Some(items) => json!([build(items, definitions, depth - 1)]),
            None => json!([]),
        },
        "object" => {
            let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
            let members = required.filter_map(Value::as_str).map(|name| {
                let schema = object.get("properties").and_then(|properties| properties.get(name));
                (name.to_owned(), schema.map_or(Value::Null, |schema| build(schema, definitions, depth - 1)))
            });
            Value::Object(members.collect())
        }
        _ => Value::Null,
    }
}

fn string(object: &Map<String, Value>) -> Value {
    match object.get("format").and_then(Value::as_str) {
        Some("date") => json!("2026-01-31"),
        Some("date-time") => json!("2026-01-31T12:00:00Z"),
        Some("uuid") => json!("00000000-0000-4000-8000-000000000000"),
        _ => json!("text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_what_is_required_and_no_more() {
        let definitions = json!({
            "Item": {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}, "note": {}}},
            "Tree": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/Tree"}}},
        });
        let definitions = definitions.as_object().expect("an object");
        let table = [
            (json!({"type": "integer", "minimum": 3}), json!(3)),
            (json!({"type": "string", "enum": ["new", "paid"]}), json!("new")),
            (json!({"type": "array", "items": {"$ref": "#/$defs/Item"}}), json!([{"sku": "text"}])),
            (
                json!({"allOf": [{"$ref": "#/$defs/Item"}, {"required": ["n"], "properties": {"n": {"default": 0}}}]}),
                json!({"sku": "text", "n": 0}),
            ),
            (json!({"oneOf": [{"type": "boolean"}, {"type": "string"}]}), json!(true)),
            (json!(true), json!(null)),
        ];
        for (schema, expected) in table {
            assert_eq!(sample(&schema, definitions), expected, "{schema}");
        }
        assert!(sample(&json!({"$ref": "#/$defs/Tree"}), definitions).is_object(), "recursion ends");
    }
}
