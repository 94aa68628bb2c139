//! Retry at the trusted boundary (document 004, R-301 to R-322), on virtual time.

use std::time::Duration;

use schemarouter::executor::{
    Admission, Attempt, Failure, Gate, GateRefusal, Invocation, Invoker, Reply, Settlement, Ticket,
    VirtualTimer,
};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::kernel::Fact;
use schemarouter::kernel::policy::{ExecutionBudget, ExecutionPolicy, RetryPolicy};
use schemarouter::router::{Contract, Outcome, Request, Router, RunConfig};
use schemarouter_loopback::{Reply as ServerReply, Script, Server};
use serde_json::json;

use crate::support::api::Api;
use crate::support::{Scripted, attempts, call, error, router, with};

fn status(status: u16) -> Failure {
    Failure::new(ErrorKind::HttpStatus, Fact::Status(status), format!("{status}"))
}

fn elapsed(limit: Duration) -> ExecutionBudget {
    ExecutionBudget { max_elapsed: Some(limit), ..ExecutionBudget::default() }
}

#[tokio::test]
async fn r_301_only_the_executor_repeats() {
    // The invoker is asked once per attempt, and each attempt is in the report: no other layer repeats anything.
    let invoker = Scripted::failing(9, || status(503));
    let error = error(Effect::ReadOnly, &invoker, &with(attempts(3))).await;
    assert_eq!((invoker.calls(), error.report().attempts.len()), (3, 3));
    assert_eq!(error.report().spent.map(|spent| spent.attempts), Some(3));
}

#[tokio::test]
async fn r_302_r_321_the_documents_example_waits_a_quarter_then_a_half() {
    let policy = attempts(3).initial_backoff(Duration::from_millis(250)).max_backoff(Duration::from_secs(5));
    let invoker = Scripted::failing(2, || status(503));
    let (outcome, elapsed) = call(Effect::ReadOnly, &invoker, &with(policy)).await;
    let outcome = outcome.expect("the third attempt succeeds");
    let waits: Vec<Duration> =
        outcome.attempts.iter().map(|attempt| Duration::from_secs_f64(attempt.wait_seconds)).collect();
    assert_eq!(waits, [0, 250, 500].map(Duration::from_millis));
    assert_eq!(elapsed, Duration::from_millis(750), "waits count as time of the run");
    assert_eq!(outcome.elapsed, elapsed);
}

#[tokio::test]
async fn r_303_each_run_carries_its_own_policy() {
    let time = VirtualTimer::new();
    let invoker = Scripted::failing(9, || status(503));
    let router = router(Effect::ReadOnly, invoker.clone(), &time).build().expect("a valid router");
    let request = || Request::new("test.act", json!({}));
    let (two, four) = (with(attempts(2)), with(attempts(4)));
    let (one, other) = tokio::join!(router.ainvoke(request(), &two), router.ainvoke(request(), &four));
    let made = |result: Result<_, schemarouter::kernel::base::error::Error>| {
        result.map(|_: schemarouter::router::Outcome| ()).expect_err("it fails").report().attempts.len()
    };
    assert_eq!((made(one), made(other)), (2, 4));
}

#[tokio::test]
async fn r_304_r_305_r_306_read_only_is_repeated_and_nothing_else_unless_trusted_code_says_so() {
    let table = [
        (Effect::ReadOnly, false, 3),
        (Effect::Mutating, false, 1),
        (Effect::Idempotent, false, 1),
        (Effect::Unknown, false, 1),
        (Effect::Mutating, true, 3),
        (Effect::Unknown, true, 3),
    ];
    for (effect, judged, made) in table {
        let invoker = Scripted::failing(9, || status(503));
        let _ = error(effect, &invoker, &with(attempts(3).retry_non_read_only(judged))).await;
        assert_eq!(invoker.calls(), made, "{effect}, judged {judged}");
    }
}

#[test]
fn r_305_a_request_cannot_lift_the_rule() {
    for member in ["retry_non_read_only", "retry", "allow_mutations", "server", "credentials"] {
        let request = json!({"endpoint": "test.act", "arguments": {}, member: true});
        let error = serde_json::from_value::<Request>(request).expect_err("no such member");
        assert!(error.to_string().contains(member), "{error}");
    }
}

#[tokio::test]
async fn r_307_r_309_deterministic_faults_are_never_hidden_by_retry() {
    let contract = || {
        Contract::new("test", "act", Effect::ReadOnly)
            .with_arguments(json!({"type": "object", "properties": {"n": {"type": "integer"}, "o": {"properties": {"p": {}}, "additionalProperties": false}}}))
            .with_reply(json!({"type": "object", "required": ["state"], "properties": {"state": {"enum": ["on", "off"]}}}))
    };
    let table = [
        ("reply lacks a member", json!({"n": 1}), json!({}), ErrorKind::ContractViolation, 1),
        ("reply breaks its enum", json!({"n": 1}), json!({"state": "odd"}), ErrorKind::ContractViolation, 1),
        ("reply has another type", json!({"n": 1}), json!([]), ErrorKind::ContractViolation, 1),
        (
            "argument has another type",
            json!({"n": "x"}),
            json!({"state": "on"}),
            ErrorKind::InvalidArguments,
            0,
        ),
        (
            "argument holds a member that is not known",
            json!({"n": 1, "o": {"S3CR3T": 1}}),
            json!({"state": "on"}),
            ErrorKind::InvalidArguments,
            0,
        ),
        ("argument is not known", json!({"m": 1}), json!({"state": "on"}), ErrorKind::InvalidArguments, 0),
    ];
    for (name, arguments, reply, kind, made) in table {
        let invoker = Scripted::new(move |_| Ok(reply.clone()));
        let router = Router::builder()
            .timer(VirtualTimer::new())
            .register(contract(), invoker.clone())
            .build()
            .expect("a valid router");
        let error = router
            .ainvoke(Request::new("test.act", arguments), &with(attempts(5).retry_non_read_only(true)))
            .await
            .expect_err(name);
        assert_eq!((error.kind(), invoker.calls()), (kind, made), "{name}: {error}");
        assert_eq!(error.disposition(), Disposition::NonRetryable, "{name}");
        assert!(
            !error.to_string().contains("S3CR3T") && !error.to_string().contains("``"),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn r_309_a_policy_rejection_is_final_and_sends_nothing() {
    let server =
        Server::start(Script::repeat(ServerReply::json(201, r#"{"id": 1}"#))).await.expect("a server");
    let mut api = Api::at(&server.url());
    api.policy = ExecutionPolicy::default();
    let config = with(attempts(5).retry_non_read_only(true));
    let error = api.call("addJob", json!({"body": {}}), &config).await.expect_err("not allowed");
    assert_eq!((error.kind(), error.phase()), (ErrorKind::PolicyRejected, Phase::BeforeSending));
    assert_eq!((error.report().attempts.len(), server.connections()), (0, 0));
}

#[tokio::test]
async fn r_309_a_stale_fingerprint_is_final_and_calls_nothing() {
    let invoker = Scripted::failing(0, || status(503));
    let router =
        router(Effect::ReadOnly, invoker.clone(), &VirtualTimer::new()).build().expect("a valid router");
    let pin = router.endpoint("test.act").expect("it is registered").fingerprints.pin();
    let pinned = |pin| Request::new("test.act", json!({})).with_fingerprint(pin);
    assert!(router.ainvoke(pinned(pin), &RunConfig::default()).await.is_ok());

    let other = "ff".repeat(32).parse().expect("a fingerprint");
    let error = router.ainvoke(pinned(other), &with(attempts(5))).await.expect_err("another contract");
    assert_eq!((error.kind(), error.phase()), (ErrorKind::StaleFingerprint, Phase::BeforeSending));
    assert_eq!(invoker.calls(), 1, "only the call whose pin fits");
}

#[tokio::test]
async fn r_309_a_stale_fingerprint_comes_before_permission() {
    let api = crate::support::api::Api::at("http://127.0.0.1:9/");
    let router = api.builder().allow(schemarouter::kernel::policy::ExecutionPolicy::default());
    let router = router.build().expect("a valid router");
    let wrong = schemarouter::kernel::base::fingerprint::Fingerprint::from_bytes([0; 32]);
    let request = Request::new("addJob", json!({"unheard": 1})).with_fingerprint(wrong);
    let error = router.ainvoke(request.clone(), &RunConfig::default()).await.expect_err("another contract");
    assert_eq!(error.kind(), ErrorKind::StaleFingerprint);
    assert_eq!(router.dry_run(&request).expect_err("here too").kind(), ErrorKind::StaleFingerprint);
    assert_eq!(error.report().endpoint.as_deref(), Some("jobs.addJob"));
}

#[tokio::test]
async fn r_308_r_316_what_an_invoker_calls_permanent_is_kept_and_runs_once() {
    let invoker = Scripted::failing(9, || Failure::non_retryable("the account is closed"));
    let error = error(Effect::ReadOnly, &invoker, &with(attempts(5))).await;
    assert_eq!((invoker.calls(), error.disposition()), (1, Disposition::NonRetryable));
    assert_eq!(
        (error.message(), error.report().reason.as_deref()),
        ("the account is closed", Some("would_fail_again"))
    );
}

#[tokio::test]
async fn r_310_seven_statuses_are_repeated_for_reads() {
    for retryable in [408, 425, 429, 500, 502, 503, 504] {
        let invoker = Scripted::failing(2, move || status(retryable));
        let (outcome, _) = call(Effect::ReadOnly, &invoker, &with(attempts(3))).await;
        assert!(outcome.is_ok() && invoker.calls() == 3, "status {retryable}");
    }
}

#[tokio::test]
async fn r_311_every_other_error_status_fails_at_once() {
    for other in (300..=599).filter(|s| ![408, 425, 429, 500, 502, 503, 504].contains(s)) {
        let invoker = Scripted::failing(9, move || status(other));
        let error = error(Effect::ReadOnly, &invoker, &with(attempts(3).retry_non_read_only(true))).await;
        assert_eq!((invoker.calls(), error.disposition()), (1, Disposition::NonRetryable), "status {other}");
    }
}

#[derive(Debug, thiserror::Error, PartialEq)]
#[error("the adapter has a bug")]
struct AdapterBug(u32);

#[tokio::test]
async fn r_313_r_318_an_unclassified_error_runs_once_and_comes_through_unchanged() {
    let invoker = Scripted::failing(9, || Failure::unclassified(AdapterBug(7)));
    let error = error(Effect::ReadOnly, &invoker, &with(attempts(5).retry_non_read_only(true))).await;
    assert_eq!((invoker.calls(), error.kind()), (1, ErrorKind::Unclassified));
    let source = std::error::Error::source(&error).expect("the error itself");
    assert_eq!(source.downcast_ref::<AdapterBug>(), Some(&AdapterBug(7)));
}

#[tokio::test]
async fn r_314_an_explicit_transient_is_repeated_where_that_is_judged_safe() {
    for (effect, made) in [(Effect::ReadOnly, 3), (Effect::Mutating, 1), (Effect::Unknown, 1)] {
        let invoker = Scripted::failing(9, || Failure::transient("a hiccup"));
        let error = error(effect, &invoker, &with(attempts(3))).await;
        assert_eq!((invoker.calls(), error.disposition()), (made, Disposition::Transient), "{effect}");
    }
}

#[tokio::test]
async fn r_317_an_explicit_indeterminate_is_never_repeated() {
    for effect in [Effect::ReadOnly, Effect::Mutating] {
        let invoker = Scripted::failing(9, || Failure::indeterminate("the queue took it and said nothing"));
        let error = error(effect, &invoker, &with(attempts(5).retry_non_read_only(true))).await;
        assert_eq!((invoker.calls(), error.disposition()), (1, Disposition::Indeterminate), "{effect}");
        assert_eq!(error.report().reason.as_deref(), Some("outcome_unknown"));
    }
}

#[tokio::test]
async fn r_319_by_default_everything_runs_once() {
    assert_eq!(RetryPolicy::default().max_attempts().get(), 1);
    let invoker = Scripted::failing(9, || status(503));
    let _ = error(Effect::ReadOnly, &invoker, &RunConfig::default()).await;
    assert_eq!(invoker.calls(), 1);
}

#[tokio::test]
async fn r_320_the_cap_holds_for_the_first_wait() {
    let policy = attempts(2).initial_backoff(Duration::from_secs(10)).max_backoff(Duration::from_secs(5));
    let invoker = Scripted::failing(1, || status(503));
    let (_, elapsed) = call(Effect::ReadOnly, &invoker, &with(policy)).await;
    assert_eq!(elapsed, Duration::from_secs(5));
}

#[tokio::test]
async fn r_322_a_wait_past_max_elapsed_is_not_slept() {
    let policy = || attempts(3).initial_backoff(Duration::from_secs(5));
    let config = with(policy()).with_budget(elapsed(Duration::from_secs(1)));
    let invoker = Scripted::failing(9, || status(503));
    let (outcome, took) = call(Effect::ReadOnly, &invoker, &config).await;
    let error = outcome.expect_err("the wait does not fit");
    assert_eq!((invoker.calls(), took), (1, Duration::ZERO));
    assert_eq!((error.kind(), error.disposition()), (ErrorKind::BudgetExceeded, Disposition::Unavailable));
    assert_eq!(error.report().limit.as_ref().map(|limit| limit.name.as_str()), Some("max_elapsed"));
    assert_eq!(error.report().cause.as_ref().map(|cause| cause.kind), Some(ErrorKind::HttpStatus));

    let boundary = schemarouter::kernel::policy::DeadlineFit::RunToBoundary;
    let config = with(policy().deadline_fit(boundary)).with_budget(elapsed(Duration::from_secs(1)));
    let invoker = Scripted::failing(9, || status(503));
    let (outcome, took) = call(Effect::ReadOnly, &invoker, &config).await;
    assert!(outcome.is_err());
    assert_eq!((invoker.calls(), took), (1, Duration::from_secs(1)));
}

#[tokio::test]
async fn r_408_an_attempt_in_flight_is_cut_at_the_deadline() {
    struct Hung;
    impl Invoker for Hung {
        async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
            std::future::pending().await
        }
    }
    for (effect, disposition) in
        [(Effect::ReadOnly, Disposition::Unavailable), (Effect::Mutating, Disposition::Indeterminate)]
    {
        let time = VirtualTimer::new();
        let router = router(effect, Hung, &time).build().expect("a valid router");
        let config = with(attempts(3)).with_budget(elapsed(Duration::from_secs(7)));
        let stall = async {
            while time.elapsed() < Duration::from_secs(7) {
                time.stalled();
                tokio::task::yield_now().await;
            }
        };
        let (outcome, ()) = tokio::join!(router.ainvoke(Request::new("test.act", json!({})), &config), stall);
        let error = outcome.expect_err("it hangs");
        assert_eq!((error.kind(), error.disposition()), (ErrorKind::BudgetExceeded, disposition));
        assert_eq!((time.elapsed(), error.report().attempts.len()), (Duration::from_secs(7), 1));
        assert_eq!(error.report().reason.as_deref(), Some("deadline_reached"));
    }
}

#[tokio::test]
async fn r_408_no_attempt_starts_at_the_deadline() {
    let invoker = Scripted::failing(9, || status(503));
    let config = with(attempts(3)).with_budget(elapsed(Duration::ZERO));
    let error = error(Effect::ReadOnly, &invoker, &config).await;
    assert_eq!((invoker.calls(), error.kind()), (0, ErrorKind::BudgetExceeded));
    assert_eq!(error.disposition(), Disposition::NonRetryable, "nothing ran (ruling 5)");
}

/// A gate whose answer takes until the deadline.
struct Late(VirtualTimer);

impl Gate for Late {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        self.0.advance(Duration::from_secs(7));
        Ok(Ticket(0))
    }

    fn settle(&self, _: Ticket, settlement: Settlement) {
        assert_eq!(settlement, Settlement::Abandoned, "nothing was done with it");
    }
}

#[tokio::test]
async fn r_408_no_attempt_starts_where_admission_took_until_the_deadline() {
    let time = VirtualTimer::new();
    let invoker = Scripted::failing(9, || status(503));
    let late = Late(time.clone());
    let router = router(Effect::ReadOnly, invoker.clone(), &time).gate(late).build().expect("a valid router");
    let config = with(attempts(3)).with_budget(elapsed(Duration::from_secs(7)));
    let error = router.ainvoke(Request::new("test.act", json!({})), &config).await.expect_err("too late");
    assert_eq!((invoker.calls(), error.kind()), (0, ErrorKind::BudgetExceeded));
    assert_eq!(error.report().reason.as_deref(), Some("deadline_reached"));
    assert_eq!(error.report().spent.map(|spent| spent.attempts), Some(0));
}

/// Takes a few polls, and fails twice.
struct Slow;

impl Invoker for Slow {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        if attempt.number() < 3 { Err(status(503)) } else { Ok(Reply::of_json(json!({}))) }
    }
}

#[tokio::test]
async fn calls_side_by_side_wait_as_long_as_each_would_alone() {
    let time = VirtualTimer::new();
    let policy = |seconds| attempts(3).initial_backoff(Duration::from_secs(seconds)).backoff_multiplier(1.0);
    let router = router(Effect::ReadOnly, Slow, &time).build().expect("valid");
    let call = |config: RunConfig| {
        let router = router.clone();
        async move { router.ainvoke(Request::new("test.act", json!({})), &config).await.expect("the third") }
    };
    let (five, two) = tokio::join!(call(with(policy(5))), call(with(policy(2))));
    let starts = |outcome: Outcome| outcome.attempts.iter().map(|a| a.started_seconds).collect::<Vec<_>>();
    assert_eq!((starts(five), starts(two)), (vec![0.0, 5.0, 10.0], vec![0.0, 2.0, 4.0]));
}

#[tokio::test]
async fn r_410_a_refused_attempt_is_not_recorded() {
    let budget = ExecutionBudget { max_attempts: Some(2), ..ExecutionBudget::default() };
    let invoker = Scripted::failing(9, || status(503));
    let error = error(Effect::ReadOnly, &invoker, &with(attempts(5)).with_budget(budget)).await;
    assert_eq!((invoker.calls(), error.kind()), (2, ErrorKind::BudgetExceeded));
    assert_eq!(error.report().spent.map(|spent| spent.attempts), Some(2));
    assert_eq!(error.report().details.get("attempts").map(String::as_str), Some("2"));
}

#[tokio::test]
async fn r_412_every_end_names_its_rule() {
    let read = Effect::ReadOnly;
    let table = [
        (read, status(404), 2, "would_fail_again"),
        (Effect::Mutating, status(500), 2, "outcome_unknown"),
        (Effect::Mutating, status(429), 2, "not_judged_safe"),
        (read, status(503), 2, "last_attempt"),
        (read, status(429).with_retry_after(Some(Duration::from_secs(61))), 2, "retry_after_too_long"),
    ];
    for (effect, failure, most, reason) in table {
        let invoker = Scripted::failing(9, move || failure.clone());
        let error = error(effect, &invoker, &with(attempts(most))).await;
        assert_eq!(error.report().reason.as_deref(), Some(reason));
    }
}

#[tokio::test]
async fn the_whole_report_of_a_failed_read() {
    let policy = attempts(2).initial_backoff(Duration::from_millis(250));
    let invoker = Scripted::failing(9, || status(503).with_retry_after(Some(Duration::from_secs(2))));
    let config = with(policy).with_budget(elapsed(Duration::from_secs(30)));
    let error = error(Effect::ReadOnly, &invoker, &config).await;
    insta::assert_json_snapshot!(error.report());
}

#[tokio::test]
async fn what_registered_code_refuses_for_good_is_never_repeated() {
    let table: [(fn() -> Failure, ErrorKind); 4] = [
        (|| Failure::guardrail("no secrets"), ErrorKind::Guardrail),
        (|| Failure::approval_denied("she said no"), ErrorKind::ApprovalDenied),
        (|| Failure::scope_escalation("only your own files"), ErrorKind::ScopeEscalation),
        (|| Failure::contract_violation("no id", "/id", "required"), ErrorKind::ContractViolation),
    ];
    for (failure, kind) in table {
        for effect in [Effect::ReadOnly, Effect::Mutating] {
            let invoker = Scripted::failing(9, failure);
            let error = error(effect, &invoker, &with(attempts(5).retry_non_read_only(true))).await;
            assert_eq!((error.kind(), error.disposition()), (kind, Disposition::NonRetryable));
            assert_eq!(invoker.calls(), 1, "{kind}");
        }
    }
}
