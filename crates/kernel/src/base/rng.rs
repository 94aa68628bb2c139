//! Chance as an argument.

use std::time::Duration;

/// A seeded source of randomness for spreading waits.
///
/// Many clients that failed at one instant must not all come back at one instant (R-137). The source is
/// `SplitMix64`: small, of known quality for this use, and the same on every machine for the same seed.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::rng::Jitter;
/// use std::time::Duration;
///
/// let ceiling = Duration::from_millis(250);
/// let (mut one, mut two) = (Jitter::seeded(7), Jitter::seeded(7));
/// let wait = one.up_to(ceiling);
/// assert!(wait <= ceiling);
/// assert_eq!(wait, two.up_to(ceiling));
/// ```
#[derive(Debug, Clone)]
pub struct Jitter {
    state: u64,
}

impl Jitter {
    /// The source that this seed gives.
    pub const fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A duration drawn evenly from zero to `ceiling`, both included.
    ///
    /// The draw happens inside the range, in nanoseconds, so nothing is clamped afterwards.
    pub fn up_to(&mut self, ceiling: Duration) -> Duration {
        let ceiling = u64::try_from(ceiling.as_nanos()).unwrap_or(u64::MAX);
        // A widening multiplication scales 64 random bits onto the range; it cannot leave it.
        let drawn = (u128::from(self.bits()) * (u128::from(ceiling) + 1)) >> 64;
        Duration::from_nanos(u64::try_from(drawn).unwrap_or(ceiling))
    }
}
