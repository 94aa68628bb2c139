//! Arguments become header fields that stay one field each.

use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::Value;

use crate::catalog::{Parameter, Style};

use super::expand::{self, Flat, NoForm, flatten};
use super::refusal::Refusal;

/// Fields that frame or route the message, or that other parts of the request own; no argument sets them.
///
/// The compiler drops `Accept`, `Content-Type` and `Authorization` as the Parameter Object demands; a plan from
/// elsewhere must not bring them back.
const OWNED: &[&str] = &[
    "accept",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether something other than the request itself may set this field.
pub(crate) fn may_be_set(name: &HeaderName) -> bool {
    !OWNED.contains(&name.as_str())
}

/// The header field that a parameter makes of a value; `None` where the value is undefined.
///
/// Values go out as they are. RFC 6570 would percent-encode them, but servers do not decode fields, and practice
/// sends `red,green` and `a b`; what cannot be told apart that way is refused instead of guessed:
/// items with commas, and text outside ASCII, for which RFC 9110 section 5.5 defines no encoding.
///
/// # Errors
/// A value that has no such form; the message names the argument and never its value.
pub(super) fn field(
    parameter: &Parameter,
    value: &Value,
) -> Result<Option<(HeaderName, HeaderValue)>, Refusal> {
    let refuse = |rule: &str| Refusal::of_argument(&parameter.argument, rule);
    let no_form = |no_form: NoForm| no_form.refuse(&parameter.argument, None);
    let name = HeaderName::from_bytes(parameter.name.as_bytes())
        .map_err(|_| refuse("fills a parameter whose name is no header field name"))
        .map_err(|refusal| refusal.as_kind(ErrorKind::UnsupportedSerialization))?;
    if !may_be_set(&name) {
        return Err(refuse("would set a header field that arguments may not set"));
    }
    let text = match parameter.style {
        Style::Simple { explode } => match flatten(value).map_err(no_form)? {
            Some(flat) if is_ambiguous(&flat, explode) => return Err(no_form(NoForm::Split)),
            flat => flat.map(|flat| expand::simple(&flat, explode, str::to_owned)),
        },
        Style::Json => Some(value.to_string()),
        Style::Text => expand::text(value).map_err(no_form)?.map(std::borrow::Cow::into_owned),
        _ => return Err(no_form(NoForm::Place)),
    };
    let Some(text) = text else { return Ok(None) };
    let value = field_value(&text).map_err(refuse)?;
    Ok(Some((name, value)))
}

/// Whether a delimiter inside an item could be taken for one between items.
fn is_ambiguous(flat: &Flat<'_>, explode: bool) -> bool {
    match flat {
        Flat::Text(_) => false,
        Flat::List(items) => items.iter().any(|item| item.contains(',')),
        Flat::Members(members) => members
            .iter()
            .any(|(name, value)| name.contains(',') || value.contains(',') || explode && name.contains('=')),
    }
}

/// The value of a field, without the blanks around it, which are no part of it (RFC 9110 section 5.5).
///
/// # Errors
/// The rule that the text breaks, fit to follow the name of what it came from; the text itself is not told.
pub(super) fn field_value(text: &str) -> Result<HeaderValue, &'static str> {
    if text.contains(['\r', '\n', '\0']) {
        return Err("holds a line break or NUL, which would end the header field (RFC 9110 section 5.5)");
    }
    if !text.is_ascii() {
        return Err("holds characters outside ASCII, which header fields have no encoding for");
    }
    let text = text.trim_matches([' ', '\t']);
    HeaderValue::from_str(text).map_err(|_| "holds a control character, which header fields forbid")
}
