//! Places in the arguments: a name, or a pointer to a member of one.

use serde_json::{Map, Value};

use crate::catalog::Endpoint;

/// The names on the way to the place, from the argument down.
pub(super) fn names(place: &str) -> impl Iterator<Item = String> {
    let (whole, parts) = match place.strip_prefix('/') {
        Some(pointer) => {
            (None, Some(pointer.split('/').map(|name| name.replace("~1", "/").replace("~0", "~"))))
        }
        None => (Some(place.to_owned()), None),
    };
    whole.into_iter().chain(parts.into_iter().flatten())
}

pub(super) fn get<'a>(arguments: &'a Map<String, Value>, place: &str) -> Option<&'a Value> {
    let mut names = names(place);
    let first = arguments.get(&names.next()?)?;
    names.try_fold(first, |value, name| value.get(&name))
}

/// Puts a value there; what is on the way and no object is replaced by one.
pub(super) fn put(arguments: &mut Map<String, Value>, place: &str, value: Value) {
    let mut names = names(place).peekable();
    let mut at = arguments;
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            at.insert(name, value);
            return;
        }
        let inner = at.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if !inner.is_object() {
            *inner = Value::Object(Map::new());
        }
        let Value::Object(inner) = inner else { return };
        at = inner;
    }
}

/// A number as text, or a text as a number, where the argument takes only that: on the wire they are the same, and replies
/// often write cursors otherwise than parameters declare them.
pub(super) fn fitting(endpoint: &Endpoint, name: &str, value: Value) -> Value {
    let schema = endpoint.argument(name).and_then(|argument| argument.schema.as_ref());
    let fits = |value: &Value| {
        schema.is_none_or(|schema| schema.violations(value).is_ok_and(|violations| violations.is_empty()))
    };
    if endpoint.http().is_none() || fits(&value) {
        return value;
    }
    let other = match &value {
        Value::Number(number) => Some(Value::from(number.to_string())),
        // Only where the digits come back as they were.
        Value::String(text) => text.parse::<u64>().ok().filter(|n| n.to_string() == *text).map(Value::from),
        _ => None,
    };
    other.filter(fits).unwrap_or(value)
}
