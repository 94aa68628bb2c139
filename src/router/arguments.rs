//! Whether arguments are those that the endpoint takes.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use super::admission;
use crate::catalog::{Argument, Endpoint, Schema, SchemaError, Support, nearest};

/// The arguments as they are sent, or what is wrong with them; values never appear in the error.
///
/// A parameter that is null and may be left out is left out: RFC 6570 section 2.3 calls it undefined. The body is
/// data, so a null there is kept (RFC 7396).
pub(super) fn check(endpoint: &Endpoint, given: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    let mut sent = given;
    for (name, value) in &sent {
        match endpoint.argument(name) {
            // What a contract allows beyond its list, its schema decides.
            None if endpoint.arguments_schema.is_some() => {}
            None => return Err(unknown(endpoint, name)),
            Some(_) if is_undefined(endpoint, name, value) => {}
            Some(argument) => check_one(argument, value)?,
        }
    }
    if sent.values().any(Value::is_null) {
        sent.retain(|name, value| endpoint.argument(name).is_none() || !is_undefined(endpoint, name, value));
    }
    if let Some(schema) = &endpoint.arguments_schema {
        let whole = Value::Object(sent);
        check_whole(endpoint, schema, &whole)?;
        let Value::Object(arguments) = whole else { unreachable!("it was made an object above") };
        sent = arguments;
    }
    if let Some(missing) = endpoint.arguments.iter().find(|a| a.required && !sent.contains_key(&*a.name)) {
        return Err(Error::rejected(
            ErrorKind::InvalidArguments,
            format!("argument `{}` is required and missing", missing.name),
        )
        .with_violation(pointer(&missing.name, ""), "required"));
    }
    Ok(sent)
}

/// Null is no value for a parameter; for the body, and for registered code, it is one.
fn is_undefined(endpoint: &Endpoint, name: &str, value: &Value) -> bool {
    value.is_null() && endpoint.http().is_some_and(|plan| plan.body.is_none() || name != "body")
}

fn check_one(argument: &Argument, value: &Value) -> Result<(), Error> {
    if let Support::Unsupported(reason) = &argument.support {
        return Err(Error::rejected(
            ErrorKind::UnsupportedSerialization,
            format!("argument `{}` cannot be sent: {reason}", argument.name),
        )
        .with_hint("leave it out"));
    }
    let Some(schema) = &argument.schema else { return Ok(()) };
    let violations = schema.violations(value).map_err(|error| unusable(&argument.name, &error))?;
    match violations.first() {
        None => Ok(()),
        Some(first) => Err(Error::rejected(
            ErrorKind::InvalidArguments,
            format!(
                "argument `{}`{} breaks `{}`: {}",
                argument.name,
                at(&first.pointer),
                first.keyword,
                first.message
            ),
        )
        .with_violation(pointer(&argument.name, &first.pointer), first.keyword.clone())),
    }
}

fn check_whole(endpoint: &Endpoint, schema: &Schema, value: &Value) -> Result<(), Error> {
    let violations = schema.violations(value).map_err(|error| unusable("arguments", &error))?;
    // A misspelt name is also a missing one; the misspelling is what to correct.
    let misspelt = violations.iter().find(|violation| violation.keyword == "additionalProperties");
    match misspelt.or(violations.first()) {
        None => Ok(()),
        Some(first) if first.keyword == "additionalProperties" && first.pointer.is_empty() => {
            let known = |name: &str| endpoint.argument(name).is_some();
            let stranger = value.as_object().and_then(|object| object.keys().find(|name| !known(name)));
            Err(unknown(endpoint, stranger.map_or("", String::as_str)))
        }
        Some(first) => Err(Error::rejected(
            ErrorKind::InvalidArguments,
            format!("the arguments{} break `{}`: {}", at(&first.pointer), first.keyword, first.message),
        )
        .with_violation(first.pointer.clone(), first.keyword.clone())),
    }
}

fn unknown(endpoint: &Endpoint, name: &str) -> Error {
    let names = || endpoint.arguments.iter().map(|argument| &*argument.name);
    let near = nearest(name, names(), 1);
    // After a clash of names the bare name is gone; the prefixed ones are what is meant (ruling 13).
    let prefixed: Vec<&str> = names().filter(|known| known.ends_with(&format!("_{name}"))).collect();
    let known = match (prefixed.as_slice(), near.first()) {
        ([], Some(near)) => format!("did you mean `{near}`?"),
        ([], None) if endpoint.arguments.is_empty() => "it takes no arguments".to_owned(),
        ([], None) => {
            format!("it takes {}", names().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
        }
        (prefixed, _) => format!("did you mean `{}`?", prefixed.join("` or `")),
    };
    Error::rejected(ErrorKind::InvalidArguments, format!("`{}` has no argument `{name}`", endpoint.key))
        .with_hint(known)
        .with_violation(pointer(name, ""), "additionalProperties")
}

fn unusable(name: &str, error: &SchemaError) -> Error {
    Error::rejected(ErrorKind::CompileError, format!("argument `{name}`: {error}"))
        .with_hint(admission::schema_hint(error, "the document's schema is invalid; correct the document"))
}

fn pointer(name: &str, rest: &str) -> String {
    format!("/{}{rest}", name.replace('~', "~0").replace('/', "~1"))
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at {pointer}") }
}
