//! From `paths` to drafts: which operations the document declares (ruling 24).

use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node};
use crate::compile::{Incoming, IncomingKind};

use super::context::Context;
use super::effects::{Method, method_of};
use super::keys::Declared;
use super::object::OperationObject;
use super::operation::{self, Draft};
use super::refs::{self, Problem};
use super::template;

/// What the document declares.
#[derive(Debug, Default)]
pub(super) struct Walked<'d> {
    /// All declared operations.
    pub(super) declared: Vec<Declared<'d>>,
    /// Where their `operationId` stands, or they themselves.
    pub(super) places: Vec<Node<'d>>,
    /// Those that can be called unless a schema is broken, by their place in `declared` and their label.
    pub(super) drafts: Vec<(usize, String, Draft)>,
    pub(super) incoming: Vec<Incoming>,
}

/// A path item: its own members count before those of the item that it refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathItem<'d> {
    own: Node<'d>,
    referred: Option<Node<'d>>,
}

impl<'d> PathItem<'d> {
    pub(super) fn get(&self, key: &str) -> Option<Node<'d>> {
        self.own.get(key).or_else(|| self.referred?.get(key))
    }

    /// The members that are methods.
    fn operations(&self) -> Vec<(Method, &'d str, Node<'d>)> {
        let mut operations: Vec<(Method, &'d str, Node<'d>)> = Vec::new();
        let referred = self.referred.into_iter().flat_map(Node::entries);
        for (key, node) in self.own.entries().chain(referred) {
            if let Some(method) = method_of(key)
                && !operations.iter().any(|(_, seen, _)| *seen == key)
            {
                operations.push((method, key, node));
            }
        }
        operations
    }
}

/// Reads all operations of the document, and what they are by content.
pub(super) fn walk<'d>(context: &mut Context<'d>) -> Walked<'d> {
    let mut walked = Walked::default();
    let root = context.document.root();
    match root.get("paths") {
        Some(paths) if paths.kind() == Kind::Object => {
            for (path, node) in paths.entries().filter(|(path, _)| !path.starts_with("x-")) {
                path_item(context, &mut walked, path, node);
            }
        }
        Some(paths) => {
            let message = "`paths` has to be an object of paths; nothing is read from it";
            context.sink.error(DiagnosticCode::InvalidOperation, paths, None, message);
        }
        None => {}
    }
    for (name, item) in root.get("webhooks").into_iter().flat_map(Node::entries) {
        incoming(context, &mut walked.incoming, IncomingKind::Webhook, name, None, item);
    }
    walked
}

fn path_item<'d>(context: &mut Context<'d>, walked: &mut Walked<'d>, path: &'d str, node: Node<'d>) {
    if node.kind() != Kind::Object {
        let message = format!("the path item `{path}` has to be an object; nothing is read from it");
        context.sink.error(DiagnosticCode::InvalidOperation, node, None, message);
        return;
    }
    let referred = match node.get("$ref") {
        Some(_) => context.refs.object(node).map(Some),
        None => Ok(None),
    };
    let (item, lost) = match referred {
        Ok(referred) => (PathItem { own: node, referred }, None),
        Err(problem) => (PathItem { own: node, referred: None }, Some(problem)),
    };
    let operations = item.operations();
    if let Some(problem) = lost.as_ref().filter(|_| operations.is_empty()) {
        context.sink.error(problem.code, problem.node, None, format!("path `{path}`: {}", problem.message));
        return;
    }
    let template = match lost {
        Some(problem) => Err(problem),
        None => template::parse(path).map_err(|(code, message)| Problem::new(code, node, message)),
    };
    if let Ok(template) = &template
        && template.slash_added
    {
        let message = format!("the path `{path}` has to begin with a slash; read with one");
        context.sink.warn(DiagnosticCode::InvalidPath, node, None, message);
    }
    for (method, key, place) in operations {
        let label = [method.name, " ", path].concat();
        let at = walked.declared.len();
        let own = OperationObject::of(place);
        let object = referred_operation(context, own, &label);
        let OperationObject { node, id, callbacks, .. } = *object.as_ref().unwrap_or(&own);
        walked.declared.push(Declared { method: method.name, path, id: id.and_then(usable_id) });
        walked.places.push(id.unwrap_or(node));
        self::callbacks(context, &mut walked.incoming, &label, callbacks);
        let draft = match template.as_ref().map_err(Clone::clone).and_then(|template| Ok((template, object?)))
        {
            Err(problem) => Err(problem),
            Ok((template, object)) => match accepted(method, key, node) {
                Ok(remark) => {
                    if let Some((code, message)) = remark {
                        context.warn(code, node, &label, message);
                    }
                    match operation::read(context, &item, template, method, path, &label, &object) {
                        Some(draft) => Ok(draft),
                        // Told already.
                        None => continue,
                    }
                }
                Err(problem) => Err(problem),
            },
        };
        match draft {
            Ok(draft) => walked.drafts.push((at, label, draft)),
            Err(problem) => context.lose(&label, &problem),
        }
    }
}

/// The operation itself, or the one that it refers to: no version allows that, and what is meant is plain.
fn referred_operation<'d>(
    context: &mut Context<'d>,
    own: OperationObject<'d>,
    label: &str,
) -> Result<OperationObject<'d>, Problem<'d>> {
    if own.reference.is_none() {
        return Ok(own);
    }
    let operation = context.refs.object(own.node)?;
    let message = "an operation has no `$ref`; read as the operation that it leads to";
    context.warn(DiagnosticCode::ReadByIntent, own.node, label, message);
    Ok(OperationObject::of(operation))
}

/// An `operationId` is a string with something in it.
fn usable_id(node: Node<'_>) -> Option<&str> {
    node.as_str().filter(|id| !id.trim().is_empty())
}

/// Whether a member of a path item is an operation that can have an endpoint, and what there is to say if so.
fn accepted<'d>(
    method: Method,
    key: &str,
    node: Node<'d>,
) -> Result<Option<(DiagnosticCode, String)>, Problem<'d>> {
    if method.effect.is_none() {
        let message = format!("{} is no call of an API and has no endpoint", method.name);
        return Err(Problem::new(DiagnosticCode::UnsupportedMethod, node, message));
    }
    if node.kind() != Kind::Object {
        let message = format!("an operation has to be an object, found {}", refs::a(node.kind()));
        return Err(Problem::new(DiagnosticCode::InvalidOperation, node, message));
    }
    if key != method.key {
        let message = format!("methods are written in lower case; `{key}` is read as `{}`", method.key);
        return Ok(Some((DiagnosticCode::ReadByIntent, message)));
    }
    if method.key == "query" {
        let message = "`query` belongs to OpenAPI 3.2; read as it would";
        return Ok(Some((DiagnosticCode::ReadByIntent, message.to_owned())));
    }
    Ok(None)
}

fn callbacks<'d>(
    context: &mut Context<'d>,
    list: &mut Vec<Incoming>,
    label: &str,
    callbacks: Option<Node<'d>>,
) {
    for (name, callback) in callbacks.into_iter().flat_map(Node::entries) {
        // A callback that cannot be read costs nothing: it is only listed.
        let Ok(callback) = context.refs.object(callback) else { continue };
        for (expression, item) in callback.entries() {
            if !expression.starts_with("x-") {
                incoming(context, list, IncomingKind::Callback, name, Some(label), item);
            }
        }
    }
}

fn incoming<'d>(
    context: &mut Context<'d>,
    list: &mut Vec<Incoming>,
    kind: IncomingKind,
    name: &str,
    operation: Option<&str>,
    item: Node<'d>,
) {
    let Ok(item) = context.refs.object(item) else { return };
    list.extend(item.entries().filter_map(|(key, node)| {
        Some(Incoming {
            kind,
            name: name.to_owned(),
            method: method_of(key)?.name.to_owned(),
            operation: operation.map(str::to_owned),
            node: node.id(),
        })
    }));
}
