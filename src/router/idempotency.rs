//! Idempotency keys: whether an endpoint honours one, which it is, and where it goes (ruling 2).

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use super::declaration::KeyCarrier;
use crate::catalog::{Binding, BodyFormat, Endpoint, Location};
use crate::invokers::http::may_be_set;

/// The header field of draft-ietf-httpapi-idempotency-key-header.
const FIELD: &str = "idempotency-key";
/// The longest key.
const MOST_BYTES: usize = 255;

/// The key of a call, the same for all its attempts.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) text: Arc<str>,
    /// The header field that carries it, where no argument does.
    pub(super) header: Option<(HeaderName, HeaderValue)>,
}

/// Where the document says that a key goes: its parameter is the standard's header field.
pub(super) fn declared(endpoint: &Endpoint) -> Option<KeyCarrier> {
    if endpoint.effect == Effect::ReadOnly {
        return None;
    }
    header_argument(endpoint, FIELD).map(KeyCarrier::Argument)
}

/// The argument that fills this header field.
fn header_argument(endpoint: &Endpoint, field: &str) -> Option<String> {
    let is_it = |parameter: &&crate::catalog::Parameter| {
        parameter.location == Location::Header && parameter.name.eq_ignore_ascii_case(field)
    };
    endpoint.http()?.parameters.iter().find(is_it).map(|parameter| parameter.argument.to_string())
}

/// The key of a call, put where it goes; `generate` makes one where the call brings none.
///
/// A key that the request brings is told apart from an argument that happens to be the carrier only by where it stands:
/// both are sent as they are.
pub(super) fn settle(
    endpoint: &Endpoint,
    said: Option<&KeyCarrier>,
    given: Option<&str>,
    arguments: &mut Map<String, Value>,
    generate: impl FnOnce() -> String,
) -> Result<Option<Key>, Error> {
    let carrier = match said {
        Some(carrier) => Some(carrier.clone()).filter(|carrier| fits(carrier, endpoint).is_ok()),
        None => declared(endpoint),
    };
    let carrier = match carrier {
        None | Some(KeyCarrier::None) => {
            return match given {
                None => Ok(None),
                Some(_) => Err(refused(format!(
                    "the request brings an idempotency key, and `{}` is not declared to honour one",
                    endpoint.key
                ))
                .with_hint("leave it out; where the other side honours one, the operator can declare it (`idempotency_key`)")),
            };
        }
        // A header field that the document has a parameter for is filled by its argument.
        Some(KeyCarrier::Header(name)) => match header_argument(endpoint, &name) {
            Some(argument) => KeyCarrier::Argument(argument),
            None => KeyCarrier::Header(name),
        },
        Some(carrier) => carrier,
    };
    let brought = in_place(&carrier, arguments);
    let brought = match (brought, given) {
        (Some(Value::String(there)), Some(given)) if there == given => Some(there.clone()),
        (Some(_), Some(_)) => {
            return Err(refused(
                "the request brings an idempotency key, and its arguments bring another one",
            ));
        }
        (Some(Value::String(there)), None) => Some(there.clone()),
        (Some(_), None) => return Err(refused("the idempotency key among the arguments is no text")),
        (None, given) => given.map(str::to_owned),
    };
    // What changes nothing needs no key, unless somebody wants one.
    let text = match brought {
        Some(text) => text,
        None if endpoint.effect == Effect::ReadOnly => return Ok(None),
        None => generate(),
    };
    if text.is_empty() || text.len() > MOST_BYTES || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refused(format!("an idempotency key has 1 to {MOST_BYTES} visible ASCII characters")));
    }
    let header = match &carrier {
        KeyCarrier::Header(name) => Some((
            header(name).map_err(refused)?,
            HeaderValue::from_str(&text).map_err(|error| refused(error.to_string()))?,
        )),
        _ => {
            put(&carrier, arguments, &text);
            None
        }
    };
    Ok(Some(Key { text: text.into(), header }))
}

/// The value at the carrier's place, where there is one.
fn in_place<'a>(carrier: &KeyCarrier, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
    match carrier {
        KeyCarrier::Argument(name) => arguments.get(name),
        KeyCarrier::Body(pointer) => arguments.get("body")?.pointer(pointer),
        KeyCarrier::None | KeyCarrier::Header(_) | KeyCarrier::Invoker => None,
    }
    .filter(|value| !value.is_null())
}

/// Puts the key where an argument carries it. A body that is no object stays as it is: its schema says what it has to be.
fn put(carrier: &KeyCarrier, arguments: &mut Map<String, Value>, text: &str) {
    match carrier {
        KeyCarrier::Argument(name) => {
            arguments.insert(name.clone(), Value::from(text));
        }
        KeyCarrier::Body(pointer) => {
            let body = arguments.entry("body").or_insert_with(|| Value::Object(Map::new()));
            let (parent, member) = pointer.rsplit_once('/').unwrap_or_default();
            if let Some(Value::Object(members)) = body.pointer_mut(parent) {
                members.insert(member.replace("~1", "/").replace("~0", "~"), Value::from(text));
            }
        }
        KeyCarrier::None | KeyCarrier::Header(_) | KeyCarrier::Invoker => {}
    }
}

/// Whether a key of this endpoint can go there, or why not.
pub(super) fn fits(carrier: &KeyCarrier, endpoint: &Endpoint) -> Result<(), String> {
    let is_http = matches!(endpoint.binding, Binding::Http(_));
    match carrier {
        KeyCarrier::Header(_) if !is_http => Err("registered code has no header; say `invoker`".to_owned()),
        KeyCarrier::Header(name) => header(name).map(|_| ()),
        KeyCarrier::Argument(name) if endpoint.argument(name).is_some() => Ok(()),
        KeyCarrier::Argument(name) => Err(format!("`{}` has no argument `{name}`", endpoint.key)),
        KeyCarrier::Body(pointer) => {
            let body = endpoint.http().and_then(|plan| plan.body.as_ref());
            match body.map(|body| &body.format) {
                Some(BodyFormat::Json | BodyFormat::Form(_)) if pointer.starts_with('/') => Ok(()),
                Some(BodyFormat::Json | BodyFormat::Form(_)) => {
                    Err(format!("`{pointer}` is no JSON pointer to a member; it begins with a slash"))
                }
                _ => Err(format!("`{}` has no body with members", endpoint.key)),
            }
        }
        KeyCarrier::Invoker if is_http => {
            Err("is for registered code; name a header, an argument or a place in the body".to_owned())
        }
        KeyCarrier::None | KeyCarrier::Invoker => Ok(()),
    }
}

/// A header field that a key may go into.
pub(super) fn header(name: &str) -> Result<HeaderName, String> {
    let field =
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is no header field name"))?;
    if may_be_set(&field) {
        Ok(field)
    } else {
        Err(format!("`{name}` is a header field that the request itself owns"))
    }
}

fn refused(message: impl Into<String>) -> Error {
    Error::rejected(ErrorKind::InvalidArguments, message)
}
