//! What holds for every sequence of facts.

use std::time::Duration;

use proptest::prelude::*;
use schemarouter_kernel::base::disposition::{Disposition, Effect};
use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::rng::Jitter;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::{CallMachine, End, Event, Fact, Footing, Ledger, Step, verdict};
use schemarouter_kernel::policy::{DeadlineFit, ExecutionBudget, RetryPolicy};

fn facts() -> impl Strategy<Value = Fact> {
    prop_oneof![
        Just(Fact::Unsendable),
        Just(Fact::NotSent),
        Just(Fact::Refused),
        Just(Fact::TimedOut),
        Just(Fact::Broken),
        Just(Fact::UnusableReply),
        (100u16..700).prop_map(Fact::Status),
        Just(Fact::Declared(Disposition::Transient)),
        Just(Fact::Declared(Disposition::Indeterminate)),
        Just(Fact::Unclassified),
    ]
}

fn effects() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just(Effect::ReadOnly),
        Just(Effect::Idempotent),
        Just(Effect::Mutating),
        Just(Effect::Unknown)
    ]
}

proptest! {
    #[test]
    fn invariants_of_every_call(
        attempts in 1u32..8,
        initial in 0u64..20_000,
        cap in 0u64..30_000,
        judged in any::<bool>(),
        jitter in any::<bool>(),
        boundary in any::<bool>(),
        elapsed in proptest::option::of(0u64..40_000),
        budget_attempts in proptest::option::of(0u32..6),
        (cost, units) in (0u32..4, proptest::option::of(0u64..12)),
        pool in proptest::option::of(0u32..4),
        effect in effects(),
        script in proptest::collection::vec((facts(), proptest::option::of(0u64..90), 0u64..5_000), 1..12),
        seed in any::<u64>(),
    ) {
        let policy = RetryPolicy::builder()
            .max_attempts(attempts)
            .initial_backoff(Duration::from_millis(initial))
            .max_backoff(Duration::from_millis(cap))
            .retry_non_read_only(judged)
            .full_jitter(jitter)
            .deadline_fit(if boundary { DeadlineFit::RunToBoundary } else { DeadlineFit::Decline })
            .build()
            .expect("valid policy");
        let footing = Footing::of(effect, &policy);
        let budget = ExecutionBudget {
            max_attempts: budget_attempts,
            max_cost_units: units,
            max_elapsed: elapsed.map(Duration::from_millis),
            ..Default::default()
        };
        let mut ledger = Ledger::open(budget, Monotonic::ZERO).with_retry_pool(pool);
        let deadline = ledger.deadline();
        let mut call = CallMachine::new(RunId(seed), 1, policy.clone(), deadline, Jitter::seeded(seed)).with_cost(cost);
        let (mut now, mut made, mut maybe_sent) = (Monotonic::ZERO, 0u32, 0u32);
        let mut hint = None;
        let end = loop {
            match call.step(now) {
                Step::Done(end) => break end,
                Step::Wait(wait) => {
                    prop_assert!(wait.until > now);
                    prop_assert!(deadline.is_none_or(|d| wait.until < d || (wait.truncated && wait.until == d)));
                    let floor = hint.unwrap_or_default();
                    prop_assert!(wait.requested >= floor);
                    prop_assert!(wait.requested <= policy.max_backoff().max(floor));
                    now = wait.until;
                }
                Step::Attempt(plan) => {
                    prop_assert!(deadline.is_none_or(|d| now < d), "no attempt at or past the deadline");
                    prop_assert!(footing.judged || maybe_sent == 0, "nothing not judged safe is sent twice");
                    if let Err(refused) = ledger.charge_attempt(cost, now) {
                        call.settle(now, Event::OverBudget(refused.limit), &mut ledger);
                        continue;
                    }
                    made += 1;
                    prop_assert_eq!(plan.number.get(), made);
                    let (fact, asks, took) = script[(made as usize - 1) % script.len()];
                    now = now.saturating_add(Duration::from_millis(took));
                    if let Some(until) = plan.until {
                        now = now.min(until);
                    }
                    maybe_sent += u32::from(fact.reached() != schemarouter_kernel::base::disposition::Reached::NotSent);
                    hint = asks.map(Duration::from_secs);
                    let event = verdict(fact, footing)
                        .map_or(Event::Succeeded, |verdict| Event::Failed { verdict, retry_after: hint });
                    call.settle(now, event, &mut ledger);
                }
            }
        };
        prop_assert!(made <= attempts);
        prop_assert!(budget_attempts.is_none_or(|most| made <= most && ledger.spent().attempts == made));
        prop_assert!(units.is_none_or(|most| ledger.spent().cost_units <= most));
        prop_assert_eq!(ledger.spent().cost_units, u64::from(made * cost));
        prop_assert!(pool.is_none_or(|retries| made <= retries + 1));
        prop_assert!(deadline.is_none_or(|d| now <= d));
        prop_assert!(footing.judged || made <= 1);
        prop_assert_eq!(call.step(now), Step::Done(end), "over stays over");
        prop_assert!(end != End::Succeeded || made > 0);
    }

    #[test]
    fn a_draw_stays_in_its_window(seed in any::<u64>(), nanos in any::<u64>()) {
        let ceiling = Duration::from_nanos(nanos);
        prop_assert!(Jitter::seeded(seed).up_to(ceiling) <= ceiling);
    }
}
