//! A description for people.

use super::DescribeReport;
use crate::types::shown;

/// The description, line by line.
pub(super) fn of(report: &DescribeReport) -> Vec<String> {
    let mut lines = vec![report.key.clone()];
    if let (Some(method), Some(path)) = (&report.method, &report.path) {
        lines.push(format!("  {method} {path}"));
    }
    let prose = [&report.summary, &report.description];
    lines.extend(prose.into_iter().flatten().flat_map(|text| text.lines()).map(|line| format!("  {line}")));
    if report.deprecated {
        lines.push("  deprecated".to_owned());
    }
    lines.push(String::new());
    lines.push(format!("effect:    {}", report.effect.words()));
    for set in &report.declared {
        lines.push(format!("declared:  {} = {} ({})", set.name, set.value, set.origin));
    }
    lines.push(format!("security:  {}", security(report.security.as_deref())));
    lines.push(format!("servers:   {}", one_of(&report.servers, "none; name one with --server")));
    lines.push(format!("replies:   {}", one_of(&replies(report), "none declared")));
    let parts = &report.fingerprints;
    lines.push(format!("pin:       {}", parts.pin));
    lines.push(format!(
        "parts:     request {}, reply {}, security {}, destination {}, prose {}",
        parts.request.short(),
        parts.reply.short(),
        parts.security.short(),
        parts.destination.short(),
        parts.prose.short()
    ));
    arguments(report, &mut lines);
    lines.push(String::new());
    lines.push(report.command.clone());
    lines
}

fn one_of(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(", ") }
}

fn security(alternatives: Option<&[Vec<String>]>) -> String {
    match alternatives {
        None => "not declared".to_owned(),
        Some([]) => "public".to_owned(),
        Some(alternatives) => {
            let words = alternatives
                .iter()
                .map(|all| if all.is_empty() { "none".to_owned() } else { all.join(" and ") });
            words.collect::<Vec<_>>().join(", or ")
        }
    }
}

fn replies(report: &DescribeReport) -> Vec<String> {
    let words = report.replies.iter().map(|reply| match reply.content.as_slice() {
        [] => reply.status.clone(),
        types => format!("{} {}", reply.status, types.join(" or ")),
    });
    words.collect()
}

fn arguments(report: &DescribeReport, lines: &mut Vec<String>) {
    let arguments = &report.arguments;
    if arguments.properties.is_empty() {
        lines.push("arguments: none".to_owned());
        return;
    }
    lines.push("arguments:".to_owned());
    let width = arguments.properties.iter().map(|property| property.name.chars().count()).max().unwrap_or(0);
    for property in &arguments.properties {
        let unsupported = report.unsupported_arguments.iter().find(|argument| argument.name == property.name);
        let kind = shown(&property.schema, &arguments.definitions);
        let need = if property.required { "required" } else { "optional" };
        let about = property.schema.get("description").and_then(|text| text.as_str());
        let about =
            about.and_then(|text| text.lines().next()).map_or(String::new(), |line| format!("  {line}"));
        let cannot =
            unsupported.map_or(String::new(), |argument| format!("  cannot be sent: {}", argument.reason));
        lines.push(format!("  {:width$}  {need}  {kind}{about}{cannot}", property.name));
    }
}
