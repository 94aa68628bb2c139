//! The one error type.

use std::sync::Arc;
use std::time::Duration;

use super::disposition::{Disposition, Reached};
use super::kind::{ErrorKind, Phase};
use super::report::{
    Applied, AttemptReport, ErrorReport, LimitReport, Problem, SHAPE_VERSION, Spent, one_line, seconds,
};

/// The reply that a failed call received, for trusted code: nothing received is lost (ruling 17).
#[derive(Clone, PartialEq, Eq)]
pub struct Received {
    /// The status.
    pub status: u16,
    /// The `Content-Type`, where there was one.
    pub content_type: Option<String>,
    /// The body as received, after decompression.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The body may hold anything; it is for code that asks for it.
        f.debug_struct("Received")
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// A failed call: its kind, what it means, how far it got, and what was tried.
///
/// `Display` is one line and never prints the source; [`Error::report`] has everything that may be shown.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::{disposition::Disposition, error::Error, kind::ErrorKind};
///
/// let error = Error::new(ErrorKind::UnknownEndpoint, Disposition::NonRetryable, "no endpoint `shop.lst`")
///     .with_hint("did you mean `shop.list`?");
/// assert_eq!(error.to_string(), "unknown_endpoint: no endpoint `shop.lst` (did you mean `shop.list`?)");
/// assert_eq!(error.disposition(), Disposition::NonRetryable);
/// ```
#[derive(Clone)]
pub struct Error(Box<Body>);

#[derive(Clone)]
struct Body {
    report: ErrorReport,
    retry_after: Option<Duration>,
    received: Option<Received>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of this kind; its phase is the kind's usual one until [`Error::with_phase`] says otherwise.
    pub fn new(kind: ErrorKind, disposition: Disposition, message: impl Into<String>) -> Self {
        Self(Box::new(Body {
            report: ErrorReport {
                version: SHAPE_VERSION,
                kind,
                disposition,
                phase: kind.usual_phase(),
                message: one_line(message),
                hint: None,
                endpoint: None,
                reached: None,
                applied: None,
                status: None,
                reason: None,
                attempts: Vec::new(),
                elapsed_seconds: None,
                retry_after_seconds: None,
                spent: None,
                limit: None,
                pointer: None,
                keyword: None,
                problem: None,
                excerpt: None,
                cause: None,
                details: std::collections::BTreeMap::new(),
            },
            retry_after: None,
            received: None,
            source: None,
        }))
    }

    /// An error before anything was tried: non-retryable.
    pub fn rejected(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, Disposition::NonRetryable, message).with_phase(Phase::BeforeSending)
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.report.kind
    }

    /// What it means for the caller.
    pub fn disposition(&self) -> Disposition {
        self.0.report.disposition
    }

    /// Where it arose.
    pub fn phase(&self) -> Phase {
        self.0.report.phase
    }

    /// The line without kind and hint.
    pub fn message(&self) -> &str {
        &self.0.report.message
    }

    /// Everything that may be shown, on every surface.
    pub fn report(&self) -> &ErrorReport {
        &self.0.report
    }

    /// When the other side says to try again, counted from its reply.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The reply that came, whole, for trusted code only.
    pub fn received(&self) -> Option<&Received> {
        self.0.received.as_ref()
    }

    /// Sets the phase.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.0.report.phase = phase;
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.report.hint = Some(one_line(hint));
        self
    }

    /// Names the endpoint.
    #[must_use]
    pub fn with_endpoint(mut self, key: impl Into<String>) -> Self {
        self.0.report.endpoint = Some(key.into());
        self
    }

    /// Says how far the request got.
    #[must_use]
    pub fn with_reached(mut self, reached: Reached) -> Self {
        self.0.report.reached = Some(reached.into());
        if let Reached::Answered(status) = reached {
            self.0.report.status = Some(status);
        }
        self
    }

    /// Says whether the operation took effect.
    #[must_use]
    pub fn with_applied(mut self, applied: Option<Applied>) -> Self {
        self.0.report.applied = applied;
        self
    }

    /// Names the rule that ended the attempts (R-412).
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.0.report.reason = Some(reason.into());
        self
    }

    /// Adds the history of the run.
    #[must_use]
    pub fn with_history(mut self, attempts: Vec<AttemptReport>, elapsed: Duration, spent: Spent) -> Self {
        let report = &mut self.0.report;
        report.details.insert("attempts".to_owned(), attempts.len().to_string());
        report.attempts = attempts;
        report.elapsed_seconds = Some(seconds(elapsed));
        report.spent = Some(spent);
        self
    }

    /// Keeps the other side's hint.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self.0.report.retry_after_seconds = retry_after.map(seconds);
        self
    }

    /// Names the limit that was reached.
    #[must_use]
    pub fn with_limit(mut self, limit: LimitReport) -> Self {
        self.0.report.limit = Some(limit);
        self
    }

    /// Points at the value that broke its schema, and at the keyword it broke.
    #[must_use]
    pub fn with_violation(mut self, pointer: impl Into<String>, keyword: impl Into<String>) -> Self {
        self.0.report.pointer = Some(pointer.into());
        self.0.report.keyword = Some(keyword.into());
        self
    }

    /// Keeps problem details (RFC 9457).
    #[must_use]
    pub fn with_problem(mut self, problem: Option<Problem>) -> Self {
        self.0.report.problem = problem;
        self
    }

    /// Keeps the beginning of an error reply.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Option<String>) -> Self {
        self.0.report.excerpt = excerpt;
        self
    }

    /// Keeps the reply for trusted code.
    #[must_use]
    pub fn with_received(mut self, received: Option<Received>) -> Self {
        self.0.received = received;
        self
    }

    /// Adds a fact by name.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.report.details.insert(name.to_owned(), value.into());
        self
    }

    /// Puts the last failure behind this error; its facts are taken over where this error has none.
    #[must_use]
    pub fn caused_by(mut self, last: Error) -> Self {
        let (mine, other) = (&mut self.0.report, &last.0.report);
        mine.cause = Some(super::report::Cause { kind: other.kind, message: other.message.clone() });
        mine.reached = mine.reached.or(other.reached);
        mine.applied = mine.applied.or(other.applied);
        mine.status = mine.status.or(other.status);
        if mine.problem.is_none() {
            mine.problem.clone_from(&other.problem);
        }
        if self.0.received.is_none() {
            self.0.received.clone_from(&last.0.received);
        }
        self.0.retry_after = self.0.retry_after.or(last.0.retry_after);
        self.0.report.retry_after_seconds = self.0.retry_after.map(seconds);
        self.with_source(last)
    }

    /// Keeps the error that this one came from; it is never printed by `Display`.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.with_shared_source(Arc::from(source.into()))
    }

    /// Keeps the error that this one came from, which others hold too.
    #[must_use]
    pub fn with_shared_source(mut self, source: Arc<dyn std::error::Error + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let report = &self.0.report;
        write!(f, "{}: {}", report.kind, report.message)?;
        match &report.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The report holds nothing secret by construction; a source from elsewhere may, so it is not printed.
        f.debug_tuple("Error").field(&self.0.report).finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
