//! One change of a contract.

use std::fmt;

use crate::catalog::Part;

/// What a change means for a call that was planned with the contract before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// What was sent may be refused, or what comes may be what nobody expects.
    Breaking,
    /// Nobody can tell from the contracts.
    Undecided,
    /// What was sent is still taken, and what comes was expected.
    Compatible,
}

impl Judgement {
    /// The stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Undecided => "undecided",
            Self::Compatible => "compatible",
        }
    }
}

/// One change: of what is sent, of what is received, or of the proof of identity that is demanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractChange {
    /// The part of the contract.
    pub part: Part,
    /// Where: an argument and a JSON Pointer in its value, or a status, a media type and one. `*` stands for every item or
    /// member.
    pub place: String,
    /// What has changed, as a stable word.
    pub rule: &'static str,
    /// What it means.
    pub judgement: Judgement,
    /// The same for people.
    pub message: String,
}

impl fmt::Display for ContractChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, place, judgement, message, .. } = self;
        let at = if place.is_empty() { String::new() } else { format!(" {place}") };
        write!(f, "{}: {}{at}: {message}", judgement.word(), part.word())
    }
}

/// What a change of a schema does to the values that it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// All that were allowed still are. `strictly`: and more.
    Wider { strictly: bool },
    /// None is allowed that was not. `strictly`: and some are not any more.
    Narrower { strictly: bool },
    /// Some are not allowed any more, and others are now.
    Other,
    /// Nobody can tell.
    Unknown,
}

impl Effect {
    /// Values that we send have to be allowed after; those that we receive, to have been allowed before.
    pub(super) const fn judged(self, part: Part) -> Judgement {
        let is_sent = matches!(part, Part::Request);
        match self {
            Self::Other => Judgement::Breaking,
            Self::Unknown => Judgement::Undecided,
            Self::Wider { strictly } => judged(is_sent, strictly),
            Self::Narrower { strictly } => judged(!is_sent, strictly),
        }
    }

    /// The same where it is not known that a value meets the change.
    pub(super) const fn perhaps(self) -> Self {
        match self {
            Self::Wider { .. } => Self::Wider { strictly: false },
            Self::Narrower { .. } => Self::Narrower { strictly: false },
            Self::Other | Self::Unknown => Self::Unknown,
        }
    }
}

const fn judged(is_safe: bool, strictly: bool) -> Judgement {
    match (is_safe, strictly) {
        (true, _) => Judgement::Compatible,
        (false, true) => Judgement::Breaking,
        (false, false) => Judgement::Undecided,
    }
}
