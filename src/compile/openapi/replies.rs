//! Declared replies: which status, which media types, which schemas.

use std::collections::HashMap;
use std::rc::Rc;

use crate::catalog::StatusMatch;
use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Kind, Node, NodeId};

use super::media;
use super::refs::{Problem, Refs};

/// A media type of a reply, and its schema.
#[derive(Debug, Clone)]
pub(super) struct Content<'d> {
    pub(super) media_type: String,
    pub(super) schema: Option<Node<'d>>,
}

/// A declared reply; the content is shared by all operations that refer to it.
pub(super) type Reply<'d> = (StatusMatch, Rc<[Content<'d>]>);

/// Response Objects that were read already.
#[derive(Debug, Default)]
pub(super) struct ReplyReader<'d> {
    known: HashMap<NodeId, Rc<[Content<'d>]>>,
}

impl<'d> ReplyReader<'d> {
    /// Reads a Responses Object.
    pub(super) fn read(
        &mut self,
        responses: Node<'d>,
        operation: &str,
        refs: &mut Refs<'d>,
        sink: &mut Sink,
    ) -> Result<Vec<Reply<'d>>, Problem<'d>> {
        let mut replies: Vec<Reply<'d>> = Vec::new();
        for (key, node) in responses.entries().filter(|(key, _)| !key.starts_with("x-")) {
            let Some(status) = status(key) else {
                let message = format!(
                    "`{key}` is no status; a reply stands under a status from 100 to 599, a range such as 2XX, or default"
                );
                sink.warn(DiagnosticCode::InvalidReply, node, Some(operation), message);
                continue;
            };
            if replies.iter().any(|(seen, _)| *seen == status) {
                let message = format!("replies for {status} are declared twice; the first counts");
                sink.warn(DiagnosticCode::InvalidReply, node, Some(operation), message);
                continue;
            }
            let object = refs.object(node)?;
            // A shared reply has its remarks once, and they are about no single operation.
            let about = (object.id() == node.id()).then_some(operation);
            let content =
                self.known.entry(object.id()).or_insert_with(|| content(object, about, sink).into());
            replies.push((status, Rc::clone(content)));
        }
        Ok(replies)
    }
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

fn content<'d>(reply: Node<'d>, operation: Option<&str>, sink: &mut Sink) -> Vec<Content<'d>> {
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
    let mut content: Vec<Content<'d>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (written, media_type) in declared.entries() {
        let Some(essence) = media::essence(written) else {
            let message = format!("`{written}` is no media type; ignored");
            sink.warn(DiagnosticCode::InvalidReply, media_type, operation, message);
            continue;
        };
        let schema = media_type.get("schema");
        if let Some(&place) = places.get(&essence) {
            // Parameters do not take part in matching (case 046), so nobody can tell which schema is meant.
            if content[place].schema.map(Node::id) != schema.map(Node::id) && content[place].schema.is_some()
            {
                content[place].schema = None;
                let message = format!(
                    "`{essence}` is declared several times, with different parameters; such replies are not checked"
                );
                sink.warn(DiagnosticCode::AmbiguousMediaType, media_type, operation, message);
            }
            continue;
        }
        places.insert(essence.clone(), content.len());
        content.push(Content { media_type: essence, schema });
    }
    content
}

/// The `Accept` header that these replies give: what a success is declared as.
pub(super) fn accept(replies: &[Reply<'_>]) -> String {
    let types_of = |wanted: fn(StatusMatch) -> bool| {
        replies
            .iter()
            .filter(move |(status, _)| wanted(*status))
            .flat_map(|(_, content)| content.iter().map(|content| content.media_type.as_str()))
    };
    let success = |status| matches!(status, StatusMatch::Exact(200..=299) | StatusMatch::Range(2));
    if replies.iter().any(|(status, _)| success(*status)) {
        media::accept(types_of(success))
    } else {
        media::accept(types_of(|status| status == StatusMatch::Default))
    }
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
