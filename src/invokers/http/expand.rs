//! Values become text: what the expansions of RFC 6570 share, and those that make one piece of text.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::Value;

use super::refusal::{Refusal, shown};

/// Everything but the unreserved characters of RFC 3986 section 2.3.
const NOT_UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A value, flat enough to be put on the wire.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flat<'a> {
    /// A string, number or boolean.
    Text(Cow<'a, str>),
    /// An array, never empty.
    List(Vec<Cow<'a, str>>),
    /// An object, never empty, in its own order.
    Members(Vec<(&'a str, Cow<'a, str>)>),
}

/// Why a value has no exact wire form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoForm {
    /// It holds arrays or objects inside an array or object.
    Nested,
    /// The style is not defined for this kind of value.
    Kind,
    /// A part of it holds what separates the parts.
    Split,
    /// A list holds an empty list or object, which would leave no trace.
    Empty,
    /// Nothing of the kind can be sent in this place.
    Place,
}

impl NoForm {
    /// The refusal of this argument; `member` names the part of the body that it is about.
    pub(super) fn refuse(self, argument: &str, member: Option<&str>) -> Refusal {
        let (kind, rule) = match self {
            Self::Nested => {
                (ErrorKind::UnsupportedSerialization, "holds nested values, which its style has no form for")
            }
            Self::Kind => (
                ErrorKind::UnsupportedSerialization,
                "is a kind of value (text, list or object) that its style has no form for",
            ),
            Self::Split => (
                ErrorKind::InvalidArguments,
                "has a part with a delimiter of its style in it, which the other side would split",
            ),
            Self::Empty => (
                ErrorKind::UnsupportedSerialization,
                "has an empty list or object in a list, which would be lost",
            ),
            Self::Place => (ErrorKind::UnsupportedSerialization, "has no wire form here"),
        };
        let refusal = match member {
            Some(member) => Refusal::of_argument(argument, format!("at member `{}` {rule}", shown(member))),
            None => Refusal::of_argument(argument, rule),
        };
        refusal.as_kind(kind)
    }
}

/// The value as RFC 6570 section 2.3 sees it; `None` where it is undefined.
///
/// Undefined are null, the empty array and the empty object. Members that are null are skipped, since section
/// 3.2.1 expands "each defined list member" and each "pair with a defined value".
pub(super) fn flatten(value: &Value) -> Result<Option<Flat<'_>>, NoForm> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> =
                items.iter().filter_map(|item| scalar(item).transpose()).collect::<Result<_, _>>()?;
            Ok((!items.is_empty()).then_some(Flat::List(items)))
        }
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .filter_map(|(name, member)| {
                    scalar(member).map(|text| text.map(|text| (name.as_str(), text))).transpose()
                })
                .collect::<Result<_, _>>()?;
            Ok((!members.is_empty()).then_some(Flat::Members(members)))
        }
        other => Ok(scalar(other)?.map(Flat::Text)),
    }
}

/// The text of a scalar, numbers and booleans as in JSON; `None` for null.
fn scalar(value: &Value) -> Result<Option<Cow<'_, str>>, NoForm> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(true) => Ok(Some(Cow::Borrowed("true"))),
        Value::Bool(false) => Ok(Some(Cow::Borrowed("false"))),
        Value::Number(number) => Ok(Some(Cow::Owned(number.to_string()))),
        Value::String(text) => Ok(Some(Cow::Borrowed(text))),
        Value::Array(_) | Value::Object(_) => Err(NoForm::Nested),
    }
}

/// Simple expansion (RFC 6570 section 3.2.2); the delimiters stay as they are, `write` is for what they separate.
pub(super) fn simple(flat: &Flat<'_>, explode: bool, write: impl Fn(&str) -> String) -> String {
    let between = if explode { "=" } else { "," };
    match flat {
        Flat::Text(text) => write(text),
        Flat::List(items) => items.iter().map(|item| write(item)).collect::<Vec<_>>().join(","),
        Flat::Members(members) => members
            .iter()
            .map(|(name, value)| format!("{}{between}{}", write(name), write(value)))
            .collect::<Vec<_>>()
            .join(","),
    }
}

/// Label expansion (RFC 6570 section 3.2.5), percent-encoded.
///
/// # Errors
/// Dots are not encoded, so an exploded part with a dot would be two.
pub(super) fn label(flat: &Flat<'_>, explode: bool) -> Result<String, NoForm> {
    if !explode {
        return Ok(format!(".{}", simple(flat, false, encode)));
    }
    let parts: Vec<String> = match flat {
        Flat::Text(text) => return Ok(format!(".{}", encode(text))),
        Flat::List(items) => items.iter().map(|item| encode(item)).collect(),
        Flat::Members(members) => {
            members.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect()
        }
    };
    if parts.iter().any(|part| part.contains('.')) {
        return Err(NoForm::Split);
    }
    Ok(format!(".{}", parts.join(".")))
}

/// Matrix expansion (RFC 6570 section 3.2.7), percent-encoded; nothing follows a name whose value is empty.
pub(super) fn matrix(name: &str, flat: &Flat<'_>, explode: bool) -> String {
    let pair = |name: &str, value: &str| {
        let between = if value.is_empty() { "" } else { "=" };
        format!(";{}{between}{value}", encode(name))
    };
    match flat {
        Flat::List(items) if explode => items.iter().map(|item| pair(name, &encode(item))).collect(),
        Flat::Members(members) if explode => {
            members.iter().map(|(name, value)| pair(name, &encode(value))).collect()
        }
        flat => pair(name, &simple(flat, false, encode)),
    }
}

/// The text of a scalar.
///
/// # Errors
/// Lists and objects are no text.
pub(super) fn text(value: &Value) -> Result<Option<Cow<'_, str>>, NoForm> {
    scalar(value).map_err(|_| NoForm::Kind)
}

/// Percent-encodes all but unreserved characters, as UTF-8, in upper case (RFC 6570 section 1.6, RFC 3986 2.1).
///
/// A `%` becomes `%25`: what is given is data, whatever it looks like. Nothing is normalised.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, NOT_UNRESERVED).to_string()
}

/// Literal text of a template (RFC 6570 section 3.1): reserved and unreserved characters and percent-encoded
/// triplets are copied, all else is encoded; so is whatever `delimiters` names, since it would end the component.
pub(super) fn literal(text: &str, delimiters: &[u8]) -> String {
    const COPIED: &[u8] = b"-._~:/?#[]@!$&'()*+,;=";
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let copied = match byte {
            b'%' => bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
            _ => byte.is_ascii_alphanumeric() || COPIED.contains(&byte) && !delimiters.contains(&byte),
        };
        if copied {
            out.push(char::from(byte));
        } else {
            out.push_str(percent_encoding::percent_encode_byte(byte));
        }
    }
    out
}

#[cfg(test)]
mod tests;
