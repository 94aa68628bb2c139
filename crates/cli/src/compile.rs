//! `compile`: what a document holds and what is wrong with it.

use schemarouter::catalog::{Endpoint, SourceInfo};
use schemarouter::compile::document::Position;
use schemarouter::compile::{Compiled, Diagnostic};
use schemarouter::kernel::base::report::SHAPE_VERSION;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::CompileArgs;
use crate::exit::Exit;
use crate::load;
use crate::places::Places;
use crate::print::Console;
use crate::shapes::Effect;

/// A compiled document.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CompileReport {
    /// The version of this shape.
    version: u32,
    /// What was compiled.
    sources: Vec<Source>,
    /// What can be called, in document order.
    endpoints: Vec<CompiledEndpoint>,
    /// What there is to say about the document, in document order.
    diagnostics: Vec<Remark>,
}

/// What was compiled, and how much of it can be called.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Source {
    /// Its name, the first part of every key.
    name: String,
    /// The format and version of its document.
    format: String,
    /// How many operations the document declares.
    operations_declared: usize,
    /// How many of them are endpoints.
    endpoint_count: usize,
}

/// One endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CompiledEndpoint {
    /// `source.operation`.
    key: String,
    /// The HTTP method; null where it is not reached over HTTP.
    method: Option<String>,
    /// The path template as published; null where it is not reached over HTTP.
    path: Option<String>,
    #[serde(flatten)]
    effect: Effect,
    /// Where it stands in the document, as a JSON pointer.
    pointer: String,
}

/// One diagnostic.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Remark {
    /// `error` where an operation is absent, `warning` where nothing is lost.
    #[schemars(extend("enum" = ["error", "warning"]))]
    severity: String,
    /// The rule, as a stable word.
    code: &'static str,
    /// Where, as a JSON pointer.
    pointer: String,
    /// The operation that it concerns, as `METHOD path`.
    operation: Option<String>,
    /// The line, from 1.
    line: u32,
    /// The column in characters, from 1.
    column: u32,
    /// One line.
    message: String,
}

/// Compiles a document and tells what came of it.
pub(crate) fn run(args: &CompileArgs, console: &mut Console) -> Exit {
    let compiled = match load::compiled(&args.document, args.json, console) {
        Ok(compiled) => compiled,
        Err(exit) => return exit,
    };
    let report = CompileReport::of(&compiled);
    if args.json {
        console.json(&report);
    } else {
        for source in &report.sources {
            console.data(source.line(report.diagnostics.len()));
        }
        let file = args.document.file.display();
        for remark in &report.diagnostics {
            let Remark { severity, code, line, column, message, operation, .. } = remark;
            let about = operation.as_ref().map_or(String::new(), |operation| format!("{operation}: "));
            console.data(format_args!("{file}:{line}:{column}: {severity}: {code}: {about}{message}"));
        }
    }
    if args.strict && !report.diagnostics.is_empty() { Exit::Findings } else { Exit::Success }
}

impl CompileReport {
    fn of(compiled: &Compiled) -> Self {
        Self {
            version: SHAPE_VERSION,
            sources: vec![Source::of(&compiled.info)],
            endpoints: compiled.endpoints.iter().map(CompiledEndpoint::of).collect(),
            diagnostics: remarks(compiled),
        }
    }
}

impl Source {
    fn of(info: &SourceInfo) -> Self {
        let SourceInfo { name, format, operations_declared, endpoint_count } = info.clone();
        Self { name, format, operations_declared, endpoint_count }
    }

    fn line(&self, remarks: usize) -> String {
        let Self { name, format, operations_declared, endpoint_count } = self;
        let counted =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        format!(
            "{name} ({format}): {}, {}, {}",
            counted(*operations_declared, "operation"),
            counted(*endpoint_count, "endpoint"),
            counted(remarks, "diagnostic"),
        )
    }
}

impl CompiledEndpoint {
    fn of(endpoint: &Endpoint) -> Self {
        let http = endpoint.http();
        Self {
            key: endpoint.key.to_string(),
            method: http.map(|plan| plan.method.clone()),
            path: http.map(|plan| plan.template.clone()),
            effect: Effect::of(endpoint),
            pointer: endpoint.pointer.clone(),
        }
    }
}

fn remarks(compiled: &Compiled) -> Vec<Remark> {
    let mut places = Places::new(&compiled.document);
    compiled.diagnostics.iter().map(|remark| Remark::of(remark, places.at(remark.offset))).collect()
}

impl Remark {
    fn of(remark: &Diagnostic, at: Position) -> Self {
        Self {
            severity: remark.severity.to_string(),
            code: remark.code.code(),
            pointer: remark.pointer.clone(),
            operation: remark.operation.clone(),
            line: at.line,
            column: at.column,
            message: remark.message.clone(),
        }
    }
}
