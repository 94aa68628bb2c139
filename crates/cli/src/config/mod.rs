//! `config`: which settings hold, where they were said, and whether they can be meant.

mod args;

use clap::{Args, Subcommand};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::report::SHAPE_VERSION;
use schemarouter::router::{Router, Setting};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

use crate::exit::Exit;
use crate::print::Console;
use crate::{failure, load};
pub(crate) use args::SettingsArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting that holds, and where it was said.
    Show(ShowArgs),
    /// Check settings, and what they say of the endpoints of documents.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    settings: SettingsArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The documents whose endpoints the settings speak of; sources are named as their files are.
    #[arg(value_name = "DOCUMENT")]
    documents: Vec<PathBuf>,
    /// Print a failure as JSON.
    #[arg(long)]
    json: bool,
}

/// The settings that hold.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SettingsReport {
    /// The version of this shape.
    version: u32,
    /// Every setting that has a value.
    settings: Vec<Setting>,
}

/// Shows or checks settings.
pub(crate) fn run(command: &ConfigCommand, console: &mut Console) -> Exit {
    let (done, json) = match command {
        ConfigCommand::Show(args) => (show(args, console), args.json),
        ConfigCommand::Check(args) => (check(args, console), args.json),
    };
    match done {
        Ok(()) => Exit::Success,
        Err(error) => {
            failure::tell(&error, json, console);
            // Whatever the reason: it is the files that cannot be used (ruling 6).
            Exit::Usage
        }
    }
}

fn show(args: &ShowArgs, console: &mut Console) -> Result<(), Error> {
    let settings = args.settings.read()?.explain();
    if args.json {
        console.json(&SettingsReport { version: SHAPE_VERSION, settings });
        return Ok(());
    }
    let width = settings.iter().map(|setting| setting.name.chars().count()).max().unwrap_or(0);
    for Setting { name, value, origin } in &settings {
        console.data(format_args!("{name:width$}  {value}  ({origin})"));
    }
    Ok(())
}

/// Settings can be wrong by themselves, and they can speak of endpoints that are not there.
fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Error> {
    let settings = args.settings.read()?;
    let mut builder = Router::builder();
    for document in &args.documents {
        builder = builder.source(load::compiled_file(document)?);
    }
    let said = settings.values.endpoints.len();
    if args.documents.is_empty() {
        console.talk(format_args!(
            "the settings are right by themselves; name documents to check what they say of {said} selectors of endpoints"
        ));
        return Ok(());
    }
    let router = builder.settings(settings).build()?;
    console.talk(format_args!(
        "the settings are right, and so is what they say of the {} endpoints at hand",
        router.catalog().len()
    ));
    Ok(())
}
