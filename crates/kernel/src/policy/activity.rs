//! Classes of work, by how long it may take and how often it has to show that it lives.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::PolicyError;

/// What kind of work a call is; it gives the call its windows (R-202 to R-205, ruling 9).
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::ActivityClass;
/// use std::time::Duration;
///
/// let windows = ActivityClass::Model.windows();
/// assert_eq!(windows.start_to_close, Duration::from_secs(900));
/// assert_eq!(windows.heartbeat, Some(Duration::from_secs(60)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActivityClass {
    /// A model thinks: minutes, with signs of life.
    Model,
    /// A tool acts.
    Tool,
    /// Something is looked up.
    Retrieval,
    /// Something is remembered.
    Memory,
}

/// How long work may take, and how long it may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// From the start of an activity to its end, repeats and waits included.
    pub start_to_close: Duration,
    /// From one heartbeat to the next; `None` for work that gives none.
    pub heartbeat: Option<Duration>,
}

impl Windows {
    /// Windows that can be meant.
    ///
    /// # Errors
    /// Where there is no time at all, or silence may last as long as the work, so that it would never be noticed (R-218).
    pub fn new(start_to_close: Duration, heartbeat: Option<Duration>) -> Result<Self, PolicyError> {
        if start_to_close.is_zero() {
            return Err(PolicyError { field: "timeout_seconds", rule: "must be more than zero" });
        }
        if heartbeat.is_some_and(|heartbeat| heartbeat.is_zero() || heartbeat >= start_to_close) {
            let rule = "must be more than zero, and less than the time that the call may take";
            return Err(PolicyError { field: "heartbeat_seconds", rule });
        }
        Ok(Self { start_to_close, heartbeat })
    }
}

impl ActivityClass {
    /// Its windows.
    pub const fn windows(self) -> Windows {
        let (start_to_close, heartbeat) = match self {
            Self::Model => (900, Some(60)),
            Self::Tool => (60, None),
            Self::Retrieval => (30, None),
            Self::Memory => (15, None),
        };
        Windows {
            start_to_close: Duration::from_secs(start_to_close),
            heartbeat: match heartbeat {
                Some(seconds) => Some(Duration::from_secs(seconds)),
                None => None,
            },
        }
    }

    /// Its windows where it is declared to take at most this long (R-215): a class that gives signs of life gives them ten
    /// times within its limit, not more often than every 5 s, and always more often than the limit.
    pub fn windows_within(self, start_to_close: Duration) -> Windows {
        let often = (start_to_close / 10).clamp(Duration::from_secs(5), Duration::from_mins(1));
        let heartbeat = self.windows().heartbeat.map(|_| often.min(start_to_close / 2));
        Windows { start_to_close, heartbeat }
    }

    /// The stable word, as in files.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Retrieval => "retrieval",
            Self::Memory => "memory",
        }
    }
}
