//! The verdict table and rulings 1 and 2, restated without the product's own words.

use schemarouter::kernel::base::disposition::{Disposition, Effect, Reached};
use schemarouter::kernel::kernel::Fact;

use super::stage::{Back, Seen};
use super::world::{Allowed, EndpointOf, repeats_idempotent};

/// Rulings 1 and 2: explicitly read-only, or trusted code's judgement, or a key, or idempotent as the operator says.
pub(crate) fn may_repeat(endpoint: &EndpointOf, operator: usize, allowed: &Allowed) -> bool {
    let idempotent =
        endpoint.effect == Effect::Idempotent && (endpoint.said_idempotent || repeats_idempotent(operator));
    endpoint.is_read_only() || allowed.judges || endpoint.key || idempotent
}

/// A failure as it counts: what it is, and how far the request got.
pub(crate) type Failed = (Fact, Reached);

/// What it means for the caller.
#[expect(clippy::match_same_arms, reason = "one arm per row of the table")]
pub(crate) fn means((fact, reached): Failed, safe: bool, proves: bool) -> Disposition {
    use Disposition::{Indeterminate, NonRetryable, Transient, Unavailable};
    let unless_safe = |disposition| if safe { disposition } else { Indeterminate };
    let sent = reached != Reached::NotSent;
    match fact {
        Fact::Declared(disposition) => disposition,
        Fact::Refused => Unavailable,
        Fact::NotSent | Fact::TimedOut | Fact::Broken if !sent => Unavailable,
        Fact::NotSent | Fact::Broken => unless_safe(Transient),
        Fact::TimedOut => unless_safe(Unavailable),
        Fact::Status(425 | 429) => Unavailable,
        Fact::Status(503) if proves => Unavailable,
        Fact::Status(502..=504) => unless_safe(Unavailable),
        Fact::Status(408 | 500) => unless_safe(Transient),
        _ => NonRetryable,
    }
}

/// Whether the operation may have taken effect all the same.
pub(crate) fn may_have_done_it((fact, reached): Failed, proves: bool) -> bool {
    match fact {
        Fact::UnusableReply | Fact::Status(408) => true,
        Fact::Refused => false,
        Fact::Status(503) => !proves,
        Fact::Status(status) => !(400..500).contains(&status),
        _ => reached != Reached::NotSent,
    }
}

/// What an attempt came to that was cut off by time.
const fn cut_off(reached: Reached) -> Failed {
    match reached {
        Reached::NotSent => (Fact::NotSent, reached),
        Reached::MaybeSent | Reached::Answered(200..=299) => (Fact::TimedOut, reached),
        Reached::Answered(status) => (Fact::Status(status), reached),
    }
}

/// What an attempt came to that was cancelled.
const fn cancelled(reached: Reached, safe: bool) -> Failed {
    match reached {
        Reached::NotSent => (Fact::Unsendable, reached),
        Reached::Answered(200..=299) => (Fact::UnusableReply, reached),
        Reached::Answered(status) => (Fact::Status(status), reached),
        Reached::MaybeSent if safe => (Fact::Declared(Disposition::NonRetryable), reached),
        Reached::MaybeSent => (Fact::Declared(Disposition::Indeterminate), reached),
    }
}

/// How an attempt failed; nothing where it succeeded, or never came to its call.
pub(crate) fn failed(seen: &Seen, over_bytes: bool, by_cancel: bool, safe: bool) -> Option<Failed> {
    match &seen.back {
        Some(Back::Success(_)) if !over_bytes => None,
        Some(Back::Success(_) | Back::BrokenSchema(_)) => Some((Fact::UnusableReply, seen.reach)),
        Some(Back::Failed { fact, reached, .. }) => Some((*fact, *reached)),
        Some(Back::OverBudget) if !seen.called || seen.reach == Reached::NotSent => None,
        Some(Back::OverBudget) => {
            let means = if safe { Disposition::NonRetryable } else { Disposition::Indeterminate };
            Some((Fact::Declared(means), Reached::MaybeSent))
        }
        None if by_cancel => Some(cancelled(seen.reach, safe)),
        None => Some(cut_off(seen.reach)),
    }
}
