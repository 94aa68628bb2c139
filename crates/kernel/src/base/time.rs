//! Time as an argument: two clocks that cannot be mistaken for each other.

use std::time::Duration;

/// A reading of a clock that never goes back, since an origin of its own.
///
/// Deadlines and waits are measured on it, so that a change of the wall clock moves neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Monotonic(Duration);

impl Monotonic {
    /// The origin of the clock.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// The reading that lies `since_origin` after the origin.
    pub const fn from_origin(since_origin: Duration) -> Self {
        Self(since_origin)
    }

    /// How long after the origin this is.
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// The later reading, or the last one that can be told.
    #[must_use]
    pub const fn saturating_add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(by))
    }

    /// How long after `earlier` this is; zero if it is not after.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// A reading of the wall clock: time since 1970-01-01T00:00:00Z.
///
/// Only dates on the wire (such as a `Retry-After` date) are compared with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Wall(Duration);

impl Wall {
    /// The reading that lies `since_epoch` after 1970-01-01T00:00:00Z.
    pub const fn from_epoch(since_epoch: Duration) -> Self {
        Self(since_epoch)
    }

    /// How long after 1970-01-01T00:00:00Z this is.
    pub const fn since_epoch(self) -> Duration {
        self.0
    }

    /// How long after `earlier` this is; zero if it is not after.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
