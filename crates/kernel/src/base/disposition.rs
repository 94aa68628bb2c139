//! What a failure means for the caller, for the machine and for the world.

use serde::{Deserialize, Serialize};

/// What a failure means for the caller: exactly four answers.
///
/// The caller needs to know one thing, whether calling again may help and may harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// The call failed by accident; the same call may succeed at once.
    Transient,
    /// This way of reaching the operation does not work now; later, or another way, may.
    Unavailable,
    /// The operation may or may not have taken effect; repeating it blindly may do it twice.
    Indeterminate,
    /// The same call would fail the same way.
    NonRetryable,
}

impl Disposition {
    /// The stable word, as in reports.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Unavailable => "unavailable",
            Self::Indeterminate => "indeterminate",
            Self::NonRetryable => "non_retryable",
        }
    }
}

impl std::fmt::Display for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

/// What the machine may do after a failure; only this feeds the retry decision.
///
/// The six values of document 001.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Repeat on the same path.
    Safe,
    /// Repeat on a new connection.
    Reconnect,
    /// Repeat, and leave the other side more room.
    Backpressure,
    /// Repeat after refreshing what was remembered about the other side.
    ResetState,
    /// Nobody knows whether it happened; never repeat blindly.
    Unknown,
    /// It would fail the same way; never repeat.
    Fatal,
}

impl Recovery {
    /// Whether a repeat can help at all.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Safe | Self::Reconnect | Self::Backpressure | Self::ResetState)
    }
}

/// How far a request got before it failed.
///
/// `NotSent` is only said where it is proved; what cannot be known counts as maybe sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// No byte of the request left this process.
    NotSent,
    /// At least one byte may have left; the other side may have acted.
    MaybeSent,
    /// The other side answered with this HTTP status.
    Answered(u16),
}

/// What an operation does to the world, as its document or the operator declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing (RFC 9110 section 9.2.1, safe methods).
    ReadOnly,
    /// Changes something, and doing it twice is as doing it once (RFC 9110 section 9.2.2).
    Idempotent,
    /// Changes something, and doing it twice may do it twice.
    Mutating,
    /// Nobody said.
    Unknown,
}

impl Effect {
    /// `Some(true)` only where somebody said so; unknown is `None` (ruling 11).
    pub const fn read_only(self) -> Option<bool> {
        match self {
            Self::ReadOnly => Some(true),
            Self::Idempotent | Self::Mutating => Some(false),
            Self::Unknown => None,
        }
    }

    /// The stable word, as in reports and tables.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Idempotent => "idempotent",
            Self::Mutating => "mutating",
            Self::Unknown => "unknown",
        }
    }
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
