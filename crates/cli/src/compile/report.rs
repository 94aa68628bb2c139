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
pub(crate) struct CompileReport<'a> {
    /// The version of this shape.
    version: u32,
    /// What was compiled.
    pub(super) sources: Vec<Source<'a>>,
    /// What can be called, in document order.
    endpoints: Vec<CompiledEndpoint<'a>>,
    /// What there is to say about the documents, in document order.
    diagnostics: Vec<Remark<'a>>,
    /// The endpoints that differ from the lock, by key; null without `--locked`.
    drift: Option<Vec<DriftReport>>,
}

/// What was compiled, and how much of it can be called.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Source<'a> {
    /// Its name, the first part of every key.
    pub(super) name: &'a str,
    /// The format and version of its document.
    format: &'a str,
    /// How many operations the document declares.
    operations_declared: usize,
    /// How many of them are endpoints.
    endpoint_count: usize,
}

/// One endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CompiledEndpoint<'a> {
    /// `source.operation`.
    key: &'a str,
    /// The HTTP method; null where it is not reached over HTTP.
    method: Option<&'a str>,
    /// The path template as published; null where it is not reached over HTTP.
    path: Option<&'a str>,
    #[serde(flatten)]
    effect: Effect,
    /// Where it stands in the document, as a JSON pointer.
    pointer: &'a str,
}

/// One diagnostic.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Remark<'a> {
    /// The source that it is about.
    pub(super) source: &'a str,
    /// `error` where an operation is absent, `warning` where nothing is lost.
    #[schemars(extend("enum" = ["error", "warning"]))]
    pub(super) severity: &'static str,
    /// The rule, as a stable word.
    pub(super) code: &'static str,
    /// Where, as a JSON pointer.
    pointer: &'a str,
    /// The operation that it concerns, as `METHOD path`.
    pub(super) operation: Option<&'a str>,
    /// The line, from 1.
    pub(super) line: u32,
    /// The column in characters, from 1.
    pub(super) column: u32,
    /// One line.
    pub(super) message: &'a str,
}

impl<'a> CompileReport<'a> {
    pub(super) fn of(done: &'a Done) -> Self {
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
    pub(super) fn remarks(&self, source: &Source<'_>) -> impl Iterator<Item = &Remark<'a>> {
        self.diagnostics.iter().filter(|remark| remark.source == source.name)
    }
}

impl<'a> Source<'a> {
    fn of(info: &'a SourceInfo) -> Self {
        let SourceInfo { name, format, operations_declared, endpoint_count } = info;
        Self { name, format, operations_declared: *operations_declared, endpoint_count: *endpoint_count }
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

impl<'a> CompiledEndpoint<'a> {
    fn of(endpoint: &'a Endpoint) -> Self {
        let http = endpoint.http();
        Self {
            key: endpoint.key.as_str(),
            method: http.map(|plan| plan.method.as_str()),
            path: http.map(|plan| plan.template.as_str()),
            effect: Effect::of(endpoint.effect, endpoint.destructive),
            pointer: &endpoint.pointer,
        }
    }
}

fn remarks(compiled: &Compiled) -> Vec<Remark<'_>> {
    let mut places = Places::new(&compiled.document);
    let source = &compiled.info.name;
    compiled.diagnostics.iter().map(|remark| Remark::of(source, remark, places.at(remark.offset))).collect()
}

impl<'a> Remark<'a> {
    fn of(source: &'a str, remark: &'a Diagnostic, at: Position) -> Self {
        Self {
            source,
            severity: remark.severity.word(),
            code: remark.code.code(),
            pointer: &remark.pointer,
            operation: remark.operation.as_deref(),
            line: at.line,
            column: at.column,
            message: &remark.message,
        }
    }
}
