//! Types and enumerations as sets.

use serde_json::Value;

use super::change::Effect;

/// The types of JSON Schema, a number that is an integer apart from one that is none.
pub(super) type Types = u8;

pub(super) const NULL: Types = 1;
pub(super) const BOOLEAN: Types = 2;
pub(super) const OBJECT: Types = 4;
pub(super) const ARRAY: Types = 8;
pub(super) const STRING: Types = 16;
pub(super) const NUMBER: Types = 32 | 64;
const INTEGER: Types = 32;
const ALL: Types = 127;

/// The types that `type` allows.
pub(super) fn types(of: Option<&Value>) -> Types {
    let one = |name: &Value| match name.as_str() {
        Some("null") => NULL,
        Some("boolean") => BOOLEAN,
        Some("object") => OBJECT,
        Some("array") => ARRAY,
        Some("string") => STRING,
        Some("integer") => INTEGER,
        Some("number") => NUMBER,
        _ => 0,
    };
    match of {
        None => ALL,
        Some(Value::Array(names)) => names.iter().map(one).fold(0, |all, one| all | one),
        Some(name) => one(name),
    }
}

/// What it does to go from one set of types to another.
pub(super) const fn of_types(before: Types, after: Types, strictly: bool) -> Option<Effect> {
    match (before & !after, after & !before) {
        (0, 0) => None,
        (0, _) => Some(Effect::Wider { strictly }),
        (_, 0) => Some(Effect::Narrower { strictly }),
        _ if strictly => Some(Effect::Other),
        _ => Some(Effect::Unknown),
    }
}

/// The values that `enum` and `const` allow; `None` where neither is there.
pub(super) fn values<'v>(
    enumerated: Option<&'v Value>,
    constant: Option<&'v Value>,
) -> Option<Vec<&'v Value>> {
    match (enumerated.and_then(Value::as_array), constant) {
        (None, None) => None,
        (Some(all), None) => Some(all.iter().collect()),
        (None, Some(one)) => Some(vec![one]),
        (Some(all), Some(one)) => Some(all.iter().filter(|value| is_same(value, one)).collect()),
    }
}

/// What it does to go from one enumeration to another.
pub(super) fn of_values(before: &[&Value], after: &[&Value], strictly: bool) -> Option<Effect> {
    let holds = |all: &[&Value], one: &Value| all.iter().any(|value| is_same(value, one));
    let is_lost = before.iter().any(|value| !holds(after, value));
    let is_new = after.iter().any(|value| !holds(before, value));
    match (is_lost, is_new) {
        (false, false) => None,
        (false, true) => Some(Effect::Wider { strictly }),
        (true, false) => Some(Effect::Narrower { strictly }),
        (true, true) if strictly => Some(Effect::Other),
        (true, true) => Some(Effect::Unknown),
    }
}

/// Equal as JSON Schema has it: numbers by value, members in any order.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other
                || !(one.is_f64() && other.is_f64())
                    && one.as_f64() == other.as_f64()
                    && (one.is_f64() || other.is_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}
