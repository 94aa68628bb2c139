//! Calls without async.

use std::sync::Arc;
use std::time::Duration;

use schemarouter::executor::{Attempt, Failure, Invocation, Invoker, Reply};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::{ExecutionBudget, RetryPolicy};
use schemarouter::router::{Contract, Request, Router, RunConfig};
use schemarouter_loopback::{Reply as Answer, Script, Server};
use serde_json::json;

use crate::support::Scripted;
use crate::support::api::Api;

/// On the real clock: what is short does not wait.
fn router(server: &Server) -> Router {
    let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
    let settings = HttpSettings::default().with_egress(egress);
    let settings = settings.with_base_url("jobs", server.url().parse().expect("a URL"));
    let compiled = Api::at(&server.url()).compiled();
    Router::builder().source(compiled).http(settings).build().expect("valid")
}

fn three_attempts() -> RunConfig {
    let policy = RetryPolicy::builder().max_attempts(3).initial_backoff(Duration::ZERO).build();
    RunConfig::default().with_retry(policy.expect("valid"))
}

#[test]
fn a_call_is_made_retried_and_answered_on_a_thread_of_its_own() {
    let script = Script::sequence([Answer::status(503), Answer::json(200, "[1]")]);
    let server = Server::start_on_thread(script).expect("a port");
    let router = router(&server);
    let outcome = router.invoke(Request::new("listJobs", json!({})), &three_attempts()).expect("the second");
    assert_eq!((outcome.data.json(), outcome.attempts.len()), (Some(&json!([1])), 2));
}

#[test]
fn connections_last_from_call_to_call_and_threads_may_call_at_once() {
    let server = Server::start_on_thread(Script::from(Answer::json(200, "[]"))).expect("a port");
    let router = Arc::new(router(&server));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let router = Arc::clone(&router);
            scope.spawn(move || {
                for _ in 0..5 {
                    router
                        .invoke(Request::new("listJobs", json!({})), &RunConfig::default())
                        .expect("it answers");
                }
            });
        }
    });
    assert_eq!(server.requests().len(), 40);
}

/// Within a runtime, of either kind: its thread waits, and nothing panics, not even dropping the router there.
#[test]
fn a_call_works_inside_a_running_event_loop() {
    let server = Server::start_on_thread(Script::from(Answer::json(200, "[]"))).expect("a port");
    for mut runtime in
        [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()]
    {
        runtime.enable_all().build().expect("a runtime").block_on(async {
            let router = router(&server);
            router.invoke(Request::new("listJobs", json!({})), &RunConfig::default()).expect("it answers");
        });
    }
}

#[test]
fn errors_and_budgets_are_the_same() {
    let invoker = Scripted::failing(9, || Failure::transient("not now"));
    let contract = Contract::new("test", "act", Effect::ReadOnly);
    let router = Router::builder().register(contract, invoker.clone()).build().expect("valid");
    let budget = ExecutionBudget { max_attempts: Some(2), ..Default::default() };
    let error = router.invoke(Request::new("test.act", json!({})), &three_attempts().with_budget(budget));
    assert_eq!(error.expect_err("it never succeeds").kind(), ErrorKind::BudgetExceeded);
    assert_eq!(invoker.calls(), 2);
    let error = router.invoke(Request::new("test.atc", json!({})), &RunConfig::default());
    assert_eq!(error.expect_err("no such endpoint").kind(), ErrorKind::UnknownEndpoint);
}

struct Panics;

impl Invoker for Panics {
    async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        panic!("the adapter has a bug")
    }
}

#[test]
#[should_panic(expected = "the adapter has a bug")]
fn a_panic_of_registered_code_reaches_the_caller() {
    let contract = Contract::new("test", "act", Effect::ReadOnly);
    let router = Router::builder().register(contract, Panics).build().expect("valid");
    let _ = router.invoke(Request::new("test.act", json!({})), &RunConfig::default());
}
