//! The shape of what `compile` prints.

use schemarouter::catalog::{Endpoint, SourceInfo};
use schemarouter::compile::document::Position;
use schemarouter::compile::{Compiled, Diagnostic};
use schemarouter::kernel::base::report::SHAPE_VERSION;
use schemars::JsonSchema;
use serde::Serialize;

use super::Done;
use crate::lock::DriftReport;
use crate::places::Places;
use crate::shapes::Effect;

/// Compiled documents.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CompileReport {
    /// The version of this shape.
    version: u32,
    /// What was compiled.
    pub(super) sources: Vec<Source>,
    /// What can be called, in document order.
    endpoints: Vec<CompiledEndpoint>,
    /// What there is to say about the documents, in document order.
    diagnostics: Vec<Remark>,
    /// The endpoints that differ from the lock, by key; null without `--locked`.
    drift: Option<Vec<DriftReport>>,
}

/// What was compiled, and how much of it can be called.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Source {
    /// Its name, the first part of every key.
    pub(super) name: String,
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
pub(super) struct Remark {
    /// The source that it is about.
    pub(super) source: String,
    /// `error` where an operation is absent, `warning` where nothing is lost.
    #[schemars(extend("enum" = ["error", "warning"]))]
    pub(super) severity: String,
    /// The rule, as a stable word.
    pub(super) code: &'static str,
    /// Where, as a JSON pointer.
    pointer: String,
    /// The operation that it concerns, as `METHOD path`.
    pub(super) operation: Option<String>,
    /// The line, from 1.
    pub(super) line: u32,
    /// The column in characters, from 1.
    pub(super) column: u32,
    /// One line.
    pub(super) message: String,
}

impl CompileReport {
    pub(super) fn of(done: &Done) -> Self {
        let Done { compiled, drift, .. } = done;
        let endpoints = compiled.iter().flat_map(|compiled| &compiled.endpoints);
        Self {
            version: SHAPE_VERSION,
            sources: compiled.iter().map(|compiled| Source::of(&compiled.info)).collect(),
            endpoints: endpoints.map(CompiledEndpoint::of).collect(),
            diagnostics: compiled.iter().flat_map(remarks).collect(),
            drift: drift.as_ref().map(|drift| drift.iter().map(DriftReport::of).collect()),
        }
    }

    /// What there is to say about one document.
    pub(super) fn remarks<'a>(&'a self, source: &'a Source) -> impl Iterator<Item = &'a Remark> {
        self.diagnostics.iter().filter(|remark| remark.source == source.name)
    }
}

impl Source {
    fn of(info: &SourceInfo) -> Self {
        let SourceInfo { name, format, operations_declared, endpoint_count } = info.clone();
        Self { name, format, operations_declared, endpoint_count }
    }

    pub(super) fn line(&self, remarks: usize) -> String {
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
            effect: Effect::of(endpoint.effect, endpoint.destructive),
            pointer: endpoint.pointer.clone(),
        }
    }
}

fn remarks(compiled: &Compiled) -> Vec<Remark> {
    let mut places = Places::new(&compiled.document);
    let source = &compiled.info.name;
    compiled.diagnostics.iter().map(|remark| Remark::of(source, remark, places.at(remark.offset))).collect()
}

impl Remark {
    fn of(source: &str, remark: &Diagnostic, at: Position) -> Self {
        Self {
            source: source.to_owned(),
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
