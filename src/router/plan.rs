//! Several calls of one run.

use std::num::NonZeroUsize;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::Spent;
use serde::{Deserialize, Serialize};

use super::admitted::Admitted;
use super::outcome::Outcome;
use super::request::Request;
use super::run::Run;

/// How many calls run side by side where the plan does not say it.
const SIDE_BY_SIDE: NonZeroUsize = NonZeroUsize::new(8).expect("eight is not zero");

/// Several calls that somebody asks for, as one run; like each [`Request`], it is not trusted and can widen nothing.
///
/// They share the budget, the deadline and the pool of retries of the run. Before the first of them everything that
/// can be is checked of all, so that a plan with a call that is refused does nothing.
///
/// # Examples
/// ```
/// use schemarouter::router::{Plan, Request};
/// use serde_json::json;
///
/// let plan: Plan = serde_json::from_value(json!({
///     "calls": [{"endpoint": "pets.getPet", "arguments": {"id": 1}}, {"endpoint": "pets.getPet", "arguments": {"id": 2}}],
///     "parallel_read_only": true,
/// }))?;
/// assert_eq!(plan.calls.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The calls; the results come in their order.
    pub calls: Vec<Request>,
    /// Runs them side by side, which is allowed only where every one is explicitly read-only. Otherwise they run one
    /// after another, and the first that fails is the last that runs.
    #[serde(default)]
    pub parallel_read_only: bool,
    /// How many at once, where they run side by side; eight where it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<NonZeroUsize>,
}

impl Plan {
    /// These calls, one after another.
    pub fn in_order(calls: impl IntoIterator<Item = Request>) -> Self {
        Self { calls: calls.into_iter().collect(), parallel_read_only: false, max_parallel: None }
    }

    /// These calls, side by side; each has to be explicitly read-only.
    pub fn parallel_read_only(calls: impl IntoIterator<Item = Request>) -> Self {
        Self { parallel_read_only: true, ..Self::in_order(calls) }
    }
}

/// What came of a plan.
#[derive(Debug)]
pub struct PlanOutcome {
    /// What came of each call, in the order of the plan.
    pub results: Vec<CallResult>,
    /// What the run has spent.
    pub spent: Spent,
    /// From the start of the run.
    pub elapsed: Duration,
}

/// What came of one call of a plan.
#[derive(Debug)]
pub enum CallResult {
    /// It succeeded.
    Succeeded(Box<Outcome>),
    /// It failed.
    Failed(Error),
    /// A call before it failed, so that it was not made.
    NotRun,
}

impl CallResult {
    /// The outcome, if it succeeded.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Succeeded(outcome) => Some(outcome),
            Self::Failed(_) | Self::NotRun => None,
        }
    }

    /// The error, if it failed.
    pub const fn error(&self) -> Option<&Error> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Succeeded(_) | Self::NotRun => None,
        }
    }
}

impl From<Result<Outcome, Error>> for CallResult {
    fn from(result: Result<Outcome, Error>) -> Self {
        result.map_or_else(Self::Failed, |outcome| Self::Succeeded(Box::new(outcome)))
    }
}

impl PlanOutcome {
    /// Whether every call succeeded.
    pub fn is_success(&self) -> bool {
        self.results.iter().all(|result| matches!(result, CallResult::Succeeded(_)))
    }
}

/// Admits all calls of a plan, then makes them.
pub(super) async fn carry_out(run: &Run<'_>, plan: &Plan) -> Result<PlanOutcome, Error> {
    if plan.calls.is_empty() {
        return Err(Error::rejected(ErrorKind::InvalidArguments, "a plan has at least one call"));
    }
    let mut admitted = Vec::with_capacity(plan.calls.len());
    for (number, request) in (1_usize..).zip(&plan.calls) {
        let call = run.admit(request.clone()).await.and_then(|call| side_by_side(plan, *call));
        admitted.push(call.map_err(|error| error.with_detail("call", number.to_string()))?);
    }
    let results = if plan.parallel_read_only {
        let limit = plan.max_parallel.unwrap_or(SIDE_BY_SIDE).get();
        let calls = stream::iter(admitted).map(|call| run.carry_out(Box::new(call)));
        calls.buffered(limit).map(CallResult::from).collect().await
    } else {
        in_order(run, admitted).await
    };
    let (spent, elapsed) = run.account();
    Ok(PlanOutcome { results, spent, elapsed })
}

/// Whether a call may run beside others.
fn side_by_side(plan: &Plan, call: Admitted) -> Result<Admitted, Error> {
    if !plan.parallel_read_only || call.endpoint.effect == Effect::ReadOnly {
        return Ok(call);
    }
    let message = format!(
        "`parallel_read_only` is for calls that are explicitly read-only, and `{}` is {}",
        call.endpoint.key, call.endpoint.effect
    );
    Err(Error::rejected(ErrorKind::PolicyRejected, message)
        .with_endpoint(call.endpoint.key.as_str())
        .with_hint("leave `parallel_read_only` out, and the calls run one after another"))
}

/// One after another, to the first that fails.
async fn in_order(run: &Run<'_>, calls: Vec<Admitted>) -> Vec<CallResult> {
    let mut results = Vec::with_capacity(calls.len());
    let mut is_over = false;
    for call in calls {
        if is_over {
            results.push(CallResult::NotRun);
            continue;
        }
        let result = CallResult::from(run.carry_out(Box::new(call)).await);
        is_over = !matches!(result, CallResult::Succeeded(_));
        results.push(result);
    }
    results
}
