//! What can be said about a call.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use schemarouter::kernel::base::fingerprint::Fingerprint;
use schemarouter::router::{ReplyValidation, RunConfig};
use url::Url;

use super::credentials::CredentialArgs;
use super::pages::PageArgs;
use super::values;
use crate::config::SettingsArgs;
use crate::load::DocumentArgs;
use crate::lock;

/// A call.
#[derive(Debug, Args)]
pub(crate) struct InvokeArgs {
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
    /// The endpoint: `source.operation`, or the operation alone.
    pub(crate) key: String,
    /// Arguments as `name=value`: JSON where the schema takes anything but strings, else the text as it is.
    #[arg(value_name = "NAME=VALUE", value_parser = values::pair)]
    pub(crate) values: Vec<(String, String)>,
    /// Arguments as one JSON object: the text, `@FILE`, or `-` for standard input.
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
    /// Refuse the call unless the contract is this one; `describe` prints it.
    #[arg(long, value_name = "PIN")]
    pub(crate) fingerprint: Option<Fingerprint>,
    /// Refuse the call unless all endpoints of the document are those of the lock file; `schemarouter.lock` where none
    /// is named.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = lock::FILE)]
    pub(crate) locked: Option<PathBuf>,
    /// Print the request instead of sending it; needs neither permission nor credentials.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Put the reply into this file while it comes, whatever its size; it is not held against its schema then.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) output: Option<PathBuf>,
    /// Print the outcome or the failure as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the attempts and waits on stderr while they happen.
    #[arg(long)]
    pub(crate) trace: bool,
    /// The key under which the server does the call once, where the endpoint honours one.
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Only these fields of the reply, as paths with commas between them: `items.id` is the `id` of each of the `items`; a
    /// path that begins with `/` is a JSON Pointer, for names with dots (and no commas). May be repeated.
    #[arg(long, value_name = "PATHS", value_delimiter = ',', conflicts_with = "output")]
    pub(crate) select: Vec<String>,
    /// Cut a result in JSON that has more bytes, where it is largest, and tell where; 256 at least.
    #[arg(long, value_name = "N", value_parser = limit, conflicts_with = "output")]
    pub(crate) max_result_bytes: Option<usize>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
    #[command(flatten)]
    pub(crate) retry: RetryArgs,
    #[command(flatten)]
    pub(crate) pages: PageArgs,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    #[command(flatten)]
    pub(crate) credentials: CredentialArgs,
}

impl InvokeArgs {
    /// Whether a failure is told as JSON too.
    pub(crate) const fn wants_json(&self) -> bool {
        self.json || self.dry_run
    }
}

/// What may be done.
#[derive(Debug, Args)]
#[command(next_help_heading = "Permission")]
pub(crate) struct PermissionArgs {
    /// Allow operations that change something.
    #[arg(long)]
    pub(crate) allow_mutations: bool,
    /// Allow operations that destroy something; `--allow-mutations` too.
    #[arg(long)]
    pub(crate) allow_destructive: bool,
}

/// How often, and within which limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Attempts and limits")]
pub(crate) struct RetryArgs {
    /// Attempts in all, 1 by default; more than one applies to read-only operations.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_attempts: Option<u32>,
    /// The wait after the first attempt, 250ms by default; doubled after each further one.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) initial_backoff: Option<Duration>,
    /// Judge a repeat safe although the operation changes something.
    #[arg(long)]
    pub(crate) retry_non_read_only: bool,
    /// The limit on connecting, and then on the reply, of each exchange; 10s and 30s by default.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// The limit on everything, waits included.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) max_elapsed: Option<Duration>,
}

/// Where requests go and what of the replies is accepted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server and replies")]
pub(crate) struct ReachArgs {
    /// The server: the number of one that `describe` lists, counted from 1, or a URL instead of them.
    #[arg(long, value_name = "N|URL", value_parser = server)]
    pub(crate) server: Option<Server>,
    /// Allow private addresses and this machine.
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Allow requests without encryption to other machines.
    #[arg(long)]
    pub(crate) allow_plain_http: bool,
    /// What happens to a reply that breaks its schema; `strict` by default.
    #[arg(long, value_name = "HOW")]
    pub(crate) replies: Option<Replies>,
}

/// A server that was chosen.
#[derive(Debug, Clone)]
pub(crate) enum Server {
    /// One of the document's, counted from 1.
    Declared(NonZeroUsize),
    /// Another one.
    Url(Url),
}

fn server(text: &str) -> Result<Server, String> {
    if let Ok(number) = text.parse::<usize>() {
        let number = NonZeroUsize::new(number).ok_or("servers are counted from 1")?;
        return Ok(Server::Declared(number));
    }
    text.parse().map(Server::Url).map_err(|error| format!("neither a number nor a URL: {error}"))
}

fn limit(text: &str) -> Result<usize, String> {
    let bytes = text.parse().map_err(|error| format!("no number of bytes: {error}"))?;
    if bytes < RunConfig::LEAST_RESULT_BYTES {
        return Err(format!("{} is the least", RunConfig::LEAST_RESULT_BYTES));
    }
    Ok(bytes)
}

/// What happens to a reply that breaks its schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Replies {
    /// It is a failure.
    Strict,
    /// It is a success with a warning.
    Warn,
    /// It is not looked at.
    Off,
}

impl From<Replies> for ReplyValidation {
    fn from(replies: Replies) -> Self {
        match replies {
            Replies::Strict => Self::Strict,
            Replies::Warn => Self::Warn,
            Replies::Off => Self::Off,
        }
    }
}
