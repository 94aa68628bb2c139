//! Keywords that set a limit.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::change::Effect;
use super::sets::{ARRAY, NUMBER, OBJECT, STRING, Types, whole};

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
        let strictly = strictly(*types) && [before, after].iter().all(|of| is_alone(keyword, of));
        let effect = of_limit(old, new, (*types, *bound), strictly)?;
        Some((*keyword, effect))
    });
    let multiple = multiple_of(before.get("multipleOf"), after.get("multipleOf"), strictly(NUMBER));
    changed.chain(multiple.map(|effect| ("multipleOf", effect))).collect()
}

/// Whether no other keyword of the schema may make the limit idle.
fn is_alone(keyword: &str, of: &Map<String, Value>) -> bool {
    let partner = match keyword {
        "minimum" => "exclusiveMinimum",
        "exclusiveMinimum" => "minimum",
        "maximum" => "exclusiveMaximum",
        "exclusiveMaximum" => "maximum",
        "minProperties" => "required",
        "maxProperties" => "additionalProperties",
        _ => return true,
    };
    !of.contains_key(partner)
}

fn of_limit(
    before: Option<&Value>,
    after: Option<&Value>,
    (types, bound): (Types, Bound),
    strictly: bool,
) -> Option<Effect> {
    let narrower = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (Some(before), Some(after)) => {
            let way = match (whole(before), whole(after)) {
                (Some(before), Some(after)) => Some(after.cmp(&before)),
                _ => {
                    after.as_f64().zip(before.as_f64()).and_then(|(after, before)| after.partial_cmp(&before))
                }
            };
            match way {
                None => return Some(Effect::Unknown),
                Some(Ordering::Equal) => return None,
                Some(way) => (way == Ordering::Greater) == (bound == Bound::Least),
            }
        }
    };
    // A first count may be one that every value keeps, such as a least length of nothing; and between two whole numbers no
    // integer may lie.
    let given = || [before, after].into_iter().flatten();
    let is_first = before.is_none() || after.is_none();
    let is_nothing =
        types != NUMBER && is_first && bound == Bound::Least && given().any(|limit| whole(limit) == Some(0));
    let strictly = strictly && !is_nothing && given().all(|limit| whole(limit).is_some());
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
