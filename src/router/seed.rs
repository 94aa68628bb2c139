//! Where names of runs and the randomness of waits come from.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::rng::Jitter;

/// Gives every run a name and a seed; the same start gives the same sequence.
#[derive(Debug)]
pub(super) struct Seeds {
    start: u64,
    runs: AtomicU64,
}

impl Seeds {
    pub(super) const fn from(start: u64) -> Self {
        Self { start, runs: AtomicU64::new(0) }
    }

    /// A start that differs from process to process; the standard library's hasher keys are random.
    pub(super) fn random() -> Self {
        Self::from(RandomState::new().hash_one(0))
    }

    pub(super) fn next(&self) -> (RunId, u64) {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut source = Jitter::seeded(self.start.wrapping_add(run));
        (RunId(source.bits()), source.bits())
    }
}
