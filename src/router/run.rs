//! One run: what its calls share, and the way of each from its checks to its outcome.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::disposition::{Disposition, Effect};
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::{Applied, Spent};
use schemarouter_kernel::kernel::Footing;
use schemarouter_kernel::policy::RetryPolicy;
use serde_json::{Map, Value};
use tracing::Span;

use super::admitted::{Admitted, As, Called, Config, Reach};
use super::approval::{self, ApprovalRequest};
use super::declaration::Declaration;
use super::outcome::{Data, Outcome};
use super::pages::{self, Ask, Next};
use super::reply_check::{ContractCheck, schema_of};
use super::request::Request;
use super::router::Inner;
use super::selection::Selection;
use super::{admission, arguments, idempotency, stale};
use crate::catalog::{Binding, Catalog, Endpoint, NextPage};
use crate::executor::{
    CallPlan, Credentials, Event, Invocation, InvokerHandle, RunContext, SharedLedger, span,
};

/// A run that is open: one ledger and one deadline for all its calls, counted from here.
pub(super) struct Run<'r> {
    router: Arc<Inner>,
    config: Config<'r>,
    context: Arc<RunContext>,
    /// What could be called when the run began.
    catalog: Catalog,
    /// How many calls were begun, fallbacks among them: the names of their attempts differ by it.
    calls: AtomicU32,
    span: Span,
}

impl<'r> Run<'r> {
    pub(super) fn open(router: &Arc<Inner>, config: Config<'r>) -> Self {
        let budget = router.budget.min(&config.budget);
        let ledger =
            SharedLedger::open(budget, router.executor.timer().now()).with_retry_pool(config.retry_pool);
        let (id, seed) = router.seeds.next();
        let observers = router.observers.clone().and(&config.observers);
        let cancellation = config.cancellation.clone();
        observers.tell_with(|| Event::RunStarted { run: id, tags: Arc::clone(&config.tags) });
        let span = span::run(id, &config.tags);
        let context = Arc::new(RunContext { id, ledger, observers, seed, cancellation });
        let (router, catalog) = (Arc::clone(router), router.sources.current());
        Self { router, config, context, catalog, calls: AtomicU32::new(0), span }
    }

    /// Decides whether a call may be made; what forbids it is told with what the run has spent so far.
    pub(super) async fn admit(&self, request: Request) -> Result<Box<Admitted>, Error> {
        self.admit_as(request, As::Call).await
    }

    /// The same for a call that may be the first of several.
    pub(super) async fn admit_as(&self, mut request: Request, asked: As) -> Result<Box<Admitted>, Error> {
        let admitted = span::within(&self.span, pin!(self.checked(&mut request, asked))).await;
        admitted.map_err(|error| {
            let (run, kind) = (self.context.id, error.kind());
            let endpoint = error.report().endpoint.clone().unwrap_or(request.endpoint).into();
            self.context.observers.tell(&Event::Rejected { run, endpoint, kind });
            let (spent, elapsed) = self.account();
            error.with_history(Vec::new(), elapsed, spent)
        })
    }

    /// Endpoint, fingerprint, permission, arguments, approval, reply schemas, request; in this order.
    async fn checked(&self, request: &mut Request, asked: As) -> Result<Box<Admitted>, Error> {
        let Inner { sources, policy, replies, approver, executor, declarations, .. } = &*self.router;
        let endpoint = declarations.apply(admission::find(&self.catalog, &request.endpoint)?);
        let said = declarations.of(endpoint.key.as_str());
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        stale::pinned(&endpoint, request.fingerprint, sources).map_err(named)?;
        let approval = admission::permit(&endpoint, policy).map_err(named)?;
        let url = match asked {
            As::Call => None,
            As::Listing(url) => {
                pages::may_be_paged(&endpoint, request, url.as_deref(), &self.config).map_err(named)?;
                url
            }
        };
        let mut arguments = std::mem::take(&mut request.arguments);
        let key = idempotency::settle(
            &endpoint,
            said.idempotency_key.as_ref(),
            request.idempotency_key.as_deref(),
            &mut arguments,
            || self.router.seeds.idempotency_key(),
        )
        .map_err(named)?;
        let arguments = arguments::check(&endpoint, arguments).map_err(named)?;
        let fields = request.fields.take();
        let selection = Selection::read(fields.as_ref()).map_err(named)?;
        if let Some(rule) = approval {
            let (run, page) = (self.context.id, url.as_deref());
            let ask = ApprovalRequest { run, endpoint: &endpoint, arguments: &arguments, page, rule };
            let until = self.context.ledger.deadline();
            let asked = approval::ask(approver.as_ref(), ask, executor.timer(), until);
            self.context.unless_cancelled(asked).await.unwrap_or_else(|| Err(cancelled())).map_err(named)?;
        }
        admission::prepare_replies(&endpoint, said.replies.unwrap_or(*replies)).map_err(named)?;
        let credentials = self.credentials(&endpoint);
        let header = key.as_ref().and_then(|key| key.header.clone());
        let ask = Ask { arguments: Arc::new(arguments), url, fields };
        let reach = self.reach(&endpoint, &ask, &credentials, &said, header).map_err(named)?;
        let key = key.map(|key| key.text);
        Ok(Box::new(Admitted { endpoint, ask, credentials, reach, key, said, selection }))
    }

    /// The call for another page; what was asked about the listing holds for it, and its arguments are checked.
    pub(super) fn again(&self, call: &Admitted, ask: Ask) -> Result<Box<Admitted>, Error> {
        let Admitted { endpoint, credentials, said, selection, .. } = call.clone();
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        let arguments = arguments::check(&endpoint, Map::clone(&ask.arguments)).map_err(named)?;
        let ask = Ask { arguments: Arc::new(arguments), ..ask };
        let reach = self.reach(&endpoint, &ask, &credentials, &said, None).map_err(named)?;
        Ok(Box::new(Admitted { endpoint, ask, credentials, reach, key: None, said, selection }))
    }

    /// Waits as the other side asks before the call after this one; a wait that is too long, or does not fit the deadline,
    /// is not begun (rulings 3 and 4).
    pub(super) async fn pause(&self, before: &Admitted, wait: Duration) -> Result<(), Error> {
        if wait.is_zero() {
            return Ok(());
        }
        let named = |error: Error| error.with_endpoint(before.endpoint.key.as_str());
        let (timer, ledger) = (self.router.executor.timer(), &self.context.ledger);
        let (now, most) = (timer.now(), self.retry().max_retry_after());
        let until = now.saturating_add(wait);
        if ledger.deadline().is_some_and(|deadline| until >= deadline) {
            return Err(ledger.out_of_time(before.endpoint.key.as_str(), now).with_retry_after(Some(wait)));
        }
        if wait > most {
            let (wait_seconds, most) = (wait.as_secs_f64(), most.as_secs_f64());
            let message = format!(
                "the other side asks to wait {wait_seconds} s, and {most} s are the most (`max_retry_after`)"
            );
            let error = Error::new(ErrorKind::RateLimited, Disposition::Unavailable, message);
            return Err(named(error.with_retry_after(Some(wait))));
        }
        let waited = self.context.unless_cancelled(timer.wait_until(until)).await;
        waited.ok_or_else(|| named(cancelled()))
    }

    /// Charges and makes a call, and where its path is unavailable the operator's fallback for it.
    pub(super) async fn carry_out(&self, call: Box<Admitted>) -> Result<Outcome, Error> {
        let (mut failures, mut next): (Vec<(Arc<Endpoint>, Error)>, _) = (Vec::new(), call);
        loop {
            let (endpoint, arguments) = (Arc::clone(&next.endpoint), Arc::clone(&next.ask.arguments));
            let selection = next.selection.clone();
            match self.call(next).await {
                Ok(called) => return Ok(instead(called.alone(), &failures)),
                Err(error) => failures.push((endpoint, error)),
            }
            match self.fallback(&failures, &arguments).await {
                // Another endpoint answers the same request.
                Some(other) => next = Box::new(Admitted { selection, ..*other }),
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
    ) -> Option<Box<Admitted>> {
        let (endpoint, error) = failures.last()?;
        let request = self.router.fallbacks.after(error, endpoint, arguments)?;
        let is_new = failures.iter().all(|(asked, _)| asked.key.as_str() != request.endpoint);
        // One that is not admitted is none; the failure that there was says more than that. A document that was replaced
        // since the router was built may have made either of them a write.
        let may_repeat = |endpoint: &Endpoint| endpoint.effect == Effect::ReadOnly;
        if !is_new || !may_repeat(endpoint) {
            return None;
        }
        let other = self.admit(request).await.ok().filter(|other| may_repeat(&other.endpoint))?;
        let (run, from, to) = (self.context.id, endpoint.key.clone(), other.endpoint.key.clone());
        self.context.observers.tell_with(|| Event::FellBack { run, from, to });
        Some(other)
    }

    /// Charges and makes one call.
    pub(super) async fn call(&self, call: Box<Admitted>) -> Result<Called, Error> {
        span::within(&self.span, pin!(self.charged(call))).await
    }

    async fn charged(&self, call: Box<Admitted>) -> Result<Called, Error> {
        let Inner { executor, replies, .. } = &*self.router;
        // What follows the call is found from its request, which is kept for those that have pages.
        let is_listing = call.endpoint.next_page.is_some();
        let listing = is_listing.then(|| Box::new((call.ask.clone(), call.http().cloned())));
        let Admitted { endpoint, ask: Ask { arguments, .. }, credentials, reach, key, said, selection } =
            *call;
        let invoker = match reach {
            Reach::Http(call) => InvokerHandle::new(*call),
            Reach::Custom(invoker) => invoker,
        };
        if self.context.cancellation.is_cancelled() {
            let (spent, elapsed) = self.account();
            return Err(cancelled().with_endpoint(endpoint.key.as_str()).with_history(
                Vec::new(),
                elapsed,
                spent,
            ));
        }
        self.context.ledger.charge_call(endpoint.key.as_str(), executor.timer().now())?;
        let retry = self.retry();
        let shown_key = key.as_deref().map(str::to_owned);
        let plan = CallPlan {
            run: Arc::clone(&self.context),
            call: self.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1),
            footing: self.footing(&endpoint, &said, key.is_some(), &retry),
            policy: retry,
            invoker,
            cost: said.cost.unwrap_or(0),
            // Windows that cannot be meant were refused when the router was built.
            windows: said.windows().ok().flatten(),
            invocation: Invocation {
                arguments,
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
        let next = match (&endpoint.next_page, listing.as_deref()) {
            (Some(rule), Some((ask, http))) => pages::after(&endpoint, rule, ask, http.as_ref(), &done.reply),
            _ => Next::End,
        };
        let rule = endpoint.next_page.as_deref();
        let items = rule.and_then(|rule| pages::counted(rule, done.reply.json.as_ref()));
        let schema = selection.as_ref().and_then(|_| schema_of(&done.reply, &endpoint).cloned());
        let mut warnings = done.reply.warnings;
        let next_page = match (&next, listing.as_deref()) {
            (Next::Page(ask, _), Some((_, http))) => pages::handle(&endpoint, ask, http.as_ref()),
            (Next::Incomplete(why), _) => {
                warnings.push(why.clone());
                None
            }
            _ => None,
        };
        let outcome = Outcome {
            endpoint: endpoint.key.as_str().to_owned(),
            status: done.reply.status,
            headers: done.reply.headers,
            data: Data::new(done.reply.content_type, done.reply.json, done.reply.body),
            attempts: done.attempts,
            elapsed: done.elapsed,
            spent: done.spent,
            warnings,
            idempotency_key: shown_key,
            next_page,
            cut: None,
        };
        let outcome = match selection {
            Some(selection) => outcome.select(&selection, schema.as_ref()),
            None => outcome,
        };
        let outcome = match self.config.max_result_bytes {
            Some(most) => outcome.within(most),
            None => outcome,
        };
        Ok(Called { outcome, next, items })
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
    fn reach(
        &self,
        endpoint: &Arc<Endpoint>,
        ask: &Ask,
        credentials: &Credentials,
        said: &Declaration,
        header: Option<(HeaderName, HeaderValue)>,
    ) -> Result<Reach, Error> {
        match &endpoint.binding {
            Binding::Http(plan) => {
                let mut call = self.router.http.prepare(endpoint, plan, &ask.arguments, credentials)?;
                if let Some(url) = &ask.url {
                    call = call.at_page(url, endpoint.next_page.as_deref().and_then(NextPage::path))?;
                }
                if let Some((name, value)) = header {
                    call = call.with_header(name, value)?;
                }
                if let Some(limit) = said.exchange_limit() {
                    call = call.with_reply_timeout(limit);
                }
                if self.config.streams {
                    call = call.streamed();
                }
                Ok(Reach::Http(Box::new(call)))
            }
            Binding::Custom => {
                let invoker = self.router.invokers.get(endpoint.key.as_str()).cloned().map(Reach::Custom);
                invoker.ok_or_else(|| {
                    let message = format!("no code is registered for `{}`", endpoint.key);
                    Error::rejected(ErrorKind::UnknownEndpoint, message)
                })
            }
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

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let (run, (spent, elapsed)) = (self.context.id, self.account());
        self.context.observers.tell(&Event::RunEnded { run, spent, elapsed });
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
