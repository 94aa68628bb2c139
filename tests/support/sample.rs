//! The smallest value that satisfies a schema, for servers that must answer validly.

use serde_json::{Map, Value, json};

/// A value for a JSON Schema 2020-12 document; small, and right for the schemas that published APIs write.
///
/// The caller validates it: a schema beyond this generator shows up there, not as a wrong test.
pub(crate) fn sample(schema: &Value) -> Value {
    value(schema, schema, 0)
}

fn value(schema: &Value, root: &Value, depth: u32) -> Value {
    assert!(depth < 64, "required members recurse without end");
    let next = |schema: &Value| value(schema, root, depth + 1);
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("the reference resolves");
        return next(target);
    }
    for given in [&schema["const"], &schema["default"], &schema["enum"][0]] {
        if !given.is_null() {
            return given.clone();
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let whole = parts.iter().map(next).chain([typed(schema, root, depth)]);
        return whole.reduce(merged).expect("at least one");
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(branches) = schema[choice].as_array() {
            let branch = branches.iter().find(|branch| branch["type"] != "null").unwrap_or(&branches[0]);
            return merged(typed(schema, root, depth), next(branch));
        }
    }
    typed(schema, root, depth)
}

fn typed(schema: &Value, root: &Value, depth: u32) -> Value {
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        // Null where it is allowed: the smallest value.
        Value::Array(kinds) if kinds.iter().any(|kind| kind == "null") => "null",
        Value::Array(kinds) => kinds[0].as_str().expect("a type is a word"),
        _ if schema["properties"].is_object() || schema["required"].is_array() => "object",
        _ => "null",
    };
    match kind {
        "object" => object(schema, root, depth),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            (0..least).map(|_| value(&schema["items"], root, depth + 1)).collect()
        }
        "string" => text(schema),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}

fn object(schema: &Value, root: &Value, depth: u32) -> Value {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let member = |name: &str| (name.to_owned(), value(&schema["properties"][name], root, depth + 1));
    Value::Object(names.map(member).collect::<Map<_, _>>())
}

fn text(schema: &Value) -> Value {
    let text = match schema["format"].as_str() {
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("uri") => "https://example.test/",
        _ => "text",
    };
    let least = usize::try_from(schema["minLength"].as_u64().unwrap_or(0)).expect("a length");
    json!(text.to_owned() + &"x".repeat(least.saturating_sub(text.len())))
}

fn merged(one: Value, two: Value) -> Value {
    match (one, two) {
        (Value::Object(mut one), Value::Object(two)) => {
            one.extend(two);
            Value::Object(one)
        }
        (Value::Null, other) | (other, _) => other,
    }
}
