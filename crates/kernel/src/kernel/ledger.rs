//! What a run has spent, checked and recorded in one step.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::base::report::{LimitReport, Spent, seconds};
use crate::base::time::Monotonic;
use crate::policy::{ExecutionBudget, Limit};

/// The account of one run; every call of the run charges it.
///
/// A charge is one step, check and record: a refused one is not recorded.
#[derive(Debug, Clone)]
pub struct Ledger {
    budget: ExecutionBudget,
    started: Monotonic,
    spent: Spent,
    /// Calls by endpoint, where the budget counts them.
    calls: BTreeMap<String, u32>,
    /// Retries that are left to all calls of the run; unlimited where there is no pool.
    retries: Option<u32>,
}

/// A limit that forbids a charge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitReached {
    /// Which limit.
    pub limit: Limit,
    /// Its value; seconds for a time.
    pub most: f64,
    /// How much of it is spent; seconds for a time.
    pub spent: f64,
}

impl Ledger {
    /// The account of a run that starts now.
    pub const fn open(budget: ExecutionBudget, now: Monotonic) -> Self {
        let spent = Spent { calls: 0, attempts: 0, exchanges: 0, cost_units: 0, response_bytes: 0 };
        Self { budget, started: now, spent, calls: BTreeMap::new(), retries: None }
    }

    /// The same with this many retries for all calls of the run together.
    #[must_use]
    pub const fn with_retry_pool(mut self, retries: Option<u32>) -> Self {
        self.retries = retries;
        self
    }

    /// When the run started.
    pub const fn started(&self) -> Monotonic {
        self.started
    }

    /// When the run must be over.
    pub fn deadline(&self) -> Option<Monotonic> {
        self.budget.max_elapsed.map(|limit| self.started.saturating_add(limit))
    }

    /// What is spent.
    pub const fn spent(&self) -> Spent {
        self.spent
    }

    /// Whether another attempt at this cost could be charged now.
    ///
    /// # Errors
    /// The limit that forbids it.
    pub fn has_attempt(&self, cost: u32) -> Result<(), Limit> {
        let Spent { attempts, cost_units, .. } = self.spent;
        if self.budget.max_attempts.is_some_and(|most| attempts >= most) {
            return Err(Limit::Attempts);
        }
        let after = cost_units.saturating_add(cost.into());
        if self.budget.max_cost_units.is_some_and(|most| after > most) {
            return Err(Limit::CostUnits);
        }
        Ok(())
    }

    /// Nothing starts at or past the deadline, however late the charge comes.
    fn before_deadline(&self, now: Monotonic) -> Result<(), LimitReached> {
        match self.deadline() {
            Some(deadline) if now >= deadline => Err(self.reached(Limit::Elapsed, now)),
            _ => Ok(()),
        }
    }

    /// Charges one call of this endpoint.
    ///
    /// # Errors
    /// Where a limit or the deadline is reached; nothing is recorded then.
    pub fn charge_call(&mut self, endpoint: &str, now: Monotonic) -> Result<(), LimitReached> {
        self.before_deadline(now)?;
        if self.budget.max_tool_calls.is_some_and(|most| self.spent.calls >= most) {
            return Err(self.reached(Limit::ToolCalls, now));
        }
        if let Some(most) = self.budget.per_tool_calls.get(endpoint) {
            let calls = self.calls.get(endpoint).copied().unwrap_or(0);
            if calls >= *most {
                let (most, spent) = (f64::from(*most), f64::from(calls));
                return Err(LimitReached { limit: Limit::PerToolCalls, most, spent });
            }
            self.calls.insert(endpoint.to_owned(), calls + 1);
        }
        self.spent.calls = self.spent.calls.saturating_add(1);
        Ok(())
    }

    /// Charges one attempt of this cost, which starts now.
    ///
    /// # Errors
    /// Where a limit or the deadline is reached; nothing is recorded then.
    pub fn charge_attempt(&mut self, cost: u32, now: Monotonic) -> Result<(), LimitReached> {
        self.before_deadline(now)?;
        self.has_attempt(cost).map_err(|limit| self.reached(limit, now))?;
        self.spent.attempts = self.spent.attempts.saturating_add(1);
        self.spent.cost_units = self.spent.cost_units.saturating_add(cost.into());
        Ok(())
    }

    /// Charges one exchange.
    ///
    /// # Errors
    /// Where the limit or the deadline is reached; nothing is recorded then.
    pub fn charge_exchange(&mut self, now: Monotonic) -> Result<(), LimitReached> {
        self.before_deadline(now)?;
        if self.budget.max_remote_attempts.is_some_and(|most| self.spent.exchanges >= most) {
            return Err(self.reached(Limit::Exchanges, now));
        }
        self.spent.exchanges = self.spent.exchanges.saturating_add(1);
        Ok(())
    }

    /// Charges bytes of a reply, which are there.
    ///
    /// # Errors
    /// Where they are more than the limit allows; they are not recorded then.
    pub fn charge_bytes(&mut self, bytes: u64, now: Monotonic) -> Result<(), LimitReached> {
        let after = self.spent.response_bytes.saturating_add(bytes);
        if self.budget.max_response_bytes.is_some_and(|most| after > most) {
            return Err(self.reached(Limit::ResponseBytes, now));
        }
        self.spent.response_bytes = after;
        Ok(())
    }

    /// Takes a retry from the pool; asked only when the retry will happen. Whether there was one.
    pub const fn take_retry(&mut self) -> bool {
        match self.retries {
            Some(0) => false,
            Some(left) => {
                self.retries = Some(left - 1);
                true
            }
            None => true,
        }
    }

    /// The facts about a limit that is reached.
    #[expect(clippy::cast_precision_loss, reason = "a limit that is told need not be exact beyond 2^53")]
    pub fn reached(&self, limit: Limit, now: Monotonic) -> LimitReached {
        let count = |limit: Option<u32>| limit.map_or(f64::INFINITY, f64::from);
        let amount = |limit: Option<u64>| limit.map_or(f64::INFINITY, |limit| limit as f64);
        let Spent { calls, attempts, exchanges, cost_units, response_bytes } = self.spent;
        let budget = &self.budget;
        let (most, spent) = match limit {
            Limit::ToolCalls | Limit::PerToolCalls => (count(budget.max_tool_calls), f64::from(calls)),
            Limit::Attempts => (count(budget.max_attempts), f64::from(attempts)),
            Limit::Exchanges => (count(budget.max_remote_attempts), f64::from(exchanges)),
            Limit::CostUnits => (amount(budget.max_cost_units), cost_units as f64),
            Limit::ResponseBytes => (amount(budget.max_response_bytes), response_bytes as f64),
            Limit::Elapsed => {
                let elapsed = now.saturating_since(self.started);
                (budget.max_elapsed.map_or(f64::INFINITY, seconds), seconds(elapsed))
            }
            // A limit of one call, which the account of the run does not know.
            Limit::StartToClose => (f64::INFINITY, seconds(now.saturating_since(self.started))),
        };
        LimitReached { limit, most, spent }
    }

    /// The time since the start of the run.
    pub fn elapsed(&self, now: Monotonic) -> Duration {
        now.saturating_since(self.started)
    }
}

impl LimitReached {
    /// The facts as they are reported.
    pub fn report(&self) -> LimitReport {
        LimitReport { name: self.limit.name().to_owned(), limit: self.most, spent: self.spent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Monotonic {
        Monotonic::from_origin(Duration::from_secs(seconds))
    }

    #[test]
    fn r_410_a_refused_charge_is_not_recorded() {
        let budget = ExecutionBudget {
            max_tool_calls: Some(2),
            max_attempts: Some(2),
            max_remote_attempts: Some(2),
            max_cost_units: Some(20),
            max_response_bytes: Some(200),
            ..Default::default()
        };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO);
        for _ in 0..2 {
            ledger.charge_call("a.b", Monotonic::ZERO).expect("room for two");
            ledger.charge_attempt(10, Monotonic::ZERO).expect("room for two");
            ledger.charge_exchange(Monotonic::ZERO).expect("room for two");
            ledger.charge_bytes(90, Monotonic::ZERO).expect("room for two");
        }
        let before = ledger.spent();
        let refused = [
            ledger.charge_call("a.b", Monotonic::ZERO),
            ledger.charge_attempt(0, Monotonic::ZERO),
            ledger.charge_exchange(Monotonic::ZERO),
            ledger.charge_bytes(21, Monotonic::ZERO),
        ];
        let told = refused.map(|refused| {
            let LimitReport { name, limit, spent } = refused.expect_err("no room for a third").report();
            format!("{name} {limit} {spent}")
        });
        let due = [
            "max_tool_calls 2 2",
            "max_attempts 2 2",
            "max_remote_attempts 2 2",
            "max_response_bytes 200 180",
        ];
        assert_eq!(told, due);
        assert_eq!(ledger.spent(), before);
        ledger.charge_bytes(20, Monotonic::ZERO).expect("to the last byte");
    }

    #[test]
    fn an_attempt_that_costs_more_than_is_left_is_refused_and_a_cheaper_one_is_not() {
        let budget = ExecutionBudget { max_cost_units: Some(15), ..Default::default() };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO);
        ledger.charge_attempt(10, Monotonic::ZERO).expect("there is enough");
        let refused = ledger.charge_attempt(6, Monotonic::ZERO).expect_err("16 is too much");
        assert_eq!((refused.limit, ledger.spent().cost_units), (Limit::CostUnits, 10));
        assert_eq!(ledger.has_attempt(6), Err(Limit::CostUnits));
        ledger.charge_attempt(5, Monotonic::ZERO).expect("exactly enough");
        assert_eq!((ledger.spent().attempts, ledger.spent().cost_units), (2, 15));
    }

    #[test]
    fn calls_are_counted_for_each_endpoint() {
        let budget = ExecutionBudget {
            max_tool_calls: Some(4),
            per_tool_calls: [("maps", 1), ("maps.route", 2)].into_iter().collect(),
            ..Default::default()
        };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO);
        let mut call = |endpoint: &str| {
            ledger.charge_call(endpoint, Monotonic::ZERO).err().map(|refused| (refused.limit, refused.spent))
        };
        assert_eq!([call("maps.route"), call("maps.route"), call("maps.tile")], [None, None, None]);
        assert_eq!(call("maps.route"), Some((Limit::PerToolCalls, 2.0)));
        assert_eq!(call("maps.tile"), Some((Limit::PerToolCalls, 1.0)));
        assert_eq!([call("mail.send"), call("mail.send")], [None, Some((Limit::ToolCalls, 4.0))]);
    }

    #[test]
    fn r_408_nothing_is_charged_at_or_past_the_deadline() {
        let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(5)), ..Default::default() };
        let mut ledger = Ledger::open(budget, at(10));
        for (seconds, refused) in [(14, None), (15, Some(Limit::Elapsed)), (16, Some(Limit::Elapsed))] {
            let now = at(seconds);
            let limit = |charged: Result<(), LimitReached>| charged.err().map(|reached| reached.limit);
            assert_eq!(limit(ledger.charge_call("a.b", now)), refused, "{seconds} s");
            assert_eq!(limit(ledger.charge_attempt(1, now)), refused, "{seconds} s");
            assert_eq!(limit(ledger.charge_exchange(now)), refused, "{seconds} s");
        }
        let Spent { calls, attempts, exchanges, .. } = ledger.spent();
        assert_eq!((calls, attempts, exchanges), (1, 1, 1));
    }

    #[test]
    fn a_pool_gives_as_many_retries_as_it_has() {
        let mut ledger = Ledger::open(ExecutionBudget::default(), Monotonic::ZERO).with_retry_pool(Some(2));
        assert_eq!([ledger.take_retry(), ledger.take_retry(), ledger.take_retry()], [true, true, false]);
        let mut ledger = Ledger::open(ExecutionBudget::default(), Monotonic::ZERO);
        assert!((0..1000).all(|_| ledger.take_retry()));
    }
}
