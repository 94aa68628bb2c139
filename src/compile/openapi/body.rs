//! Request bodies: which media type is sent, how, and what its value must satisfy.

use std::sync::Arc;

use crate::catalog::{BodyFormat, BodyPlan, Direction, Schema};
use crate::compile::UndefinedStyles;
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node};

use super::context::Context;
use super::form;
use super::media;
use super::probe::{Plain, Probe};
use super::refs::Refs;
use super::style::Remark;

/// A request body as declared, the same for every operation that uses it.
#[derive(Debug)]
pub(super) struct Body<'d> {
    pub(super) node: Node<'d>,
    pub(super) required: bool,
    pub(super) description: Option<Arc<str>>,
    /// What is sent, with its schema; or the rule and the reason why none can be.
    pub(super) content: Result<(BodyPlan, Option<Schema>), Remark>,
}

/// Reads a Request Body Object; warnings go to `remarks`.
pub(super) fn read<'d>(context: &mut Context<'d>, node: Node<'d>, remarks: &mut Vec<Remark>) -> Body<'d> {
    let required = node
        .get("required")
        .is_some_and(|required| required.as_bool().unwrap_or_else(|| required.as_str() == Some("true")));
    let description = node.get("description").and_then(Node::scalar_text).map(Arc::from);
    let content = match node.get("content") {
        Some(content) if content.kind() == Kind::Object => {
            chosen(content, required, context.undefined, &mut context.refs, remarks)
                .map(|(plan, schema)| (plan, schema.map(|schema| context.schema(schema, Direction::Request))))
        }
        _ => Err((
            DiagnosticCode::InvalidBody,
            "the request body has no `content`; write its media types there".to_owned(),
        )),
    };
    Body { node, required, description, content }
}

/// A kind of media type that can be sent, the best one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sendable {
    Json,
    JsonWithParameters,
    JsonSuffix,
    Form,
    Text,
}

impl Sendable {
    fn of(written: &str) -> Option<Self> {
        let essence = media::essence(written).filter(|_| media::is_field_value(written))?;
        match essence.as_str() {
            "application/json" if written.contains(';') => Some(Self::JsonWithParameters),
            "application/json" => Some(Self::Json),
            other if media::is_json(other) => Some(Self::JsonSuffix),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            "text/plain" if media::is_utf8(written) => Some(Self::Text),
            _ => None,
        }
    }
}

/// The first media type of the best kind that its schema lets be written.
fn chosen<'d>(
    content: Node<'d>,
    required: bool,
    undefined: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<(BodyPlan, Option<Node<'d>>), Remark> {
    let mut candidates: Vec<_> = content
        .entries()
        .filter_map(|(written, media_type)| Some((Sendable::of(written)?, written, media_type)))
        .collect();
    candidates.sort_by_key(|(kind, ..)| *kind);
    let mut first_reason = None;
    for (kind, written, media_type) in candidates {
        let mut own = Vec::new();
        match format(kind, media_type, undefined, refs, &mut own) {
            Ok(format) => {
                remarks.append(&mut own);
                let plan = BodyPlan { media_type: written.to_owned(), required, format };
                return Ok((plan, media_type.get("schema")));
            }
            Err(reason) => first_reason = first_reason.or(Some(reason)),
        }
    }
    Err(first_reason.unwrap_or_else(|| (DiagnosticCode::UnsupportedBody, nothing_to_send(content))))
}

fn format<'d>(
    kind: Sendable,
    media_type: Node<'d>,
    undefined: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<BodyFormat, Remark> {
    match kind {
        Sendable::Json | Sendable::JsonWithParameters | Sendable::JsonSuffix => Ok(BodyFormat::Json),
        Sendable::Form => form::planned(media_type, undefined, refs, remarks).map(BodyFormat::Form),
        Sendable::Text => {
            let schema = media_type.get("schema");
            match schema.map_or(Plain::Unknown, |schema| Probe::new(refs).plain(schema)) {
                Plain::Array | Plain::Object => Err((
                    DiagnosticCode::UndefinedSerialization,
                    "the specification does not say how a list or object is written as `text/plain`"
                        .to_owned(),
                )),
                Plain::Scalar | Plain::Unknown => Ok(BodyFormat::Text),
            }
        }
    }
}

fn nothing_to_send(content: Node<'_>) -> String {
    const NAMED: usize = 3;
    let types: Vec<String> =
        content.entries().take(NAMED).map(|(written, _)| format!("`{written}`")).collect();
    match types.len() {
        0 => "the request body declares no media type; write one under `content`".to_owned(),
        _ => {
            format!("a body of {} cannot be sent yet; JSON, URL-encoded forms and text can", types.join(", "))
        }
    }
}
