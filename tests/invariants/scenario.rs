//! A scenario, drawn from a seed.

use std::time::Duration;

use schemarouter::executor::ExchangeKind;
use schemarouter::kernel::base::disposition::{Disposition, Reached};
use schemarouter::kernel::base::rng::Jitter;
use schemarouter::kernel::kernel::Fact;
use schemarouter::kernel::policy::{DeadlineFit, ExecutionBudget, RetryPolicy};

use super::world::{ENDPOINTS, MIRROR, OPERATORS};

/// What one seed plays.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// Which of the operators' routers.
    pub(crate) operator: usize,
    pub(crate) runs: Vec<RunScript>,
    /// What the attempts do, in the order in which they start; from the beginning again at the end.
    pub(crate) acts: Vec<Act>,
    /// Which asks the gate refuses, and what it says about when to come again.
    pub(crate) refusals: Vec<(usize, Option<Duration>)>,
    /// Drops everything after so many rounds of polls.
    pub(crate) drop_after: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct RunScript {
    /// Endpoints, each once.
    pub(crate) calls: Vec<usize>,
    pub(crate) shape: Shape,
    pub(crate) policy: RetryPolicy,
    pub(crate) budget: ExecutionBudget,
    pub(crate) pool: Option<u32>,
    /// Cancels the run as soon as so much time has gone by.
    pub(crate) cancel_at: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Single,
    InOrder,
    SideBySide,
}

/// What one attempt does.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    /// How far its request gets, as it says; nothing where it does not say.
    pub(crate) reach: Option<Reached>,
    pub(crate) exchanges: Vec<ExchangeKind>,
    pub(crate) yields: usize,
    pub(crate) takes: Duration,
    pub(crate) cancels: bool,
    pub(crate) end: ActEnd,
}

#[derive(Debug, Clone)]
pub(crate) enum ActEnd {
    Succeed(usize),
    BreakTheSchema,
    Fail { fact: Fact, reached: Option<Reached>, retry_after: Option<Duration> },
    Hang,
}

pub(crate) struct Draw(Jitter);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0.bits() % end
    }
    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("an index")
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.index(all.len())].clone()
    }
    fn small(&mut self, end: u64) -> u32 {
        u32::try_from(self.below(end)).expect("small")
    }
    fn millis(&mut self, all: &[u64]) -> Duration {
        Duration::from_millis(self.of(all))
    }
}

impl Scenario {
    pub(crate) fn of(seed: u64) -> Self {
        let draw = &mut Draw(Jitter::seeded(seed.wrapping_mul(0x9E37_79B9).wrapping_add(77)));
        let runs = if draw.one_in(5) { 2 + draw.index(2) } else { 1 };
        Self {
            operator: draw.index(OPERATORS),
            runs: (0..runs).map(|_| run(draw)).collect(),
            acts: (0..=draw.index(8)).map(|_| act(draw)).collect(),
            refusals: if draw.one_in(4) {
                (0..=draw.index(2)).map(|_| (draw.index(5), retry_after(draw))).collect()
            } else {
                Vec::new()
            },
            drop_after: draw.one_in(6).then(|| draw.index(30)),
        }
    }
}

fn run(draw: &mut Draw) -> RunScript {
    let shape = draw.of(&[Shape::Single, Shape::Single, Shape::InOrder, Shape::SideBySide]);
    let most = if shape == Shape::Single { 1 } else { 4 };
    let mut calls: Vec<usize> = Vec::new();
    while calls.is_empty() || (calls.len() < most && !draw.one_in(3)) {
        let endpoint = draw.index(ENDPOINTS.len());
        let fits = shape != Shape::SideBySide || ENDPOINTS[endpoint].is_read_only();
        // The mirror is the fallback of another endpoint: each endpoint is to be called once in a run.
        if fits && endpoint != MIRROR && !calls.contains(&endpoint) {
            calls.push(endpoint);
        }
        if shape == Shape::SideBySide && calls.len() == 3 {
            break;
        }
    }
    RunScript {
        calls,
        shape,
        policy: policy(draw),
        budget: budget(draw),
        pool: draw.one_in(4).then(|| draw.small(3)),
        cancel_at: draw.one_in(8).then(|| draw.millis(&[0, 1, 200, 900, 3000])),
    }
}

fn policy(draw: &mut Draw) -> RetryPolicy {
    RetryPolicy::builder()
        .max_attempts(1 + draw.small(5))
        .initial_backoff(draw.millis(&[0, 100, 250, 2000]))
        .backoff_multiplier(draw.of(&[1.0, 2.0, 3.0]))
        .max_backoff(draw.millis(&[100, 1000, 5000]))
        .max_retry_after(draw.millis(&[1000, 60_000]))
        .retry_non_read_only(draw.one_in(3))
        .full_jitter(draw.one_in(2))
        .deadline_fit(draw.of(&[DeadlineFit::Decline, DeadlineFit::RunToBoundary]))
        .build()
        .expect("a valid policy")
}

fn budget(draw: &mut Draw) -> ExecutionBudget {
    let mut budget = ExecutionBudget::default();
    if draw.one_in(2) {
        return budget;
    }
    budget.max_tool_calls = draw.one_in(5).then(|| draw.small(3));
    if draw.one_in(6) {
        let key = ENDPOINTS[draw.index(ENDPOINTS.len())].key();
        budget.per_tool_calls = [(key.as_str(), draw.small(2))].into_iter().collect();
    }
    budget.max_attempts = draw.one_in(4).then(|| draw.small(5));
    budget.max_remote_attempts = draw.one_in(4).then(|| draw.small(5));
    budget.max_cost_units = draw.one_in(4).then(|| draw.below(8));
    budget.max_response_bytes = draw.one_in(5).then(|| draw.below(60));
    budget.max_elapsed = draw.one_in(3).then(|| draw.millis(&[0, 150, 700, 2000, 9000]));
    budget
}

fn retry_after(draw: &mut Draw) -> Option<Duration> {
    draw.one_in(3).then(|| draw.millis(&[0, 500, 1000, 4000, 100_000]))
}

fn act(draw: &mut Draw) -> Act {
    use ExchangeKind::{Call, Redirect, Token};
    let reach = draw.of(&[None, None, Some(Reached::NotSent), Some(Reached::MaybeSent)]);
    let statuses = [200, 404, 500, 503, 302];
    let reach = if draw.one_in(6) { Some(Reached::Answered(draw.of(&statuses))) } else { reach };
    Act {
        reach,
        exchanges: draw.of(&[vec![], vec![Call], vec![Call], vec![Token, Call], vec![Call, Redirect]]),
        yields: draw.index(3),
        takes: draw.millis(&[0, 0, 5, 60, 800]),
        cancels: draw.one_in(25),
        end: match draw.below(10) {
            0..=1 => ActEnd::Succeed(draw.index(30)),
            2 if draw.one_in(2) => ActEnd::BreakTheSchema,
            2..=3 => ActEnd::Hang,
            _ => fail(draw),
        },
    }
}

fn fail(draw: &mut Draw) -> ActEnd {
    use Disposition::{Indeterminate, NonRetryable, Transient, Unavailable};
    let fact = draw.of(&[
        Fact::Unsendable,
        Fact::NotSent,
        Fact::NotSent,
        Fact::TimedOut,
        Fact::Broken,
        Fact::UnusableReply,
        Fact::Declared(Transient),
        Fact::Declared(Unavailable),
        Fact::Declared(Indeterminate),
        Fact::Declared(NonRetryable),
        Fact::Unclassified,
        Fact::Status(503),
        Fact::Status(429),
        Fact::Status(0),
    ]);
    let statuses = [302, 400, 404, 408, 418, 425, 429, 500, 501, 502, 503, 504, 599];
    let fact = if fact == Fact::Status(0) { Fact::Status(draw.of(&statuses)) } else { fact };
    let says = !matches!(fact, Fact::Status(_) | Fact::UnusableReply) && draw.one_in(2);
    let reached = draw.of(&[Reached::NotSent, Reached::MaybeSent]);
    ActEnd::Fail { fact, reached: says.then_some(reached), retry_after: retry_after(draw) }
}
