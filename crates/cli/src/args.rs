//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::policy::Glob;

use crate::cache::CacheArgs;
use crate::config::{ConfigCommand, SettingsArgs};
use crate::exit;
use crate::invoke::InvokeArgs;
use crate::load::{self, DocumentArgs, StyleArgs};
use crate::lock;
use crate::shapes::Shape;

/// Published API documents become governed calls: typed, permitted, retried within a budget, sent at most as often
/// as is safe.
#[derive(Debug, Parser)]
#[command(name = "schemarouter", version, color = ColorChoice::Never, after_help = exit::help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile documents, tell what is wrong with them, lock what can be called.
    Compile(CompileArgs),
    /// List the endpoints of a document.
    List(ListArgs),
    /// Describe one endpoint: its effect, arguments, replies, and a command line to copy.
    Describe(DescribeArgs),
    /// Call an endpoint.
    #[command(after_help = exit::help())]
    Invoke(Box<InvokeArgs>),
    /// Show which settings hold and where they were said, or check them.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Show, offline and in seconds, what happens when a server fails.
    Demo,
    /// Print the JSON Schema of what `--json` prints.
    #[command(hide = true)]
    Schema {
        /// Which shape.
        shape: Shape,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// The API documents: OpenAPI in JSON or YAML.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The sources' names, one for each document in their order; made from the files' names by default.
    #[arg(long = "name", value_name = "NAME", value_parser = load::name)]
    pub(crate) names: Vec<String>,
    /// A value for a variable of the documents' server URLs, of one document where its source is named; may be repeated.
    #[arg(long = "server-variable", value_name = "[SOURCE.]NAME=VALUE", value_parser = load::variable)]
    pub(crate) server_variables: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) styles: StyleArgs,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave with code 1 if there is any diagnostic.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write the fingerprints of all endpoints into a lock file; `schemarouter.lock` where none is named.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = lock::FILE)]
    #[arg(conflicts_with = "locked")]
    pub(crate) lock: Option<PathBuf>,
    /// Leave with code 1 unless all endpoints are those of the lock file, in every part.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = lock::FILE)]
    pub(crate) locked: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
    /// Only keys like this; `*` matches anything, within the whole key.
    pub(crate) pattern: Option<Glob>,
    /// Only endpoints that the document puts into this group.
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only endpoints with this effect.
    #[arg(long)]
    pub(crate) effect: Option<EffectArg>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The effects, by the words of the reports.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum EffectArg {
    ReadOnly,
    Idempotent,
    Mutating,
    Unknown,
}

impl From<EffectArg> for Effect {
    fn from(effect: EffectArg) -> Self {
        match effect {
            EffectArg::ReadOnly => Self::ReadOnly,
            EffectArg::Idempotent => Self::Idempotent,
            EffectArg::Mutating => Self::Mutating,
            EffectArg::Unknown => Self::Unknown,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
    /// The endpoint: `source.operation`, or the operation alone.
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
