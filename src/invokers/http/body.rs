//! The body is written once, as its plan says.

use bytes::Bytes;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use crate::catalog::{BodyFormat, BodyPlan, Style};

use super::expand::{self, NoForm};
use super::pairs::{Pair, pairs};
use super::refusal::Refusal;

/// The name of the argument that is the body (ruling 13).
pub const BODY: &str = "body";

/// The bytes of the body; `None` where an optional one is absent. An explicit null is a body (case 033).
///
/// # Errors
/// A required body that is absent, and a value that its format has no form for.
pub(super) fn write(plan: &BodyPlan, arguments: &Map<String, Value>) -> Result<Option<Bytes>, Refusal> {
    let Some(value) = arguments.get(BODY) else {
        return if plan.required { Err(Refusal::of_argument(BODY, "is required")) } else { Ok(None) };
    };
    let unsupported =
        |rule: &str| Refusal::of_argument(BODY, rule).as_kind(ErrorKind::UnsupportedSerialization);
    let text = match &plan.format {
        BodyFormat::Json => {
            serde_json::to_string(value).map_err(|_| unsupported("cannot be written as JSON"))?
        }
        BodyFormat::Text => match expand::text(value) {
            Ok(Some(text)) => text.into_owned(),
            _ => return Err(unsupported("is no text, number or boolean, and is sent as text")),
        },
        BodyFormat::Form(styles) => {
            let members = value
                .as_object()
                .ok_or_else(|| unsupported("is no object, and is sent as a form, which has members"))?;
            let mut form = Vec::new();
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                let pairs = member(styles.get(name).copied(), name, value);
                form.extend(pairs.map_err(|no_form| no_form.refuse(BODY, Some(name)))?);
            }
            let form: Vec<String> = form.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            form.join("&")
        }
    };
    Ok(Some(Bytes::from(text)))
}

/// The pairs of one member of a form.
///
/// What a content type describes is each item of a list (the Encoding Object, `contentType`: "according to the type
/// of the `items`"), so that each is a pair of its own. Blanks are `%20`, which form decoders read like `+`.
fn member(style: Option<Style>, name: &str, value: &Value) -> Result<Vec<Pair>, NoForm> {
    let item = |value: &Value| match (style, value) {
        (None, Value::Array(_) | Value::Object(_)) => pairs(Style::Json, name, value),
        (None, _) => pairs(Style::Text, name, value),
        (Some(style), _) => pairs(style, name, value),
    };
    match (style, value) {
        (None | Some(Style::Json | Style::Text), Value::Array(items)) => {
            let all: Result<Vec<_>, _> = items.iter().filter(|value| !value.is_null()).map(item).collect();
            Ok(all?.concat())
        }
        _ => item(value),
    }
}
