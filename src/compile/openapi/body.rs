//! Request bodies: which media type is sent, and what its value must satisfy.

use crate::catalog::BodyPlan;
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node};

use super::media;
use super::params::Remark;
use super::refs::{Problem, Refs};

/// A request body as declared.
#[derive(Debug, Clone)]
pub(super) struct Body<'d> {
    pub(super) node: Node<'d>,
    pub(super) required: bool,
    pub(super) description: Option<&'d str>,
    /// What is sent, with its schema; or the rule and the reason why none can be.
    pub(super) content: Result<(BodyPlan, Option<Node<'d>>), Remark>,
}

/// Reads a Request Body Object or a reference to one.
pub(super) fn read<'d>(node: Node<'d>, refs: &mut Refs<'d>) -> Result<Body<'d>, Problem<'d>> {
    let node = refs.object(node)?;
    let required = node
        .get("required")
        .is_some_and(|required| required.as_bool().unwrap_or_else(|| required.as_str() == Some("true")));
    let description = node.get("description").and_then(Node::scalar_text);
    let content = match node.get("content") {
        Some(content) if content.kind() == Kind::Object => chosen(content, required),
        _ => Err((
            DiagnosticCode::InvalidBody,
            "the request body has no `content`; write its media types there".to_owned(),
        )),
    };
    Ok(Body { node, required, description, content })
}

/// The JSON media type to send: plain `application/json`, else with parameters, else the first `+json`.
fn chosen(content: Node<'_>, required: bool) -> Result<(BodyPlan, Option<Node<'_>>), Remark> {
    let rank = |written: &str| {
        let essence = media::essence(written).filter(|_| media::is_field_value(written))?;
        match essence.as_str() {
            "application/json" => Some(usize::from(written.contains(';'))),
            other if media::is_json(other) => Some(2),
            _ => None,
        }
    };
    let best = content
        .entries()
        .filter_map(|(written, media_type)| Some((rank(written)?, written, media_type)))
        .min_by_key(|(rank, ..)| *rank);
    match best {
        Some((_, written, media_type)) => {
            let plan = BodyPlan { media_type: written.to_owned(), required };
            Ok((plan, media_type.get("schema")))
        }
        None => Err((DiagnosticCode::UnsupportedBody, nothing_to_send(content))),
    }
}

fn nothing_to_send(content: Node<'_>) -> String {
    const NAMED: usize = 3;
    let types: Vec<String> =
        content.entries().take(NAMED).map(|(written, _)| format!("`{written}`")).collect();
    match types.len() {
        0 => "the request body declares no media type; write one under `content`".to_owned(),
        _ => format!("a body of {} cannot be sent yet; JSON can", types.join(", ")),
    }
}
