//! Values become `name=value` pairs, for a query or a form body.

use serde_json::Value;

use crate::catalog::{Delimiter, Style};

use super::expand::{Flat, NoForm, encode, flatten, literal, text};

/// A name and a value, both percent-encoded.
pub(super) type Pair = (String, String);

/// Reserved characters that are encoded whatever `allowReserved` says: those that no query may hold (RFC 3986
/// section 3.4), those that mean something between pairs (Appendix C of `OpenAPI` 3.1.1), and the quote, which
/// URL parsers encode. Without them a value stays one value.
const NEVER_PASSED: &[u8] = b"#[]&=+'";

/// The pairs that a style makes of a value; none where the value is undefined (RFC 6570 section 2.3).
///
/// # Errors
/// A value that the style has no form for, and one whose parts hold the delimiter of the style: space, pipe and
/// brackets are encoded where they delimit, so nobody could tell (Appendix E of `OpenAPI` 3.1.1).
pub(super) fn pairs(style: Style, name: &str, value: &Value) -> Result<Vec<Pair>, NoForm> {
    let one = |value: String| vec![(encode(name), value)];
    let flat = match style {
        Style::Json => return Ok(one(encode(&value.to_string()))),
        Style::Brackets { reserved } => {
            let mut pairs = Vec::new();
            brackets(encode(name), value, reserved, &mut pairs)?;
            return Ok(pairs);
        }
        Style::Text => return Ok(text(value)?.map(|text| one(encode(&text))).unwrap_or_default()),
        _ => flatten(value)?,
    };
    let Some(flat) = flat else { return Ok(Vec::new()) };
    match (style, flat) {
        (Style::Form { reserved, .. }, Flat::Text(text)) => Ok(one(escape(&text, reserved))),
        (Style::Form { explode: true, reserved }, Flat::List(items)) => {
            Ok(items.iter().map(|item| (encode(name), escape(item, reserved))).collect())
        }
        (Style::Form { explode: true, reserved }, Flat::Members(members)) => {
            Ok(members.iter().map(|(name, value)| (encode(name), escape(value, reserved))).collect())
        }
        (Style::Form { explode: false, reserved }, flat) => joined(&flat, ",", reserved).map(one),
        (Style::Delimited { delimiter, reserved }, flat @ (Flat::List(_) | Flat::Members(_))) => {
            let delimiter = match delimiter {
                Delimiter::Space => "%20",
                Delimiter::Pipe => "%7C",
            };
            joined(&flat, delimiter, reserved).map(one)
        }
        (Style::DeepObject { reserved }, Flat::Members(members)) => members
            .iter()
            .map(|(member, value)| Ok((in_brackets(&encode(name), member)?, escape(value, reserved))))
            .collect(),
        (Style::Delimited { .. } | Style::DeepObject { .. }, _) => Err(NoForm::Kind),
        _ => Err(NoForm::Place),
    }
}

/// The pairs of a value at any depth; `name` is percent-encoded.
///
/// What is undefined (null, empty) is left out as everywhere, except where that would make a list shorter.
fn brackets(name: String, value: &Value, reserved: bool, pairs: &mut Vec<Pair>) -> Result<(), NoForm> {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().filter(|item| !item.is_null()).enumerate() {
                let before = pairs.len();
                brackets(format!("{name}%5B{index}%5D"), item, reserved, pairs)?;
                if pairs.len() == before {
                    return Err(NoForm::Empty);
                }
            }
        }
        Value::Object(members) => {
            for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                brackets(in_brackets(&name, member)?, value, reserved, pairs)?;
            }
        }
        scalar => pairs.extend(text(scalar)?.map(|text| (name, escape(&text, reserved)))),
    }
    Ok(())
}

/// The name of a member; `name` is percent-encoded.
fn in_brackets(name: &str, member: &str) -> Result<String, NoForm> {
    if member.is_empty() || member.contains(['[', ']']) {
        return Err(NoForm::Split);
    }
    Ok(format!("{name}%5B{}%5D", encode(member)))
}

/// All parts in one value, names and values of members alike.
fn joined(flat: &Flat<'_>, delimiter: &str, reserved: bool) -> Result<String, NoForm> {
    let part = |text: &str| {
        // A comma is a delimiter here, not one of the reserved characters that may pass.
        let part = escape(text, reserved).replace(',', "%2C");
        if part.to_ascii_uppercase().contains(delimiter) { Err(NoForm::Split) } else { Ok(part) }
    };
    let parts: Vec<String> = match flat {
        Flat::Text(text) => vec![part(text)?],
        Flat::List(items) => items.iter().map(|item| part(item)).collect::<Result<_, _>>()?,
        Flat::Members(members) => {
            let all = members.iter().flat_map(|(name, value)| [*name, value.as_ref()]);
            all.map(part).collect::<Result<_, _>>()?
        }
    };
    Ok(parts.join(delimiter))
}

/// Percent-encodes a value; with `allowReserved` reserved characters and percent-encoded triples pass.
fn escape(text: &str, reserved: bool) -> String {
    if reserved { literal(text, NEVER_PASSED) } else { encode(text) }
}

#[cfg(test)]
mod tests;
