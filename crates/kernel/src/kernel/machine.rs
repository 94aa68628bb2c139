//! One call's attempts and waits, decided step by step.

use std::num::NonZeroU32;
use std::time::Duration;

use super::backoff::window;
use super::ledger::Ledger;
use super::verdict::Verdict;
use crate::base::disposition::Recovery;
use crate::base::id::{AttemptId, RunId};
use crate::base::rng::Jitter;
use crate::base::time::Monotonic;
use crate::policy::{DeadlineFit, Limit, RetryPolicy};

/// What the shell must do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Make this attempt.
    Attempt(AttemptPlan),
    /// Wait.
    Wait(WaitPlan),
    /// The call is over.
    Done(End),
}

/// An attempt to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptPlan {
    /// Its name.
    pub id: AttemptId,
    /// Which attempt of the call, from 1.
    pub number: NonZeroU32,
    /// When it is cut off (R-408).
    pub until: Option<Monotonic>,
}

/// A wait before the next attempt, or to the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitPlan {
    /// When it ends.
    pub until: Monotonic,
    /// How long it was meant to be; longer than it is where the deadline cut it.
    pub requested: Duration,
    /// Whether the deadline cut it; then no attempt follows (ruling 4).
    pub truncated: bool,
    /// Which rule set its length.
    pub why: WaitReason,
}

/// Which rule set the length of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// Our own backoff.
    Backoff,
    /// The other side's `Retry-After`, which asked for more.
    RetryAfter,
}

impl WaitReason {
    /// The stable word.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Backoff => "backoff",
            Self::RetryAfter => "retry_after",
        }
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It succeeded.
    Succeeded,
    /// It failed; `retry_after` is the other side's hint.
    Failed {
        /// What the failure means.
        verdict: Verdict,
        /// How long the other side asks to wait.
        retry_after: Option<Duration>,
    },
    /// The budget did not let it start, or cut it off.
    OverBudget(Limit),
    /// The run was cancelled before it started, or while it was under way.
    Cancelled,
}

/// How the call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With a success.
    Succeeded,
    /// Without; the last failure, if there was one, is the shell's.
    GaveUp(GiveUp),
}

/// The rule that ended the attempts, one word per rule (R-412).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUp {
    /// The same call would fail the same way.
    WouldFailAgain,
    /// Nobody knows whether it happened.
    OutcomeUnknown,
    /// A repeat could help, and is not judged safe (R-304, R-306).
    NotJudgedSafe,
    /// A gate refused this path.
    PathRefused,
    /// `max_attempts` of the retry policy is reached.
    LastAttempt,
    /// The other side asks for more than `max_retry_after`.
    RetryAfterTooLong,
    /// The wait would reach the deadline.
    WaitPastDeadline,
    /// The caller cancelled the run.
    Cancelled,
    /// The retries of the run are spent, which its calls share.
    RetryPoolSpent,
    /// A limit of the budget is reached.
    OverBudget(Limit),
}

impl GiveUp {
    /// Every rule, for tables.
    pub const ALL: &'static [Self] = &[
        Self::WouldFailAgain,
        Self::OutcomeUnknown,
        Self::NotJudgedSafe,
        Self::PathRefused,
        Self::LastAttempt,
        Self::RetryAfterTooLong,
        Self::WaitPastDeadline,
        Self::Cancelled,
        Self::RetryPoolSpent,
        Self::OverBudget(Limit::ToolCalls),
        Self::OverBudget(Limit::PerToolCalls),
        Self::OverBudget(Limit::Attempts),
        Self::OverBudget(Limit::Exchanges),
        Self::OverBudget(Limit::CostUnits),
        Self::OverBudget(Limit::ResponseBytes),
        Self::OverBudget(Limit::Elapsed),
        Self::OverBudget(Limit::StartToClose),
    ];

    /// The stable word.
    pub const fn code(self) -> &'static str {
        match self {
            Self::WouldFailAgain => "would_fail_again",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::NotJudgedSafe => "not_judged_safe",
            Self::PathRefused => "path_refused",
            Self::LastAttempt => "last_attempt",
            Self::RetryAfterTooLong => "retry_after_too_long",
            Self::WaitPastDeadline => "wait_past_deadline",
            Self::Cancelled => "cancelled",
            Self::RetryPoolSpent => "retry_pool_spent",
            Self::OverBudget(Limit::ToolCalls) => "call_budget_spent",
            Self::OverBudget(Limit::PerToolCalls) => "call_budget_of_endpoint_spent",
            Self::OverBudget(Limit::CostUnits) => "cost_budget_spent",
            Self::OverBudget(Limit::ResponseBytes) => "byte_budget_spent",
            Self::OverBudget(Limit::Attempts) => "attempt_budget_spent",
            Self::OverBudget(Limit::Exchanges) => "exchange_budget_spent",
            Self::OverBudget(Limit::Elapsed) => "deadline_reached",
            Self::OverBudget(Limit::StartToClose) => "start_to_close_reached",
        }
    }

    /// Why, in a sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::WouldFailAgain => "Not repeated: the same call would fail the same way.",
            Self::OutcomeUnknown => {
                "Not repeated: the request may have taken effect, and a repeat might do it twice."
            }
            Self::NotJudgedSafe => {
                "Not repeated: only read-only operations are, unless trusted code judges a repeat safe."
            }
            Self::PathRefused => "Not repeated: this path refuses calls at the moment.",
            Self::LastAttempt => "Not repeated: this was the last attempt that the retry policy allows.",
            Self::RetryAfterTooLong => {
                "Not repeated: the server asks to wait longer than the retry policy allows, and is not asked early."
            }
            Self::WaitPastDeadline => {
                "Not repeated: the wait before the next attempt would reach the deadline."
            }
            Self::Cancelled => "Stopped: the run was cancelled.",
            Self::RetryPoolSpent => "Not repeated: the calls of this run have spent the retries they share.",
            Self::OverBudget(Limit::ToolCalls) => "Stopped: the budget has no call left.",
            Self::OverBudget(Limit::PerToolCalls) => "Stopped: the budget has no call of this endpoint left.",
            Self::OverBudget(Limit::CostUnits) => "Stopped: the budget has too few cost units left.",
            Self::OverBudget(Limit::ResponseBytes) => {
                "Stopped: the reply is larger than what the budget has left."
            }
            Self::OverBudget(Limit::Attempts) => "Stopped: the budget has no attempt left.",
            Self::OverBudget(Limit::Exchanges) => "Stopped: the budget has no exchange left.",
            Self::OverBudget(Limit::Elapsed) => "Stopped: the deadline of the run is reached.",
            Self::OverBudget(Limit::StartToClose) => "Stopped: the call has taken as long as it may.",
        }
    }

    /// The limit of the budget behind this rule; the error is `budget_exceeded` then (ruling 4).
    pub const fn limit(self) -> Option<Limit> {
        match self {
            Self::OverBudget(limit) => Some(limit),
            Self::WaitPastDeadline => Some(Limit::Elapsed),
            _ => None,
        }
    }
}

/// One call: asks for attempts and waits until it is over; knows no clock, no chance, no transport.
///
/// The shell asks for a [`step`](Self::step), carries it out, and tells the machine what came of an attempt with
/// [`settle`](Self::settle). A step can be asked for again without harm: the answer stays until it is settled or,
/// for a wait, until its time has come.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::{disposition::Effect, id::RunId, rng::Jitter, time::Monotonic};
/// use schemarouter_kernel::kernel::{CallMachine, End, Event, Fact, Footing, Ledger, Step, verdict};
/// use schemarouter_kernel::policy::{ExecutionBudget, RetryPolicy};
///
/// let policy = RetryPolicy::builder().max_attempts(2).build()?;
/// let footing = Footing::of(Effect::ReadOnly, &policy);
/// let mut ledger = Ledger::open(ExecutionBudget::default(), Monotonic::ZERO);
/// let mut call = CallMachine::new(RunId(1), 1, policy, ledger.deadline(), Jitter::seeded(1));
///
/// assert!(matches!(call.step(Monotonic::ZERO), Step::Attempt(plan) if plan.number.get() == 1));
/// let failed = verdict(Fact::Status(503), footing).expect("a failure");
/// call.settle(Monotonic::ZERO, Event::Failed { verdict: failed, retry_after: None }, &mut ledger);
/// let Step::Wait(wait) = call.step(Monotonic::ZERO) else { panic!("waits before the second attempt") };
/// assert!(matches!(call.step(wait.until), Step::Attempt(plan) if plan.number.get() == 2));
/// call.settle(wait.until, Event::Succeeded, &mut ledger);
/// assert_eq!(call.step(wait.until), Step::Done(End::Succeeded));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CallMachine {
    run: RunId,
    call: u32,
    policy: RetryPolicy,
    deadline: Option<Monotonic>,
    /// What an attempt costs.
    cost: u32,
    jitter: Jitter,
    next: NonZeroU32,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Ready,
    InFlight(AttemptPlan),
    Waiting(WaitPlan),
    Over(End),
}

impl CallMachine {
    /// A call of a run; its policy and deadline are frozen.
    pub const fn new(
        run: RunId,
        call: u32,
        policy: RetryPolicy,
        deadline: Option<Monotonic>,
        jitter: Jitter,
    ) -> Self {
        Self { run, call, policy, deadline, cost: 0, jitter, next: NonZeroU32::MIN, state: State::Ready }
    }

    /// The same with attempts of this cost.
    #[must_use]
    pub const fn with_cost(mut self, units: u32) -> Self {
        self.cost = units;
        self
    }

    /// What to do now.
    pub fn step(&mut self, now: Monotonic) -> Step {
        match self.state {
            State::Over(end) => Step::Done(end),
            State::InFlight(plan) => Step::Attempt(plan),
            State::Waiting(wait) if now < wait.until => Step::Wait(wait),
            State::Waiting(wait) if wait.truncated => self.over(End::GaveUp(GiveUp::WaitPastDeadline)),
            State::Waiting(_) | State::Ready => self.start(now),
        }
    }

    /// Takes in what came of the attempt in flight; anything else than an attempt in flight is left as it is.
    ///
    /// Where the ledger has no attempt left there is nothing to wait for; of its pool a retry is taken once nothing else
    /// stands against it (R-409).
    pub fn settle(&mut self, now: Monotonic, event: Event, ledger: &mut Ledger) {
        let State::InFlight(plan) = self.state else { return };
        self.state = match event {
            Event::Succeeded => State::Over(End::Succeeded),
            Event::OverBudget(limit) => State::Over(End::GaveUp(GiveUp::OverBudget(limit))),
            Event::Cancelled => State::Over(End::GaveUp(GiveUp::Cancelled)),
            Event::Failed { verdict, retry_after } => {
                match self.decide(now, plan, verdict, retry_after, ledger) {
                    Ok(wait) => {
                        self.next = plan.number.saturating_add(1);
                        State::Waiting(wait)
                    }
                    Err(reason) => State::Over(End::GaveUp(reason)),
                }
            }
        };
    }

    /// Ends a call that waits; what is under way is [settled](Self::settle).
    pub fn cancel(&mut self) {
        if matches!(self.state, State::Ready | State::Waiting(_)) {
            self.over(End::GaveUp(GiveUp::Cancelled));
        }
    }

    fn start(&mut self, now: Monotonic) -> Step {
        // No attempt starts at or past the deadline (R-408).
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return self.over(End::GaveUp(GiveUp::OverBudget(Limit::Elapsed)));
        }
        let number = self.next;
        let id = AttemptId { run: self.run, call: self.call, number: number.get() };
        let plan = AttemptPlan { id, number, until: self.deadline };
        self.state = State::InFlight(plan);
        Step::Attempt(plan)
    }

    const fn over(&mut self, end: End) -> Step {
        self.state = State::Over(end);
        Step::Done(end)
    }

    /// The one order: may it be repeated at all, is an attempt left, does the wait fit, has the pool a retry.
    fn decide(
        &mut self,
        now: Monotonic,
        plan: AttemptPlan,
        verdict: Verdict,
        retry_after: Option<Duration>,
        ledger: &mut Ledger,
    ) -> Result<WaitPlan, GiveUp> {
        refuse_repeat(verdict)?;
        if plan.number >= self.policy.max_attempts() {
            return Err(GiveUp::LastAttempt);
        }
        ledger.has_attempt(self.cost).map_err(GiveUp::OverBudget)?;
        if retry_after.is_some_and(|hint| hint > self.policy.max_retry_after()) {
            return Err(GiveUp::RetryAfterTooLong);
        }
        let window = window(&self.policy, plan.number);
        let backoff = if self.policy.full_jitter() { self.jitter.up_to(window) } else { window };
        let (requested, why) = match retry_after {
            Some(hint) if hint > backoff => (hint, WaitReason::RetryAfter),
            _ => (backoff, WaitReason::Backoff),
        };
        let until = now.saturating_add(requested);
        match self.deadline {
            Some(deadline) if until >= deadline => match self.policy.deadline_fit() {
                // The deadline itself is reached; whether to wait for it no longer matters.
                _ if now >= deadline => Err(GiveUp::OverBudget(Limit::Elapsed)),
                DeadlineFit::Decline => Err(GiveUp::WaitPastDeadline),
                DeadlineFit::RunToBoundary => {
                    Ok(WaitPlan { until: deadline, requested, truncated: true, why })
                }
            },
            _ if !ledger.take_retry() => Err(GiveUp::RetryPoolSpent),
            _ => Ok(WaitPlan { until, requested, truncated: false, why }),
        }
    }
}

const fn refuse_repeat(verdict: Verdict) -> Result<(), GiveUp> {
    match verdict.recovery {
        _ if verdict.repeat => Ok(()),
        Recovery::Fatal => Err(GiveUp::WouldFailAgain),
        Recovery::Unknown => Err(GiveUp::OutcomeUnknown),
        _ if verdict.refused => Err(GiveUp::PathRefused),
        _ => Err(GiveUp::NotJudgedSafe),
    }
}
