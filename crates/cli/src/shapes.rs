//! The shapes of what is printed as JSON.

use clap::ValueEnum;
use schemarouter::catalog::{CatalogLine, Lock};
use schemarouter::invokers::http::DryRun;
use schemarouter::kernel::base::disposition::Effect as Declared;
use schemarouter::kernel::base::report::{ErrorReport, SHAPE_VERSION};
use schemarouter::router::{OutcomeReport, OverlayFile, Values};
use schemarouter_fixtures::CaseFile;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};

use crate::compile::CompileReport;
use crate::config::SettingsReport;
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
    pub(crate) const fn of(effect: Declared, destructive: bool) -> Self {
        Self { effect: effect.code(), destructive, read_only: effect.read_only() }
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
    /// What `compile --lock` writes.
    Lock,
    /// The lines of what `--cache` keeps.
    Catalog,
    /// What `config show --json` prints.
    Settings,
    /// A configuration file.
    Config,
    /// An overlay file.
    Overlay,
    /// A contract test.
    Fixture,
}

/// Prints the JSON Schema of a shape.
pub(crate) fn run(shape: Shape, console: &mut Console) -> Exit {
    console.json(&schema(shape));
    Exit::Success
}

/// The schema of what is written: a member that is always printed is required, null or not.
fn schema(shape: Shape) -> Schema {
    let written = SchemaSettings::draft2020_12().for_serialize().into_generator();
    match shape {
        Shape::Compile => written.into_root_schema_for::<CompileReport<'_>>(),
        Shape::List => written.into_root_schema_for::<ListReport<'_>>(),
        Shape::Describe => written.into_root_schema_for::<DescribeReport>(),
        Shape::Outcome => written.into_root_schema_for::<OutcomeReport<'_>>(),
        Shape::ErrorReport => written.into_root_schema_for::<ErrorReport>(),
        Shape::DryRun => written.into_root_schema_for::<DryRun>(),
        Shape::Lock => written.into_root_schema_for::<Lock>(),
        Shape::Catalog => written.into_root_schema_for::<CatalogLine>(),
        Shape::Settings => written.into_root_schema_for::<SettingsReport>(),
        Shape::Config => file::<Values>(),
        Shape::Overlay => file::<OverlayFile>(),
        Shape::Fixture => file::<CaseFile>(),
    }
}

/// The schema of what is read: its first member says of which version it is.
fn file<T: JsonSchema>() -> Schema {
    let mut schema =
        SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>();
    without_examples(schema.ensure_object().values_mut());
    let version = json!({"description": "The version of this shape.", "const": SHAPE_VERSION});
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("version".to_owned(), version);
    }
    let required = schema.ensure_object().entry("required").or_insert_with(|| json!([]));
    if let Some(names) = required.as_array_mut() {
        names.insert(0, json!("version"));
    }
    schema
}

/// Code in descriptions is for whoever programs, not for whoever writes a file.
fn without_examples<'v>(values: impl Iterator<Item = &'v mut Value>) {
    for value in values {
        match value {
            Value::String(text) => {
                if let Some((prose, _)) = text.split_once("\n\n# Examples") {
                    *text = prose.to_owned();
                }
            }
            Value::Array(items) => without_examples(items.iter_mut()),
            Value::Object(members) => without_examples(members.values_mut()),
            _ => {}
        }
    }
}
