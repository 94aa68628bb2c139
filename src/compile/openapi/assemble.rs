//! From drafts to endpoints: names, schemas, and what a broken schema costs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use schemarouter_kernel::base::disposition::Effect;

use crate::catalog::{
    Argument, Binding, Content, DeclaredBy, Direction, Endpoint, Key, Replies, ReplySpec, Schema, SchemaId,
    SchemaSource, SourceInfo,
};
use crate::compile::diagnostic::{Diagnostic, DiagnosticCode, Severity, Sink};
use crate::compile::document::{Document, Node, NodeId};
use crate::compile::{Compiled, Options};

use super::context::Context;
use super::keys::{Declared, operation_names};
use super::operation::Draft;
use super::schema::DocumentSchemas;
use super::walk::Walked;

/// Repeated keys that are listed one by one.
const LISTED_DUPLICATE_KEYS: usize = 20;
/// Operations that a remark names.
const NAMED_OPERATIONS: usize = 5;

/// Makes the endpoints.
pub(super) fn assemble<'d>(
    mut context: Context<'d>,
    walked: Walked<'d>,
    options: &Options,
    version_text: &str,
) -> Compiled {
    let document = context.document;
    let Walked { declared, places, drafts, incoming } = walked;
    let names = operation_names(&declared);
    for group in &names.duplicates {
        tell_duplicate(group, &declared, &places, &mut context.sink);
    }
    duplicate_keys(document, &mut context.sink);
    // Dialects are told for schemas that are used, and only they need one.
    let dialect = unsupported_dialect(document);

    let source = DocumentSchemas::new(document.clone(), options.document_url.clone(), context.version);
    let mut schemas = Schemas { source: Arc::new(source), known: HashMap::new() };
    let mut endpoints = Vec::with_capacity(drafts.len());
    let uses: Vec<Vec<Node<'d>>> = drafts.iter().map(|(_, draft)| schemas_of(draft, &mut context)).collect();
    let Context { check, mut sink, version, mut refs, .. } = context;
    let broken = check.finish();
    for ((at, draft), used) in drafts.into_iter().zip(uses) {
        let mut causes = BTreeSet::new();
        for schema in &used {
            if let Some((number, problem)) = broken.cause(schema.id())
                && causes.insert(number)
            {
                sink.error(problem.code, problem.node, Some(&draft.label), problem.message.as_str());
            }
        }
        if let Some((node, message)) = dialect.as_ref().filter(|_| !used.is_empty()) {
            sink.error(DiagnosticCode::UnsupportedDialect, *node, Some(&draft.label), message.as_str());
            continue;
        }
        if causes.is_empty() {
            let key = Key::new(&options.source, &names.names[at]);
            let mut root = |place| super::schema::root(place, version, &mut refs).id();
            endpoints.push(endpoint(key, draft, &mut schemas, &mut root));
        }
    }
    let info = SourceInfo {
        name: options.source.clone(),
        format: format!("openapi {version_text}"),
        operations_declared: declared.len(),
        endpoint_count: endpoints.len(),
    };
    Compiled { info, endpoints, diagnostics: sink.finish(), incoming, document: document.clone() }
}

/// The schemas that a draft uses.
fn schemas_of<'d>(draft: &Draft<'d>, context: &mut Context<'d>) -> Vec<Node<'d>> {
    let arguments = draft.arguments.iter().filter_map(|argument| argument.schema);
    let replies =
        draft.replies.iter().flat_map(|(_, content)| content.iter()).filter_map(|content| content.schema);
    arguments.chain(replies).map(|place| context.schema(place)).collect()
}

fn tell_duplicate(group: &[usize], declared: &[Declared<'_>], places: &[Node<'_>], sink: &mut Sink) {
    let Some(first) = group.first() else { return };
    let mut operations: Vec<String> = group
        .iter()
        .take(NAMED_OPERATIONS)
        .map(|at| format!("{} {}", declared[*at].method, declared[*at].path))
        .collect();
    if group.len() > NAMED_OPERATIONS {
        operations.push(format!("{} more", group.len() - NAMED_OPERATIONS));
    }
    let message = format!(
        "operationId `{}` has to be unique, but {} have it; each is named after its method and path instead",
        declared[*first].id.unwrap_or_default(),
        operations.join(", ")
    );
    sink.warn(DiagnosticCode::DuplicateOperationId, places[*first], None, message);
}

fn duplicate_keys(document: &Document, sink: &mut Sink) {
    let all = document.duplicate_keys();
    for duplicate in all.iter().take(LISTED_DUPLICATE_KEYS) {
        let kept = document.node(duplicate.kept);
        sink.push(Diagnostic {
            severity: Severity::Warning,
            code: DiagnosticCode::DuplicateKey,
            offset: duplicate.key_offset,
            pointer: kept.pointer(),
            operation: None,
            message: format!(
                "the key `{}` is written more than once; the last one counts, remove the others",
                kept.key().unwrap_or_default()
            ),
        });
    }
    if let Some(more) = all.len().checked_sub(LISTED_DUPLICATE_KEYS).filter(|more| *more > 0) {
        let message = format!("{more} more keys are written more than once; fix the listed ones first");
        sink.warn(DiagnosticCode::MoreRemarks, document.root(), None, message);
    }
}

/// The document's own choice of a dialect, where it is none that is read here.
fn unsupported_dialect(document: &Document) -> Option<(Node<'_>, String)> {
    let node = document.root().get("jsonSchemaDialect")?;
    let uri = node.as_str().unwrap_or_default();
    (!super::schema::is_known_dialect(uri)).then(|| {
        (
            node,
            format!("`jsonSchemaDialect: {uri}` is not supported; write the schemas in JSON Schema 2020-12"),
        )
    })
}

/// Handles of schemas, each made once, so that its validator is built once.
struct Schemas {
    source: Arc<dyn SchemaSource>,
    known: HashMap<(NodeId, Direction), Schema>,
}

impl Schemas {
    fn get(&mut self, id: NodeId, direction: Direction) -> Schema {
        self.known
            .entry((id, direction))
            .or_insert_with(|| Schema::new(Arc::clone(&self.source), SchemaId(id.0), direction))
            .clone()
    }
}

fn endpoint<'d>(
    key: Key,
    draft: Draft<'d>,
    schemas: &mut Schemas,
    root: &mut dyn FnMut(Node<'d>) -> NodeId,
) -> Endpoint {
    let Draft { node, method, arguments, plan, replies, label: _ } = draft;
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let arguments = arguments
        .into_iter()
        .map(|argument| Argument {
            name: argument.name,
            description: argument.description.map(str::to_owned),
            required: argument.required,
            schema: argument.schema.map(|place| schemas.get(root(place), Direction::Request)),
            support: argument.support,
        })
        .collect();
    let replies = replies
        .into_iter()
        .map(|(status, content)| ReplySpec {
            status,
            content: content
                .iter()
                .map(|content| Content {
                    media_type: content.media_type.clone(),
                    schema: content.schema.map(|place| schemas.get(root(place), Direction::Reply)),
                })
                .collect(),
        })
        .collect();
    Endpoint {
        key,
        summary: text("summary"),
        description: text("description"),
        tags: node
            .get("tags")
            .into_iter()
            .flat_map(Node::items)
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect(),
        deprecated: node.get("deprecated").and_then(Node::as_bool) == Some(true),
        effect: method.effect.unwrap_or(Effect::Unknown),
        destructive: method.destructive,
        declared_by: DeclaredBy::Document,
        arguments,
        arguments_schema: None,
        replies: Replies::new(replies),
        binding: Binding::Http(Box::new(plan)),
        pointer: node.pointer(),
    }
}
