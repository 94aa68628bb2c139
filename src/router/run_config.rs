//! How one run is carried out; trusted code, within what the operator allows.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemarouter_kernel::policy::{ExecutionBudget, RetryPolicy};
use tokio_util::sync::CancellationToken;

use super::pages::PageLimits;
use crate::executor::{Credentials, Observer, ObserverHandle, Tags};

/// How one run is carried out (R-303); permission is not among it.
///
/// # Examples
/// ```
/// use schemarouter::kernel::policy::{ExecutionBudget, RetryPolicy};
/// use schemarouter::router::RunConfig;
/// use std::time::Duration;
///
/// let config = RunConfig::default()
///     .with_retry(RetryPolicy::builder().max_attempts(3).build()?)
///     .with_budget(ExecutionBudget { max_elapsed: Some(Duration::from_secs(10)), ..Default::default() });
/// # let _ = config;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunConfig {
    pub(super) retry: Option<RetryPolicy>,
    pub(super) budget: ExecutionBudget,
    pub(super) retry_pool: Option<u32>,
    pub(super) cancellation: CancellationToken,
    pub(super) credentials: BTreeMap<String, Credentials>,
    pub(super) observers: ObserverHandle,
    pub(super) streams: bool,
    pub(super) tags: Tags,
    pub(super) page_limits: PageLimits,
    pub(super) max_result_bytes: Option<usize>,
}

impl RunConfig {
    /// A lower limit on results counts as this: there has to be room for names.
    pub const LEAST_RESULT_BYTES: usize = 256;

    /// Retries by this policy instead of the router's.
    #[must_use]
    pub fn with_retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }

    /// Spends no more than this, and no more than the router allows.
    #[must_use]
    pub fn with_budget(mut self, budget: ExecutionBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Repeats no more than this over all calls of the run; without it each call repeats as its policy says.
    ///
    /// Calls that fail together, as parallel ones do when a server is down, would otherwise multiply its load.
    #[must_use]
    pub const fn with_retry_pool(mut self, retries: u32) -> Self {
        self.retry_pool = Some(retries);
        self
    }

    /// Ends the calls of the run when this token is cancelled; each says then what it may have done.
    ///
    /// Dropping the future ends a call too, but leaves nobody to say so: a write whose request may have left is told as
    /// indeterminate here.
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Proves identity to this source with these credentials, over the router's own.
    #[must_use]
    pub fn with_credentials(mut self, source: impl Into<String>, credentials: Credentials) -> Self {
        self.credentials.insert(source.into(), credentials);
        self
    }

    /// Hands success replies of HTTP endpoints on while they come ([`Data::into_stream`](super::Data::into_stream)).
    ///
    /// They are not held against their schemas then, the cap on one reply does not hold for them, and the limit on one
    /// exchange is that between two pieces. The deadline and the bytes of the budget hold.
    #[must_use]
    pub const fn with_streams(mut self) -> Self {
        self.streams = true;
        self
    }

    /// Says something of the run to its observers and in its span: which agent, which task, which tenant. No secrets: it
    /// is written down wherever they write.
    #[must_use]
    pub fn with_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.tags).insert(name.into(), value.into());
        self
    }

    /// Asks for no more of a listing than this ([`Router::pages`](super::Router::pages)).
    #[must_use]
    pub const fn with_page_limits(mut self, limits: PageLimits) -> Self {
        self.page_limits = limits;
        self
    }

    /// Cuts results in JSON to this many bytes, for a reader who cannot take more;
    /// [256](Self::LEAST_RESULT_BYTES) at least.
    ///
    /// What is left is JSON: lists keep their first elements, strings their first characters, objects their names while
    /// these fit, and the largest values give way first. [`Outcome::cut`](super::Outcome::cut) tells every place, and has
    /// the handle for the rest. It comes after the reply's contract and the [fields](super::Request::fields) of the request.
    #[must_use]
    pub const fn with_max_result_bytes(mut self, bytes: usize) -> Self {
        self.max_result_bytes = Some(bytes);
        self
    }

    /// Tells this observer what happens.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Observer) -> Self {
        self.observers = self.observers.with(observer);
        self
    }
}
