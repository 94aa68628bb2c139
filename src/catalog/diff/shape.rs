//! What one schema is like, by its keywords.

use serde_json::{Map, Value};

use crate::catalog::Schema;

/// Words for readers, which allow and forbid nothing.
pub(super) const PROSE: &[&str] = &[
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$defs",
    "externalDocs",
    "xml",
    "$schema",
];

/// Keywords with a rule of their own.
pub(super) const RULED: &[&str] = &[
    "$ref",
    "type",
    "enum",
    "const",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "allOf",
    "anyOf",
    "uniqueItems",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Keywords that make others idle, or take part in what they mean.
pub(super) const ENTANGLED: &[&str] = &[
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "prefixItems",
    "$dynamicRef",
];

pub(super) fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The branches of a schema that is nothing but a choice.
pub(super) fn choice(schema: &Value) -> Option<&Vec<Value>> {
    let keywords = schema.as_object()?;
    let is_alone = keywords.keys().all(|name| name == "anyOf" || PROSE.contains(&name.as_str()));
    if is_alone { keywords.get("anyOf")?.as_array() } else { None }
}

/// Whether a schema allows everything, or nothing; `None` where it depends on the value.
pub(super) fn is_open(schema: &Value) -> Option<bool> {
    match schema {
        Value::Bool(open) => Some(*open),
        Value::Object(keywords) if keywords.keys().all(|name| PROSE.contains(&name.as_str())) => Some(true),
        _ => None,
    }
}

/// Whether names that are not declared are forbidden.
pub(super) fn is_closed(keywords: &Map<String, Value>) -> bool {
    keywords.get("additionalProperties") == Some(&Value::Bool(false))
        && !keywords.contains_key("patternProperties")
}

/// Whether nothing is said of names that are not declared.
pub(super) fn is_free(keywords: &Map<String, Value>) -> bool {
    matches!(keywords.get("additionalProperties"), None | Some(Value::Bool(true)))
        && !["patternProperties", "unevaluatedProperties"].iter().any(|name| keywords.contains_key(*name))
}

/// What a schema that is only a reference means, through all its references, and the name of the last of them.
pub(super) fn follow(of: Option<&Schema>, schema: &Value) -> (Option<String>, Value) {
    let (mut name, mut at) = (None, schema.clone());
    // A reference that leads to itself allows everything; so many in a row nobody writes.
    for _ in 0..64 {
        let Some(reference) = alone(&at) else { break };
        match of.map(|schema| schema.referred(&reference)) {
            Some(Ok(Some(target))) => (name, at) = (Some(reference), target),
            _ => break,
        }
    }
    (name, at)
}

/// The reference of a schema that says nothing else.
fn alone(schema: &Value) -> Option<String> {
    let keywords = schema.as_object()?;
    let others = keywords.keys().any(|name| name != "$ref" && !PROSE.contains(&name.as_str()));
    if others { None } else { keywords.get("$ref")?.as_str().map(str::to_owned) }
}
