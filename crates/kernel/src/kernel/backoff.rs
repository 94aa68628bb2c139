//! How long to wait after the n-th attempt.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::policy::RetryPolicy;

/// The window of the wait after attempt `number`: `initial · multiplier^(number-1)`, capped by `max_backoff`.
///
/// Without jitter the window is the wait. Every number of attempts up to `u32::MAX` gives a wait within the cap,
/// and a later one never a shorter wait.
pub fn window(policy: &RetryPolicy, number: NonZeroU32) -> Duration {
    let cap = policy.max_backoff();
    // In floating point an overflow is infinity, which the comparison below turns into the cap.
    let grown = policy.initial_backoff().as_secs_f64()
        * policy.backoff_multiplier().powf(f64::from(number.get() - 1));
    if grown < cap.as_secs_f64() { Duration::try_from_secs_f64(grown).unwrap_or(cap).min(cap) } else { cap }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn policy(initial: Duration, factor: f64, cap: Duration) -> RetryPolicy {
        RetryPolicy::builder()
            .initial_backoff(initial)
            .backoff_multiplier(factor)
            .max_backoff(cap)
            .build()
            .expect("valid policy")
    }

    fn after(policy: &RetryPolicy, number: u32) -> f64 {
        window(policy, NonZeroU32::new(number).expect("not zero")).as_secs_f64()
    }

    #[test]
    fn case_070_schedule() {
        let policy = policy(Duration::from_secs(1), 2.0, Duration::from_secs(20));
        let table =
            [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 16.0), (6, 20.0), (5000, 20.0), (u32::MAX, 20.0)];
        for (number, seconds) in table {
            assert!((after(&policy, number) - seconds).abs() < 1e-9, "attempt {number}");
        }
    }

    #[test]
    fn r_302_documents_example_waits_a_quarter_then_a_half() {
        let policy = policy(Duration::from_millis(250), 2.0, Duration::from_secs(5));
        let windows = [1, 2].map(|n| window(&policy, NonZeroU32::new(n).expect("not zero")));
        assert_eq!(windows, [Duration::from_millis(250), Duration::from_millis(500)]);
    }

    #[test]
    fn r_320_the_cap_holds_for_the_first_wait_too() {
        let policy = policy(Duration::from_secs(10), 2.0, Duration::from_secs(5));
        assert_eq!(window(&policy, NonZeroU32::MIN), Duration::from_secs(5));
    }

    proptest! {
        #[test]
        fn r_406_no_wait_exceeds_its_cap_or_shrinks(
            initial in any::<u64>(),
            factor in prop_oneof![1.0..4.0f64, Just(1e308), Just(1.0)],
            cap in any::<u64>(),
            number in 1..=u32::MAX - 1,
        ) {
            let policy = policy(Duration::from_millis(initial), factor, Duration::from_millis(cap));
            let number = NonZeroU32::new(number).expect("not zero");
            let (this, next) = (window(&policy, number), window(&policy, number.saturating_add(1)));
            prop_assert!(this <= policy.max_backoff());
            prop_assert!(this <= next);
        }
    }
}
