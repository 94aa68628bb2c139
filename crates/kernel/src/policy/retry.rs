//! How often, and after which waits.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{PolicyError, duration};

/// How often a call is attempted, and how long it waits in between.
///
/// The default is one attempt (R-319): a repeat must be justified by the operation, not by the hope that it
/// helps. More attempts apply to operations that are explicitly read-only (R-304); for all others only where
/// trusted code says [`retry_non_read_only`](RetryPolicyBuilder::retry_non_read_only) (R-305).
///
/// In files the durations are numbers of seconds, under names that end in `_seconds`.
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::RetryPolicy;
/// use std::time::Duration;
///
/// let policy = RetryPolicy::builder().max_attempts(3).initial_backoff(Duration::from_millis(250)).build()?;
/// assert_eq!(policy.max_attempts().get(), 3);
/// assert_eq!(RetryPolicy::default().max_attempts().get(), 1);
///
/// let file = r#"{"max_attempts": 3, "initial_backoff_seconds": 0.25}"#;
/// assert_eq!(serde_json::from_str::<RetryPolicy>(file)?, policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "File", into = "File")]
pub struct RetryPolicy {
    pub(super) max_attempts: NonZeroU32,
    initial_backoff: Duration,
    backoff_multiplier: f64,
    pub(super) max_backoff: Duration,
    pub(super) max_retry_after: Duration,
    pub(super) retry_non_read_only: bool,
    full_jitter: bool,
    deadline_fit: DeadlineFit,
}

/// What happens to a wait that would reach the deadline (ruling 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeadlineFit {
    /// Fail at once, so that nobody waits for nothing.
    #[default]
    Decline,
    /// Wait to the deadline, report the cut, make no further attempt.
    RunToBoundary,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: NonZeroU32::MIN,
            initial_backoff: Duration::from_millis(250),
            backoff_multiplier: 2.0,
            max_backoff: Duration::from_secs(5),
            max_retry_after: Duration::from_mins(1),
            retry_non_read_only: false,
            full_jitter: false,
            deadline_fit: DeadlineFit::Decline,
        }
    }
}

impl RetryPolicy {
    /// A builder that starts from the default.
    pub fn builder() -> RetryPolicyBuilder {
        RetryPolicyBuilder { policy: Self::default(), max_attempts: 1 }
    }

    /// A builder that starts from this policy.
    pub fn to_builder(&self) -> RetryPolicyBuilder {
        RetryPolicyBuilder { policy: self.clone(), max_attempts: self.max_attempts.get() }
    }

    /// Attempts in all, the first included.
    pub const fn max_attempts(&self) -> NonZeroU32 {
        self.max_attempts
    }

    /// The wait after the first attempt.
    pub const fn initial_backoff(&self) -> Duration {
        self.initial_backoff
    }

    /// What each further wait is multiplied by.
    pub const fn backoff_multiplier(&self) -> f64 {
        self.backoff_multiplier
    }

    /// The cap on every wait of our own, the first included (R-320).
    pub const fn max_backoff(&self) -> Duration {
        self.max_backoff
    }

    /// The longest `Retry-After` that is waited for; beyond it the call fails at once (ruling 3).
    pub const fn max_retry_after(&self) -> Duration {
        self.max_retry_after
    }

    /// Trusted code's judgement that repeating is safe, whatever the operation (R-305).
    pub const fn retry_non_read_only(&self) -> bool {
        self.retry_non_read_only
    }

    /// Whether each wait is drawn evenly from zero to its window.
    pub const fn full_jitter(&self) -> bool {
        self.full_jitter
    }

    /// What happens to a wait that would reach the deadline.
    pub const fn deadline_fit(&self) -> DeadlineFit {
        self.deadline_fit
    }
}

/// Builds a [`RetryPolicy`]; values are checked by [`build`](Self::build).
#[derive(Debug, Clone)]
pub struct RetryPolicyBuilder {
    policy: RetryPolicy,
    max_attempts: u32,
}

impl RetryPolicyBuilder {
    /// Attempts in all, the first included; at least one.
    #[must_use]
    pub const fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// The wait after the first attempt.
    #[must_use]
    pub const fn initial_backoff(mut self, wait: Duration) -> Self {
        self.policy.initial_backoff = wait;
        self
    }

    /// What each further wait is multiplied by; at least one.
    #[must_use]
    pub const fn backoff_multiplier(mut self, factor: f64) -> Self {
        self.policy.backoff_multiplier = factor;
        self
    }

    /// The cap on every wait of our own.
    #[must_use]
    pub const fn max_backoff(mut self, wait: Duration) -> Self {
        self.policy.max_backoff = wait;
        self
    }

    /// The longest `Retry-After` that is waited for.
    #[must_use]
    pub const fn max_retry_after(mut self, wait: Duration) -> Self {
        self.policy.max_retry_after = wait;
        self
    }

    /// Says that repeating is safe for every call of the run, as trusted code judges it.
    #[must_use]
    pub const fn retry_non_read_only(mut self, judged_safe: bool) -> Self {
        self.policy.retry_non_read_only = judged_safe;
        self
    }

    /// Draws each wait evenly from zero to its window, so that clients do not come back together.
    #[must_use]
    pub const fn full_jitter(mut self, on: bool) -> Self {
        self.policy.full_jitter = on;
        self
    }

    /// What happens to a wait that would reach the deadline.
    #[must_use]
    pub const fn deadline_fit(mut self, fit: DeadlineFit) -> Self {
        self.policy.deadline_fit = fit;
        self
    }

    /// The policy.
    ///
    /// # Errors
    /// Where there would be no attempt, or the multiplier is below one or not finite.
    pub fn build(mut self) -> Result<RetryPolicy, PolicyError> {
        self.policy.max_attempts = NonZeroU32::new(self.max_attempts).ok_or(PolicyError {
            field: "max_attempts",
            rule: "must be at least 1; the first attempt counts",
        })?;
        if !(self.policy.backoff_multiplier.is_finite() && self.policy.backoff_multiplier >= 1.0) {
            return Err(PolicyError { field: "backoff_multiplier", rule: "must be a number, 1 or more" });
        }
        Ok(self.policy)
    }
}

/// The shape in files.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RetryPolicy"))]
#[serde(deny_unknown_fields, default)]
struct File {
    /// Attempts in all, the first included.
    max_attempts: u32,
    /// The wait after the first attempt.
    initial_backoff_seconds: f64,
    /// What each further wait is multiplied by.
    backoff_multiplier: f64,
    /// The cap on every wait of our own.
    max_backoff_seconds: f64,
    /// The longest `Retry-After` that is waited for.
    max_retry_after_seconds: f64,
    /// Trusted code's judgement that repeating is safe, whatever the operation.
    retry_non_read_only: bool,
    /// Whether each wait is drawn evenly from zero to its window.
    full_jitter: bool,
    /// What happens to a wait that would reach the deadline.
    deadline_fit: DeadlineFit,
}

impl Default for File {
    fn default() -> Self {
        RetryPolicy::default().into()
    }
}

impl From<RetryPolicy> for File {
    fn from(policy: RetryPolicy) -> Self {
        Self {
            max_attempts: policy.max_attempts.get(),
            initial_backoff_seconds: policy.initial_backoff.as_secs_f64(),
            backoff_multiplier: policy.backoff_multiplier,
            max_backoff_seconds: policy.max_backoff.as_secs_f64(),
            max_retry_after_seconds: policy.max_retry_after.as_secs_f64(),
            retry_non_read_only: policy.retry_non_read_only,
            full_jitter: policy.full_jitter,
            deadline_fit: policy.deadline_fit,
        }
    }
}

impl TryFrom<File> for RetryPolicy {
    type Error = PolicyError;

    fn try_from(file: File) -> Result<Self, PolicyError> {
        Self::builder()
            .max_attempts(file.max_attempts)
            .initial_backoff(duration("initial_backoff_seconds", file.initial_backoff_seconds)?)
            .backoff_multiplier(file.backoff_multiplier)
            .max_backoff(duration("max_backoff_seconds", file.max_backoff_seconds)?)
            .max_retry_after(duration("max_retry_after_seconds", file.max_retry_after_seconds)?)
            .retry_non_read_only(file.retry_non_read_only)
            .full_jitter(file.full_jitter)
            .deadline_fit(file.deadline_fit)
            .build()
    }
}
