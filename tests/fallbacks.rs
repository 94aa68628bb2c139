//! where a path is unavailable, the operator's read-only fallback answers, under the same run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::executor::{Failure, VirtualTimer};
use schemarouter::invokers::http::{ConnectionWatch, Wire, WireReply, WireRequest};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::{ExecutionBudget, ExecutionPolicy, Rule, RuleAction};
use schemarouter::router::{Contract, Fallback, Outcome, Request, Router, RouterBuilder, RunConfig};
use serde_json::{Value, json};

use crate::support::{Scripted, attempts, with};

struct Scene {
    first: Scripted,
    second: Scripted,
    third: Scripted,
}

fn ok() -> Scripted {
    Scripted::failing(0, || Failure::transient("never"))
}

fn failing(failure: fn() -> Failure) -> Scripted {
    Scripted::failing(99, failure)
}

fn unavailable() -> Failure {
    Failure::unavailable("down")
}

/// Three endpoints that take `id`, `key` and `key`; the first is asked.
fn builder(scene: &Scene, effect: Effect) -> RouterBuilder {
    let contract = |name, argument: &str, effect| {
        let schema =
            json!({"type": "object", "required": [argument], "properties": {argument: {"type": "integer"}}});
        Contract::new("test", name, effect).with_arguments(schema)
    };
    Router::builder()
        .timer(VirtualTimer::new())
        .seed(1)
        .register(contract("first", "id", effect), scene.first.clone())
        .register(contract("second", "key", Effect::ReadOnly), scene.second.clone())
        .register(contract("third", "key", Effect::ReadOnly), scene.third.clone())
}

fn fallback() -> Fallback {
    Fallback::new("test.first", "test.second").with_argument("id", "key")
}

async fn ask(builder: RouterBuilder, config: &RunConfig) -> Result<Outcome, Error> {
    builder.build().expect("valid").ainvoke(Request::new("test.first", json!({"id": 7})), config).await
}

#[tokio::test]
async fn r_315_an_unavailable_path_falls_back_under_the_same_run() {
    let scene = Scene { first: failing(unavailable), second: ok(), third: ok() };
    let config = with(attempts(2));
    let outcome =
        ask(builder(&scene, Effect::ReadOnly).fallback(fallback()), &config).await.expect("the second");
    assert_eq!(outcome.endpoint, "test.second");
    assert_eq!((scene.first.calls(), scene.second.calls()), (2, 1));
    assert_eq!((outcome.spent.calls, outcome.spent.attempts), (2, 3), "one account for both");
    let ids: std::collections::BTreeSet<&str> =
        outcome.attempts.iter().map(|attempt| attempt.id.as_str()).collect();
    assert_eq!(
        (outcome.attempts.len(), ids.len()),
        (3, 3),
        "all of them are told, each by a name of its own"
    );
    let due = "`test.first` was unavailable (invocation_failed), and `test.second` answers in its place";
    assert_eq!(outcome.warnings, [due]);
}

#[tokio::test]
async fn r_315_only_unavailability_falls_back() {
    let table: [(fn() -> Failure, Disposition); 3] = [
        (|| Failure::transient("blip"), Disposition::Transient),
        (|| Failure::indeterminate("who knows"), Disposition::Indeterminate),
        (|| Failure::non_retryable("no"), Disposition::NonRetryable),
    ];
    for (failure, disposition) in table {
        let scene = Scene { first: failing(failure), second: ok(), third: ok() };
        let error = ask(builder(&scene, Effect::ReadOnly).fallback(fallback()), &RunConfig::default()).await;
        assert_eq!(error.expect_err("no fallback").disposition(), disposition);
        assert_eq!(scene.second.calls(), 0, "{disposition:?}");
    }
    // What the budget has ended is not gone on with elsewhere.
    let scene = Scene { first: failing(unavailable), second: ok(), third: ok() };
    let budget = ExecutionBudget { max_attempts: Some(1), ..Default::default() };
    let config = with(attempts(3)).with_budget(budget);
    let error =
        ask(builder(&scene, Effect::ReadOnly).fallback(fallback()), &config).await.expect_err("spent");
    assert_eq!((error.kind(), scene.second.calls()), (ErrorKind::BudgetExceeded, 0));
}

#[tokio::test]
async fn fallbacks_follow_each_other_and_end_with_the_first_failure() {
    let back = || Fallback::new("test.third", "test.first").with_argument("key", "id");
    let scene = Scene { first: failing(unavailable), second: failing(unavailable), third: ok() };
    let chain = |scene: &Scene| {
        let next = Fallback::new("test.second", "test.third");
        builder(scene, Effect::ReadOnly).fallback(fallback()).fallback(next).fallback(back())
    };
    let outcome = ask(chain(&scene), &RunConfig::default()).await.expect("the third");
    assert_eq!(outcome.endpoint, "test.third");

    let scene = Scene { third: failing(unavailable), ..scene };
    let error = ask(chain(&scene), &RunConfig::default()).await.expect_err("all are down");
    assert_eq!(error.report().endpoint.as_deref(), Some("test.first"));
    let details = error.report().details.keys().filter(|name| name.starts_with("fallback"));
    let details: Vec<&String> = details.collect();
    assert_eq!(details, ["fallback test.second", "fallback test.third"]);
    let spent = error.report().spent.expect("it was carried out");
    assert_eq!((spent.calls, spent.attempts), (3, 3), "what the fallbacks spent is told as well");
    assert_eq!(scene.first.calls(), 2, "once in each of the two runs, although the third leads back to it");

    // One that fails for good ends the chain.
    let no: fn() -> Failure = || Failure::non_retryable("no");
    let scene = Scene { first: failing(unavailable), second: failing(no), third: ok() };
    let error = ask(chain(&scene), &RunConfig::default()).await.expect_err("the second says no");
    assert_eq!((error.disposition(), scene.third.calls()), (Disposition::Unavailable, 0));
}

#[tokio::test]
async fn a_fallback_that_is_not_permitted_is_none() {
    let scene = Scene { first: failing(unavailable), second: ok(), third: ok() };
    let rules = vec![Rule::new("test.second", RuleAction::Deny)];
    let policy = ExecutionPolicy { rules, ..ExecutionPolicy::default() };
    let builder = builder(&scene, Effect::ReadOnly).fallback(fallback()).allow(policy);
    let error = ask(builder, &RunConfig::default()).await.expect_err("denied");
    assert_eq!((error.disposition(), scene.second.calls()), (Disposition::Unavailable, 0));
}

#[test]
fn a_fallback_is_checked_when_the_router_is_built() {
    let scene = Scene { first: ok(), second: ok(), third: ok() };
    let error = |effect, fallback: Fallback| {
        let built = builder(&scene, effect).fallback(fallback).build();
        built.map(|_| Value::Null).expect_err("it cannot be meant").message().to_owned()
    };
    let plain = Fallback::new("test.first", "test.second");
    let table = [
        (Effect::Mutating, fallback(), "`test.first` is mutating, and both have to be read-only"),
        (Effect::Unknown, fallback(), "`test.first` is unknown, and both have to be read-only"),
        (Effect::ReadOnly, plain, "`test.second` has no argument `id`; name it with `with_argument`"),
        (Effect::ReadOnly, Fallback::new("test.first", "test.fourth"), "there is no endpoint `test.fourth`"),
        (Effect::ReadOnly, fallback().with_argument("ids", "key"), "`test.first` has no argument `ids`"),
    ];
    for (effect, fallback, due) in table {
        let message = error(effect, fallback);
        assert!(message.ends_with(due), "{message}");
    }
}

/// What is read-only when the router is built may be a write in the document that takes its place.
#[tokio::test]
async fn a_write_is_no_fallback_whatever_it_was_before() {
    let compiled = |method: &str| {
        let ok = json!({"200": {"description": "ok"}});
        let document = json!({"openapi": "3.1.0", "servers": [{"url": "https://other.test"}],
            "paths": {"/now": {method: {"operationId": "now", "responses": ok}}}});
        let document = Document::from_json(document.to_string(), &Limits::default()).expect("JSON");
        compile(document, &Options::new("other")).expect("OpenAPI")
    };
    let all = ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() };
    let asked = Arc::new(AtomicU32::new(0));
    let router = Router::builder()
        .timer(VirtualTimer::new())
        .register(Contract::new("test", "first", Effect::ReadOnly), failing(unavailable))
        .source(compiled("get"))
        .fallback(Fallback::new("test.first", "other.now"))
        .allow(all)
        .wire(Refusing(Arc::clone(&asked)))
        .build()
        .expect("valid");
    for (method, sent) in [("get", 1), ("post", 1)] {
        router.replace(compiled(method)).expect("it takes its place");
        let error = router.ainvoke(Request::new("test.first", json!({})), &RunConfig::default()).await;
        assert_eq!(error.expect_err("both fail").disposition(), Disposition::Unavailable);
        assert_eq!(asked.load(Ordering::SeqCst), sent, "{method}");
    }
}

/// A wire that sends nothing, and counts what it should have sent.
struct Refusing(Arc<AtomicU32>);

impl Wire for Refusing {
    async fn send(&self, _: WireRequest, _: Arc<ConnectionWatch>) -> Result<WireReply, Failure> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(Failure::unavailable("down too"))
    }
}
