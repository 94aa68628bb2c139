//! One operation: from its object to a draft of an endpoint.

use crate::catalog::{BodyPlan, HttpPlan, Location, Parameter, PathPart, Security, Style, Support};
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node};

use super::body;
use super::context::Context;
use super::effects::Method;
use super::names::{self, argument_names};
use super::params::{self, Read};
use super::refs::Problem;
use super::replies::{self, Reply};
use super::template::{Part, Template};
use super::walk::PathItem;

/// An operation that can be called unless one of its schemas is broken.
#[derive(Debug)]
pub(super) struct Draft<'d> {
    pub(super) label: String,
    pub(super) node: Node<'d>,
    pub(super) method: Method,
    pub(super) arguments: Vec<DraftArgument<'d>>,
    pub(super) plan: HttpPlan,
    pub(super) replies: Vec<Reply<'d>>,
}

/// An argument whose schema is still a place in the document.
#[derive(Debug)]
pub(super) struct DraftArgument<'d> {
    pub(super) name: String,
    pub(super) description: Option<&'d str>,
    pub(super) required: bool,
    pub(super) schema: Option<Node<'d>>,
    pub(super) support: Support,
}

/// A parameter of this operation: declared, or named by the path alone.
#[derive(Debug)]
struct Used<'d> {
    name: &'d str,
    location: Location,
    required: bool,
    description: Option<&'d str>,
    schema: Option<Node<'d>>,
    style: Result<Style, String>,
}

/// Reads an operation; `None` where it is lost, which has been told then.
pub(super) fn read<'d>(
    context: &mut Context<'d>,
    item: &PathItem<'d>,
    template: &Template<'d>,
    method: Method,
    path: &'d str,
    label: &str,
    node: Node<'d>,
) -> Option<Draft<'d>> {
    // All that is wrong is told at once, not one thing at a time.
    let parameters = parameters(context, item, template, label, node);
    let body = body(context, label, node);
    let replies = replies(context, label, node);
    let security = security(context, label, node);
    let lists = [node.get("servers"), item.get("servers"), context.document.root().get("servers")];
    let servers = context.servers.urls(context.document, &lists, &mut context.sink);
    let (parameters, (plan_body, body_argument), replies, security) =
        (parameters?, body?, replies?, security?);

    let wire: Vec<(Location, &str)> = parameters.iter().map(|used| (used.location, used.name)).collect();
    let names = argument_names(&wire);
    let path_parts = template.parts.iter().map(|part| match part {
        Part::Literal(text) => PathPart::Literal(text.clone()),
        // Path parameters come first, in the template's order, and every name of the template is among them.
        Part::Name(name) => {
            PathPart::Parameter(wire.iter().position(|used| used.1 == *name).unwrap_or_default())
        }
    });
    let plan = HttpPlan {
        method: method.name.to_owned(),
        template: path.to_owned(),
        path: path_parts.collect(),
        fixed_query: template.fixed_query.clone(),
        parameters: parameters
            .iter()
            .zip(&names)
            .map(|(used, argument)| Parameter {
                name: used.name.to_owned(),
                argument: argument.clone(),
                location: used.location,
                style: used.style.as_ref().map_or(Style::Unsupported, |style| *style),
                required: used.required,
            })
            .collect(),
        body: plan_body,
        servers,
        security,
        accept: Some(replies::accept(&replies)),
    };
    let mut arguments: Vec<DraftArgument<'d>> =
        parameters.into_iter().zip(names).map(|(used, name)| argument(context, used, name)).collect();
    arguments.extend(body_argument);
    Some(Draft { label: label.to_owned(), node, method, arguments, plan, replies })
}

fn argument<'d>(context: &mut Context<'d>, used: Used<'d>, name: String) -> DraftArgument<'d> {
    let (support, schema) = match used.style {
        Ok(_) => (Support::Supported, used.schema.map(|schema| context.schema(schema))),
        // A value that cannot be sent needs no check, and its schema costs no operation.
        Err(reason) => (Support::Unsupported(reason), None),
    };
    DraftArgument { name, description: used.description, required: used.required, schema, support }
}

/// The parameters in the order of arguments: path (as in the template), query, header, cookie.
fn parameters<'d>(
    context: &mut Context<'d>,
    item: &PathItem<'d>,
    template: &Template<'d>,
    label: &str,
    node: Node<'d>,
) -> Option<Vec<Used<'d>>> {
    let shared = declared(context, item.get("parameters"), None, label);
    let own = declared(context, node.get("parameters"), Some(label), label);
    let (shared, own) = (shared?, own?);
    // Operation Object, `parameters`: they override those of the path item, and cannot remove them.
    let mut all: Vec<params::Parameter<'d>> =
        shared.into_iter().filter(|parameter| !own.iter().any(|other| other.is_same(parameter))).collect();
    all.extend(own);

    let mut used = Vec::with_capacity(all.len());
    for name in template.names() {
        let declared =
            all.iter().position(|parameter| parameter.location == Location::Path && parameter.name == name);
        if let Some(at) = declared {
            used.push(all.remove(at));
            continue;
        }
        let message = format!(
            "the path names `{{{name}}}`, which is not declared; read as a required parameter of any value"
        );
        context.warn(DiagnosticCode::UndeclaredPathParameter, node, label, message);
        used.push(undeclared(node, name));
    }
    for unused in all.iter().filter(|parameter| parameter.location == Location::Path) {
        let message = format!("{} is not named by the path; ignored", unused.label());
        context.warn(DiagnosticCode::UnusedPathParameter, unused.node, label, message);
    }
    all.retain(|parameter| parameter.location != Location::Path);
    all.sort_by_key(|parameter| parameter.location);
    used.extend(all);

    let mut lost = false;
    let result = used
        .into_iter()
        .map(|parameter| {
            if let (true, Err((code, reason))) = (parameter.required, &parameter.style) {
                let message = format!("required {}: {reason}", parameter.label());
                context.lose(label, &Problem::new(*code, parameter.node, message));
                lost = true;
            }
            let params::Parameter { name, location, required, description, schema, style, .. } = parameter;
            Used { name, location, required, description, schema, style: style.map_err(|(_, reason)| reason) }
        })
        .collect();
    (!lost).then_some(result)
}

fn undeclared<'d>(operation: Node<'d>, name: &'d str) -> params::Parameter<'d> {
    params::Parameter {
        node: operation,
        name,
        location: Location::Path,
        required: true,
        description: None,
        schema: None,
        style: Ok(Style::Simple { explode: false }),
    }
}

/// The parameters of one list, without those that are to be ignored.
fn declared<'d>(
    context: &mut Context<'d>,
    list: Option<Node<'d>>,
    about: Option<&str>,
    label: &str,
) -> Option<Vec<params::Parameter<'d>>> {
    let Some(list) = list.filter(|list| !list.is_null()) else { return Some(Vec::new()) };
    if list.kind() != Kind::Array {
        let message = "`parameters` has to be a list";
        context.lose(label, &Problem::new(DiagnosticCode::InvalidParameter, list, message));
        return None;
    }
    let mut parameters: Vec<params::Parameter<'d>> = Vec::new();
    let mut all_read = true;
    for place in list.items() {
        let read = context.parameter(place, about);
        match read.as_deref() {
            Ok(Read::Parameter(parameter)) if parameters.iter().any(|other| other.is_same(parameter)) => {
                let message = format!("{} is declared twice; the first counts", parameter.label());
                context.sink.warn(DiagnosticCode::DuplicateParameter, place, about, message);
            }
            Ok(Read::Parameter(parameter)) => parameters.push(parameter.clone()),
            Ok(Read::Reserved) => {}
            Ok(Read::Broken(problem)) | Err(problem) => {
                context.lose(label, problem);
                all_read = false;
            }
        }
    }
    all_read.then_some(parameters)
}

type Body<'d> = (Option<BodyPlan>, Option<DraftArgument<'d>>);

fn body<'d>(context: &mut Context<'d>, label: &str, node: Node<'d>) -> Option<Body<'d>> {
    let Some(place) = node.get("requestBody").filter(|place| !place.is_null()) else {
        return Some((None, None));
    };
    let body = match body::read(place, &mut context.refs) {
        Ok(body) => body,
        Err(problem) => {
            context.lose(label, &problem);
            return None;
        }
    };
    let argument = |schema, support| DraftArgument {
        name: names::BODY.to_owned(),
        description: body.description,
        required: body.required,
        schema,
        support,
    };
    match body.content {
        Ok((plan, schema)) => {
            let schema = schema.map(|schema| context.schema(schema));
            Some((Some(plan), Some(argument(schema, Support::Supported))))
        }
        Err((code, reason)) if body.required => {
            context.lose(label, &Problem::new(code, body.node, format!("required body: {reason}")));
            None
        }
        Err((code, reason)) => {
            context.warn(code, body.node, label, format!("{reason}; a call that gives a body is refused"));
            Some((None, Some(argument(None, Support::Unsupported(reason)))))
        }
    }
}

fn replies<'d>(context: &mut Context<'d>, label: &str, node: Node<'d>) -> Option<Vec<Reply<'d>>> {
    let Some(responses) = node.get("responses").filter(|responses| responses.kind() == Kind::Object) else {
        let message = "the operation declares no `responses`; its replies are not checked";
        context.warn(DiagnosticCode::MissingReplies, node, label, message);
        return Some(Vec::new());
    };
    match context.replies.read(responses, label, &mut context.refs, &mut context.sink) {
        Ok(replies) => {
            for content in replies.iter().flat_map(|(_, content)| content.iter()) {
                if let Some(schema) = content.schema {
                    context.schema(schema);
                }
            }
            Some(replies)
        }
        Err(problem) => {
            context.lose(label, &problem);
            None
        }
    }
}

fn security<'d>(context: &mut Context<'d>, label: &str, node: Node<'d>) -> Option<Security> {
    let own = node.get("security").filter(|own| !own.is_null());
    match context.security.security(context.document, own, label, &mut context.refs, &mut context.sink) {
        Ok(security) => Some(security),
        Err(problem) => {
            context.lose(label, &problem);
            None
        }
    }
}
