//! The one walk over a schema as it is written: it knows where schemas stand, and takes no data for one.

use serde_json::{Map, Value};

/// Where a schema stands, seen from the one that the walk began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) struct Place {
    /// It is about the same value, not about a part of it.
    pub(in crate::catalog) in_place: bool,
    /// Its annotations count: it, or a schema around it that is about the same value, has a keyword for what is
    /// left unevaluated (2020-12 section 11).
    pub(in crate::catalog) is_evaluated: bool,
}

/// What stands under a keyword.
#[derive(Debug, Clone, Copy)]
enum Shape {
    One,
    List,
    /// By name; the names are data.
    ByName,
}

/// The keywords of 2020-12 with schemas under them, and whether those are about the same value. Under `const`,
/// `enum`, `default` and `examples` stands data, whatever it looks like.
fn applicator(keyword: &str) -> Option<(Shape, bool)> {
    Some(match keyword {
        "allOf" | "anyOf" | "oneOf" => (Shape::List, true),
        "not" | "if" | "then" | "else" => (Shape::One, true),
        "dependentSchemas" => (Shape::ByName, true),
        "items"
        | "additionalProperties"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => (Shape::One, false),
        "prefixItems" => (Shape::List, false),
        "properties" | "patternProperties" | "$defs" => (Shape::ByName, false),
        _ => return None,
    })
}

/// Calls `visit` with this schema and each one in it, from the outside in and in the order in which they stand.
/// A visit may change the schema; the walk goes on in what it left.
pub(in crate::catalog) fn walk(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>, Place)) {
    enter(schema, Place { in_place: true, is_evaluated: false }, visit);
}

fn enter(schema: &mut Value, mut place: Place, visit: &mut dyn FnMut(&mut Map<String, Value>, Place)) {
    let Value::Object(keywords) = schema else { return };
    place.is_evaluated |=
        keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
    visit(keywords, place);
    for (keyword, below) in keywords.iter_mut() {
        let Some((shape, same_value)) = applicator(keyword) else { continue };
        let inner = if same_value { place } else { Place { in_place: false, is_evaluated: false } };
        match (shape, below) {
            (Shape::One, schema) => enter(schema, inner, visit),
            (Shape::List, Value::Array(schemas)) => {
                for schema in schemas {
                    enter(schema, inner, visit);
                }
            }
            (Shape::ByName, Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    enter(schema, inner, visit);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `reference in_place is_evaluated` for each reference, in order.
    fn references(mut schema: Value) -> Vec<String> {
        let mut found = Vec::new();
        walk(&mut schema, &mut |keywords, place| {
            if let Some(Value::String(reference)) = keywords.get("$ref") {
                let mark = |name: &'static str, holds| if holds { name } else { "-" };
                found.push(format!(
                    "{reference} {} {}",
                    mark("same", place.in_place),
                    mark("evaluated", place.is_evaluated)
                ));
            }
        });
        found
    }

    #[test]
    fn every_keyword_with_schemas_under_it() {
        let schema = json!({
            "$ref": "0",
            "allOf": [{"$ref": "1"}, {"not": {"$ref": "2"}}], "anyOf": [{"$ref": "3"}], "oneOf": [{"$ref": "4"}],
            "if": {"$ref": "5"}, "then": {"$ref": "6"}, "else": {"$ref": "7"},
            "dependentSchemas": {"$ref": {"$ref": "8"}},
            "properties": {"$ref": {"$ref": "9"}, "enum": {"allOf": [{"$ref": "10"}]}},
            "patternProperties": {"const": {"$ref": "11"}}, "additionalProperties": {"$ref": "12"},
            "propertyNames": {"$ref": "13"}, "items": {"$ref": "14"}, "prefixItems": [{"$ref": "15"}],
            "contains": {"$ref": "16"}, "$defs": {"default": {"$ref": "17"}},
        });
        let expected: Vec<String> =
            (0..18).map(|number| format!("{number} {} -", if number < 9 { "same" } else { "-" })).collect();
        assert_eq!(references(schema), expected);
    }

    #[test]
    fn data_is_no_schema() {
        let data = json!({"$ref": "data", "allOf": [{"$ref": "data"}]});
        for keyword in ["const", "default", "x-data", "discriminator"] {
            assert_eq!(references(json!({keyword: data})), [""; 0], "{keyword}");
        }
        for keyword in ["enum", "examples", "required"] {
            assert_eq!(references(json!({keyword: [data]})), [""; 0], "{keyword}");
        }
        // A property of that name is a name, and what it has for a reference is no text.
        assert_eq!(references(json!({"properties": {"$ref": "data", "const": {"$ref": "1"}}})), ["1 - -"]);
        assert_eq!(references(json!([{"$ref": "data"}])), [""; 0]);
    }

    #[test]
    fn annotations_count_up_to_the_next_part() {
        let schema = json!({"allOf": [{"$ref": "1"}, {"properties": {"a": {"$ref": "2"}}}],
            "unevaluatedProperties": {"$ref": "3"},
            "items": {"$ref": "4", "unevaluatedItems": false}, "not": {"anyOf": [{"$ref": "5"}]}});
        assert_eq!(
            references(schema),
            ["1 same evaluated", "2 - -", "3 - -", "4 - evaluated", "5 same evaluated"]
        );
        let inner = json!({"$ref": "1", "allOf": [{"$ref": "2", "unevaluatedProperties": false}]});
        assert_eq!(references(inner), ["1 same -", "2 same evaluated"]);
    }
}
