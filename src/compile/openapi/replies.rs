//! Declared replies: which status, which media types, which schemas.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::catalog::{Content, Direction, Replies, ReplySpec, StatusMatch};
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node, NodeId};

use super::context::Context;
use super::media;
use super::refs::Problem;

/// A Response Object, shared by all operations that refer to it or have the same.
#[derive(Debug)]
pub(super) struct Declared {
    /// Where it stands first.
    pub(super) node: NodeId,
    pub(super) content: Arc<[Content]>,
    /// The media types to ask for, best first.
    accept: Vec<String>,
}

/// A declared reply.
pub(super) type Reply = (StatusMatch, Rc<Declared>);

/// A Responses Object, shared by all operations that have the same.
#[derive(Debug)]
pub(super) struct Responses {
    /// In the order of statuses.
    pub(super) declared: Vec<Reply>,
    /// The same for endpoints.
    pub(super) replies: Replies,
    /// The `Accept` header that they give.
    pub(super) accept: String,
}

impl Responses {
    pub(super) fn new(mut declared: Vec<Reply>) -> Self {
        let accept = accept(&declared);
        declared.sort_by_key(|(status, _)| *status);
        let specs = declared
            .iter()
            .map(|(status, reply)| ReplySpec { status: *status, content: Arc::clone(&reply.content) })
            .collect();
        Self { declared, replies: Replies::new(specs), accept }
    }
}

/// Reads a Responses Object.
pub(super) fn read<'d>(
    context: &mut Context<'d>,
    responses: Node<'d>,
    operation: &str,
) -> Result<Rc<Responses>, Problem<'d>> {
    if let Some(known) = context.responses.get(responses) {
        return Ok(Rc::clone(known));
    }
    if let Some(problem) = declared_twice(context, responses) {
        return Err(problem);
    }
    let said = context.said();
    let read = Rc::new(Responses::new(declared_replies(context, responses, operation)?));
    let nothing_said = context.said() == said;
    context.responses.insert(responses, Rc::clone(&read), nothing_said);
    Ok(read)
}

fn declared_replies<'d>(
    context: &mut Context<'d>,
    responses: Node<'d>,
    operation: &str,
) -> Result<Vec<Reply>, Problem<'d>> {
    let mut replies: Vec<Reply> = Vec::new();
    for (key, node) in responses.entries().filter(|(key, _)| !key.starts_with("x-")) {
        let Some(status) = status(key) else {
            let message = format!(
                "`{key}` is no status; a reply stands under a status from 100 to 599, a range such as 2XX, or default"
            );
            context.warn(DiagnosticCode::InvalidReply, node, operation, message);
            continue;
        };
        // There are some 500 statuses, so this list stays short.
        if replies.iter().any(|(seen, _)| *seen == status) {
            let message = format!("replies for {status} are declared twice; the first counts");
            context.warn(DiagnosticCode::InvalidReply, node, operation, message);
            continue;
        }
        let object = context.refs.object(node)?;
        let declared = match context.replies.get(object) {
            Some(known) => Rc::clone(known),
            None => {
                // A shared reply has its remarks once, and they are about no single operation.
                let about = (object.id() == node.id()).then_some(operation);
                let said = context.said();
                let declared = Rc::new(declared(context, object, about));
                let nothing_said = context.said() == said;
                context.replies.insert(object, Rc::clone(&declared), nothing_said);
                declared
            }
        };
        replies.push((status, declared));
    }
    Ok(replies)
}

/// A status that is a key twice (case 003): elsewhere the last one counts, but here that would choose between two
/// contracts, and nobody can tell which one is meant.
fn declared_twice<'d>(context: &mut Context<'d>, responses: Node<'d>) -> Option<Problem<'d>> {
    let document = context.document;
    let twice = context.repeated.of(responses).iter().filter_map(|repeated| {
        let kept = document.node(repeated.kept);
        kept.key().filter(|key| status(key).is_some()).map(|key| (repeated.key_offset, key, kept))
    });
    let twice: Vec<(u32, &str, Node<'d>)> = twice.collect();
    let (_, key, kept) = *twice.first()?;
    context.repeated.told(twice.iter().map(|(offset, ..)| *offset));
    let message = format!(
        "`{key}` is a duplicate key among the replies, and nobody can tell which one counts; remove one"
    );
    Some(Problem::new(DiagnosticCode::DuplicateKey, kept, message))
}

fn declared<'d>(context: &mut Context<'d>, reply: Node<'d>, operation: Option<&str>) -> Declared {
    let content: Vec<Content> = content(context, reply, operation)
        .into_iter()
        .map(|(media_type, schema)| {
            let schema = schema.map(|schema| context.schema(schema, Direction::Reply));
            Content { media_type, schema }
        })
        .collect();
    let accept = media::best(content.iter().map(|content| content.media_type.as_str()));
    let accept = accept.into_iter().map(str::to_owned).collect();
    Declared { node: reply.id(), content: content.into(), accept }
}

/// `200`, `2XX` in any case, `default`.
fn status(key: &str) -> Option<StatusMatch> {
    if key.eq_ignore_ascii_case("default") {
        return Some(StatusMatch::Default);
    }
    let bytes = key.as_bytes();
    let [first @ b'1'..=b'5', rest @ ..] = bytes else { return None };
    if rest.eq_ignore_ascii_case(b"XX") {
        return Some(StatusMatch::Range(first - b'0'));
    }
    (bytes.len() == 3).then(|| key.parse().ok().map(StatusMatch::Exact))?
}

/// The media types of a reply with the places of their schemas.
fn content<'d>(
    context: &mut Context<'d>,
    reply: Node<'d>,
    operation: Option<&str>,
) -> Vec<(String, Option<Node<'d>>)> {
    let sink = &mut context.sink;
    let Some(declared) = reply.get("content") else {
        if let Some(schema) = reply.get("schema") {
            let message =
                "`schema` of a reply belongs to Swagger 2.0 and is ignored; write it under `content`";
            sink.warn(DiagnosticCode::InvalidReply, schema, operation, message);
        }
        return Vec::new();
    };
    if declared.kind() != Kind::Object {
        let message = "`content` has to be an object of media types; ignored";
        sink.warn(DiagnosticCode::InvalidReply, declared, operation, message);
        return Vec::new();
    }
    let mut content: Vec<(String, Option<Node<'d>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (written, media_type) in declared.entries() {
        let Some(essence) = media::essence(written) else {
            let message = format!("`{written}` is no media type; ignored");
            sink.warn(DiagnosticCode::InvalidReply, media_type, operation, message);
            continue;
        };
        let schema = media_type.get("schema");
        let Some(&place) = places.get(&essence) else {
            places.insert(essence.clone(), content.len());
            content.push((essence, schema));
            continue;
        };
        // Parameters do not take part in matching (case 046), so nobody can tell which schema is meant.
        let known = &mut content[place].1;
        if known.is_some() && known.map(Node::id) != schema.map(Node::id) {
            *known = None;
            let message = format!(
                "`{essence}` is declared several times, with different parameters; such replies are not checked"
            );
            sink.warn(DiagnosticCode::AmbiguousMediaType, media_type, operation, message);
        }
    }
    content
}

/// The `Accept` header that these replies give: what a success is declared as.
fn accept(replies: &[Reply]) -> String {
    let success = |status| matches!(status, StatusMatch::Exact(200..=299) | StatusMatch::Range(2));
    let has_success = replies.iter().any(|(status, _)| success(*status));
    let wanted = replies
        .iter()
        .filter(|(status, _)| if has_success { success(*status) } else { *status == StatusMatch::Default });
    let best = media::best(wanted.flat_map(|(_, declared)| declared.accept.iter().map(String::as_str)));
    if best.is_empty() { "application/json".to_owned() } else { best.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_043_statuses_are_exact_ranges_in_any_case_and_default() {
        let table: Vec<String> =
            ["200", "2XX", "4xx", "5Xx", "default", "600", "2X", "20", "0200", "2XXX", "ok", "99", "１00"]
                .iter()
                .map(|key| status(key).map_or(format!("{key}: no"), |status| format!("{key}: {status}")))
                .collect();
        insta::assert_snapshot!(table.join("\n"), @r"
        200: 200
        2XX: 2XX
        4xx: 4XX
        5Xx: 5XX
        default: default
        600: no
        2X: no
        20: no
        0200: no
        2XXX: no
        ok: no
        99: no
        １00: no
        ");
    }
}
