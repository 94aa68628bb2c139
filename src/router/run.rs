//! One run: what its calls share, and the way of each from its checks to its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::{Applied, Spent};
use schemarouter_kernel::kernel::Footing;
use schemarouter_kernel::policy::RetryPolicy;
use serde_json::{Map, Value};

use super::approval::{self, ApprovalRequest};
use super::declaration::Declaration;
use super::outcome::{Data, Outcome};
use super::reply_check::ContractCheck;
use super::request::Request;
use super::router::Inner;
use super::run_config::RunConfig;
use super::{admission, arguments, idempotency};
use crate::catalog::{Binding, Catalog, Endpoint};
use crate::executor::{CallPlan, Credentials, Invocation, InvokerHandle, RunContext, SharedLedger};

/// A run that is open: one ledger and one deadline for all its calls, counted from here.
pub(super) struct Run<'r> {
    router: &'r Inner,
    config: &'r RunConfig,
    context: RunContext,
    /// What could be called when the run began.
    catalog: Catalog,
    /// How many calls were begun, fallbacks among them: the names of their attempts differ by it.
    calls: AtomicU32,
}

/// A call that may be made, decided as far as it can be before anything is sent.
pub(super) struct Admitted {
    pub(super) endpoint: Arc<Endpoint>,
    arguments: Map<String, Value>,
    credentials: Credentials,
    invoker: InvokerHandle,
    key: Option<Arc<str>>,
    said: Declaration,
}

impl<'r> Run<'r> {
    pub(super) fn open(router: &'r Inner, config: &'r RunConfig) -> Self {
        let budget = router.budget.min(&config.budget);
        let ledger =
            SharedLedger::open(budget, router.executor.timer().now()).with_retry_pool(config.retry_pool);
        let (id, seed) = router.seeds.next();
        let observers = router.observers.clone().and(&config.observers);
        let cancellation = config.cancellation.clone();
        let context = RunContext { id, ledger, observers, seed, cancellation };
        Self { router, config, context, catalog: router.sources.current(), calls: AtomicU32::new(0) }
    }

    /// Endpoint, fingerprint, permission, arguments, approval, reply schemas, request; in this order.
    pub(super) async fn admit(&self, request: &Request) -> Result<Admitted, Error> {
        let Inner { sources, policy, replies, approver, executor, declarations, .. } = self.router;
        let endpoint = declarations.apply(admission::find(&self.catalog, &request.endpoint)?);
        let said = declarations.of(endpoint.key.as_str()).into_owned();
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        admission::pinned(&endpoint, request.fingerprint, sources).map_err(named)?;
        let approval = admission::permit(&endpoint, policy).map_err(named)?;
        let mut arguments = request.arguments.clone();
        let key = idempotency::settle(
            &endpoint,
            said.idempotency_key.as_ref(),
            request.idempotency_key.as_deref(),
            &mut arguments,
            || self.router.seeds.idempotency_key(),
        )
        .map_err(named)?;
        let arguments = arguments::check(&endpoint, &arguments).map_err(named)?;
        if let Some(rule) = approval {
            let ask =
                ApprovalRequest { run: self.context.id, endpoint: &endpoint, arguments: &arguments, rule };
            let until = self.context.ledger.deadline();
            let asked = approval::ask(approver.as_ref(), ask, executor.timer(), until);
            self.context.unless_cancelled(asked).await.unwrap_or_else(|| Err(cancelled())).map_err(named)?;
        }
        admission::prepare_replies(&endpoint, said.replies.unwrap_or(*replies)).map_err(named)?;
        let credentials = self.credentials(&endpoint);
        let header = key.as_ref().and_then(|key| key.header.clone());
        let invoker = self.invoker(&endpoint, &arguments, &credentials, &said, header).map_err(named)?;
        Ok(Admitted { endpoint, arguments, credentials, invoker, key: key.map(|key| key.text), said })
    }

    /// Charges and makes a call, and where its path is unavailable the operator's fallback for it.
    pub(super) async fn carry_out(&self, call: Admitted) -> Result<Outcome, Error> {
        let (mut failures, mut next): (Vec<(Arc<Endpoint>, Error)>, _) = (Vec::new(), call);
        loop {
            let (endpoint, arguments) = (Arc::clone(&next.endpoint), next.arguments.clone());
            match self.call(next).await {
                Ok(outcome) => return Ok(instead(outcome, &failures)),
                Err(error) => failures.push((endpoint, error)),
            }
            match self.fallback(&failures, &arguments).await {
                Some(other) => next = other,
                None if failures.len() > 1 => {
                    // What its fallbacks have spent the run has spent as well.
                    let (error, (spent, elapsed)) = (first(failures), self.account());
                    let attempts = error.report().attempts.clone();
                    return Err(error.with_history(attempts, elapsed, spent));
                }
                None => return Err(first(failures)),
            }
        }
    }

    /// The next endpoint to ask after these failures; two that are each other's fallback are asked once each.
    async fn fallback(
        &self,
        failures: &[(Arc<Endpoint>, Error)],
        arguments: &Map<String, Value>,
    ) -> Option<Admitted> {
        let (endpoint, error) = failures.last()?;
        let request = self.router.fallbacks.after(error, endpoint, arguments)?;
        let is_new = failures.iter().all(|(asked, _)| asked.key.as_str() != request.endpoint);
        // One that is not admitted is none; the failure that there was says more than that. A document that was replaced
        // since the router was built may have made either of them a write.
        let may_repeat = |endpoint: &Endpoint| endpoint.effect == Effect::ReadOnly;
        if !is_new || !may_repeat(endpoint) {
            return None;
        }
        self.admit(&request).await.ok().filter(|other| may_repeat(&other.endpoint))
    }

    /// Charges and makes one call.
    async fn call(&self, call: Admitted) -> Result<Outcome, Error> {
        let Inner { executor, replies, .. } = self.router;
        let Admitted { endpoint, arguments, credentials, invoker, key, said } = call;
        if self.context.cancellation.is_cancelled() {
            return Err(cancelled().with_endpoint(endpoint.key.as_str()));
        }
        self.context.ledger.charge_call(endpoint.key.as_str(), executor.timer().now())?;
        let retry = self.retry();
        let shown_key = key.as_deref().map(str::to_owned);
        let plan = CallPlan {
            run: self.context.clone(),
            call: self.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1),
            footing: self.footing(&endpoint, &said, key.is_some(), &retry),
            policy: retry,
            invoker,
            cost: said.cost.unwrap_or(0),
            // Windows that cannot be meant were refused when the router was built.
            windows: said.windows().ok().flatten(),
            invocation: Invocation {
                arguments: Arc::new(arguments),
                credentials: Arc::new(credentials),
                idempotency_key: key,
                endpoint: Arc::clone(&endpoint),
            },
        };
        let check = ContractCheck { endpoint: &endpoint, validation: said.replies.unwrap_or(*replies) };
        let done = executor.run(&plan, &check).await.map_err(|error| match &shown_key {
            Some(key) => resumable(error, key),
            None => error,
        })?;
        Ok(Outcome {
            endpoint: endpoint.key.as_str().to_owned(),
            status: done.reply.status,
            headers: done.reply.headers,
            data: Data::new(done.reply.content_type, done.reply.json, done.reply.body),
            attempts: done.attempts,
            elapsed: done.elapsed,
            spent: done.spent,
            warnings: done.reply.warnings,
            idempotency_key: shown_key,
        })
    }

    /// How the run retries, under the operator's ceiling.
    fn retry(&self) -> RetryPolicy {
        match &self.config.retry {
            Some(asked) => self.router.retry_ceiling.limit(asked),
            None => self.router.retry.clone(),
        }
    }

    /// The ground on which failures of a call are judged.
    fn footing(
        &self,
        endpoint: &Endpoint,
        said: &Declaration,
        has_key: bool,
        retry: &RetryPolicy,
    ) -> Footing {
        let is_idempotent = endpoint.effect == Effect::Idempotent
            && (said.effect == Some(Effect::Idempotent) || self.router.repeat_idempotent);
        Footing::of(endpoint.effect, retry)
            .declared_safe(has_key || is_idempotent)
            .with_unavailable_proving_rejection(said.unavailable_proves_rejection == Some(true))
    }

    /// The ground on which a reply that breaks off after its call is judged.
    pub(super) fn footing_of(&self, call: &Admitted) -> Footing {
        self.footing(&call.endpoint, &call.said, call.key.is_some(), &self.retry())
    }

    /// What the run has spent, and how long it has taken.
    pub(super) fn account(&self) -> (Spent, Duration) {
        let ledger = &self.context.ledger;
        (ledger.spent(), ledger.elapsed(self.router.executor.timer().now()))
    }

    /// For a document's endpoint the request is decided here, so that what forbids it costs no attempt.
    fn invoker(
        &self,
        endpoint: &Arc<Endpoint>,
        arguments: &Map<String, Value>,
        credentials: &Credentials,
        said: &Declaration,
        header: Option<(HeaderName, HeaderValue)>,
    ) -> Result<InvokerHandle, Error> {
        match &endpoint.binding {
            Binding::Http(plan) => {
                let mut call = self.router.http.prepare(endpoint, plan, arguments, credentials)?;
                if let Some((name, value)) = header {
                    call = call.with_header(name, value)?;
                }
                if let Some(limit) = said.exchange_limit() {
                    call = call.with_reply_timeout(limit);
                }
                if self.config.streams {
                    call = call.streamed();
                }
                Ok(InvokerHandle::new(call))
            }
            Binding::Custom => self.router.invokers.get(endpoint.key.as_str()).cloned().ok_or_else(|| {
                let message = format!("no code is registered for `{}`", endpoint.key);
                Error::rejected(ErrorKind::UnknownEndpoint, message)
            }),
        }
    }

    /// A source's credentials go to that source only; the run's are over the router's.
    fn credentials(&self, endpoint: &Endpoint) -> Credentials {
        let source = endpoint.key.source();
        let base = self.router.credentials.get(source).cloned().unwrap_or_default();
        match self.config.credentials.get(source) {
            Some(run) => run.clone().over(&base),
            None => base,
        }
    }
}

/// Says so where another endpoint answers than the one that was asked, and what was tried before it.
fn instead(mut outcome: Outcome, failures: &[(Arc<Endpoint>, Error)]) -> Outcome {
    if let Some((endpoint, error)) = failures.first() {
        let (asked, kind) = (&endpoint.key, error.kind());
        let message =
            format!("`{asked}` was unavailable ({kind}), and `{}` answers in its place", outcome.endpoint);
        outcome.warnings.push(message);
    }
    let before = failures.iter().flat_map(|(_, error)| error.report().attempts.iter().cloned());
    outcome.attempts.splice(..0, before);
    outcome
}

/// The first failure is that of the endpoint that was asked; what came of its fallbacks is in the details.
fn first(failures: Vec<(Arc<Endpoint>, Error)>) -> Error {
    let mut failures = failures.into_iter();
    let Some((_, first)) = failures.next() else { return cancelled() };
    failures.fold(first, |first, (endpoint, error)| {
        first.with_detail(
            &format!("fallback {}", endpoint.key),
            format!("{}: {}", error.kind(), error.message()),
        )
    })
}

/// Under its key the call can be made again, and is done once all the same.
fn resumable(error: Error, key: &str) -> Error {
    let error = error.with_detail("idempotency_key", key);
    match (error.report().applied, &error.report().hint) {
        (Some(Applied::Maybe), None) => {
            error.with_hint("it may have taken effect; under the same idempotency key it is done once")
        }
        _ => error,
    }
}

fn cancelled() -> Error {
    Error::rejected(ErrorKind::Cancelled, "cancelled before anything was sent")
}
