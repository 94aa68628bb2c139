//! What has to hold of every scenario, against what the other side wrote down.

use std::collections::BTreeMap;
use std::time::Duration;

use schemarouter::executor::{Event, Settlement};
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::{Applied, Spent};
use schemarouter::kernel::kernel::Fact;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{CallResult, Outcome};

use super::model::{failed, may_have_done_it, may_repeat, means};
use super::play::{Came, Played};
use super::scenario::{RunScript, Scenario, Shape};
use super::stage::{Ask, Back, Seen};
use super::world::{Allowed, ENDPOINTS, EndpointOf, MIRROR, READ, allowed};

/// How many of each kind of end there were.
pub(crate) type Counts = BTreeMap<String, u64>;

pub(crate) fn check(scenario: &Scenario, played: &Played, counts: &mut Counts) {
    let mut count = |kind: &str| *counts.entry(kind.to_owned()).or_insert(0) += 1;
    for ask in &played.record.asks {
        assert!(ask.settled.is_some(), "a ticket is left open: {ask:?}");
    }
    for run in 0..scenario.runs.len() {
        Run::of(scenario, played, run).check(&mut count);
    }
}

/// One run, and what was seen of it.
struct Run<'a> {
    operator: usize,
    script: &'a RunScript,
    allowed: Allowed,
    asks: Vec<&'a Ask>,
    attempts: Vec<&'a Seen>,
    /// Attempts whose reply was more than the bytes of the budget.
    over_bytes: Vec<&'a Seen>,
    bytes: u64,
    started: Duration,
    /// Whether nobody else moves time.
    alone: bool,
    came: Option<&'a Came>,
    events: &'a [Event],
    is_cancelled: bool,
}

impl<'a> Run<'a> {
    fn of(scenario: &'a Scenario, played: &'a Played, run: usize) -> Self {
        let record = &played.record;
        let script = &scenario.runs[run];
        let (mut bytes, mut over_bytes) = (0, Vec::new());
        for seen in record.returned.iter().map(|at| &record.attempts[*at]).filter(|seen| seen.run == run) {
            if let Some(Back::Success(more) | Back::BrokenSchema(more)) = seen.back {
                let after = bytes + more as u64;
                if script.budget.max_response_bytes.is_some_and(|most| after > most) {
                    over_bytes.push(seen);
                } else {
                    bytes = after;
                }
            }
        }
        Self {
            operator: scenario.operator,
            script,
            allowed: allowed(scenario.operator, &script.policy),
            asks: record.asks.iter().filter(|ask| ask.run == run).collect(),
            attempts: record.attempts.iter().filter(|seen| seen.run == run).collect(),
            over_bytes,
            bytes,
            started: played.started[run].unwrap_or_default(),
            alone: scenario.runs.len() == 1 && script.shape != Shape::SideBySide,
            came: played.came[run].as_ref(),
            events: &played.events[run],
            is_cancelled: record.tokens[run].is_cancelled(),
        }
    }

    fn check(&self, count: &mut impl FnMut(&str)) {
        self.budget();
        self.settlements();
        self.told();
        let calls: std::collections::BTreeSet<usize> = self.asks.iter().map(|ask| ask.endpoint).collect();
        for endpoint in calls {
            self.call(endpoint, count);
        }
        match self.came {
            None => count("dropped"),
            Some(Came::Single(result)) => match result.as_ref() {
                Ok(outcome) => {
                    self.spent(outcome.spent);
                    self.success(self.script.calls[0], outcome, count);
                }
                Err(error) => {
                    if let Some(spent) = error.report().spent {
                        self.spent(spent);
                    } else {
                        assert!(self.asks.is_empty(), "an error without what was spent: {error:?}");
                    }
                    self.failure(self.script.calls[0], error, count);
                }
            },
            Some(Came::Plan(Ok(plan))) => {
                self.spent(plan.spent);
                assert_eq!(plan.results.len(), self.script.calls.len(), "a result for each call");
                let mut over = false;
                for (endpoint, result) in self.script.calls.iter().zip(&plan.results) {
                    let not_run = matches!(result, CallResult::NotRun);
                    assert_eq!(
                        not_run,
                        over && self.script.shape == Shape::InOrder,
                        "what runs after a failure"
                    );
                    match result {
                        CallResult::Succeeded(outcome) => self.success(*endpoint, outcome, count),
                        CallResult::Failed(error) => {
                            over = true;
                            self.failure(*endpoint, error, count);
                        }
                        CallResult::NotRun => {
                            assert!(self.seen_of(*endpoint).0.is_empty(), "it was made all the same");
                            count("not run");
                        }
                    }
                }
            }
            Some(Came::Plan(Err(error))) => panic!("the plan is refused: {error}"),
        }
    }

    fn seen_of(&self, endpoint: usize) -> (Vec<&'a Ask>, Vec<&'a Seen>) {
        (
            self.asks.iter().copied().filter(|ask| ask.endpoint == endpoint).collect(),
            self.attempts.iter().copied().filter(|seen| seen.endpoint == endpoint).collect(),
        )
    }

    fn is_safe(&self, endpoint: &EndpointOf) -> bool {
        may_repeat(endpoint, self.operator, &self.allowed)
    }

    fn recorded(&self) -> Spent {
        let calls: std::collections::BTreeSet<usize> = self.asks.iter().map(|ask| ask.endpoint).collect();
        Spent {
            calls: u32::try_from(calls.len()).expect("few"),
            attempts: u32::try_from(self.attempts.len()).expect("few"),
            exchanges: self.attempts.iter().map(|seen| seen.exchanges).sum(),
            cost_units: self.attempts.iter().map(|seen| u64::from(ENDPOINTS[seen.endpoint].cost)).sum(),
            response_bytes: self.bytes,
        }
    }

    /// What is told as spent is what the other side has seen.
    fn spent(&self, told: Spent) {
        assert_eq!(told, self.recorded(), "what is told as spent, and what was seen");
    }

    fn budget(&self) {
        let (seen, budget) = (self.recorded(), &self.script.budget);
        let ExecutionBudget { max_tool_calls, max_attempts, max_remote_attempts, max_cost_units, .. } =
            budget;
        assert!(max_tool_calls.is_none_or(|most| seen.calls <= most), "calls over the budget");
        assert!(max_attempts.is_none_or(|most| seen.attempts <= most), "attempts over the budget");
        assert!(max_remote_attempts.is_none_or(|most| seen.exchanges <= most), "exchanges over the budget");
        assert!(max_cost_units.is_none_or(|most| seen.cost_units <= most), "cost over the budget");
        for ask in &self.asks {
            let most = budget.per_tool_calls.get(&ENDPOINTS[ask.endpoint].key()).copied();
            assert!(most != Some(0), "a call that its endpoint has none left for: {ask:?}");
        }
        for seen in &self.attempts {
            let deadline = budget.max_elapsed.map(|limit| self.started + limit);
            assert!(deadline.is_none_or(|at| seen.started < at), "an attempt at the deadline: {seen:?}");
        }
        let retries = self.attempts.iter().filter(|seen| seen.id.number > 1).count();
        assert!(
            self.script.pool.is_none_or(|most| retries <= most as usize),
            "{retries} retries of the pool"
        );
    }

    fn settlements(&self) {
        for ask in &self.asks {
            let seen = self.attempts.iter().find(|seen| seen.id == ask.id);
            let due = match seen.map(|seen| (&seen.back, self.is_over_bytes(seen))) {
                None | Some((Some(Back::OverBudget), _) | (_, true)) => Settlement::Abandoned,
                Some((Some(Back::Success(_)), _)) => Settlement::Succeeded,
                Some((Some(Back::BrokenSchema(_)), _)) => Settlement::Failed(Fact::UnusableReply),
                Some((Some(Back::Failed { fact, .. }), _)) => Settlement::Failed(*fact),
                // Cut off by time it is a failure, cancelled or dropped it is none.
                Some((None, _)) => {
                    let EndpointOf { timeout, heartbeat, .. } = &ENDPOINTS[ask.endpoint];
                    let limit = self.script.budget.max_elapsed.is_some();
                    match ask.settled {
                        Some(settled @ Settlement::Failed(_))
                            if limit || timeout.or(*heartbeat).is_some() =>
                        {
                            settled
                        }
                        Some(settled @ Settlement::Abandoned) if self.is_cancelled || self.came.is_none() => {
                            settled
                        }
                        settled => panic!("cut off, and settled as {settled:?}"),
                    }
                }
            };
            assert_eq!(ask.settled, Some(due), "how it was settled: {ask:?}, {seen:?}");
        }
    }

    /// Whether an attempt was under way when the run was cancelled.
    fn was_cancelled(&self, seen: &Seen) -> bool {
        let abandoned = |ask: &&Ask| ask.id == seen.id && ask.settled == Some(Settlement::Abandoned);
        seen.back.is_none() && self.asks.iter().copied().any(|ask| abandoned(&ask))
    }

    fn is_over_bytes(&self, seen: &Seen) -> bool {
        self.over_bytes.iter().any(|over| over.id == seen.id)
    }

    /// Each attempt is told to start, and then to have ended or to have been dropped.
    fn told(&self) {
        for seen in &self.attempts {
            let of = |wanted: fn(&Event) -> Option<schemarouter::kernel::base::id::AttemptId>| {
                self.events.iter().filter(|event| wanted(event) == Some(seen.id)).count()
            };
            let started = of(|event| match event {
                Event::AttemptStarted { id } => Some(*id),
                _ => None,
            });
            let ended = of(|event| match event {
                Event::AttemptEnded { id, .. } => Some(*id),
                Event::Dropped { under_way, .. } => under_way.map(|(id, _)| id),
                _ => None,
            });
            let exchanges = of(|event| match event {
                Event::ExchangeStarted { id, .. } => Some(*id),
                _ => None,
            });
            assert_eq!(
                (started, ended, exchanges),
                (1, 1, seen.exchanges as usize),
                "what is told of {seen:?}"
            );
        }
        let started =
            self.events.iter().filter(|event| matches!(event, Event::AttemptStarted { .. })).count();
        assert_eq!(started, self.attempts.len(), "an attempt is told that was not made");
    }

    /// The attempts of one call.
    fn call(&self, at: usize, count: &mut impl FnMut(&str)) {
        let (asks, attempts) = self.seen_of(at);
        let endpoint = &ENDPOINTS[at];
        let most = if self.is_safe(endpoint) { self.allowed.attempts } else { 1 };
        assert!(attempts.len() <= most as usize, "{} attempts of {most}", attempts.len());
        if attempts.len() > 1 {
            count("repeated");
        }
        let end = endpoint.timeout.map(|limit| asks[0].at + Duration::from_millis(limit));
        for (number, seen) in (1..).zip(&attempts) {
            assert_eq!(seen.id.number, number, "attempts are counted from 1");
            assert!(end.is_none_or(|end| seen.started < end), "an attempt past the call's time: {seen:?}");
            assert_eq!(seen.key.is_some(), endpoint.key, "whether it has a key: {seen:?}");
            assert_eq!(seen.key, attempts[0].key, "one key for all attempts");
        }
        for pair in attempts.windows(2) {
            self.wait(pair[0], pair[1], count);
            assert!(
                failed(pair[0], self.is_over_bytes(pair[0]), false, self.is_safe(endpoint))
                    .map(|failed| means(failed, self.is_safe(endpoint), endpoint.proves))
                    .is_some_and(|means| matches!(means, Disposition::Transient | Disposition::Unavailable)),
                "repeated after {:?}",
                pair[0]
            );
        }
        for refused in asks.iter().filter(|ask| ask.refused) {
            assert_eq!(refused.id, asks[asks.len() - 1].id, "it goes on after a gate refused");
        }
    }

    fn wait(&self, before: &Seen, after: &Seen, count: &mut impl FnMut(&str)) {
        let policy = &self.script.policy;
        let factor = policy.backoff_multiplier().powi(i32::try_from(before.id.number).expect("few") - 1);
        let own = policy.initial_backoff().mul_f64(factor).min(self.allowed.max_backoff);
        let hint = match before.back {
            Some(Back::Failed { retry_after, .. }) => retry_after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
        assert!(hint <= self.allowed.max_retry_after, "waited for a Retry-After of {hint:?}");
        let (least, longest) = (if policy.full_jitter() { hint } else { own.max(hint) }, own.max(hint));
        let waited = after.started.saturating_sub(before.ended.expect("it has ended"));
        assert!(waited >= least, "waited {waited:?}, and not {least:?}");
        assert!(!self.alone || waited <= longest, "waited {waited:?}, and not {longest:?} at most");
        if hint > own {
            count("waited for Retry-After");
        }
    }

    fn success(&self, at: usize, outcome: &Outcome, count: &mut impl FnMut(&str)) {
        let answers =
            ENDPOINTS.iter().position(|endpoint| endpoint.key() == outcome.endpoint).expect("known");
        assert!(answers == at || (at == READ && answers == MIRROR), "{} answers for {at}", outcome.endpoint);
        let (_, attempts) = self.seen_of(answers);
        let last = attempts.last().expect("a success has an attempt");
        assert!(matches!(last.back, Some(Back::Success(_))), "a success without one: {last:?}");
        let before = if answers == at { 0 } else { self.seen_of(at).1.len() };
        assert_eq!(outcome.attempts.len(), attempts.len() + before, "the attempts of a success");
        assert_eq!(outcome.idempotency_key, last.key, "the key that is told");
        count(match (answers == at, attempts.len()) {
            (false, _) => "succeeded by the fallback",
            (true, 1) => "succeeded at once",
            (true, _) => "succeeded after a repeat",
        });
    }

    fn failure(&self, at: usize, error: &Error, count: &mut impl FnMut(&str)) {
        let (asks, attempts) = self.seen_of(at);
        let (endpoint, report) = (&ENDPOINTS[at], error.report());
        let safe = self.is_safe(endpoint);
        let by_cancel = error.kind() == ErrorKind::Cancelled;
        assert_eq!(report.attempts.len(), attempts.len(), "the attempts of an error: {error:?}");
        let failures: Vec<_> = attempts
            .iter()
            .filter_map(|seen| failed(seen, self.is_over_bytes(seen), self.was_cancelled(seen), safe))
            .collect();
        let refused = asks.last().is_some_and(|ask| ask.refused);
        let last = if refused {
            Some((Fact::Refused, schemarouter::kernel::base::disposition::Reached::NotSent))
        } else {
            failures.last().copied()
        };
        // Cancelled while nothing was under way it is a failure of nobody.
        let under_way = attempts.last().is_some_and(|seen| self.was_cancelled(seen));
        let due = match last {
            Some(last) if !by_cancel || under_way => means(last, safe, endpoint.proves),
            _ => Disposition::NonRetryable,
        };
        assert_eq!(error.disposition(), due, "the disposition after {last:?}, in {error:?}");
        let done = failures.iter().any(|failed| may_have_done_it(*failed, endpoint.proves));
        if !endpoint.is_read_only() && done {
            assert!(
                matches!(report.applied, Some(Applied::Maybe | Applied::Yes)),
                "it may have been done, and {:?} is told: {error:?}",
                report.applied
            );
        }
        if endpoint.is_read_only() {
            assert_eq!(report.applied, None, "what is read-only is not applied");
        }
        count(&format!("{}: {}", error.disposition(), report.reason.as_deref().unwrap_or("before it began")));
    }
}
