//! From the last failure and the rule that ended the attempts to the error that the caller sees.

use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::{Applied, AttemptReport, Spent, seconds};
use schemarouter_kernel::kernel::{self, Fact, Footing, GiveUp, LimitReached, Verdict};
use schemarouter_kernel::policy::Limit;

use super::failure::Failure;

/// What a failure means on this footing; how far the request got sharpens what the fact alone tells.
pub(super) fn judge(failure: &Failure, on: Footing) -> Verdict {
    let mut judged = kernel::judge(failure.fact(), on);
    if failure.reached() == Reached::NotSent && judged.applied == Some(Applied::Maybe) {
        judged.applied = Some(Applied::No);
    }
    judged
}

/// How a call that gave up came to its end.
pub(super) struct Ending {
    pub(super) endpoint: String,
    pub(super) reason: GiveUp,
    pub(super) last: Option<(Failure, Verdict)>,
    pub(super) limit: Option<LimitReached>,
    pub(super) attempts: Vec<AttemptReport>,
    pub(super) elapsed: Duration,
    pub(super) spent: Spent,
}

pub(super) fn error(ending: Ending) -> Error {
    let Ending { endpoint, reason, last, limit, attempts, elapsed, spent } = ending;
    let last = last.map(|(failure, judged)| failure_error(failure, judged).with_endpoint(&endpoint));
    let error = match (limit, last) {
        (Some(limit), last) => budget_error(&limit, reason, attempts.len(), last),
        (None, Some(last)) => last,
        (None, None) => Error::rejected(ErrorKind::BudgetExceeded, "no attempt was made"),
    };
    error.with_endpoint(endpoint).with_reason(reason.code()).with_history(attempts, elapsed, spent)
}

fn failure_error(Failure(failure): Failure, judged: Verdict) -> Error {
    let mut error = Error::new(failure.kind, judged.disposition, failure.message)
        .with_phase(failure.phase)
        .with_reached(failure.reached)
        .with_applied(judged.applied)
        .with_retry_after(failure.retry_after)
        .with_problem(failure.problem)
        .with_excerpt(failure.excerpt)
        .with_received(failure.received);
    if let Fact::Status(status) = failure.fact {
        error = error.with_reached(Reached::Answered(status));
    }
    if let Some(hint) = failure.hint.or_else(|| hint(judged).map(str::to_owned)) {
        error = error.with_hint(hint);
    }
    if let Some((pointer, keyword)) = failure.violation {
        error = error.with_violation(pointer, keyword);
    }
    if let Some(source) = failure.source {
        error = error.with_shared_source(source);
    }
    error
}

/// What to do next where the failure itself does not say.
fn hint(judged: Verdict) -> Option<&'static str> {
    match (judged.disposition, judged.applied) {
        (Disposition::Indeterminate, _) => {
            Some("it may have taken effect; find out before calling again, a repeat might do it twice")
        }
        (_, Some(Applied::Yes)) => Some("it took effect; only its reply cannot be used"),
        (Disposition::NonRetryable, Some(Applied::Maybe)) => {
            Some("it may have taken effect; find out before calling again")
        }
        _ => None,
    }
}

/// The disposition is that of the last failure, non-retryable if nothing ran (ruling 5).
fn budget_error(limit: &LimitReached, reason: GiveUp, attempts: usize, last: Option<Error>) -> Error {
    let report = limit.report();
    let what = match limit.limit {
        Limit::Elapsed if reason == GiveUp::WaitPastDeadline => {
            format!("the next wait does not fit `{}`, {} s", report.name, report.limit)
        }
        Limit::Elapsed => format!("`{}`, {} s, is reached", report.name, report.limit),
        Limit::Attempts | Limit::Exchanges => format!("`{}`, {}, is spent", report.name, report.limit),
    };
    let disposition = last.as_ref().map_or(Disposition::NonRetryable, Error::disposition);
    let message = match &last {
        Some(last) => format!("{what} (attempts={attempts}); last failure: {}", last.message()),
        None => format!("{what} (attempts={attempts})"),
    };
    let error = Error::new(ErrorKind::BudgetExceeded, disposition, message)
        .with_limit(report)
        .with_detail("elapsed_seconds", seconds(limit.elapsed).to_string());
    match last {
        Some(last) => {
            let (phase, hint) = (last.phase(), last.report().hint.clone());
            let error = error.with_phase(phase).caused_by(last);
            match hint {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        }
        None => error.with_phase(schemarouter_kernel::base::kind::Phase::BeforeSending),
    }
}
