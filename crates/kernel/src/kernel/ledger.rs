//! What a run has spent, checked and recorded in one step.

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
}

/// A limit that forbids a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    /// Which limit.
    pub limit: Limit,
    /// The budget it belongs to.
    pub budget: ExecutionBudget,
    /// What is spent.
    pub spent: Spent,
    /// The time since the start of the run.
    pub elapsed: Duration,
}

impl Ledger {
    /// The account of a run that starts now.
    pub const fn open(budget: ExecutionBudget, now: Monotonic) -> Self {
        Self { budget, started: now, spent: Spent { attempts: 0, exchanges: 0 } }
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

    /// Whether another attempt could be charged now.
    pub const fn has_attempt(&self) -> bool {
        match self.budget.max_attempts {
            Some(most) => self.spent.attempts < most,
            None => true,
        }
    }

    /// Nothing starts at or past the deadline, however late the charge comes.
    fn before_deadline(&self, now: Monotonic) -> Result<(), LimitReached> {
        match self.deadline() {
            Some(deadline) if now >= deadline => Err(self.reached(Limit::Elapsed, now)),
            _ => Ok(()),
        }
    }

    /// Charges one attempt, which starts now.
    ///
    /// # Errors
    /// Where the limit or the deadline is reached; nothing is recorded then.
    pub fn charge_attempt(&mut self, now: Monotonic) -> Result<(), LimitReached> {
        self.before_deadline(now)?;
        if !self.has_attempt() {
            return Err(self.reached(Limit::Attempts, now));
        }
        self.spent.attempts = self.spent.attempts.saturating_add(1);
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

    /// The facts about a limit that is reached.
    pub const fn reached(&self, limit: Limit, now: Monotonic) -> LimitReached {
        LimitReached {
            limit,
            budget: self.budget,
            spent: self.spent,
            elapsed: now.saturating_since(self.started),
        }
    }
}

impl LimitReached {
    /// The facts as they are reported.
    pub fn report(&self) -> LimitReport {
        let count = |limit: Option<u32>| limit.map_or(f64::INFINITY, f64::from);
        let (limit, spent) = match self.limit {
            Limit::Attempts => (count(self.budget.max_attempts), f64::from(self.spent.attempts)),
            Limit::Exchanges => (count(self.budget.max_remote_attempts), f64::from(self.spent.exchanges)),
            Limit::Elapsed => (self.budget.max_elapsed.map_or(f64::INFINITY, seconds), seconds(self.elapsed)),
        };
        LimitReport { name: self.limit.name().to_owned(), limit, spent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_410_a_refused_attempt_is_not_recorded() {
        let budget = ExecutionBudget { max_attempts: Some(2), ..Default::default() };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO);
        for _ in 0..2 {
            ledger.charge_attempt(Monotonic::ZERO).expect("room for two");
        }
        let refused = ledger.charge_attempt(Monotonic::ZERO).expect_err("no room for a third");
        assert_eq!((refused.limit, ledger.spent().attempts), (Limit::Attempts, 2));
    }

    #[test]
    fn r_408_nothing_is_charged_at_or_past_the_deadline() {
        let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(5)), ..Default::default() };
        let mut ledger = Ledger::open(budget, Monotonic::from_origin(Duration::from_secs(10)));
        for (seconds, refused) in [(14, None), (15, Some(Limit::Elapsed)), (16, Some(Limit::Elapsed))] {
            let now = Monotonic::from_origin(Duration::from_secs(seconds));
            assert_eq!(ledger.charge_attempt(now).err().map(|reached| reached.limit), refused, "{seconds} s");
            assert_eq!(
                ledger.charge_exchange(now).err().map(|reached| reached.limit),
                refused,
                "{seconds} s"
            );
        }
        assert_eq!((ledger.spent().attempts, ledger.spent().exchanges), (1, 1));
    }

    #[test]
    fn a_refused_exchange_is_not_recorded() {
        let budget = ExecutionBudget { max_remote_attempts: Some(1), ..Default::default() };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO);
        ledger.charge_exchange(Monotonic::ZERO).expect("room for one");
        let refused = ledger.charge_exchange(Monotonic::ZERO).expect_err("no room for a second");
        assert_eq!(
            refused.report(),
            LimitReport { name: "max_remote_attempts".to_owned(), limit: 1.0, spent: 1.0 }
        );
        assert_eq!(ledger.spent().exchanges, 1);
    }
}
