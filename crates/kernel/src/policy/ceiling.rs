//! The most that a run may ask of retry.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{PolicyError, RetryPolicy, duration};

/// What the operator allows of a run's [`RetryPolicy`]; whatever is not set is not limited.
///
/// A run may choose how it retries, under this. A policy that asks for more gets as much as is allowed, so that code
/// written for one router works on a stricter one, and does less there.
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::{RetryCeiling, RetryPolicy};
///
/// let ceiling: RetryCeiling = serde_json::from_str(r#"{"max_attempts": 3, "retry_non_read_only": false}"#)?;
/// let asked = RetryPolicy::builder().max_attempts(9).retry_non_read_only(true).build()?;
/// let allowed = ceiling.limit(&asked);
/// assert_eq!((allowed.max_attempts().get(), allowed.retry_non_read_only()), (3, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "File", into = "File")]
pub struct RetryCeiling {
    /// Attempts in all, the first included.
    pub max_attempts: Option<NonZeroU32>,
    /// The cap on every wait of our own.
    pub max_backoff: Option<Duration>,
    /// The longest `Retry-After` that is waited for.
    pub max_retry_after: Option<Duration>,
    /// Whether a run may judge repeats of what is not read-only safe; `false` takes that from it.
    pub retry_non_read_only: Option<bool>,
}

impl RetryCeiling {
    /// As much of the policy as is allowed.
    #[must_use]
    pub fn limit(&self, asked: &RetryPolicy) -> RetryPolicy {
        let mut policy = asked.clone();
        policy.max_attempts = at_most(policy.max_attempts, self.max_attempts);
        policy.max_backoff = at_most(policy.max_backoff, self.max_backoff);
        policy.max_retry_after = at_most(policy.max_retry_after, self.max_retry_after);
        policy.retry_non_read_only &= self.retry_non_read_only.unwrap_or(true);
        policy
    }
}

fn at_most<T: Ord>(asked: T, most: Option<T>) -> T {
    match most {
        Some(most) => asked.min(most),
        None => asked,
    }
}

/// The shape in files.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(rename = "RetryCeiling"))]
pub(super) struct File {
    /// Attempts in all, the first included.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<NonZeroU32>,
    /// The cap on every wait of our own, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_backoff_seconds: Option<f64>,
    /// The longest `Retry-After` that is waited for, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_retry_after_seconds: Option<f64>,
    /// Whether a run may judge repeats of what is not read-only safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_non_read_only: Option<bool>,
}

impl From<RetryCeiling> for File {
    fn from(ceiling: RetryCeiling) -> Self {
        Self {
            max_attempts: ceiling.max_attempts,
            max_backoff_seconds: ceiling.max_backoff.map(|wait| wait.as_secs_f64()),
            max_retry_after_seconds: ceiling.max_retry_after.map(|wait| wait.as_secs_f64()),
            retry_non_read_only: ceiling.retry_non_read_only,
        }
    }
}

impl TryFrom<File> for RetryCeiling {
    type Error = PolicyError;

    fn try_from(file: File) -> Result<Self, PolicyError> {
        let wait = |field, seconds: Option<f64>| seconds.map(|seconds| duration(field, seconds)).transpose();
        Ok(Self {
            max_attempts: file.max_attempts,
            max_backoff: wait("max_backoff_seconds", file.max_backoff_seconds)?,
            max_retry_after: wait("max_retry_after_seconds", file.max_retry_after_seconds)?,
            retry_non_read_only: file.retry_non_read_only,
        })
    }
}
