//! What holds of every call, whatever happens: random fault scripts, policies, budgets, cancellations and drops, played
//! against the router on virtual time.
//!
//! `SCHEMAROUTER_SCENARIOS` is how many are played, `SCHEMAROUTER_SEED` plays one again (after those of its block, since
//! a router numbers its runs).

mod check;
mod model;
mod play;
mod scenario;
mod stage;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use check::{Counts, check};
use play::play;
use scenario::Scenario;
use world::World;

/// How many scenarios are played on one world, each of which is as new.
const BLOCK: u64 = 256;
/// How many are played where nobody says it.
const SCENARIOS: u64 = 64 * BLOCK;

/// Plays the scenarios of a block up to this seed; where one fails, what it was and how to play it again.
fn block(first: u64, last: u64, counts: &mut Counts) -> Result<(), String> {
    let world = World::new();
    for seed in first..=last {
        let scenario = Scenario::of(seed);
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&scenario, &play(&world, &scenario), counts)));
        if let Err(panic) = outcome {
            let what = panic.downcast_ref::<String>().map_or("it panicked", String::as_str);
            return Err(format!(
                "{what}\n\nin {scenario:#?}\n\nagain: SCHEMAROUTER_SEED={seed} cargo test -p schemarouter --test main -- \
                 invariants::"
            ));
        }
    }
    Ok(())
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Plays so many scenarios on all cores.
fn all(scenarios: u64) -> Result<Counts, String> {
    let next = AtomicU64::new(0);
    let worker = || -> Result<Counts, String> {
        let mut counts = Counts::new();
        loop {
            let first = next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= scenarios {
                return Ok(counts);
            }
            block(first, (first + BLOCK).min(scenarios) - 1, &mut counts)?;
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut counts = Counts::new();
        for worker in workers {
            for (kind, more) in worker.join().expect("a worker catches panics")? {
                *counts.entry(kind).or_insert(0) += more;
            }
        }
        Ok(counts)
    })
}

/// Every kind of end that scenarios have to come to, so that nothing is shown of nothing.
const KINDS: &[&str] = &[
    "dropped",
    "not run",
    "repeated",
    "succeeded after a repeat",
    "succeeded at once",
    "succeeded by the fallback",
    "waited for Retry-After",
    "indeterminate: cancelled",
    "indeterminate: deadline_reached",
    "indeterminate: exchange_budget_spent",
    "indeterminate: outcome_unknown",
    "indeterminate: start_to_close_reached",
    "non_retryable: attempt_budget_spent",
    "non_retryable: byte_budget_spent",
    "non_retryable: call_budget_of_endpoint_spent",
    "non_retryable: call_budget_spent",
    "non_retryable: cancelled",
    "non_retryable: cost_budget_spent",
    "non_retryable: would_fail_again",
    "transient: last_attempt",
    "transient: not_judged_safe",
    "transient: retry_pool_spent",
    "unavailable: last_attempt",
    "unavailable: path_refused",
    "unavailable: retry_after_too_long",
    "unavailable: wait_past_deadline",
];

#[test]
#[expect(clippy::print_stdout, reason = "how much was played, and what came of it")]
fn what_always_holds_of_calls_holds_in_random_scenarios() {
    if let Some(seed) = variable("SCHEMAROUTER_SEED") {
        let first = seed - seed % BLOCK;
        return block(first, seed, &mut Counts::new()).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let (scenarios, began) = (variable("SCHEMAROUTER_SCENARIOS").unwrap_or(SCENARIOS), Instant::now());
    let counts = all(scenarios).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{scenarios} scenarios in {:.1} s", began.elapsed().as_secs_f64());
    for (kind, count) in &counts {
        println!("{count:>9}  {kind}");
    }
    let missing: Vec<_> = KINDS.iter().filter(|kind| !counts.contains_key(**kind)).collect();
    assert!(missing.is_empty() || scenarios < SCENARIOS, "no scenario came to {missing:?}");
}
