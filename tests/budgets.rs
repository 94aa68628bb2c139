//! What a run may spend: calls, attempts, cost units, bytes; refused charges cost nothing.

use bytes::Bytes;
use schemarouter::executor::{
    Admission, Attempt, ByteStream, Failure, Gate, GateRefusal, Invocation, Invoker, Reply, Settlement,
    Ticket, VirtualTimer,
};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::base::report::{Applied, Spent};
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{Request, RunConfig};
use schemarouter_loopback::{Reply as Answer, Script, Server};
use serde_json::json;

use crate::support::api::Api;
use crate::support::{Scripted, attempts, router, with};

fn limited(budget: ExecutionBudget) -> RunConfig {
    with(attempts(3)).with_budget(budget)
}

fn told(error: &Error) -> (ErrorKind, Disposition, Option<&str>, Spent) {
    let report = error.report();
    (error.kind(), error.disposition(), report.reason.as_deref(), report.spent.expect("it is told"))
}

fn transient() -> Failure {
    Failure::transient("not now")
}

#[tokio::test]
async fn a_run_without_calls_calls_nothing() {
    let invoker = Scripted::failing(0, transient);
    for (budget, reason) in [
        (ExecutionBudget { max_tool_calls: Some(0), ..Default::default() }, "call_budget_spent"),
        (
            ExecutionBudget { per_tool_calls: [("test", 0)].into_iter().collect(), ..Default::default() },
            "call_budget_of_endpoint_spent",
        ),
    ] {
        let router = router(Effect::ReadOnly, invoker.clone(), &VirtualTimer::new()).build().expect("valid");
        let config = limited(budget);
        let call = router.ainvoke(Request::new("test.act", json!({})), &config);
        let error = call.await.expect_err("no call is allowed");
        assert_eq!(
            told(&error),
            (ErrorKind::BudgetExceeded, Disposition::NonRetryable, Some(reason), Spent::default())
        );
        assert_eq!(error.phase(), Phase::BeforeSending);
    }
    assert_eq!(invoker.calls(), 0);
}

#[tokio::test]
async fn what_is_refused_before_its_first_attempt_costs_no_call() {
    let invoker = Scripted::failing(0, transient);
    let budget = ExecutionBudget { max_tool_calls: Some(0), ..Default::default() };
    let router = router(Effect::ReadOnly, invoker, &VirtualTimer::new()).build().expect("valid");
    let config = limited(budget);
    let call = router.ainvoke(Request::new("test.act", json!({"unknown": 1})), &config);
    assert_eq!(call.await.expect_err("refused").kind(), ErrorKind::InvalidArguments, "arguments come first");
}

/// A circuit that is open for seven seconds more.
struct Open;

impl Gate for Open {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        let (message, retry_in) = ("the circuit is open".to_owned(), Some(std::time::Duration::from_secs(7)));
        Err(GateRefusal { kind: ErrorKind::CircuitOpen, message, retry_in })
    }

    fn settle(&self, _: Ticket, _: Settlement) {}
}

#[tokio::test]
async fn the_refusal_of_a_gate_costs_no_attempt_and_says_when_to_come_again() {
    let invoker = Scripted::failing(0, transient);
    let router = router(Effect::ReadOnly, invoker.clone(), &VirtualTimer::new());
    let router = router.gate(Open).costs([("*", 5)]).build().expect("valid");
    let config = limited(ExecutionBudget::default());
    let error = router.ainvoke(Request::new("test.act", json!({})), &config).await.expect_err("refused");
    let (kind, disposition, reason, spent) = told(&error);
    assert_eq!((kind, disposition), (ErrorKind::CircuitOpen, Disposition::Unavailable));
    assert_eq!((reason, error.report().retry_after_seconds), (Some("path_refused"), Some(7.0)));
    assert_eq!((invoker.calls(), spent.calls, spent.attempts, spent.cost_units), (0, 1, 0, 0));
}

#[tokio::test]
async fn each_attempt_costs_what_the_most_specific_selector_says() {
    let budget = ExecutionBudget { max_cost_units: Some(12), ..Default::default() };
    for (costs, calls, spent) in [
        (&[("*", 5)][..], 2, 10),
        (&[("*", 5), ("test", 6)], 2, 12),
        (&[("test.act", 13), ("test", 1)], 0, 0),
        (&[], 3, 0),
    ] {
        let invoker = Scripted::failing(9, transient);
        let router = router(Effect::ReadOnly, invoker.clone(), &VirtualTimer::new())
            .costs(costs.iter().copied())
            .build()
            .expect("valid");
        let config = limited(budget.clone());
        let call = router.ainvoke(Request::new("test.act", json!({})), &config);
        let error = call.await.expect_err("it never succeeds");
        let (kind, _, reason, total) = told(&error);
        assert_eq!((invoker.calls(), total.attempts, total.cost_units), (calls, calls, spent), "{costs:?}");
        if calls < 3 {
            assert_eq!((kind, reason), (ErrorKind::BudgetExceeded, Some("cost_budget_spent")), "{costs:?}");
        }
    }
}

#[tokio::test]
async fn a_run_receives_no_more_bytes_than_its_budget_has() {
    let list = format!("[\"{}\"]", "a".repeat(96));
    for (most, announced) in [(100, true), (99, true), (99, false)] {
        let reply = Answer::json(200, list.clone());
        let reply = if announced { reply } else { reply.chunked() };
        let server = Server::start(Script::from(reply)).await.expect("a port");
        let budget = ExecutionBudget { max_response_bytes: Some(most), ..Default::default() };
        let outcome = Api::at(&server.url()).call("jobs.listJobs", json!({}), &limited(budget)).await;
        if most == 100 {
            assert_eq!(outcome.expect("it fits").spent.response_bytes, 100);
            continue;
        }
        let error = outcome.expect_err("it does not fit");
        let (kind, disposition, reason, spent) = told(&error);
        assert_eq!((kind, disposition), (ErrorKind::BudgetExceeded, Disposition::NonRetryable));
        assert_eq!((reason, error.phase()), (Some("byte_budget_spent"), Phase::Reply));
        assert_eq!((spent.attempts, spent.exchanges), (1, 1), "it is not asked again");
        assert!(spent.response_bytes <= most);
        assert_eq!(
            error.report().limit.as_ref().map(|limit| limit.name.as_str()),
            Some("max_response_bytes")
        );
    }
}

#[tokio::test]
async fn a_write_whose_reply_does_not_fit_took_effect() {
    let server = Server::start(Script::from(Answer::json(201, r#"{"id": "1"}"#))).await.expect("a port");
    let budget = ExecutionBudget { max_response_bytes: Some(3), ..Default::default() };
    let call = Api::at(&server.url()).call("jobs.addJob", json!({"body": {}}), &limited(budget)).await;
    let report = call.expect_err("it does not fit").report().clone();
    assert_eq!((report.kind, report.applied), (ErrorKind::BudgetExceeded, Some(Applied::Yes)));
    assert!(report.hint.is_some_and(|hint| hint.contains("it took effect")));
}

/// Two pieces of five bytes.
struct Pieces;

impl Invoker for Pieces {
    async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        let pieces = [Ok(Bytes::from_static(b"12345")), Ok(Bytes::from_static(b"67890"))];
        let stream = ByteStream::new(futures_util::stream::iter(pieces));
        Ok(Reply::of_stream("application/octet-stream", stream))
    }
}

#[tokio::test]
async fn a_stream_ends_where_the_byte_budget_does() {
    for (most, received) in [(10, 2), (9, 1), (4, 0)] {
        let budget = ExecutionBudget { max_response_bytes: Some(most), ..Default::default() };
        let router = router(Effect::ReadOnly, Pieces, &VirtualTimer::new()).build().expect("valid");
        let config = limited(budget);
        let call = router.ainvoke(Request::new("test.act", json!({})), &config);
        let mut stream = call.await.expect("a stream").data.into_stream().expect("a stream");
        for _ in 0..received {
            assert!(stream.next().await.is_some_and(|piece| piece.is_ok()), "{most}");
        }
        match stream.next().await {
            None => assert_eq!(most, 10),
            Some(piece) => {
                assert_eq!(piece.expect_err("no more fits").kind(), ErrorKind::BudgetExceeded);
                assert!(stream.next().await.is_none(), "it is over");
            }
        }
    }
}

#[tokio::test]
async fn what_was_received_last_is_kept_where_the_budget_ends_the_call() {
    let server =
        Server::start(Script::repeat(Answer::json(500, r#"{"why":"later"}"#))).await.expect("a server");
    let attempts = ExecutionBudget { max_attempts: Some(1), ..Default::default() };
    let error = Api::at(&server.url()).call("listJobs", json!({}), &limited(attempts)).await;
    let error = error.expect_err("it only fails");
    assert_eq!((error.kind(), error.report().status), (ErrorKind::BudgetExceeded, Some(500)));
    assert_eq!(error.received().map(|kept| kept.body.as_slice()), Some(&br#"{"why":"later"}"#[..]));
}
