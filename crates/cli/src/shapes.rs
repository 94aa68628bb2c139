//! The shapes of what is printed as JSON.

use clap::ValueEnum;
use schemarouter::catalog::Endpoint;
use schemarouter::invokers::http::DryRun;
use schemarouter::kernel::base::report::ErrorReport;
use schemarouter::router::OutcomeReport;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use crate::compile::CompileReport;
use crate::describe::DescribeReport;
use crate::exit::Exit;
use crate::list::ListReport;
use crate::print::Console;

/// What an endpoint does to the world, in every shape that tells it.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the shape")]
pub(crate) struct Effect {
    /// What it does to the world.
    #[schemars(extend("enum" = ["read_only", "idempotent", "mutating", "unknown"]))]
    effect: &'static str,
    /// Whether it destroys something.
    destructive: bool,
    /// Whether it changes nothing; null where nobody says.
    read_only: Option<bool>,
}

impl Effect {
    pub(crate) fn of(endpoint: &Endpoint) -> Self {
        Self {
            effect: endpoint.effect.code(),
            destructive: endpoint.destructive,
            read_only: endpoint.effect.read_only(),
        }
    }

    /// In words, for people.
    pub(crate) fn words(&self) -> String {
        let destructive = if self.destructive { ", destructive" } else { "" };
        format!("{}{destructive}", self.effect)
    }
}

/// A shape that is printed as JSON.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shape {
    /// What `compile --json` prints.
    Compile,
    /// What `list --json` prints.
    List,
    /// What `describe --json` prints.
    Describe,
    /// What `invoke --json` prints for a success.
    Outcome,
    /// What every command prints with `--json` for a failure.
    ErrorReport,
    /// What `invoke --dry-run` prints.
    DryRun,
}

/// Prints the JSON Schema of a shape.
pub(crate) fn run(shape: Shape, console: &mut Console) -> Exit {
    console.json(&schema(shape));
    Exit::Success
}

fn schema(shape: Shape) -> Schema {
    match shape {
        Shape::Compile => schema_for!(CompileReport),
        Shape::List => schema_for!(ListReport),
        Shape::Describe => schema_for!(DescribeReport),
        Shape::Outcome => schema_for!(OutcomeReport<'_>),
        Shape::ErrorReport => schema_for!(ErrorReport),
        Shape::DryRun => schema_for!(DryRun),
    }
}
