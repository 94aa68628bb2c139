//! From the last failure and the rule that ended the attempts to the error that the caller sees.

use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::{Applied, AttemptReport, Spent, seconds};
use schemarouter_kernel::kernel::{self, Fact, Footing, GiveUp, LimitReached, Verdict};
use schemarouter_kernel::policy::Limit;

use super::failure::Failure;

/// What a failure means on this footing; how far the request got sharpens what the fact alone tells, and what may
/// have been sent is never judged as if it were not.
pub(super) fn judge(failure: &Failure, on: Footing) -> Verdict {
    let not_sent = failure.reached() == Reached::NotSent;
    let fact = match failure.fact() {
        Fact::NotSent if !not_sent => Fact::Broken,
        Fact::TimedOut | Fact::Broken if not_sent => Fact::NotSent,
        fact => fact,
    };
    let mut judged = kernel::judge(fact, on);
    judged.applied = match (judged.applied, fact) {
        (Some(Applied::Maybe), _) if not_sent => Some(Applied::No),
        (Some(Applied::No), Fact::Unsendable) if !not_sent => Some(Applied::Maybe),
        (applied, _) => applied,
    };
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
        (None, last) if reason == GiveUp::Cancelled => cancelled(attempts.len(), last),
        (Some(limit), last) => budget_error(&limit, reason, attempts.len(), elapsed, last),
        (None, Some(last)) => last,
        (None, None) => Error::rejected(ErrorKind::BudgetExceeded, "no attempt was made"),
    };
    error.with_endpoint(endpoint).with_reason(reason.code()).with_history(attempts, elapsed, spent)
}

/// A stream that failed after its call had succeeded, as an error.
pub(crate) fn stream_error(failure: Failure, on: Footing) -> Error {
    let judged = judge(&failure, on);
    failure_error(failure, judged)
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
    // What may have happened comes first: a hint on how to do it better must not read as "do it again".
    let hints: Vec<&str> = hint(judged).into_iter().chain(failure.hint.as_deref()).collect();
    if !hints.is_empty() {
        error = error.with_hint(hints.join("; "));
    }
    if let Some((pointer, keyword)) = failure.violation {
        error = error.with_violation(pointer, keyword);
    }
    if let Some(source) = failure.source {
        error = error.with_shared_source(source);
    }
    error
}

/// What the caller must know before anything is done next.
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

/// A call that was cancelled while it waited: nothing was under way, and what came before it is its cause.
fn cancelled(attempts: usize, last: Option<Error>) -> Error {
    match last {
        Some(last) if last.kind() == ErrorKind::Cancelled => last,
        Some(last) => {
            let message = format!(
                "cancelled before the next attempt (attempts={attempts}); last failure: {}",
                last.message()
            );
            let disposition = match last.disposition() {
                Disposition::Indeterminate => Disposition::Indeterminate,
                _ => Disposition::NonRetryable,
            };
            let phase = last.phase();
            Error::new(ErrorKind::Cancelled, disposition, message).with_phase(phase).caused_by(last)
        }
        None => Error::rejected(ErrorKind::Cancelled, "cancelled before anything was sent"),
    }
}

/// The disposition is that of the last failure, non-retryable if nothing ran (ruling 5).
fn budget_error(
    limit: &LimitReached,
    reason: GiveUp,
    attempts: usize,
    elapsed: Duration,
    last: Option<Error>,
) -> Error {
    let report = limit.report();
    let what = match limit.limit {
        Limit::Elapsed | Limit::StartToClose if reason == GiveUp::WaitPastDeadline => {
            format!("the next wait does not fit `{}`, {} s", report.name, report.limit)
        }
        Limit::Elapsed | Limit::StartToClose => format!("`{}`, {} s, is reached", report.name, report.limit),
        _ => format!("`{}`, {}, is spent", report.name, report.limit),
    };
    let disposition = last.as_ref().map_or(Disposition::NonRetryable, Error::disposition);
    let message = match &last {
        Some(last) => format!("{what} (attempts={attempts}); last failure: {}", last.message()),
        None => format!("{what} (attempts={attempts})"),
    };
    let error = Error::new(ErrorKind::BudgetExceeded, disposition, message)
        .with_limit(report)
        .with_detail("elapsed_seconds", seconds(elapsed).to_string());
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
