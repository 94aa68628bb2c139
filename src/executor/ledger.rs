//! The kernel's ledger, shared by the calls of a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemarouter_kernel::base::report::Spent;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::Ledger;
use schemarouter_kernel::policy::ExecutionBudget;

/// One account for all calls of a run; every operation is one locked step, so nothing is checked and then spent.
#[derive(Debug, Clone)]
pub struct SharedLedger(Arc<Mutex<Ledger>>);

impl SharedLedger {
    /// The account of a run that starts now.
    pub fn open(budget: ExecutionBudget, now: Monotonic) -> Self {
        Self(Arc::new(Mutex::new(Ledger::open(budget, now))))
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
