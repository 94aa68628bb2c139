//! The one truth table: what a fact means, for the caller and for the machine.

use crate::base::disposition::{Disposition, Effect, Reached, Recovery};
use crate::base::report::Applied;
use crate::policy::RetryPolicy;

/// What an attempt observed; facts, no opinions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// The request cannot be made or may not be sent: bad certificate, egress denied, credential missing.
    Unsendable,
    /// Nothing was sent: refused, DNS, connect timeout, reset before the first byte.
    NotSent,
    /// A gate refused: breaker open, bulkhead, limiter.
    Refused,
    /// Maybe sent, and no reply in time, or no heartbeat.
    TimedOut,
    /// Maybe sent, then reset, closed, or the reply cut off.
    Broken,
    /// Answered with this status.
    Status(u16),
    /// Answered with success, and the reply is unusable: malformed, too large, schema violated.
    UnusableReply,
    /// A custom invoker says itself what its failure means.
    Declared(Disposition),
    /// A custom invoker failed with an error that nobody classified.
    Unclassified,
}

impl Fact {
    /// How far the request got, as far as this fact alone tells.
    pub const fn reached(self) -> Reached {
        match self {
            Self::Unsendable | Self::NotSent | Self::Refused => Reached::NotSent,
            Self::TimedOut | Self::Broken | Self::UnusableReply | Self::Declared(_) | Self::Unclassified => {
                Reached::MaybeSent
            }
            Self::Status(status) => Reached::Answered(status),
        }
    }
}

/// The ground on which a fact is judged; frozen for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Footing {
    /// What the operation does to the world.
    pub effect: Effect,
    /// Whether repeating it is judged safe.
    pub judged: bool,
    /// Whether the operator declares that a 503 proves that the request was rejected.
    pub unavailable_proves_rejection: bool,
}

impl Footing {
    /// Safe to repeat: explicitly read-only, or the run's trusted judgement.
    pub const fn of(effect: Effect, policy: &RetryPolicy) -> Self {
        let judged = matches!(effect, Effect::ReadOnly) || policy.retry_non_read_only();
        Self { effect, judged, unavailable_proves_rejection: false }
    }

    /// The same where the endpoint's own declaration makes a repeat safe: the operator says that doing it twice is as
    /// doing it once, or it honours the key that the call brings.
    #[must_use]
    pub const fn declared_safe(mut self, is_safe: bool) -> Self {
        self.judged |= is_safe;
        self
    }

    /// The same where the operator declares that a 503 proves that the request was rejected.
    #[must_use]
    pub const fn with_unavailable_proving_rejection(mut self, proves: bool) -> Self {
        self.unavailable_proves_rejection = proves;
        self
    }
}

/// What a fact means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// For the caller.
    pub disposition: Disposition,
    /// For the machine.
    pub recovery: Recovery,
    /// Whether this path may be tried again by this call.
    pub repeat: bool,
    /// Whether a gate refused, so that another path may be open where this one is not.
    pub refused: bool,
    /// Whether the operation took effect; absent for read-only ones.
    pub applied: Option<Applied>,
}

/// What `fact` means on this footing; `None` for a success status, which is no failure.
pub fn verdict(fact: Fact, on: Footing) -> Option<Verdict> {
    (!matches!(fact, Fact::Status(200..=299))).then(|| judge(fact, on))
}

/// What a failure with this fact means on this footing.
///
/// One match, the verdict table row by row. Its two columns are "judged safe to repeat" and not. A failure that
/// names a success status has a reply that cannot be used.
#[expect(clippy::match_same_arms, reason = "one arm per row of the table")]
pub fn judge(fact: Fact, on: Footing) -> Verdict {
    use Applied::{Maybe, No, Yes};
    use Disposition::{Indeterminate, NonRetryable, Transient, Unavailable};
    use Recovery::{Backpressure, Fatal, Reconnect, Safe, Unknown};

    // Each row: the disposition and recovery where judged safe, the disposition where not, and whether the
    // operation may have taken effect.
    let (disposition, recovery, unjudged, applied) = match fact {
        Fact::Unsendable => (NonRetryable, Fatal, NonRetryable, No),
        Fact::NotSent => (Unavailable, Reconnect, Unavailable, No),
        Fact::Refused => (Unavailable, Backpressure, Unavailable, No),
        Fact::TimedOut => (Unavailable, Safe, Indeterminate, Maybe),
        Fact::Broken => (Transient, Safe, Indeterminate, Maybe),
        Fact::UnusableReply | Fact::Status(200..=299) => (NonRetryable, Fatal, NonRetryable, Yes),
        Fact::Status(408 | 500) => (Transient, Safe, Indeterminate, Maybe),
        Fact::Status(425 | 429) => (Unavailable, Backpressure, Unavailable, No),
        Fact::Status(502 | 504) => (Unavailable, Safe, Indeterminate, Maybe),
        Fact::Status(503) if on.unavailable_proves_rejection => (Unavailable, Backpressure, Unavailable, No),
        Fact::Status(503) => (Unavailable, Backpressure, Indeterminate, Maybe),
        Fact::Status(400..=499) => (NonRetryable, Fatal, NonRetryable, No),
        // Other 5xx, an unexpected 3xx (a 303 usually follows success), and what is no status at all.
        Fact::Status(_) => (NonRetryable, Fatal, NonRetryable, Maybe),
        Fact::Declared(Transient) => (Transient, Safe, Transient, Maybe),
        Fact::Declared(Unavailable) => (Unavailable, Safe, Unavailable, Maybe),
        // Never repeated, whatever the flags.
        Fact::Declared(Indeterminate) => (Indeterminate, Unknown, Indeterminate, Maybe),
        Fact::Declared(NonRetryable) | Fact::Unclassified => (NonRetryable, Fatal, NonRetryable, Maybe),
    };
    let disposition = if on.judged { disposition } else { unjudged };
    let recovery = if disposition == Indeterminate { Unknown } else { recovery };
    Verdict {
        disposition,
        recovery,
        repeat: on.judged && recovery.is_retryable() && fact != Fact::Refused,
        refused: fact == Fact::Refused,
        applied: (on.effect != Effect::ReadOnly).then_some(applied),
    }
}
