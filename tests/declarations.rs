//! What the operator says of endpoints, over what their documents say.

use std::collections::BTreeMap;
use std::time::Duration;

use schemarouter::executor::{
    Admission, Attempt, Event, Failure, Gate, GateRefusal, Heartbeat, Invocation, Invoker, Reply as Answer,
    Settlement, Ticket, VirtualTimer,
};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::time::Monotonic;
use schemarouter::kernel::policy::{ActivityClass, ExecutionPolicy, RetryCeiling};
use schemarouter::router::{
    Contract, Declaration, FallbackTo, Layers, ReplyValidation, Request, Router, RouterBuilder, RunConfig,
};
use schemarouter_loopback::{Action, Reply, Script, Server};
use serde_json::json;

use crate::support::api::{Api, on_stall};
use crate::support::{Scripted, attempts, with};

fn effect(effect: Effect) -> Declaration {
    Declaration { effect: Some(effect), ..Declaration::default() }
}

/// How many requests the server sees when this operation is called with three attempts and always fails with a 503.
async fn requests(operation: &str, prepare: impl FnOnce(RouterBuilder) -> RouterBuilder) -> usize {
    let server = Server::start(Script::repeat(Reply::status(503))).await.expect("a socket");
    let api = Api::at(&server.url());
    let router = prepare(api.builder()).build().expect("valid");
    let arguments = if operation == "listJobs" { json!({}) } else { json!({"body": {}}) };
    router.ainvoke(Request::new(operation, arguments), &with(attempts(3))).await.expect_err("it fails");
    server.requests().len()
}

#[tokio::test]
async fn r_323_the_endpoints_own_idempotency_decides_and_not_its_method() {
    let table = [
        ("listJobs", None, 3),
        ("listJobs", Some(Effect::Mutating), 1),
        ("listJobs", Some(Effect::Unknown), 1),
        ("addJob", None, 1),
        ("addJob", Some(Effect::Idempotent), 3),
        ("addJob", Some(Effect::ReadOnly), 3),
        ("putJobs", None, 1),
        ("putJobs", Some(Effect::Idempotent), 3),
    ];
    for (operation, said, made) in table {
        let allow = ExecutionPolicy { allow_mutations: true, allow_unclassified: true, ..Default::default() };
        let prepare = |builder: RouterBuilder| match said {
            Some(said) => builder.allow(allow).declare(format!("jobs.{operation}"), effect(said)),
            None => builder,
        };
        assert_eq!(requests(operation, prepare).await, made, "{operation}, said to be {said:?}");
    }
    // What the method says counts where the operator says that it does.
    for (operation, made) in [("putJobs", 3), ("addJob", 1)] {
        assert_eq!(requests(operation, |builder| builder.repeat_idempotent(true)).await, made, "{operation}");
    }
}

#[tokio::test]
async fn permission_is_asked_for_the_effect_that_is_declared() {
    let server = Server::start(Script::repeat(Reply::json(200, "[]"))).await.expect("a socket");
    let api = Api::at(&server.url());
    let router = api
        .builder()
        .allow(ExecutionPolicy::default())
        .declare("jobs.addJob", effect(Effect::ReadOnly))
        .declare("jobs.listJobs", effect(Effect::Mutating))
        .replies(ReplyValidation::Off)
        .build()
        .expect("valid");
    let call = |operation: &'static str, arguments| {
        let router = router.clone();
        async move { router.ainvoke(Request::new(operation, arguments), &RunConfig::default()).await }
    };
    call("addJob", json!({"body": {}})).await.expect("a search by POST needs no permission");
    let error = call("listJobs", json!({})).await.expect_err("a GET that changes something does");
    assert_eq!(error.kind(), ErrorKind::PolicyRejected);
    assert_eq!(server.requests().len(), 1);
    let shown = router.endpoint("jobs.listJobs").expect("it is there");
    assert_eq!(shown.effect, Effect::Mutating, "whoever looks sees what holds");
}

#[tokio::test]
async fn a_503_proves_a_rejection_where_that_is_declared() {
    for (proves, disposition) in [(None, Disposition::Indeterminate), (Some(true), Disposition::Unavailable)]
    {
        let server = Server::start(Script::repeat(Reply::status(503))).await.expect("a socket");
        let said = Declaration { unavailable_proves_rejection: proves, ..Declaration::default() };
        let router = Api::at(&server.url()).builder().declare("jobs", said).build().expect("valid");
        let request = Request::new("addJob", json!({"body": {}}));
        let error = router.ainvoke(request, &RunConfig::default()).await.expect_err("it fails");
        assert_eq!((error.disposition(), server.requests().len()), (disposition, 1));
    }
}

#[tokio::test]
async fn replies_and_costs_are_those_of_the_endpoint() {
    let server = Server::start(Script::repeat(Reply::json(200, "{}"))).await.expect("a socket");
    let declare = |replies| Declaration { replies, cost: Some(7), ..Declaration::default() };
    let call = |said| {
        let router = Api::at(&server.url()).builder().declare("jobs.listJobs", said).build().expect("valid");
        async move { router.ainvoke(Request::new("listJobs", json!({})), &RunConfig::default()).await }
    };
    let error = call(declare(None)).await.expect_err("an object is no array");
    assert_eq!(error.kind(), ErrorKind::ContractViolation);
    assert_eq!(error.report().spent.map(|spent| spent.cost_units), Some(7));
    let outcome = call(declare(Some(ReplyValidation::Warn))).await.expect("it is a warning");
    assert_eq!(outcome.warnings.len(), 1);
    assert!(call(declare(Some(ReplyValidation::Off))).await.expect("nobody looks").warnings.is_empty());
}

#[tokio::test]
async fn the_operators_ceiling_holds_for_a_runs_retries() {
    let table = [
        (RetryCeiling::default(), 3),
        (RetryCeiling { max_attempts: std::num::NonZeroU32::new(2), ..RetryCeiling::default() }, 2),
        (RetryCeiling { retry_non_read_only: Some(false), ..RetryCeiling::default() }, 1),
    ];
    for (ceiling, made) in table {
        let server = Server::start(Script::repeat(Reply::status(503))).await.expect("a socket");
        let router = Api::at(&server.url()).builder().retry_ceiling(ceiling).build().expect("valid");
        let config = with(attempts(3).retry_non_read_only(true));
        let _ = router.ainvoke(Request::new("addJob", json!({"body": {}})), &config).await;
        assert_eq!(server.requests().len(), made);
    }
}

#[tokio::test]
async fn a_call_ends_when_it_has_taken_as_long_as_it_may() {
    let time = VirtualTimer::new();
    let script = Script::repeat(Action::stall()).on_stall(on_stall(&time));
    let server = Server::start(script).await.expect("a socket");
    let api = Api { time: time.clone(), ..Api::at(&server.url()) };
    // Longer than the reply timeout of all others, which is 30 s.
    let said = Declaration { timeout: Some(Duration::from_secs(100)), ..Declaration::default() };
    let router = api.builder().declare("jobs.listJobs", said).build().expect("valid");
    let error =
        router.ainvoke(Request::new("listJobs", json!({})), &with(attempts(3))).await.expect_err("it ends");
    let report = error.report();
    assert_eq!((error.kind(), error.disposition()), (ErrorKind::BudgetExceeded, Disposition::Unavailable));
    assert_eq!(
        report.limit.as_ref().map(|limit| (limit.name.as_str(), limit.limit)),
        Some(("start_to_close", 100.0))
    );
    assert_eq!((report.reason.as_deref(), report.attempts.len()), (Some("start_to_close_reached"), 1));
    assert_eq!(time.elapsed(), Duration::from_secs(100));

    let said = Declaration { reply_timeout: Some(Duration::from_secs(5)), ..Declaration::default() };
    let router = api.builder().declare("jobs.listJobs", said).build().expect("valid");
    let error =
        router.ainvoke(Request::new("listJobs", json!({})), &RunConfig::default()).await.expect_err("late");
    assert_eq!((error.kind(), time.elapsed()), (ErrorKind::Timeout, Duration::from_secs(105)));
}

/// Works for nine minutes, with a heartbeat every so often.
struct Thinks {
    every: Duration,
}

impl Invoker for Thinks {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Answer, Failure> {
        let timer = attempt.timer();
        let end = timer.now().saturating_add(Duration::from_mins(9));
        let mut tokens = 0;
        while timer.now() < end {
            let next: Monotonic = timer.now().saturating_add(self.every);
            timer.alarm(Some(next)).await;
            tokens += 100;
            attempt.heartbeat(Heartbeat { step: "writing".to_owned(), tokens, chunks: tokens / 10 });
        }
        Ok(Answer::of_json(json!({"tokens": tokens})))
    }
}

#[tokio::test]
async fn long_work_lives_as_long_as_it_gives_signs_of_life() {
    for (every, lives) in [(10, true), (59, true), (61, false)] {
        let time = VirtualTimer::new();
        let beats: std::sync::Arc<std::sync::Mutex<Vec<u64>>> = std::sync::Arc::default();
        let heard = std::sync::Arc::clone(&beats);
        let said = Declaration { activity: Some(ActivityClass::Model), ..Declaration::default() };
        let router = Router::builder()
            .register(
                Contract::new("model", "write", Effect::ReadOnly),
                Thinks { every: Duration::from_secs(every) },
            )
            .declare("model.write", said)
            .timer(time.clone())
            .observer(move |event: &Event| {
                if let Event::Heartbeat { heartbeat, .. } = event {
                    heard.lock().expect("not poisoned").push(heartbeat.tokens);
                }
            })
            .build()
            .expect("valid");
        // Work is under way all the time, so nothing but this moves time.
        let ticking = tokio::spawn({
            let time = time.clone();
            async move {
                loop {
                    for _ in 0..8 {
                        tokio::task::yield_now().await;
                    }
                    time.stalled();
                }
            }
        });
        let done = router.ainvoke(Request::new("model.write", json!({})), &RunConfig::default()).await;
        ticking.abort();
        let beats = beats.lock().expect("not poisoned").clone();
        if lives {
            done.expect("it lives");
            let told_every = if every == 10 { 2 } else { 1 };
            assert!(
                beats.windows(2).all(|two| two[1] - two[0] == 100 * told_every),
                "three in a window: {beats:?}"
            );
        } else {
            let error = done.expect_err("it is given up");
            assert_eq!((error.kind(), error.disposition()), (ErrorKind::Timeout, Disposition::Unavailable));
            assert!(error.message().contains("60 s without a heartbeat"), "{error}");
            assert_eq!(time.elapsed(), Duration::from_mins(1));
        }
    }
}

#[tokio::test]
async fn a_fallback_of_a_file_is_used() {
    let overlay = "version: 1\nendpoints:\n  jobs.headJobs: {fallback: {endpoint: jobs.listJobs}}\n";
    let settings = Layers::default().overlay("o.yaml", overlay).and_then(Layers::resolve).expect("valid");
    let to = settings.values.endpoints["jobs.headJobs"].fallback.clone();
    assert_eq!(to, Some(FallbackTo { endpoint: "jobs.listJobs".to_owned(), arguments: BTreeMap::default() }));
    let server = Server::start(Script::route(|sent: &schemarouter_loopback::Request| {
        if sent.method == "HEAD" { Reply::status(503) } else { Reply::json(200, "[]") }
    }))
    .await
    .expect("a socket");
    let mut api = Api::at(&server.url());
    api.policy = ExecutionPolicy::default();
    let builder = Router::builder().settings(settings).source(api.compiled()).http(api.settings.clone());
    let router = builder.timer(api.time.clone()).build().expect("valid");
    let outcome = router
        .ainvoke(Request::new("headJobs", json!({})), &RunConfig::default())
        .await
        .expect("it is answered");
    assert_eq!(outcome.endpoint, "jobs.listJobs");
}

#[test]
fn what_is_said_of_nothing_is_told_when_the_router_is_built() {
    let api = Api::at("http://127.0.0.1:9");
    let table = [
        ("jobs.lstJobs", effect(Effect::Mutating), "there is no endpoint `jobs.lstJobs`"),
        ("jbs", Declaration { cost: Some(1), ..Declaration::default() }, "there is no source `jbs`"),
        ("jobs", effect(Effect::ReadOnly), "is said of one endpoint, by its key"),
        ("*", Declaration { destructive: Some(true), ..Declaration::default() }, "is said of one endpoint"),
        (
            "jobs.addJob",
            Declaration {
                timeout: Some(Duration::from_secs(5)),
                heartbeat: Some(Duration::from_secs(5)),
                ..Declaration::default()
            },
            "less than the time",
        ),
    ];
    for (selector, said, rule) in table {
        let error = api.builder().declare(selector, said).build().expect_err("it is a mistake");
        assert_eq!(error.kind(), ErrorKind::InvalidSettings);
        assert!(error.message().contains(rule), "{error}");
    }
    let error =
        api.builder().declare("jobs.lstJobs", effect(Effect::Mutating)).build().expect_err("misspelt");
    assert!(error.to_string().contains("jobs.listJobs"), "the nearest name: {error}");
}

#[tokio::test]
async fn r_408_no_attempt_starts_when_the_calls_own_time_went_by_at_the_gate() {
    struct Queue(VirtualTimer);
    impl Gate for Queue {
        async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
            self.0.advance(Duration::from_secs(5));
            Ok(Ticket(0))
        }
        fn settle(&self, _: Ticket, settlement: Settlement) {
            assert_eq!(settlement, Settlement::Abandoned, "it was not used");
        }
    }
    let (invoker, time) = (Scripted::failing(0, || Failure::transient("never")), VirtualTimer::new());
    let router = crate::support::router(Effect::Mutating, invoker.clone(), &time)
        .gate(Queue(time.clone()))
        .declare("test.act", Declaration { timeout: Some(Duration::from_secs(5)), ..Default::default() })
        .build()
        .expect("valid");
    let request = Request::new("test.act", json!({}));
    let error = router.ainvoke(request, &RunConfig::default()).await.expect_err("too late");
    assert_eq!((error.kind(), invoker.calls()), (ErrorKind::BudgetExceeded, 0));
    assert_eq!(error.report().reason.as_deref(), Some("start_to_close_reached"));
    assert_eq!(error.report().spent.expect("told").attempts, 0, "and it costs nothing");
}
