//! Spans of `tracing`: run, call, attempt, each within the one before; an invoker's own, such as exchanges, are within those.
//!
//! Names are those of OpenTelemetry's semantic conventions where it has some. No argument, no query and no credential is in
//! them; without a subscriber they cost a comparison.

use std::future::poll_fn;
use std::pin::Pin;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::id::{AttemptId, RunId};
use schemarouter_kernel::base::report::AttemptReport;
use tracing::field::{Empty, debug, display};
use tracing::{Span, info_span};

use super::observer::Tags;
use super::run::{CallPlan, Completed};

/// Everything that one `ainvoke` does.
pub(crate) fn run(id: RunId, tags: &Tags) -> Span {
    let span = info_span!("run", run = %id, tags = Empty);
    if !tags.is_empty() {
        span.record("tags", debug(tags));
    }
    span
}

/// One call of a run.
pub(super) fn call(plan: &CallPlan) -> Span {
    let endpoint = &plan.invocation.endpoint;
    info_span!(
        "call",
        endpoint = endpoint.key.as_str(),
        call = plan.call,
        attempts = Empty,
        error.type = Empty,
        disposition = Empty,
    )
}

/// What came of the call.
pub(super) fn call_ended(span: &Span, done: &Result<Completed, Error>) {
    if span.is_disabled() {
        return;
    }
    let attempts = match done {
        Ok(completed) => completed.attempts.len(),
        Err(error) => {
            span.record("error.type", display(error.kind()));
            span.record("disposition", display(error.disposition()));
            error.report().attempts.len()
        }
    };
    span.record("attempts", attempts);
}

/// One attempt of a call.
pub(super) fn attempt(id: AttemptId) -> Span {
    info_span!("attempt", attempt = %id, number = id.number, error.type = Empty, disposition = Empty)
}

/// What came of the attempt.
pub(super) fn attempt_ended(span: &Span, report: &AttemptReport) {
    if let Some(failure) = &report.failure {
        span.record("error.type", display(failure.kind));
        span.record("disposition", display(failure.disposition));
    }
}

/// Does the work within the span; where it is pinned, since moving what a call keeps costs more than the span.
pub(crate) async fn within<T>(span: &Span, mut work: Pin<&mut impl Future<Output = T>>) -> T {
    poll_fn(|context| {
        let _entered = span.enter();
        work.as_mut().poll(context)
    })
    .await
}
