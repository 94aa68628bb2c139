//! The attempts of a call, as they are told afterwards.

use std::time::Duration;

use schemarouter_kernel::base::report::{AttemptFailure, AttemptReport, seconds};
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::Verdict;

use super::attempt::Attempt;
use super::failure::Failure;

/// Collects [`AttemptReport`]s; times are counted from the start of the run.
#[derive(Debug)]
pub(super) struct History {
    run_started: Monotonic,
    wait_before: Duration,
    attempts: Vec<AttemptReport>,
}

/// How an attempt ended, as far as history is concerned.
pub(super) struct Ended<'a> {
    pub(super) started: Monotonic,
    pub(super) now: Monotonic,
    pub(super) status: Option<u16>,
    pub(super) failure: Option<(&'a Failure, Verdict)>,
}

impl History {
    pub(super) const fn new(run_started: Monotonic) -> Self {
        Self { run_started, wait_before: Duration::ZERO, attempts: Vec::new() }
    }

    /// The call has waited this long before its next attempt.
    pub(super) const fn waited(&mut self, wait: Duration) {
        self.wait_before = wait;
    }

    pub(super) fn record(&mut self, attempt: &Attempt, ended: &Ended<'_>) -> &AttemptReport {
        self.attempts.push(AttemptReport {
            id: attempt.id().to_string(),
            number: attempt.number(),
            wait_seconds: seconds(std::mem::take(&mut self.wait_before)),
            started_seconds: seconds(ended.started.saturating_since(self.run_started)),
            elapsed_seconds: seconds(ended.now.saturating_since(ended.started)),
            exchanges: attempt.exchanges(),
            status: ended.status,
            failure: ended.failure.map(|(failure, verdict)| AttemptFailure {
                kind: failure.kind(),
                disposition: verdict.disposition,
                recovery: verdict.recovery,
                reached: failure.reached().into(),
                message: failure.message().to_owned(),
            }),
        });
        &self.attempts[self.attempts.len() - 1]
    }

    pub(super) fn into_attempts(self) -> Vec<AttemptReport> {
        self.attempts
    }
}
