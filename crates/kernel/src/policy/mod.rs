//! Validated data with no behaviour over time.

mod activity;
mod budget;
mod by_endpoint;
mod ceiling;
mod glob;
mod permission;
mod retry;

pub use activity::{ActivityClass, Windows};
pub use budget::{ExecutionBudget, Limit};
pub use by_endpoint::ByEndpoint;
pub use ceiling::RetryCeiling;
pub use glob::Glob;
pub use permission::{Declared, ExecutionPolicy, Permission, Rule, RuleAction};
pub use retry::{DeadlineFit, RetryPolicy, RetryPolicyBuilder};

/// A policy value that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {rule}")]
pub struct PolicyError {
    /// The setting.
    pub field: &'static str,
    /// What it must satisfy.
    pub rule: &'static str,
}

/// A setting in seconds as a duration.
///
/// # Errors
/// Where the number is negative, not finite, or longer than can be told.
pub(crate) fn duration(field: &'static str, seconds: f64) -> Result<std::time::Duration, PolicyError> {
    std::time::Duration::try_from_secs_f64(seconds)
        .map_err(|_| PolicyError { field, rule: "must be a number of seconds, zero or more" })
}
