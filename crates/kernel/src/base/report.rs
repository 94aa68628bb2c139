//! What a failure, and each attempt before it, looks like on every surface.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::disposition::{Disposition, Reached, Recovery};
use super::kind::{ErrorKind, Phase};

/// The version of every JSON shape that is printed (ruling 23).
pub const SHAPE_VERSION: u32 = 1;

/// Seconds as a number, for files and reports.
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// The text on one line: what moves a cursor becomes a blank, since messages repeat what others wrote.
pub fn one_line(text: impl Into<String>) -> String {
    let text = text.into();
    if text.contains(char::is_control) { text.replace(char::is_control, " ") } else { text }
}

/// Whether the operation took effect, as far as anybody here can know.
///
/// Absent for operations that change nothing. Ordered by how much must be assumed: over several attempts the
/// greatest answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Applied {
    /// It did not: nothing was sent, or the other side says it refused.
    No,
    /// It may have; find out before repeating it.
    Maybe,
    /// It did: the other side answered with success, only the reply is unusable.
    Yes,
}

/// One failure, whole: the one source of every rendering (text, JSON, exceptions, tool results).
///
/// Holds no secret: URLs without query, headers by allow-list, argument values masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ErrorReport {
    /// The version of this shape.
    pub version: u32,
    /// The kind of failure.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ErrorKind,
    /// What it means for the caller.
    #[cfg_attr(feature = "schema", schemars(with = "DispositionSchema"))]
    pub disposition: Disposition,
    /// Where it arose.
    #[cfg_attr(feature = "schema", schemars(with = "PhaseSchema"))]
    pub phase: Phase,
    /// One line that names the thing and the rule.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The endpoint's key, `source.operation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// How far the last request got; absent where none was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<ReachedReport>,
    /// Whether the operation took effect, by any of its attempts; absent for read-only ones and where nothing was
    /// tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
    /// The status of the last reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The rule that ended the attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The attempts made, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptReport>,
    /// From the start of the run to its end, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_seconds: Option<f64>,
    /// When the other side says to try again, in seconds from its reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<f64>,
    /// What the run has spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// The limit that was reached, for `budget_exceeded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitReport>,
    /// The JSON pointer of the value that broke its schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The schema keyword that it broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// The problem details of the reply (RFC 9457), where it brought some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The beginning of an error reply that is not problem details, at most 1 kB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The last failure, where this error is about a limit reached after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// More facts, by name.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub details: std::collections::BTreeMap<String, String>,
}

/// How far a request got, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReachedReport {
    /// Nothing of it left.
    NotSent,
    /// It may have arrived.
    MaybeSent,
    /// It was answered.
    Answered,
}

impl From<Reached> for ReachedReport {
    fn from(reached: Reached) -> Self {
        match reached {
            Reached::NotSent => Self::NotSent,
            Reached::MaybeSent => Self::MaybeSent,
            Reached::Answered(_) => Self::Answered,
        }
    }
}

/// One attempt, as told afterwards; times in seconds from the start of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptReport {
    /// The attempt's name, the same in every event and report.
    pub id: String,
    /// Which attempt of the call, from 1.
    pub number: u32,
    /// How long the call waited before it.
    pub wait_seconds: f64,
    /// When it started.
    pub started_seconds: f64,
    /// How long it took.
    pub elapsed_seconds: f64,
    /// How many HTTP exchanges it made.
    pub exchanges: u32,
    /// The status of its reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How it failed; absent for a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<AttemptFailure>,
}

/// How one attempt failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptFailure {
    /// The kind of failure.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ErrorKind,
    /// What it means for the caller.
    #[cfg_attr(feature = "schema", schemars(with = "DispositionSchema"))]
    pub disposition: Disposition,
    /// What the machine may do after it.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub recovery: Recovery,
    /// How far the request got.
    pub reached: ReachedReport,
    /// One line.
    pub message: String,
}

/// A failure behind another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Its kind.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ErrorKind,
    /// Its line.
    pub message: String,
}

/// What a run has spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// Calls admitted.
    pub calls: u32,
    /// Attempts started.
    pub attempts: u32,
    /// HTTP exchanges started.
    pub exchanges: u32,
    /// Cost units of the attempts.
    pub cost_units: u64,
    /// Bytes of replies received, after decompression.
    pub response_bytes: u64,
}

/// A limit, and how much of it is spent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LimitReport {
    /// The name of the setting.
    pub name: String,
    /// Its value; seconds for a time.
    pub limit: f64,
    /// How much is spent; seconds for a time.
    pub spent: f64,
}

/// Problem details of an HTTP reply (RFC 9457); members that are absent or of another type are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// A URI that names the kind of problem.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A short text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The status as the origin server set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What went wrong this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A URI that names this occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Disposition", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum DispositionSchema {
    Transient,
    Unavailable,
    Indeterminate,
    NonRetryable,
}

#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Phase", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum PhaseSchema {
    BeforeSending,
    Sending,
    Reply,
}
