//! The kinds of single changes, each by the object that it changes.

use schemarouter::kernel::base::rng::Jitter;
use serde_json::{Map, Value, json};

use crate::support::grammar::Place;

pub(super) type Object = Map<String, Value>;

/// A kind of change: where it is made, and the changed object; `None` where it cannot be made.
pub(super) struct Change {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) of: fn(&Object, &mut Jitter) -> Option<Object>,
    /// Whether a member gets another name.
    pub(super) renames: bool,
}

const fn change(name: &'static str, place: Place, of: fn(&Object, &mut Jitter) -> Option<Object>) -> Change {
    Change { name, place, of, renames: false }
}

pub(super) const CHANGES: &[Change] = &[
    change("type", Place::Schema, other_type),
    change("requirement of a property", Place::Schema, other_property),
    change("enum value", Place::Schema, other_enum_value),
    change("requirement of a parameter", Place::Parameter, other_requirement),
    change("style", Place::Parameter, other_style),
    change("explode", Place::Parameter, other_explode),
    Change { renames: true, ..change("status", Place::Replies, other_status) },
    Change { renames: true, ..change("media type", Place::Content, other_media_type) },
];

/// The number of a random item.
pub(super) fn pick<T>(items: &[T], random: &mut Jitter) -> Option<usize> {
    let count = u64::try_from(items.len()).ok().filter(|count| *count > 0)?;
    usize::try_from(random.bits() % count).ok()
}

fn with(object: &Object, key: &str, value: Value) -> Option<Object> {
    let mut changed = object.clone();
    changed.insert(key.to_owned(), value);
    (!object.contains_key("$ref")).then_some(changed)
}

/// The same members, one of them under another name.
fn renamed(
    object: &Object,
    is_candidate: impl Fn(&str) -> bool,
    new: &[&str],
    random: &mut Jitter,
) -> Option<Object> {
    let candidates: Vec<&String> = object.keys().filter(|key| is_candidate(key)).collect();
    let old = candidates[pick(&candidates, random)?];
    let new = new.iter().find(|new| !object.contains_key(**new))?;
    let member = |(key, value): (&String, &Value)| {
        (if key == old { (*new).to_owned() } else { key.clone() }, value.clone())
    };
    Some(object.iter().map(member).collect())
}

fn other_type(schema: &Object, _: &mut Jitter) -> Option<Object> {
    let other = if schema.get("type")?.as_str()? == "string" { "integer" } else { "string" };
    with(schema, "type", json!(other))
}

fn other_property(schema: &Object, random: &mut Jitter) -> Option<Object> {
    let properties: Vec<&String> = schema.get("properties")?.as_object()?.keys().collect();
    let name = properties[pick(&properties, random)?];
    let empty = Vec::new();
    let mut required = schema.get("required").map_or(Some(&empty), Value::as_array)?.clone();
    let count = required.len();
    required.retain(|required| required != name);
    if required.len() == count {
        required.push(json!(name));
    }
    with(schema, "required", json!(required))
}

fn other_enum_value(schema: &Object, random: &mut Jitter) -> Option<Object> {
    let mut values = schema.get("enum")?.as_array()?.clone();
    let at = pick(&values, random)?;
    values[at] = if values[at].is_number() { json!(987_654_321) } else { json!("another value") };
    with(schema, "enum", json!(values))
}

/// Parameters of a path are required in any case.
fn other_requirement(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let required = parameter.get("required").map_or(Some(false), Value::as_bool)?;
    (parameter.get("in")? != "path").then(|| with(parameter, "required", json!(!required)))?
}

fn styled(parameter: &Object) -> Option<(&str, &str)> {
    let location = parameter.get("in")?.as_str().filter(|_| !parameter.contains_key("content"))?;
    let usual = if matches!(location, "query" | "cookie") { "form" } else { "simple" };
    Some((location, parameter.get("style").map_or(Some(usual), Value::as_str)?))
}

fn other_style(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let other = match styled(parameter)? {
        ("query", "form") => "pipeDelimited",
        ("query", _) => "form",
        ("path", "simple") => "label",
        ("path", _) => "simple",
        _ => return None,
    };
    with(parameter, "style", json!(other))
}

fn other_explode(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let (_, style) = styled(parameter)?;
    let explode = parameter.get("explode").map_or(Some(style == "form"), Value::as_bool)?;
    with(parameter, "explode", json!(!explode))
}

fn other_status(replies: &Object, random: &mut Jitter) -> Option<Object> {
    renamed(replies, |key| !key.starts_with("x-"), &["299", "298"], random)
}

fn other_media_type(content: &Object, random: &mut Jitter) -> Option<Object> {
    renamed(content, |_| true, &["application/vnd.changed+json"], random)
}
