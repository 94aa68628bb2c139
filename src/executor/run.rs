//! One call, attempt by attempt.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::kind::Phase;
use schemarouter_kernel::base::report::{Applied, AttemptReport, Spent};
use schemarouter_kernel::base::rng::Jitter;
use schemarouter_kernel::kernel::{
    AttemptPlan, CallMachine, End, Event as MachineEvent, Fact, Footing, GiveUp, LimitReached, Step, Verdict,
};
use schemarouter_kernel::policy::{Limit, RetryPolicy, Windows};
use tokio_util::sync::CancellationToken;

use super::attempt::Attempt;
use super::deadline::{Deadline, Limited, cancelled, cut, silent};
use super::failure::Failure;
use super::gate::{Admission, GateHandle, GateRefusal, Settlement};
use super::history::{Ended, History};
use super::invoker::{Invocation, InvokerHandle};
use super::ledger::SharedLedger;
use super::observer::{Event, ObserverHandle};
use super::reply::{Body, Reply};
use super::span;
use super::timer::TimerHandle;
use super::verdict_error::{Ending, error, judge};

/// What the calls of one run share.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// The run's name.
    pub id: RunId,
    /// Its account and deadline.
    pub ledger: SharedLedger,
    /// Who listens.
    pub observers: ObserverHandle,
    /// What its randomness starts from.
    pub seed: u64,
    /// Ends its calls.
    pub cancellation: CancellationToken,
}

impl RunContext {
    /// What comes of the work, unless the run is cancelled before; what is done counts, even if both are.
    pub(crate) async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.cancellation.cancelled() => None,
        }
    }
}

/// A call, with everything that is frozen when it starts.
#[derive(Debug, Clone)]
pub struct CallPlan {
    /// The run.
    pub run: Arc<RunContext>,
    /// Which call of the run, from 1.
    pub call: u32,
    /// What is called, with what, as whom.
    pub invocation: Invocation,
    /// By which invoker.
    pub invoker: InvokerHandle,
    /// How often, and after which waits.
    pub policy: RetryPolicy,
    /// The ground on which failures are judged.
    pub footing: Footing,
    /// What each attempt costs, in units of the budget.
    pub cost: u32,
    /// How long it may take and be silent; not limited but by the run where it is not said.
    pub windows: Option<Windows>,
}

/// Judges a reply before it counts as a success; a refusal is a failure of the attempt.
pub trait ReplyCheck: Send + Sync {
    /// Hands the reply on, or says what is wrong with it.
    ///
    /// # Errors
    /// What is wrong with the reply.
    fn check(&self, reply: Reply) -> Result<Reply, Failure>;
}

impl<F: Fn(Reply) -> Result<Reply, Failure> + Send + Sync> ReplyCheck for F {
    fn check(&self, reply: Reply) -> Result<Reply, Failure> {
        self(reply)
    }
}

/// A call that succeeded.
#[derive(Debug)]
pub struct Completed {
    /// The reply.
    pub reply: Reply,
    /// The attempts, the last one successful.
    pub attempts: Vec<AttemptReport>,
    /// From the start of the run.
    pub elapsed: Duration,
    /// What the run has spent.
    pub spent: Spent,
}

/// Runs calls: the only place where anything is repeated.
#[derive(Clone)]
pub struct Executor {
    timer: TimerHandle,
    gate: GateHandle,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Executor")
    }
}

/// What came of one attempt.
enum Tried {
    Reply(Reply),
    Failed(Failure, Verdict),
    /// A limit did not let it start, or cut it off; then with what was under way.
    OverBudget(LimitReached, Option<(Failure, Verdict)>),
    /// The run was cancelled; with what was under way.
    Cancelled(Option<(Failure, Verdict)>),
}

impl Tried {
    /// What an earlier attempt may have done, a later one does not take back.
    fn not_before(mut self, applied: &mut Option<Applied>) -> Self {
        if let Self::Failed(_, verdict)
        | Self::OverBudget(_, Some((_, verdict)))
        | Self::Cancelled(Some((_, verdict))) = &mut self
        {
            verdict.applied = verdict.applied.max(*applied);
            *applied = verdict.applied;
        }
        self
    }
}

impl Executor {
    /// An executor with these ports.
    pub const fn new(timer: TimerHandle, gate: GateHandle) -> Self {
        Self { timer, gate }
    }

    /// Its time.
    pub const fn timer(&self) -> &TimerHandle {
        &self.timer
    }

    /// Carries a call out.
    ///
    /// # Errors
    /// The last failure, or the limit that was reached, with the history of the attempts.
    ///
    /// # Cancel safety
    /// Dropping the future gives the permit back, tells the observers, and leaves whatever the
    /// server has received as it is: a request that was under way may have taken effect.
    pub async fn run(&self, plan: &CallPlan, check: &dyn ReplyCheck) -> Result<Completed, Error> {
        let (run, call, key) = (plan.run.id, plan.call, &plan.invocation.endpoint.key);
        let (observers, span) = (&plan.run.observers, span::call(plan));
        observers.tell_with(|| Event::CallStarted { run, call, endpoint: key.clone() });
        let done = span::within(&span, pin!(self.drive(plan, check))).await;
        span::call_ended(&span, &done);
        let failure = done.as_ref().err().map(|error| (error.kind(), error.disposition()));
        observers.tell(&Event::CallEnded { run, call, failure });
        done
    }

    /// Steps the call's machine until it is done.
    async fn drive(&self, plan: &CallPlan, check: &dyn ReplyCheck) -> Result<Completed, Error> {
        let ledger = &plan.run.ledger;
        let (run_started, deadline) = {
            let ledger = ledger.lock();
            (ledger.started(), Deadline::of(plan.windows, &ledger, self.timer.now()))
        };
        let jitter = Jitter::seeded(plan.run.seed ^ u64::from(plan.call));
        let mut machine = CallMachine::new(plan.run.id, plan.call, plan.policy.clone(), deadline.at, jitter)
            .with_cost(plan.cost);
        let mut history = History::new(run_started);
        let mut watch = Watch { run: &plan.run, under_way: None, over: false };
        let (mut last, mut limit, mut reply): (Option<(Failure, Verdict)>, _, _) = (None, None, None);
        let mut applied = None;
        loop {
            match machine.step(self.timer.now()) {
                Step::Attempt(attempt) => {
                    let tried = self
                        .attempt(plan, attempt, deadline, check, &mut history, &mut watch)
                        .await
                        .not_before(&mut applied);
                    let event = match tried {
                        Tried::Reply(received) => {
                            reply = Some(received);
                            MachineEvent::Succeeded
                        }
                        Tried::Failed(failure, verdict) => {
                            let retry_after = failure.0.retry_after;
                            last = Some((failure, verdict));
                            MachineEvent::Failed { verdict, retry_after }
                        }
                        Tried::OverBudget(reached, under_way) => {
                            last = under_way.or(last);
                            limit = Some(reached);
                            MachineEvent::OverBudget(reached.limit)
                        }
                        Tried::Cancelled(under_way) => {
                            last = under_way.or(last);
                            MachineEvent::Cancelled
                        }
                    };
                    machine.settle(self.timer.now(), event, &mut ledger.lock());
                }
                Step::Wait(wait) => {
                    let started = self.timer.now();
                    plan.run.observers.tell(&Event::Waiting { run: plan.run.id, plan: wait });
                    tracing::debug!(seconds = wait.until.saturating_since(started).as_secs_f64(), "waits");
                    let waited = plan.run.unless_cancelled(self.timer.wait_until(wait.until)).await;
                    if waited.is_none() {
                        machine.cancel();
                    }
                    history.waited(self.timer.now().saturating_since(started));
                }
                Step::Done(end) => {
                    watch.over = true;
                    let now = self.timer.now();
                    let (elapsed, spent) = (now.saturating_since(run_started), ledger.spent());
                    let attempts = history.into_attempts();
                    return match (end, reply) {
                        (End::Succeeded, Some(reply)) => Ok(Completed { reply, attempts, elapsed, spent }),
                        (End::GaveUp(reason), _) => {
                            let limit = limit.or_else(|| match reason.limit()? {
                                Limit::Elapsed => Some(deadline.reached(ledger, now)),
                                limit => Some(ledger.lock().reached(limit, now)),
                            });
                            // The machine knows of one deadline; whose it was is known here.
                            let reason = match (reason, limit) {
                                (GiveUp::OverBudget(_), Some(reached)) => GiveUp::OverBudget(reached.limit),
                                (reason, _) => reason,
                            };
                            let endpoint = plan.invocation.endpoint.key.to_string();
                            Err(error(Ending { endpoint, reason, last, limit, attempts, elapsed, spent }))
                        }
                        (End::Succeeded, None) => unreachable!("a success brings a reply"),
                    };
                }
            }
        }
    }

    /// One attempt: admitted, charged, made, settled, judged, in this order.
    async fn attempt(
        &self,
        plan: &CallPlan,
        step: AttemptPlan,
        deadline: Deadline,
        check: &dyn ReplyCheck,
        history: &mut History,
        watch: &mut Watch<'_>,
    ) -> Tried {
        let (run, on) = (&plan.run, plan.footing);
        let who = Admission { endpoint: &plan.invocation.endpoint.key, attempt: step.id };
        let admitted = {
            let work = pin!(self.gate.admit(who));
            let work = pin!(self.timer.limit(step.until, work));
            run.unless_cancelled(work).await
        };
        let Some(admitted) = admitted else { return Tried::Cancelled(None) };
        let permit = match admitted {
            Some(Ok(permit)) => permit,
            Some(Err(refusal)) => {
                let failure = refused(refusal);
                let verdict = judge(&failure, on);
                return Tried::Failed(failure, verdict);
            }
            None => return Tried::OverBudget(deadline.reached(&run.ledger, self.timer.now()), None),
        };
        // The ledger knows the deadline of the run; that of the call may have come while the gate was asked.
        let now = self.timer.now();
        if step.until.is_some_and(|until| now >= until) {
            return Tried::OverBudget(deadline.reached(&run.ledger, now), None);
        }
        // A refused charge gives the permit back unused and is not recorded.
        let charged = run.ledger.lock().charge_attempt(plan.cost, self.timer.now());
        if let Err(reached) = charged {
            return Tried::OverBudget(reached, None);
        }

        let attempt = Arc::new(Attempt::new(
            step.id,
            step.until,
            on.judged,
            self.timer.clone(),
            Arc::clone(run),
            plan.windows.and_then(|windows| windows.heartbeat),
        ));
        watch.under_way = Some(Arc::clone(&attempt));
        run.observers.tell(&Event::AttemptStarted { id: step.id });
        let started = self.timer.now();
        let span = span::attempt(step.id);
        // What is left of it is dropped here, before anybody is told that it ended.
        let made = {
            let work = pin!(plan.invoker.invoke(&plan.invocation, &attempt));
            let work = pin!(attempt.watched(work));
            let work = pin!(run.unless_cancelled(work));
            span::within(&span, work).await
        };
        let now = self.timer.now();
        watch.under_way = None;

        let (cut_off, is_cancelled) = (matches!(made, Some(Err(Limited::CutOff))), made.is_none());
        let reached = attempt.reach().reached();
        let outcome = match made {
            Some(Ok(made)) => made,
            Some(Err(Limited::CutOff)) => Err(cut(reached, "the deadline")),
            Some(Err(Limited::Silent(window))) => Err(silent(reached, window)),
            None => Err(cancelled(reached, on.judged)),
        };
        let outcome = outcome
            .and_then(|reply| attempt.received_whole(reply))
            .and_then(|reply| check.check(reply))
            .map_err(|failure| (judge(&failure, on), failure));
        let (status, failure) = match &outcome {
            Ok(reply) => (reply.status, None),
            Err((verdict, failure)) => (answered(failure), Some((failure, *verdict))),
        };
        let report = history.record(&attempt, &Ended { started, now, status, failure });
        span::attempt_ended(&span, report);
        run.observers.tell_with(|| Event::AttemptEnded { id: step.id, report: report.clone() });
        match outcome {
            Ok(mut reply) => {
                // A buffered reply settles its permit now, a stream when it ends.
                match &mut reply.body {
                    Body::Stream(stream) => stream.hold(permit, attempt),
                    Body::Buffered(_) => permit.settle(Settlement::Succeeded),
                }
                Tried::Reply(reply)
            }
            Err((verdict, failure)) if is_cancelled => {
                // The caller's choice says nothing about the path.
                permit.settle(Settlement::Abandoned);
                Tried::Cancelled(Some((failure, verdict)))
            }
            Err((verdict, failure)) => {
                if let Some(reached) = failure.0.over_budget {
                    permit.settle(Settlement::Abandoned);
                    let under_way = (failure.fact() != Fact::Unsendable).then_some((failure, verdict));
                    return Tried::OverBudget(reached, under_way);
                }
                permit.settle(Settlement::Failed(failure.fact()));
                if cut_off {
                    return Tried::OverBudget(deadline.reached(&run.ledger, now), Some((failure, verdict)));
                }
                Tried::Failed(failure, verdict)
            }
        }
    }
}

fn answered(failure: &Failure) -> Option<u16> {
    match (failure.fact(), failure.reached()) {
        (Fact::Status(status), _) | (_, Reached::Answered(status)) => Some(status),
        _ => None,
    }
}

fn refused(refusal: GateRefusal) -> Failure {
    Failure::new(refusal.kind, Fact::Refused, refusal.message)
        .with_phase(Phase::BeforeSending)
        .with_retry_after(refusal.retry_in)
}

/// Tells the observers when the caller goes away before the call is over.
struct Watch<'a> {
    run: &'a RunContext,
    under_way: Option<Arc<Attempt>>,
    over: bool,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.over {
            let under_way = self.under_way.as_ref().map(|attempt| (attempt.id(), attempt.reach().reached()));
            self.run.observers.tell(&Event::Dropped { run: self.run.id, under_way });
        }
    }
}
