//! How much a run may spend.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ByEndpoint, PolicyError, duration};

/// What one run may spend, over all its calls; unlimited unless set.
///
/// Retry decides whether another attempt is worth it, the budget whether there is one left. Budgets combine by
/// minimum, so that a run can only tighten what the operator allows.
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::ExecutionBudget;
/// use std::time::Duration;
///
/// let operator = ExecutionBudget { max_elapsed: Some(Duration::from_secs(30)), ..Default::default() };
/// let run = ExecutionBudget { max_attempts: Some(5), max_elapsed: Some(Duration::from_secs(60)), ..Default::default() };
/// let both = operator.min(&run);
/// assert_eq!((both.max_attempts, both.max_elapsed), (Some(5), Some(Duration::from_secs(30))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "File", into = "File")]
pub struct ExecutionBudget {
    /// Calls of the run: what was asked for, however often it is attempted.
    pub max_tool_calls: Option<u32>,
    /// Calls of each endpoint; one that is named by its source, or by `*`, has that many for itself.
    pub per_tool_calls: ByEndpoint<u32>,
    /// Attempts over all calls of the run.
    pub max_attempts: Option<u32>,
    /// HTTP exchanges over all calls of the run: the calls themselves, redirects, token calls, pages.
    pub max_remote_attempts: Option<u32>,
    /// Units over all attempts of the run; what an attempt costs, the operator says for its endpoint.
    pub max_cost_units: Option<u64>,
    /// Bytes of all replies of the run, after decompression. The cap on one reply is another setting.
    pub max_response_bytes: Option<u64>,
    /// Time from the start of the run to its end, waits included (R-321).
    pub max_elapsed: Option<Duration>,
}

impl ExecutionBudget {
    /// Both budgets at once: the smaller of each limit.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self {
            max_tool_calls: tighter(self.max_tool_calls, other.max_tool_calls),
            per_tool_calls: self.per_tool_calls.min(&other.per_tool_calls),
            max_attempts: tighter(self.max_attempts, other.max_attempts),
            max_remote_attempts: tighter(self.max_remote_attempts, other.max_remote_attempts),
            max_cost_units: tighter(self.max_cost_units, other.max_cost_units),
            max_response_bytes: tighter(self.max_response_bytes, other.max_response_bytes),
            max_elapsed: tighter(self.max_elapsed, other.max_elapsed),
        }
    }
}

fn tighter<T: Ord>(one: Option<T>, two: Option<T>) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

/// A limit of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// `max_tool_calls`.
    ToolCalls,
    /// `per_tool_calls`.
    PerToolCalls,
    /// `max_attempts`.
    Attempts,
    /// `max_remote_attempts`.
    Exchanges,
    /// `max_cost_units`.
    CostUnits,
    /// `max_response_bytes`.
    ResponseBytes,
    /// `max_elapsed`.
    Elapsed,
    /// The time that one call may take, which the operator says for its endpoint.
    StartToClose,
}

impl Limit {
    /// Every limit.
    pub const ALL: &'static [Self] = &[
        Self::ToolCalls,
        Self::PerToolCalls,
        Self::Attempts,
        Self::Exchanges,
        Self::CostUnits,
        Self::ResponseBytes,
        Self::Elapsed,
        Self::StartToClose,
    ];

    /// The name of the setting.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolCalls => "max_tool_calls",
            Self::PerToolCalls => "per_tool_calls",
            Self::Attempts => "max_attempts",
            Self::Exchanges => "max_remote_attempts",
            Self::CostUnits => "max_cost_units",
            Self::ResponseBytes => "max_response_bytes",
            Self::Elapsed => "max_elapsed",
            Self::StartToClose => "start_to_close",
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ExecutionBudget"))]
#[serde(deny_unknown_fields, default)]
struct File {
    /// Calls of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tool_calls: Option<u32>,
    /// Calls of each endpoint, by key, by source, or of each (`*`).
    #[serde(skip_serializing_if = "ByEndpoint::is_empty")]
    per_tool_calls: ByEndpoint<u32>,
    /// Attempts over all calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    /// HTTP exchanges over all calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_remote_attempts: Option<u32>,
    /// Units over all attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cost_units: Option<u64>,
    /// Bytes of all replies, after decompression.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_response_bytes: Option<u64>,
    /// Time from the start of the run to its end, waits included.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_elapsed_seconds: Option<f64>,
}

impl From<ExecutionBudget> for File {
    fn from(budget: ExecutionBudget) -> Self {
        Self {
            max_tool_calls: budget.max_tool_calls,
            per_tool_calls: budget.per_tool_calls,
            max_attempts: budget.max_attempts,
            max_remote_attempts: budget.max_remote_attempts,
            max_cost_units: budget.max_cost_units,
            max_response_bytes: budget.max_response_bytes,
            max_elapsed_seconds: budget.max_elapsed.map(|limit| limit.as_secs_f64()),
        }
    }
}

impl TryFrom<File> for ExecutionBudget {
    type Error = PolicyError;

    fn try_from(file: File) -> Result<Self, PolicyError> {
        Ok(Self {
            max_tool_calls: file.max_tool_calls,
            per_tool_calls: file.per_tool_calls,
            max_attempts: file.max_attempts,
            max_remote_attempts: file.max_remote_attempts,
            max_cost_units: file.max_cost_units,
            max_response_bytes: file.max_response_bytes,
            max_elapsed: file.max_elapsed_seconds.map(|s| duration("max_elapsed_seconds", s)).transpose()?,
        })
    }
}
