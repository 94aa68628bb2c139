//! Whole documents, and the tables that show what became of them.

mod cases;
mod documents;
mod mutations;
mod repetition;
mod tolerance;
mod yaml;

use serde_json::Value;
use url::Url;

use crate::catalog::{Endpoint, HttpPlan, PathPart, Support};
use crate::compile::document::{Document, Limits};
use crate::compile::{Compiled, Options, Severity, compile};

pub(super) fn compiled(document: &Value) -> Compiled {
    compiled_text(&document.to_string(), &Options::new("demo"))
}

pub(super) fn compiled_from(document: &Value, url: &str) -> Compiled {
    let url = Url::parse(url).expect("test URLs are URLs");
    compiled_text(&document.to_string(), &Options::new("demo").with_document_url(url))
}

pub(super) fn compiled_text(document: &str, options: &Options) -> Compiled {
    let document =
        Document::from_text(document, &Limits::default()).expect("test documents are JSON or YAML");
    let compiled = compile(document, options).expect("test documents are compiled");
    assert_nothing_is_lost(&compiled);
    compiled
}

/// Ruling 24: as many endpoints and operations with an error as are declared.
fn assert_nothing_is_lost(compiled: &Compiled) {
    let mut named: Vec<&str> = compiled
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .filter_map(|diagnostic| diagnostic.operation.as_deref())
        .collect();
    named.sort_unstable();
    named.dedup();
    let callable = compiled.endpoints.len();
    assert_eq!(compiled.info.endpoint_count, callable);
    assert_eq!(compiled.info.operations_declared, callable + named.len(), "{:#?}", compiled.diagnostics);
}

/// The endpoint of an operation.
pub(super) fn endpoint<'c>(compiled: &'c Compiled, operation: &str) -> &'c Endpoint {
    compiled
        .endpoints
        .iter()
        .find(|endpoint| endpoint.key.operation() == operation)
        .unwrap_or_else(|| panic!("`{operation}` is an endpoint: {:#?}", compiled.diagnostics))
}

pub(super) fn plan<'c>(compiled: &'c Compiled, operation: &str) -> &'c HttpPlan {
    endpoint(compiled, operation).http().expect("operations are reached over HTTP")
}

/// The keywords that `value` breaks as this argument; empty if it is fine.
pub(super) fn argument_breaks(
    compiled: &Compiled,
    operation: &str,
    name: &str,
    value: &Value,
) -> Vec<String> {
    let argument = endpoint(compiled, operation).argument(name).expect("the argument is there");
    let schema = argument.schema.as_ref().expect("the argument has a schema");
    breaks(schema, value)
}

/// The places and keywords that `value` breaks as this reply; empty if it is fine.
pub(super) fn reply_breaks(compiled: &Compiled, operation: &str, status: u16, value: &Value) -> Vec<String> {
    let reply = endpoint(compiled, operation).replies.matching(status).expect("the reply is declared");
    breaks(reply.content[0].schema.as_ref().expect("the reply has a schema"), value)
}

fn breaks(schema: &crate::catalog::Schema, value: &Value) -> Vec<String> {
    let violations = schema.violations(value).expect("the schema can be used");
    violations.into_iter().map(|violation| format!("{} {}", violation.pointer, violation.keyword)).collect()
}

/// The argument names of an operation; required ones with `!`, unusable ones with `~`.
pub(super) fn arguments(compiled: &Compiled, operation: &str) -> String {
    argument_words(endpoint(compiled, operation)).join(" ")
}

fn argument_words(endpoint: &Endpoint) -> Vec<String> {
    let word = |argument: &crate::catalog::Argument| {
        let unusable = if argument.support == Support::Supported { "" } else { "~" };
        format!("{}{}{unusable}", argument.name, if argument.required { "!" } else { "" })
    };
    endpoint.arguments.iter().map(word).collect()
}

/// The remarks, one a line.
pub(super) fn remarks(compiled: &Compiled) -> String {
    let lines: Vec<String> = compiled.diagnostics.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// `severity code` of all remarks.
pub(super) fn codes(compiled: &Compiled) -> Vec<String> {
    compiled.diagnostics.iter().map(|remark| format!("{} {}", remark.severity, remark.code)).collect()
}

/// A path as it is sent, names in braces.
pub(super) fn wire_path(plan: &HttpPlan) -> String {
    let mut path = String::new();
    for part in plan.path.iter() {
        match part {
            PathPart::Literal(text) => path.push_str(text),
            PathPart::Parameter(at) => path.extend(["{", &plan.parameters[*at].argument, "}"]),
        }
    }
    match &plan.fixed_query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// Everything about a compiled document that a reader would look at.
pub(super) fn table(compiled: &Compiled) -> String {
    let mut lines = vec![format!(
        "{} ({}): {} of {} operations",
        compiled.info.name,
        compiled.info.format,
        compiled.info.endpoint_count,
        compiled.info.operations_declared
    )];
    for endpoint in &compiled.endpoints {
        let plan = endpoint.http().expect("operations are reached over HTTP");
        lines.push(format!(
            "\n{} | {} {} | {}{}",
            endpoint.key,
            plan.method,
            wire_path(plan),
            endpoint.effect,
            if endpoint.destructive { ", destructive" } else { "" }
        ));
        lines.push(format!("  arguments: {}", argument_words(endpoint).join(" ")));
        for parameter in &plan.parameters {
            let style = parameter.style;
            lines.push(format!("    {} {}: {style:?}", parameter.location.word(), parameter.name));
        }
        if let Some(body) = &plan.body {
            lines.push(format!("    body: {}, {:?}", body.media_type, body.format));
        }
        for reply in endpoint.replies.all() {
            let types: Vec<String> = reply
                .content
                .iter()
                .map(|content| {
                    format!("{}{}", content.media_type, if content.schema.is_some() { "" } else { " (any)" })
                })
                .collect();
            lines.push(format!("  {}: {}", reply.status, types.join(", ")));
        }
        lines.push(format!("  accept: {}", plan.accept.as_deref().unwrap_or("-")));
        lines.push(format!("  servers: {}", plan.servers.join(" ")));
        lines.push(format!("  security: {:?}", plan.security));
        lines.push(format!("  pointer: {}", endpoint.pointer));
    }
    for incoming in &compiled.incoming {
        let operation = incoming.operation.as_deref().unwrap_or("-");
        lines.push(format!("\n{:?} {} {} (of {operation})", incoming.kind, incoming.method, incoming.name));
    }
    lines.push(format!("\n{}", remarks(compiled)));
    lines.join("\n")
}
