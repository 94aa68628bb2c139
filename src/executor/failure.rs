//! What went wrong in one attempt: facts, no opinions.

use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::error::Received;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::base::report::{Problem, one_line};
use schemarouter_kernel::kernel::{Fact, LimitReached};

/// What went wrong in one attempt, and how far its request got.
///
/// Invokers build it from what they observed. Registered code that knows more says so: [`Failure::transient`] and
/// [`Failure::unavailable`] may be repeated where that is judged safe, [`Failure::indeterminate`] and
/// [`Failure::non_retryable`] never are, and [`Failure::unclassified`] passes an error on unchanged
/// after one attempt.
#[derive(Debug, Clone)]
pub struct Failure(pub(super) Box<Facts>);

#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) kind: ErrorKind,
    pub(super) fact: Fact,
    pub(super) reached: Reached,
    pub(super) phase: Phase,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) retry_after: Option<Duration>,
    pub(super) problem: Option<Problem>,
    pub(super) excerpt: Option<String>,
    pub(super) violation: Option<(String, String)>,
    pub(super) received: Option<Received>,
    pub(super) over_budget: Option<LimitReached>,
    pub(super) source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure of this kind, as this fact; how far the request got follows from the fact.
    pub fn new(kind: ErrorKind, fact: Fact, message: impl Into<String>) -> Self {
        Self(Box::new(Facts {
            kind,
            fact,
            reached: fact.reached(),
            phase: kind.usual_phase(),
            message: one_line(message),
            hint: None,
            retry_after: None,
            problem: None,
            excerpt: None,
            violation: None,
            received: None,
            over_budget: None,
            source: None,
        }))
    }

    /// Registered code knows that the failure will pass: repeated where that is judged safe.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvocationFailed, Fact::Declared(Disposition::Transient), message)
    }

    /// Registered code knows that this path cannot be used now: repeated where that is judged safe.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvocationFailed, Fact::Declared(Disposition::Unavailable), message)
    }

    /// Registered code cannot tell whether it happened: never repeated, whatever the flags.
    pub fn indeterminate(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvocationFailed, Fact::Declared(Disposition::Indeterminate), message)
    }

    /// Registered code knows that it would fail the same way.
    pub fn non_retryable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvocationFailed, Fact::Declared(Disposition::NonRetryable), message)
    }

    /// A guardrail of registered code refuses the call: never repeated, whatever the flags.
    pub fn guardrail(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Guardrail, Fact::Declared(Disposition::NonRetryable), message)
    }

    /// Registered code asked for approval and did not get it: never repeated, whatever the flags.
    pub fn approval_denied(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ApprovalDenied, Fact::Declared(Disposition::NonRetryable), message)
    }

    /// The call wants more than its scope: never repeated, whatever the flags.
    pub fn scope_escalation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ScopeEscalation, Fact::Declared(Disposition::NonRetryable), message)
    }

    /// What registered code received breaks its schema, at this JSON pointer and by this keyword: never repeated,
    /// whatever the flags.
    pub fn contract_violation(
        message: impl Into<String>,
        pointer: impl Into<String>,
        keyword: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::ContractViolation, Fact::UnusableReply, message).with_violation(pointer, keyword)
    }

    /// An error that nobody classified: the call ends after this attempt, and the error is its source, unchanged.
    pub fn unclassified(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error: Arc<dyn std::error::Error + Send + Sync> = Arc::from(error.into());
        let mut failure = Self::new(ErrorKind::Unclassified, Fact::Unclassified, error.to_string());
        failure.0.source = Some(error);
        failure
    }

    pub(super) fn over_budget(reached: LimitReached, fact: Fact) -> Self {
        let message = format!("`{}` of the budget is reached", reached.limit.name());
        let mut failure = Self::new(ErrorKind::BudgetExceeded, fact, message);
        failure.0.over_budget = Some(reached);
        failure
    }

    /// Says how far the request got, where that is known better than the fact tells.
    #[must_use]
    pub fn with_reached(mut self, reached: Reached) -> Self {
        self.0.reached = reached;
        self
    }

    /// Says where it arose.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.0.phase = phase;
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Keeps how long the other side asks to wait.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    /// Keeps problem details (RFC 9457).
    #[must_use]
    pub fn with_problem(mut self, problem: Option<Problem>) -> Self {
        self.0.problem = problem;
        self
    }

    /// Keeps the beginning of an error reply.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Option<String>) -> Self {
        self.0.excerpt = excerpt;
        self
    }

    /// Points at the value that broke its schema, and at the keyword it broke.
    #[must_use]
    pub fn with_violation(mut self, pointer: impl Into<String>, keyword: impl Into<String>) -> Self {
        self.0.violation = Some((pointer.into(), keyword.into()));
        self
    }

    /// Keeps the reply for trusted code.
    #[must_use]
    pub fn with_received(mut self, received: Option<Received>) -> Self {
        self.0.received = received;
        self
    }

    /// Keeps the error behind it; never printed.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Says what it is about, before what went wrong.
    #[must_use]
    pub fn about(mut self, what: impl std::fmt::Display) -> Self {
        if self.0.over_budget.is_none() {
            self.0.message = format!("{what}: {}", self.0.message);
        }
        self
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What was observed.
    pub fn fact(&self) -> Fact {
        self.0.fact
    }

    /// How far the request got.
    pub fn reached(&self) -> Reached {
        self.0.reached
    }

    /// Where it arose.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// One line.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.kind, self.0.message)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
