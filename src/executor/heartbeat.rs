//! Signs of life of work that takes long.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use schemarouter_kernel::base::time::Monotonic;
use serde::{Deserialize, Serialize};

/// A sign of life: how far the work is, and nothing of what it has found.
///
/// Its time is that of the attempt's clock when it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Heartbeat {
    /// Which step the work is at; a name, no content.
    pub step: String,
    /// How many tokens there are so far.
    pub tokens: u64,
    /// How many pieces have come so far.
    pub chunks: u64,
}

/// How long an attempt has been silent, and how often that is told.
#[derive(Debug)]
pub(super) struct Pulse {
    window: Option<Duration>,
    times: Mutex<Times>,
}

#[derive(Debug)]
struct Times {
    last: Monotonic,
    told: Option<Monotonic>,
}

impl Pulse {
    /// The start counts as a sign of life.
    pub(super) const fn start(window: Option<Duration>, now: Monotonic) -> Self {
        Self { window, times: Mutex::new(Times { last: now, told: None }) }
    }

    /// A sign of life that nobody is told.
    pub(super) fn seen(&self, now: Monotonic) {
        if self.window.is_some() {
            let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
            times.last = times.last.max(now);
        }
    }

    /// A sign of life; whether it is to be told: the first one, and then three in a window, since a model may give
    /// hundreds a second.
    pub(super) fn beat(&self, now: Monotonic) -> bool {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.last = times.last.max(now);
        let interval = self.window.map_or(Duration::ZERO, |window| window / 3);
        let is_due = times.told.is_none_or(|told| now.saturating_since(told) >= interval);
        if is_due {
            times.told = Some(now);
        }
        is_due
    }

    /// When the silence will have lasted too long; `None` where it may last.
    pub(super) fn lost_at(&self) -> Option<Monotonic> {
        let window = self.window?;
        let last = self.times.lock().unwrap_or_else(PoisonError::into_inner).last;
        Some(last.saturating_add(window))
    }

    /// How long it may be silent.
    pub(super) const fn window(&self) -> Option<Duration> {
        self.window
    }
}
