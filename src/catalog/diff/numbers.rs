//! Keywords that set a limit.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::change::Effect;
use super::sets::{ARRAY, NUMBER, OBJECT, STRING, Types};

/// Which way a limit limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Larger is narrower.
    Least,
    /// Smaller is narrower.
    Most,
}

/// Each limit: the keyword, the types that it is about, and its way.
const LIMITS: &[(&str, Types, Bound)] = &[
    ("minimum", NUMBER, Bound::Least),
    ("exclusiveMinimum", NUMBER, Bound::Least),
    ("maximum", NUMBER, Bound::Most),
    ("exclusiveMaximum", NUMBER, Bound::Most),
    ("minLength", STRING, Bound::Least),
    ("maxLength", STRING, Bound::Most),
    ("minItems", ARRAY, Bound::Least),
    ("maxItems", ARRAY, Bound::Most),
    ("minProperties", OBJECT, Bound::Least),
    ("maxProperties", OBJECT, Bound::Most),
];

/// What each changed limit does; `strictly` says of a type whether its values meet it.
pub(super) fn of_limits(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    strictly: impl Fn(Types) -> bool,
) -> Vec<(&'static str, Effect)> {
    let changed = LIMITS.iter().filter_map(|(keyword, types, bound)| {
        let (old, new) = (before.get(*keyword), after.get(*keyword));
        let effect = of_limit(old, new, *bound, strictly(*types))?;
        Some((*keyword, effect))
    });
    let multiple = multiple_of(before.get("multipleOf"), after.get("multipleOf"), strictly(NUMBER));
    changed.chain(multiple.map(|effect| ("multipleOf", effect))).collect()
}

fn of_limit(before: Option<&Value>, after: Option<&Value>, bound: Bound, strictly: bool) -> Option<Effect> {
    let narrower = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (Some(before), Some(after)) => {
            let (Some(before), Some(after)) = (before.as_f64(), after.as_f64()) else {
                return (before != after).then_some(Effect::Unknown);
            };
            match after.partial_cmp(&before) {
                None => return Some(Effect::Unknown),
                Some(Ordering::Equal) => return None,
                Some(way) => (way == Ordering::Greater) == (bound == Bound::Least),
            }
        }
    };
    // A first limit may be one that every value keeps, such as a least length of nothing.
    let is_first = before.is_none() || after.is_none();
    let is_empty = [before, after].into_iter().flatten().any(|limit| limit.as_u64() == Some(0));
    let strictly = strictly && !(is_first && is_empty && bound == Bound::Least);
    Some(if narrower { Effect::Narrower { strictly } } else { Effect::Wider { strictly } })
}

fn multiple_of(before: Option<&Value>, after: Option<&Value>, strictly: bool) -> Option<Effect> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(Effect::Narrower { strictly: false }),
        (Some(_), None) => Some(Effect::Wider { strictly: false }),
        (Some(before), Some(after)) => match (before.as_u64(), after.as_u64()) {
            (Some(before), Some(after)) if before == after => None,
            (Some(before), Some(after)) if after != 0 && before.is_multiple_of(after) => {
                Some(Effect::Wider { strictly })
            }
            (Some(before), Some(after)) if before != 0 && after.is_multiple_of(before) => {
                Some(Effect::Narrower { strictly })
            }
            _ if before == after => None,
            _ => Some(Effect::Unknown),
        },
    }
}
