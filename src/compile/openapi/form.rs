//! URL-encoded forms: how each member is written, by its Encoding Object.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::catalog::{Location, Style};
use crate::compile::UndefinedStyles;
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::Node;

use super::media;
use super::probe::{Member, Plain, Probe};
use super::refs::Refs;
use super::style::{self, Remark, listed};

/// Fields whose presence means that `contentType` is ignored (Encoding Object).
const STYLE_FIELDS: &[&str] = &["style", "explode", "allowReserved"];

/// The styles of the members that have an Encoding Object; warnings go to `remarks`.
///
/// # Errors
/// The rule and the reason why no form can be written that the schema allows.
pub(super) fn planned<'d>(
    media_type: Node<'d>,
    undefined: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<Arc<BTreeMap<String, Style>>, Remark> {
    let schema = media_type.get("schema");
    let shape = schema.map_or(Plain::Unknown, |schema| Probe::new(refs).plain(schema));
    if matches!(shape, Plain::Scalar | Plain::Array) {
        let message = "a form is written from an object, and its schema demands something else".to_owned();
        return Err((DiagnosticCode::UndefinedSerialization, message));
    }
    let Some(encodings) = media_type.get("encoding").filter(|encodings| !encodings.is_empty()) else {
        return Ok(Arc::default());
    };
    let members = schema.map_or_else(Vec::new, |schema| Probe::new(refs).members(schema));
    let members: HashMap<&str, Member<'d>> =
        members.into_iter().map(|member| (member.name, member)).collect();
    let mut styles = BTreeMap::new();
    let mut unwritable = Vec::new();
    for (name, encoding) in encodings.entries() {
        let member = members.get(name);
        let mut own = Vec::new();
        match member_style(encoding, member.map(|member| member.schema), undefined, refs, &mut own) {
            Ok(None) => {}
            Ok(Some(style)) => {
                let about = |(code, message)| (code, format!("member `{name}` of the form: {message}"));
                remarks.extend(own.into_iter().map(about));
                styles.insert(name.to_owned(), style);
            }
            Err((code, reason)) if member.is_some_and(|member| member.required) => {
                return Err((code, format!("required member `{name}` of the form: {reason}")));
            }
            Err(_) => {
                unwritable.push(name);
                styles.insert(name.to_owned(), Style::Unsupported);
            }
        }
    }
    if !unwritable.is_empty() {
        let message = format!(
            "the specification does not say how some members of the form are written; a call that gives {} is refused",
            listed(&unwritable)
        );
        remarks.push((DiagnosticCode::UndefinedSerialization, message));
    }
    Ok(Arc::new(styles))
}

/// What one Encoding Object says; `None` where it leaves all to the defaults.
fn member_style<'d>(
    encoding: Node<'d>,
    member: Option<Node<'d>>,
    undefined: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Style>, Remark> {
    if STYLE_FIELDS.iter().any(|field| encoding.get(field).is_some_and(|value| !value.is_null())) {
        return style::planned(encoding, Location::Query, member, undefined, refs, remarks).map(Some);
    }
    let Some(content_type) = encoding.get("contentType").and_then(Node::as_str) else { return Ok(None) };
    // A list of types leaves the choice to the client.
    let first = content_type.split(',').next().unwrap_or_default();
    if media::essence(first).is_some_and(|essence| media::is_json(&essence)) {
        return Ok(Some(Style::Json));
    }
    match member.map_or(Plain::Unknown, |member| Probe::new(refs).plain(member)) {
        Plain::Object => Err((
            DiagnosticCode::UndefinedSerialization,
            format!("the specification does not say how an object is written as `{first}`"),
        )),
        // A string is the text that its type demands, whichever that is.
        _ => Ok(Some(Style::Text)),
    }
}
