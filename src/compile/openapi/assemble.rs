//! From drafts to endpoints: names, schemas, and what a broken schema costs.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use schemarouter_kernel::base::disposition::Effect;

use crate::catalog::{Absent, Binding, DeclaredBy, Endpoint, Fingerprints, Key, Schema, SourceInfo};
use crate::compile::diagnostic::{Diagnostic, DiagnosticCode, Severity, Sink};
use crate::compile::document::{Document, Node, NodeId};
use crate::compile::{Compiled, Options};

use super::context::Context;
use super::keys::{Declared, operation_names};
use super::operation::Draft;
use super::repeated::Repeated;
use super::replies;
use super::schema::Broken;
use super::walk::Walked;

/// Repeated keys that are listed one by one.
const LISTED_DUPLICATE_KEYS: usize = 20;
/// Operations that a remark names.
const NAMED_OPERATIONS: usize = 5;

/// Causes that are told of one operation or reply: each is fixed on its own, and a list of hundreds helps nobody.
const TOLD_CAUSES: usize = 5;

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
    duplicate_keys(document, &context.repeated, &mut context.sink);
    let dialect = unsupported_dialect(document);

    let Context { check, mut sink, mut refs, prints, source, .. } = context;
    source.keep_patterns(check.patterns());
    let mut losses = Losses { broken: check.finish(), replies: HashMap::new() };
    let mut is_usable = vec![false; declared.len()];
    let mut endpoints = Vec::with_capacity(drafts.len());
    for ((at, label, draft), fingerprints) in drafts.into_iter().zip(prints.finish(&mut refs)) {
        let causes = losses.of(&draft);
        for cause in &causes {
            let problem = losses.broken.problem(*cause);
            sink.error(problem.code, problem.node, Some(&label), problem.message.as_str());
        }
        if let Some((node, message)) = dialect.as_ref().filter(|_| has_schemas(&draft)) {
            sink.error(DiagnosticCode::UnsupportedDialect, *node, Some(&label), message.as_str());
        } else if causes.is_empty() {
            is_usable[at] = true;
            endpoints.push(endpoint(Key::new(&options.source, &names.names[at]), draft, fingerprints));
        }
    }
    let info = SourceInfo {
        name: options.source.clone(),
        format: format!("openapi {version_text}"),
        operations_declared: declared.len(),
        endpoint_count: endpoints.len(),
    };
    let diagnostics = sink.finish();
    let lost = (0..declared.len()).filter(|at| !is_usable[*at]);
    let lost = lost.map(|at| (Key::new(&options.source, &names.names[at]), &declared[at]));
    let absent = absent(lost, &diagnostics);
    let (document, options) = (document.clone(), options.digest());
    Compiled { info, endpoints, absent, diagnostics, incoming, document, options }
}

fn has_schemas(draft: &Draft) -> bool {
    let mut contents = draft.responses.replies.all().iter().flat_map(|reply| reply.content.iter());
    draft.arguments.iter().any(|argument| argument.schema.is_some())
        || contents.any(|content| content.schema.is_some())
}

/// Operations with the first error about each.
fn absent<'d>(
    lost: impl Iterator<Item = (Key, &'d Declared<'d>)>,
    diagnostics: &[Diagnostic],
) -> Vec<Absent> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut reasons: HashMap<&str, &Diagnostic> = HashMap::new();
    for (error, operation) in errors.filter_map(|error| Some((error, error.operation.as_deref()?))) {
        reasons.entry(operation).or_insert(error);
    }
    lost.map(|(key, Declared { method, path, .. })| {
        let error = reasons.get(format!("{method} {path}").as_str());
        let reason = error.map_or_else(String::new, |error| format!("{}: {}", error.code, error.message));
        Absent { key, reason }
    })
    .collect()
}

/// What broken schemas cost; a reply that operations share is judged once.
struct Losses<'d> {
    broken: Broken<'d>,
    replies: HashMap<*const replies::Declared, Vec<usize>>,
}

impl Losses<'_> {
    /// Why an operation is lost, by the numbers of the problems; empty if it is not.
    fn of(&mut self, draft: &Draft) -> BTreeSet<usize> {
        let Self { broken, replies } = self;
        if broken.is_empty() {
            return BTreeSet::new();
        }
        let cause = |schema: &Schema| schema.id().and_then(|id| broken.cause(NodeId(id.0)));
        let mut causes: BTreeSet<usize> =
            draft.arguments.iter().filter_map(|argument| cause(argument.schema.as_ref()?)).collect();
        for (_, reply) in &draft.responses.declared {
            let lost = replies.entry(Rc::as_ptr(reply)).or_insert_with(|| {
                let schemas = reply.content.iter().filter_map(|content| content.schema.as_ref());
                schemas.filter_map(cause).take(TOLD_CAUSES).collect()
            });
            causes.extend(lost.iter());
        }
        causes.into_iter().take(TOLD_CAUSES).collect()
    }
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

fn duplicate_keys(document: &Document, repeated: &Repeated, sink: &mut Sink) {
    let all: Vec<_> = repeated.untold(document).collect();
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

fn endpoint(key: Key, draft: Draft, fingerprints: Fingerprints) -> Endpoint {
    Endpoint {
        key,
        summary: draft.summary,
        description: draft.description,
        tags: draft.tags,
        deprecated: draft.deprecated,
        effect: draft.method.effect.unwrap_or(Effect::Unknown),
        destructive: draft.method.destructive,
        declared_by: DeclaredBy::Document,
        arguments: draft.arguments,
        arguments_schema: None,
        replies: draft.responses.replies.clone(),
        next_page: None,
        binding: Binding::Http(draft.plan),
        fingerprints,
        pointer: draft.pointer,
    }
}
