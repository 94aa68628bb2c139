//! One operation: from its object to a draft of an endpoint.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::catalog::{Argument, HttpPlan, Location, Parameter, Security, Style, Support};
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Kind, Node};

use super::body::Body;
use super::context::Context;
use super::effects::Method;
use super::names::{self, argument_names};
use super::object::OperationObject;
use super::params::{self, Read};
use super::refs::Problem;
use super::replies::{self, Responses};
use super::seen::Seen;
use super::template::Template;
use super::version::Version;
use super::walk::PathItem;

/// An operation that can be called unless one of its schemas is broken.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) method: Method,
    pub(super) summary: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deprecated: bool,
    pub(super) arguments: Vec<Argument>,
    pub(super) plan: Box<HttpPlan>,
    pub(super) responses: Rc<Responses>,
    pub(super) pointer: String,
}

/// What an operation is made of.
#[derive(Debug)]
pub(super) struct Parts<'d> {
    /// In the order of arguments.
    pub(super) parameters: Vec<Rc<params::Parameter<'d>>>,
    pub(super) body: Option<Rc<Body<'d>>>,
    pub(super) responses: Rc<Responses>,
}

/// Reads an operation; `None` where it is lost, which has been told then.
pub(super) fn read<'d>(
    context: &mut Context<'d>,
    item: &PathItem<'d>,
    template: &Template<'d>,
    method: Method,
    path: &'d str,
    label: &str,
    object: &OperationObject<'d>,
) -> Option<Draft> {
    // All that is wrong is told at once, not one thing at a time.
    let parameters = parameters(context, item, template, label, object);
    let body = body(context, label, object).map_err(|problem| context.lose(label, &problem)).ok();
    let responses = responses(context, label, object);
    let security = security(context, label, object);
    let lists = [object.servers, item.get("servers"), context.document.root().get("servers")];
    let servers = context.servers.urls(context.document, &lists, &mut context.sink);
    let parts = Parts { parameters: parameters?, body: body?, responses: responses? };
    let plan = Box::new(plan(&parts, template, method, path, servers, security?));
    // Now, while this part of the document is near; should a schema be broken, it was in vain.
    context.prints.add(&mut context.refs, object, &parts, &plan);
    let text = |node: Option<Node<'_>>| node.and_then(Node::scalar_text).map(str::to_owned);
    Some(Draft {
        method,
        summary: text(object.summary),
        description: text(object.description),
        tags: object.tags.into_iter().flat_map(Node::items).filter_map(|tag| text(Some(tag))).collect(),
        deprecated: object.deprecated.and_then(Node::as_bool) == Some(true),
        arguments: arguments(&parts, &plan),
        plan,
        responses: parts.responses,
        pointer: object.node.pointer(),
    })
}

fn plan(
    parts: &Parts<'_>,
    template: &Template<'_>,
    method: Method,
    path: &str,
    servers: Arc<[String]>,
    security: Security,
) -> HttpPlan {
    let Parts { parameters, body, responses } = parts;
    let wire: SmallVec<[(Location, &str); 8]> =
        parameters.iter().map(|used| (used.location, used.name)).collect();
    let names: SmallVec<[Arc<str>; 8]> = match argument_names(&wire) {
        None => parameters.iter().map(|used| Arc::clone(&used.wire_name)).collect(),
        Some(names) => names.into_iter().map(Arc::from).collect(),
    };
    HttpPlan {
        method: method.name.to_owned(),
        template: path.to_owned(),
        // Path parameters come first, in the template's order, and every name of the template is among them.
        path: Arc::clone(&template.parts),
        fixed_query: template.fixed_query.clone(),
        parameters: parameters
            .iter()
            .zip(names)
            .map(|(used, argument)| Parameter {
                name: Arc::clone(&used.wire_name),
                argument,
                location: used.location,
                style: used.style.as_ref().map_or(Style::Unsupported, |style| *style),
                required: used.required,
            })
            .collect(),
        body: body.as_ref().and_then(|body| Some(body.content.as_ref().ok()?.0.clone())),
        servers,
        security,
        accept: Some(responses.accept.clone()),
    }
}

fn arguments(parts: &Parts<'_>, plan: &HttpPlan) -> Vec<Argument> {
    let mut arguments = Vec::with_capacity(parts.parameters.len() + usize::from(parts.body.is_some()));
    let planned = plan.parameters.iter().map(|planned| Arc::clone(&planned.argument));
    arguments.extend(parts.parameters.iter().zip(planned).map(|(used, name)| argument(used, name)));
    arguments.extend(parts.body.as_deref().map(body_argument));
    arguments
}

fn argument(used: &params::Parameter<'_>, name: Arc<str>) -> Argument {
    let params::Parameter { description, required, schema, style, .. } = used;
    let support = match style {
        Ok(_) => Support::Supported,
        Err((_, reason)) => Support::Unsupported(reason.clone()),
    };
    Argument { name, description: description.clone(), required: *required, schema: schema.clone(), support }
}

fn body_argument(body: &Body<'_>) -> Argument {
    let (schema, support) = match &body.content {
        Ok((_, schema)) => (schema.clone(), Support::Supported),
        Err((_, reason)) => (None, Support::Unsupported(reason.clone())),
    };
    let Body { description, required, .. } = body;
    Argument {
        name: names::BODY.into(),
        description: description.clone(),
        required: *required,
        schema,
        support,
    }
}

/// The parameters in the order of arguments: path (as in the template), query, header, cookie.
fn parameters<'d>(
    context: &mut Context<'d>,
    item: &PathItem<'d>,
    template: &Template<'d>,
    label: &str,
    object: &OperationObject<'d>,
) -> Option<Vec<Rc<params::Parameter<'d>>>> {
    let node = object.node;
    let own = declared(context, object.parameters, Some(label), label);
    let shared = declared(context, item.get("parameters"), None, label);
    let (own, shared) = (own?, shared?);
    // Operation Object, `parameters`: they override those of the path item, and cannot remove them.
    let mut seen = Seen::new();
    for (_, parameter) in &own {
        seen.insert(parameter.identity());
    }
    let mut all = shared;
    all.retain(|(_, parameter)| seen.insert(parameter.identity()));
    all.extend(own);

    let (mut in_path, mut rest) = (SmallVec::<[_; 8]>::new(), Vec::with_capacity(all.len()));
    for (place, parameter) in all {
        if parameter.location == Location::Path {
            in_path.push((parameter, Some(place)));
        } else {
            rest.push(parameter);
        }
    }
    in_path.sort_unstable_by_key(|(parameter, _)| parameter.name);
    rest.sort_by_key(|parameter| parameter.location);
    let mut used = Vec::with_capacity(template.names.len() + rest.len());
    for name in &template.names {
        let found = in_path.binary_search_by_key(name, |(parameter, _)| parameter.name);
        used.push(if let Ok(at) = found {
            in_path[at].1 = None;
            Rc::clone(&in_path[at].0)
        } else {
            let message = format!(
                "the path names `{{{name}}}`, which is not declared; read as a required parameter of any value"
            );
            context.warn(DiagnosticCode::UndeclaredPathParameter, node, label, message);
            Rc::new(undeclared(node, name))
        });
    }
    for (parameter, unused) in in_path {
        if let Some(place) = unused {
            let message = format!("{} is not named by the path; ignored", parameter.label());
            context.warn(DiagnosticCode::UnusedPathParameter, place, label, message);
        }
    }
    used.extend(rest);

    let mut all_usable = true;
    for parameter in used.iter().filter(|parameter| parameter.required) {
        if let Err((code, reason)) = &parameter.style {
            let message = format!("required {}: {reason}", parameter.label());
            context.lose(label, &Problem::new(*code, parameter.node, message));
            all_usable = false;
        }
    }
    all_usable.then_some(used)
}

fn undeclared<'d>(operation: Node<'d>, name: &'d str) -> params::Parameter<'d> {
    params::Parameter {
        node: operation,
        name,
        wire_name: name.into(),
        location: Location::Path,
        required: true,
        description: None,
        schema: None,
        style: Ok(Style::Simple { explode: false }),
    }
}

/// Parameters, each with its place in the list.
type Listed<'d> = SmallVec<[(Node<'d>, Rc<params::Parameter<'d>>); 8]>;

/// The parameters of one list, without those that are to be ignored.
fn declared<'d>(
    context: &mut Context<'d>,
    list: Option<Node<'d>>,
    about: Option<&str>,
    label: &str,
) -> Option<Listed<'d>> {
    let Some(list) = list.filter(|list| !list.is_null()) else { return Some(Listed::new()) };
    if list.kind() != Kind::Array {
        let message = "`parameters` has to be a list";
        context.lose(label, &Problem::new(DiagnosticCode::InvalidParameter, list, message));
        return None;
    }
    let mut parameters = Listed::new();
    let mut seen = Seen::new();
    let mut all_read = true;
    for place in list.items() {
        let read = context.parameter(place, about);
        match &read {
            Ok(Read::Parameter(parameter)) if seen.insert(parameter.identity()) => {
                parameters.push((place, Rc::clone(parameter)));
            }
            Ok(Read::Parameter(parameter)) => {
                let message = format!("{} is declared twice; the first counts", parameter.label());
                context.sink.warn(DiagnosticCode::DuplicateParameter, place, about, message);
            }
            Ok(Read::Reserved) => {}
            Ok(Read::Broken(problem)) => {
                context.lose(label, problem);
                all_read = false;
            }
            Err(problem) => {
                context.lose(label, problem);
                all_read = false;
            }
        }
    }
    all_read.then_some(parameters)
}

fn body<'d>(
    context: &mut Context<'d>,
    label: &str,
    object: &OperationObject<'d>,
) -> Result<Option<Rc<Body<'d>>>, Problem<'d>> {
    let Some(place) = object.body.filter(|place| !place.is_null()) else { return Ok(None) };
    let body = context.body(place, label)?;
    if let Err((code, reason)) = &body.content {
        if body.required {
            return Err(Problem::new(*code, body.node, format!("required body: {reason}")));
        }
        let message = format!("{reason}; a call that gives a body is refused");
        context.warn(*code, body.node, label, message);
    }
    Ok(Some(body))
}

fn responses<'d>(
    context: &mut Context<'d>,
    label: &str,
    object: &OperationObject<'d>,
) -> Option<Rc<Responses>> {
    let Some(responses) = object.responses.filter(|responses| responses.kind() == Kind::Object) else {
        // 3.1 made it optional.
        if context.version == Version::V30 {
            let message = "the operation declares no `responses`; its replies are not checked";
            context.warn(DiagnosticCode::MissingReplies, object.node, label, message);
        }
        return Some(Rc::new(Responses::new(Vec::new())));
    };
    let responses = replies::read(context, responses, label);
    responses.map_err(|problem| context.lose(label, &problem)).ok()
}

fn security<'d>(context: &mut Context<'d>, label: &str, object: &OperationObject<'d>) -> Option<Security> {
    let own = object.own_security();
    let Context { document, refs, sink, .. } = context;
    let security = context.security.security(document, own, label, refs, sink);
    security.map_err(|problem| context.lose(label, &problem)).ok()
}
