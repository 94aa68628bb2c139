//! The call machine, step by step, on numbers for time.

use std::time::Duration;

use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::rng::Jitter;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::{
    CallMachine, End, Event, Fact, Footing, GiveUp, Ledger, Step, WaitReason, verdict,
};
use schemarouter_kernel::policy::{DeadlineFit, ExecutionBudget, Limit, RetryPolicy, RetryPolicyBuilder};

/// Plays a call whose attempts take no time: the times at which attempts start, the time it ends, and how.
fn play(
    policy: RetryPolicyBuilder,
    effect: Effect,
    max_elapsed: Option<u64>,
    replies: &[(Fact, Option<u64>)],
) -> (Vec<f64>, f64, End) {
    let policy = policy.build().expect("valid policy");
    let footing = Footing::of(effect, &policy);
    let budget = ExecutionBudget { max_elapsed: max_elapsed.map(Duration::from_secs), ..Default::default() };
    let mut ledger = Ledger::open(budget, Monotonic::ZERO);
    let mut call = CallMachine::new(RunId(1), 1, policy, ledger.deadline(), Jitter::seeded(1));
    let (mut now, mut starts) = (Monotonic::ZERO, Vec::new());
    loop {
        match call.step(now) {
            Step::Attempt(_) => {
                let (fact, hint) = replies[starts.len().min(replies.len() - 1)];
                starts.push(now.since_origin().as_secs_f64());
                let retry_after = hint.map(Duration::from_secs);
                let event = verdict(fact, footing)
                    .map_or(Event::Succeeded, |verdict| Event::Failed { verdict, retry_after });
                call.settle(now, event, &mut ledger);
            }
            Step::Wait(wait) => now = wait.until,
            Step::Done(end) => return (starts, now.since_origin().as_secs_f64(), end),
        }
    }
}

fn seconds_policy(attempts: u32) -> RetryPolicyBuilder {
    RetryPolicy::builder()
        .max_attempts(attempts)
        .initial_backoff(Duration::from_secs(1))
        .max_backoff(Duration::from_mins(1))
}

#[test]
fn case_085_stops_before_the_budget() {
    let always_503 = [(Fact::Status(503), None)];
    let (starts, end, how) = play(seconds_policy(10), Effect::ReadOnly, Some(6), &always_503);
    assert_eq!((starts, end), (vec![0.0, 1.0, 3.0], 3.0));
    assert_eq!(how, End::GaveUp(GiveUp::WaitPastDeadline));

    let boundary = seconds_policy(10).deadline_fit(DeadlineFit::RunToBoundary);
    let (starts, end, how) = play(boundary, Effect::ReadOnly, Some(6), &always_503);
    assert_eq!((starts, end), (vec![0.0, 1.0, 3.0], 6.0));
    assert_eq!(how, End::GaveUp(GiveUp::WaitPastDeadline));
}

#[test]
fn case_075_a_hint_is_kept_or_the_call_fails_at_once() {
    let policy = || RetryPolicy::builder().max_attempts(5);
    let after = |seconds| [(Fact::Status(429), Some(seconds)), (Fact::Status(200), None)];
    let table = [
        ("budget 30, asks 45", policy(), Effect::ReadOnly, Some(30), 45, 1, 0.0, GiveUp::WaitPastDeadline),
        ("asks 3600", policy(), Effect::ReadOnly, None, 3600, 1, 0.0, GiveUp::RetryAfterTooLong),
        (
            "budget 30, asks 3600",
            policy(),
            Effect::ReadOnly,
            Some(30),
            3600,
            1,
            0.0,
            GiveUp::RetryAfterTooLong,
        ),
        (
            "to the boundary",
            policy().deadline_fit(DeadlineFit::RunToBoundary),
            Effect::ReadOnly,
            Some(30),
            45,
            1,
            30.0,
            GiveUp::WaitPastDeadline,
        ),
        ("a write", policy(), Effect::Mutating, None, 3600, 1, 0.0, GiveUp::NotJudgedSafe),
        (
            "a judged write",
            policy().retry_non_read_only(true),
            Effect::Mutating,
            None,
            3600,
            1,
            0.0,
            GiveUp::RetryAfterTooLong,
        ),
    ];
    for (name, policy, effect, budget, asks, attempts, end, reason) in table {
        let (starts, ended, how) = play(policy, effect, budget, &after(asks));
        assert_eq!(
            (starts.len(), ended.to_bits(), how),
            (attempts, f64::to_bits(end), End::GaveUp(reason)),
            "{name}"
        );
    }
    let (starts, _, how) = play(policy(), Effect::ReadOnly, None, &after(60));
    assert_eq!((starts, how), (vec![0.0, 60.0], End::Succeeded));
}

#[test]
fn r_304_r_306_only_what_is_explicitly_read_only_is_repeated() {
    let always_500 = [(Fact::Status(500), None)];
    for (effect, attempts) in
        [(Effect::ReadOnly, 3), (Effect::Mutating, 1), (Effect::Idempotent, 1), (Effect::Unknown, 1)]
    {
        let (starts, ..) = play(seconds_policy(3), effect, None, &always_500);
        assert_eq!(starts.len(), attempts, "{effect}");
        let (starts, ..) = play(seconds_policy(3).retry_non_read_only(true), effect, None, &always_500);
        assert_eq!(starts.len(), 3, "{effect}, judged safe by trusted code");
    }
}

#[test]
fn r_412_each_refusal_names_its_rule() {
    let read = Effect::ReadOnly;
    let table = [
        (Fact::Status(404), read, "would_fail_again"),
        (Fact::TimedOut, Effect::Mutating, "outcome_unknown"),
        (Fact::NotSent, Effect::Mutating, "not_judged_safe"),
        (Fact::Refused, read, "path_refused"),
        (Fact::Status(503), read, "last_attempt"),
    ];
    for (fact, effect, code) in table {
        let (.., how) = play(seconds_policy(2), effect, None, &[(fact, None)]);
        let End::GaveUp(reason) = how else { panic!("{fact:?} gives up") };
        assert_eq!(reason.code(), code);
    }
    let codes: std::collections::BTreeSet<_> = GiveUp::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(codes.len(), GiveUp::ALL.len(), "one word per rule");
}

#[test]
fn an_empty_budget_is_not_waited_for() {
    let policy = seconds_policy(5).build().expect("valid policy");
    let footing = Footing::of(Effect::ReadOnly, &policy);
    let budget = ExecutionBudget { max_attempts: Some(1), ..Default::default() };
    let mut ledger = Ledger::open(budget, Monotonic::ZERO);
    let mut call = CallMachine::new(RunId(1), 1, policy, None, Jitter::seeded(1));
    assert!(matches!(call.step(Monotonic::ZERO), Step::Attempt(_)));
    ledger.charge_attempt(0, Monotonic::ZERO).expect("room for one");
    let verdict = verdict(Fact::Status(503), footing).expect("a failure");
    call.settle(Monotonic::ZERO, Event::Failed { verdict, retry_after: None }, &mut ledger);
    assert_eq!(call.step(Monotonic::ZERO), Step::Done(End::GaveUp(GiveUp::OverBudget(Limit::Attempts))));
}

#[test]
fn the_longer_of_backoff_and_hint_sets_the_wait() {
    let policy = seconds_policy(2).build().expect("valid policy");
    let footing = Footing::of(Effect::ReadOnly, &policy);
    let mut ledger = Ledger::open(ExecutionBudget::default(), Monotonic::ZERO);
    for (hint, why, seconds) in
        [(7, WaitReason::RetryAfter, 7), (0, WaitReason::Backoff, 1), (1, WaitReason::Backoff, 1)]
    {
        let mut call = CallMachine::new(RunId(1), 1, policy.clone(), None, Jitter::seeded(1));
        let _ = call.step(Monotonic::ZERO);
        let verdict = verdict(Fact::Status(429), footing).expect("a failure");
        let event = Event::Failed { verdict, retry_after: Some(Duration::from_secs(hint)) };
        call.settle(Monotonic::ZERO, event, &mut ledger);
        let Step::Wait(wait) = call.step(Monotonic::ZERO) else { panic!("waits") };
        assert_eq!((wait.why, wait.requested), (why, Duration::from_secs(seconds)), "hint {hint}");
    }
}

#[test]
fn attempts_have_names_before_they_are_sent() {
    let policy = seconds_policy(1).build().expect("valid policy");
    let mut call = CallMachine::new(RunId(0xAB), 2, policy, None, Jitter::seeded(1));
    let Step::Attempt(plan) = call.step(Monotonic::ZERO) else { panic!("an attempt") };
    assert_eq!(plan.id.to_string(), "00000000000000ab-2-1");
    assert_eq!(call.step(Monotonic::ZERO), Step::Attempt(plan), "asking again changes nothing");
}

#[test]
fn r_409_a_retry_that_will_not_happen_is_not_taken_from_the_pool() {
    let failed = |fact, policy: &RetryPolicy| Event::Failed {
        verdict: verdict(fact, Footing::of(Effect::ReadOnly, policy)).expect("a failure"),
        retry_after: None,
    };
    let budget = |max_elapsed| ExecutionBudget {
        max_elapsed: Some(Duration::from_secs(max_elapsed)),
        ..Default::default()
    };
    let table = [
        (seconds_policy(3), Fact::Status(404), 60, GiveUp::WouldFailAgain),
        (seconds_policy(1), Fact::Status(503), 60, GiveUp::LastAttempt),
        (seconds_policy(3), Fact::Status(503), 1, GiveUp::WaitPastDeadline),
    ];
    for (policy, fact, max_elapsed, due) in table {
        let policy = policy.build().expect("valid");
        let mut ledger = Ledger::open(budget(max_elapsed), Monotonic::ZERO).with_retry_pool(Some(1));
        let mut call = CallMachine::new(RunId(1), 1, policy.clone(), ledger.deadline(), Jitter::seeded(1));
        assert!(matches!(call.step(Monotonic::ZERO), Step::Attempt(_)));
        call.settle(Monotonic::ZERO, failed(fact, &policy), &mut ledger);
        assert_eq!(call.step(Monotonic::ZERO), Step::Done(End::GaveUp(due)));
        assert_eq!([ledger.take_retry(), ledger.take_retry()], [true, false], "{due:?}: it is still there");
    }
}
