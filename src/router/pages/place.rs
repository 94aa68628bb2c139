//! Places in the arguments: a name, or a pointer to a member of one.

use schemarouter_kernel::base::error::Error;
use serde_json::{Map, Value};

use crate::catalog::{Binding, BodyFormat, Endpoint, NextPage};
use schemarouter_kernel::base::disposition::Effect;

/// The names on the way to the place, from the argument down.
fn names(place: &str) -> impl Iterator<Item = String> {
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

/// Whether an endpoint can be paged by this rule, or why not.
pub(in crate::router) fn fits(rule: &NextPage, endpoint: &Endpoint) -> Result<(), String> {
    if endpoint.effect != Effect::ReadOnly {
        return Err(format!(
            "`{}` is {}, and only what is read-only has pages",
            endpoint.key, endpoint.effect
        ));
    }
    if let Some(pointer) = rule.pointers().find(|pointer| !is_pointer(pointer)) {
        return Err(format!(
            "`{pointer}` is no JSON pointer (RFC 6901): it is empty or begins with a slash, and a `~` is written `~0`"
        ));
    }
    match (&endpoint.binding, rule.is_by_url()) {
        (Binding::Custom, true) => Err("registered code has no URL; name an argument".to_owned()),
        (Binding::Http(plan), true) if plan.method != "GET" => Err(format!(
            "a page that is named by its URL is asked for by GET, and `{}` is {}",
            endpoint.key, plan.method
        )),
        (_, true) => match rule.path() {
            Some(path) if !path.starts_with('/') => {
                Err(format!("the path `{path}` does not begin with a slash"))
            }
            _ => Ok(()),
        },
        (_, false) => rule.arguments().try_for_each(|argument| takes(endpoint, argument)),
    }
}

/// Whether the endpoint has this place among its arguments.
fn takes(endpoint: &Endpoint, place: &str) -> Result<(), String> {
    if place.starts_with('/') && !is_pointer(place) {
        return Err(format!("`{place}` is no JSON pointer (RFC 6901): a `~` is written `~0`"));
    }
    let mut path = names(place);
    let name = path.next().unwrap_or_default();
    if endpoint.argument(&name).is_none() {
        return Err(format!("`{}` has no argument `{name}`", endpoint.key));
    }
    let body = endpoint.http().and_then(|plan| plan.body.as_ref()).map(|body| &body.format);
    match (path.next(), body) {
        (Some(_), Some(BodyFormat::Text)) => Err(format!("the body of `{}` has no members", endpoint.key)),
        _ => Ok(()),
    }
}

fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes
}

/// Says that the endpoint has no pages, or which rule it has.
pub(super) fn rule_of(endpoint: &Endpoint) -> Result<&NextPage, Error> {
    use schemarouter_kernel::base::kind::ErrorKind;
    let Some(rule) = &endpoint.next_page else {
        let message = format!("nobody says how the next page of `{}` is asked for", endpoint.key);
        return Err(Error::rejected(ErrorKind::PolicyRejected, message)
            .with_hint("the operator can declare it: `next_page`, in an overlay or in code"));
    };
    match fits(rule, endpoint) {
        Ok(()) => Ok(rule),
        // The document may have been replaced since the rule was checked.
        Err(why) => Err(Error::rejected(
            ErrorKind::PolicyRejected,
            format!("`{}` cannot be paged: {why}", endpoint.key),
        )),
    }
}
