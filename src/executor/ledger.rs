//! The kernel's ledger, shared by the calls of a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::report::Spent;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::{GiveUp, Ledger, LimitReached};
use schemarouter_kernel::policy::{ExecutionBudget, Limit};

use super::verdict_error::{Ending, error};

/// One account for all calls of a run; every operation is one locked step, so nothing is checked and then spent.
#[derive(Debug, Clone)]
pub struct SharedLedger(Arc<Mutex<Ledger>>);

impl SharedLedger {
    /// The account of a run that starts now.
    pub fn open(budget: ExecutionBudget, now: Monotonic) -> Self {
        Self(Arc::new(Mutex::new(Ledger::open(budget, now))))
    }

    /// The same with this many retries for all calls of the run together.
    #[must_use]
    pub fn with_retry_pool(self, retries: Option<u32>) -> Self {
        if retries.is_none() {
            return self;
        }
        let ledger = self.lock().clone().with_retry_pool(retries);
        Self(Arc::new(Mutex::new(ledger)))
    }

    /// Charges one call of this endpoint, once it is admitted and before its first attempt.
    ///
    /// # Errors
    /// `budget_exceeded`, where a limit or the deadline is reached; nothing is charged then.
    pub fn charge_call(&self, endpoint: &str, now: Monotonic) -> Result<(), Error> {
        let mut ledger = self.lock();
        ledger.charge_call(endpoint, now).map_err(|reached| over_budget(&ledger, endpoint, reached, now))
    }

    /// What becomes of a call for which there is no time left.
    pub(crate) fn out_of_time(&self, endpoint: &str, now: Monotonic) -> Error {
        let ledger = self.lock();
        over_budget(&ledger, endpoint, ledger.reached(Limit::Elapsed, now), now)
    }

    /// When the run must be over.
    pub fn deadline(&self) -> Option<Monotonic> {
        self.lock().deadline()
    }

    /// The time since the start of the run.
    pub fn elapsed(&self, now: Monotonic) -> Duration {
        self.lock().elapsed(now)
    }

    /// What is spent.
    pub fn spent(&self) -> Spent {
        self.lock().spent()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        // The ledger is a few counters, each changed in one step: a panic elsewhere cannot leave it torn.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn over_budget(ledger: &Ledger, endpoint: &str, reached: LimitReached, now: Monotonic) -> Error {
    error(Ending {
        endpoint: endpoint.to_owned(),
        reason: GiveUp::OverBudget(reached.limit),
        last: None,
        limit: Some(reached),
        attempts: Vec::new(),
        elapsed: ledger.elapsed(now),
        spent: ledger.spent(),
    })
}
