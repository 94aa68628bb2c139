//! Whether a schema has what a path names.

use std::collections::BTreeSet;

use serde_json::Value;

use super::path::Step;
use crate::catalog::{Schema, SchemaError, nearest};

/// More schemas in one place than anybody reads; then nothing is said.
const MOST_SCHEMAS: usize = 2_000;

/// Keywords whose schemas are about the same value.
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE: [&str; 2] = ["then", "else"];
/// What tells which members and elements there are; a schema without any says nothing of them.
const SAYS: [&str; 9] =
    ["$ref", "allOf", "anyOf", "oneOf", "properties", "items", "prefixItems", "enum", "const"];

/// What a schema says of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Yes,
    /// It allows more than it lists.
    Open,
    /// It has no such member here; the nearest that it has.
    No {
        name: String,
        near: Option<String>,
    },
}

/// Follows the steps through a schema.
pub(super) fn of(schema: &Schema, steps: &[Step]) -> Result<Declared, SchemaError> {
    let mut here = vec![schema.to_own_value()?];
    let mut found = Declared::Yes;
    for step in steps {
        let mut place = Place::default();
        place.look(schema, here, step)?;
        if place.next.is_empty() && !place.others.is_empty() {
            // Whether a map has this name, its schema does not say; what is below the name it does.
            (found, place.next) = (Declared::Open, std::mem::take(&mut place.others));
        }
        if place.next.is_empty() {
            // A place of which nothing is listed is as open as one that says so.
            if place.is_open || (place.is_vague && place.names.is_empty()) {
                return Ok(Declared::Open);
            }
            let near = nearest(&step.name, place.names.iter().map(String::as_str), 1).pop();
            return Ok(Declared::No { name: step.name.clone(), near });
        }
        here = place.next;
    }
    Ok(found)
}

/// What the schemas of one place say of one step.
#[derive(Default)]
struct Place {
    next: Vec<Value>,
    /// What members satisfy that are not listed.
    others: Vec<Value>,
    names: BTreeSet<String>,
    /// Whether one allows more than it lists, and whether one lists nothing.
    is_open: bool,
    is_vague: bool,
}

impl Place {
    fn look(&mut self, schema: &Schema, here: Vec<Value>, step: &Step) -> Result<(), SchemaError> {
        let mut pending = here;
        let (mut followed, mut seen) = (BTreeSet::new(), 0);
        while let Some(value) = pending.pop() {
            seen += 1;
            if seen > MOST_SCHEMAS {
                self.is_open = true;
                return Ok(());
            }
            let Value::Object(mut keywords) = value else {
                self.is_vague |= value == Value::Bool(true);
                continue;
            };
            self.is_vague |= SAYS.iter().all(|keyword| !keywords.contains_key(*keyword))
                && may_hold_more(keywords.get("type"));
            if let Some(Value::String(reference)) = keywords.remove("$ref")
                && followed.insert(reference.clone())
            {
                match schema.referred(&reference)? {
                    Some(target) => pending.push(target),
                    None => self.is_open = true,
                }
            }
            self.is_open |= keywords.contains_key("$dynamicRef");
            for list in IN_PLACE_LISTS {
                if let Some(Value::Array(branches)) = keywords.remove(list) {
                    pending.extend(branches);
                }
            }
            pending.extend(IN_PLACE.iter().filter_map(|keyword| keywords.remove(*keyword)));
            if let Some(Value::Object(dependent)) = keywords.remove("dependentSchemas") {
                pending.extend(dependent.into_iter().map(|(_, schema)| schema));
            }
            self.members(&mut keywords, step);
            // What comes after the elements that are listed may be anything.
            self.is_open |= keywords.contains_key("prefixItems") && !keywords.contains_key("items");
            let first = keywords.remove("prefixItems").and_then(|items| match items {
                Value::Array(items) => Some(items),
                _ => None,
            });
            let elements = first.into_iter().flatten().enumerate();
            let meant = elements.filter(|(at, _)| step.index.is_none_or(|index| index == *at));
            let elements: Vec<Value> =
                meant.map(|(_, schema)| schema).chain(keywords.remove("items")).collect();
            // A name goes through lists, as it does in the reply.
            match step.index {
                Some(_) => {
                    self.next.extend(elements.into_iter().filter(|schema| *schema != Value::Bool(false)));
                }
                None => pending.extend(elements),
            }
        }
        Ok(())
    }

    fn members(&mut self, keywords: &mut serde_json::Map<String, Value>, step: &Step) {
        if let Some(Value::Object(mut properties)) = keywords.remove("properties") {
            self.names.extend(properties.keys().cloned());
            self.next.extend(properties.remove(&step.name).filter(|schema| *schema != Value::Bool(false)));
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            match keywords.remove(keyword) {
                None | Some(Value::Bool(false)) => {}
                Some(schema) => {
                    self.is_open = true;
                    self.others.push(schema);
                }
            }
        }
        let has_patterns = keywords.get("patternProperties").and_then(Value::as_object);
        self.is_open |= has_patterns.is_some_and(|patterns| !patterns.is_empty());
    }
}

/// Whether a value of these types can have something below it.
fn may_hold_more(types: Option<&Value>) -> bool {
    let holds = |name: &Value| matches!(name.as_str(), Some("object" | "array"));
    match types {
        None => true,
        Some(Value::Array(types)) => types.iter().any(holds),
        Some(one) => holds(one),
    }
}
