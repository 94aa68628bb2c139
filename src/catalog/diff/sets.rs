//! Types and enumerations as sets.

use std::collections::BTreeSet;

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

/// What it does to go from one enumeration to another; values that the types exclude were never allowed.
pub(super) fn of_values(
    (before, before_types): (&[&Value], Types),
    (after, after_types): (&[&Value], Types),
    strictly: bool,
) -> Option<Effect> {
    let names = |all: &[&Value], types: Types| -> BTreeSet<String> {
        all.iter().filter(|value| type_of(value) & types != 0).map(|value| canonical(value)).collect()
    };
    let (before, after) = (names(before, before_types), names(after, after_types));
    match (before.is_subset(&after), after.is_subset(&before)) {
        (true, true) => None,
        (true, false) => Some(Effect::Wider { strictly }),
        (false, true) => Some(Effect::Narrower { strictly }),
        (false, false) if strictly => Some(Effect::Other),
        (false, false) => Some(Effect::Unknown),
    }
}

fn type_of(value: &Value) -> Types {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Object(_) => OBJECT,
        Value::Array(_) => ARRAY,
        Value::String(_) => STRING,
        Value::Number(_) if whole(value).is_some() => INTEGER,
        Value::Number(_) => NUMBER & !INTEGER,
    }
}

/// A whole number, however it is written.
pub(super) fn whole(value: &Value) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    let written = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    written.or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT)?;
        format!("{float:.0}").parse().ok()
    })
}

/// Equal as JSON Schema has it: numbers by value, members in any order.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    one == other || canonical(one) == canonical(other)
}

/// The same text for values that are equal as JSON Schema has it.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(_) => whole(value).map_or_else(|| value.to_string(), |whole| whole.to_string()),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut all: Vec<String> =
                members.iter().map(|(name, value)| format!("{:?}:{}", name, canonical(value))).collect();
            all.sort();
            format!("{{{}}}", all.join(","))
        }
        other => other.to_string(),
    }
}
