//! Which JSON types a schema lets through, as far as its keywords tell.

use serde_json::{Map, Value};

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

const NAMES: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];

/// How many references and applicators are followed before a schema counts as open.
const DEEPEST: u8 = 32;

impl Types {
    pub(crate) const ALL: Self = Self(0b11_1111);
    pub(crate) const STRING: Self = Self(0b00_1000);

    /// The types that `schema` may accept; an upper bound. References lead into `definitions`.
    pub(crate) fn of(schema: &Value, definitions: &Map<String, Value>) -> Self {
        narrow(schema, definitions, DEEPEST)
    }

    /// The type of a value.
    pub(crate) const fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self(1),
            Value::Bool(_) => Self(1 << 1),
            Value::Number(_) => Self(1 << 2),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self(1 << 4),
            Value::Object(_) => Self(1 << 5),
        }
    }

    /// Whether every type of `other` is in this set.
    pub(crate) const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The number of types.
    const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The types in words.
    pub(crate) fn words(self) -> String {
        if self == Self::ALL {
            return "any".to_owned();
        }
        let named = NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        let words: Vec<&str> = named.map(|(_, name)| *name).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(" or ") }
    }

    fn named(name: &str) -> Self {
        let name = if name == "integer" { "number" } else { name };
        NAMES.iter().position(|known| *known == name).map_or(Self::ALL, |bit| Self(1 << bit))
    }

    fn union(sets: impl Iterator<Item = Self>) -> Self {
        Self(sets.fold(0, |union, set| union | set.0))
    }
}

fn narrow(schema: &Value, definitions: &Map<String, Value>, depth: u8) -> Types {
    let object = match schema {
        Value::Object(object) if depth > 0 => object,
        Value::Bool(false) => return Types(0),
        _ => return Types::ALL,
    };
    let each = |schemas: &Value| -> Vec<Types> {
        let schemas = schemas.as_array().map(Vec::as_slice).unwrap_or_default();
        schemas.iter().map(|schema| narrow(schema, definitions, depth - 1)).collect()
    };
    let mut left = Types::ALL.0;
    for (keyword, value) in object {
        left &= match (keyword.as_str(), value) {
            ("type", Value::String(name)) => Types::named(name),
            ("type", Value::Array(names)) => {
                Types::union(names.iter().filter_map(Value::as_str).map(Types::named))
            }
            ("const", value) => Types::of_value(value),
            ("enum", Value::Array(values)) => Types::union(values.iter().map(Types::of_value)),
            ("$ref", Value::String(reference)) => match definition(reference, definitions) {
                Some(target) => narrow(target, definitions, depth - 1),
                None => Types::ALL,
            },
            ("allOf", schemas) => Types(each(schemas).iter().fold(Types::ALL.0, |all, set| all & set.0)),
            ("anyOf" | "oneOf", schemas) => Types::union(each(schemas).into_iter()),
            _ => Types::ALL,
        }
        .0;
    }
    Types(left)
}

/// The definition that a reference of a bundle leads to.
pub(crate) fn definition<'a>(reference: &str, definitions: &'a Map<String, Value>) -> Option<&'a Value> {
    let name = reference.strip_prefix("#/$defs/")?;
    definitions.get(name).or_else(|| definitions.get(&name.replace("~1", "/").replace("~0", "~")))
}

/// The type of an argument in one word, integers told apart where the schema says so plainly.
pub(crate) fn shown(schema: &Value, definitions: &Map<String, Value>) -> String {
    let types = Types::of(schema, definitions);
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") if types.count() == 1 => "integer".to_owned(),
        _ => types.words(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_read_through_references_and_applicators() {
        let definitions = json!({
            "Id": {"type": "integer"},
            "a/b": {"enum": ["x", "y"]},
            "Loop": {"$ref": "#/$defs/Loop"},
        });
        let definitions = definitions.as_object().expect("an object");
        let table = [
            (json!(true), "any"),
            (json!(false), "nothing"),
            (json!({}), "any"),
            (json!({"type": "string", "minLength": 1}), "string"),
            (json!({"type": ["string", "null"]}), "null or string"),
            (json!({"enum": ["a", 1]}), "number or string"),
            (json!({"const": []}), "array"),
            (json!({"$ref": "#/$defs/Id"}), "number"),
            (json!({"$ref": "#/$defs/a~1b"}), "string"),
            (json!({"$ref": "#/$defs/Loop"}), "any"),
            (json!({"$ref": "#/$defs/Missing"}), "any"),
            (json!({"allOf": [{"type": ["string", "number"]}, {"type": "string"}]}), "string"),
            (json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]}), "null or boolean"),
            (json!({"oneOf": [{"type": "object"}, {}]}), "any"),
        ];
        for (schema, words) in table {
            assert_eq!(Types::of(&schema, definitions).words(), words, "{schema}");
        }
    }
}
