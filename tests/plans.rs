//! Several calls of one run: order, one budget, one pool of retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use schemarouter::executor::{Attempt, Failure, Invocation, Invoker, Reply, VirtualTimer};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{CallResult, Contract, Plan, PlanOutcome, Request, Router, RunConfig};
use serde_json::{Value, json};

use crate::support::{attempts, with};

/// Fails where the argument `fail` says so, answers with `n` otherwise; counts, and tells how many were under way at
/// most.
#[derive(Clone, Default)]
struct Counting {
    calls: Arc<AtomicU32>,
    open: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

impl Invoker for Counting {
    async fn invoke(&self, call: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.open.fetch_sub(1, Ordering::SeqCst);
        match call.arguments.get("fail") {
            Some(Value::Bool(true)) => Err(Failure::transient("not now")),
            _ => Ok(Reply::of_json(call.arguments["n"].clone())),
        }
    }
}

fn router(invoker: &Counting) -> Router {
    let arguments =
        json!({"type": "object", "properties": {"n": {"type": "integer"}, "fail": {"type": "boolean"}}});
    let contract = |name, effect| Contract::new("test", name, effect).with_arguments(arguments.clone());
    let builder = Router::builder().timer(VirtualTimer::new()).seed(1);
    let builder = builder.register(contract("read", Effect::ReadOnly), invoker.clone());
    builder.register(contract("write", Effect::Mutating), invoker.clone()).build().expect("valid")
}

fn calls(operation: &str, arguments: impl IntoIterator<Item = Value>) -> Vec<Request> {
    arguments.into_iter().map(|arguments| Request::new(format!("test.{operation}"), arguments)).collect()
}

fn told(outcome: &PlanOutcome) -> Vec<String> {
    let told = outcome.results.iter().map(|result| match result {
        CallResult::Succeeded(outcome) => outcome.data.json().expect("JSON").to_string(),
        CallResult::Failed(error) => error.kind().to_string(),
        CallResult::NotRun => "not run".to_owned(),
    });
    told.collect()
}

#[tokio::test]
async fn calls_run_in_order_to_the_first_that_fails() {
    let invoker = Counting::default();
    let plan =
        Plan::in_order(calls("write", [json!({"n": 1}), json!({"n": 2, "fail": true}), json!({"n": 3})]));
    let outcome = router(&invoker).ainvoke_plan(&plan, &RunConfig::default()).await.expect("admitted");
    assert_eq!(told(&outcome), ["1", "invocation_failed", "not run"]);
    assert_eq!((invoker.calls.load(Ordering::SeqCst), invoker.most.load(Ordering::SeqCst)), (2, 1));
    assert_eq!((outcome.spent.calls, outcome.spent.attempts, outcome.is_success()), (2, 2, false));
}

#[tokio::test]
async fn a_plan_with_a_call_that_is_refused_does_nothing() {
    let invoker = Counting::default();
    let plan = Plan::in_order(calls("write", [json!({"n": 1}), json!({"n": "two"}), json!({"n": 3})]));
    let error = router(&invoker).ainvoke_plan(&plan, &RunConfig::default()).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert_eq!(error.report().details.get("call").map(String::as_str), Some("2"));
    assert_eq!(invoker.calls.load(Ordering::SeqCst), 0);
    let empty = router(&invoker).ainvoke_plan(&Plan::in_order([]), &RunConfig::default()).await;
    assert_eq!(empty.expect_err("an empty success is never invented").kind(), ErrorKind::InvalidArguments);
}

#[tokio::test]
async fn side_by_side_runs_what_is_explicitly_read_only_and_keeps_the_order() {
    let invoker = Counting::default();
    let reads = || calls("read", (0..20).map(|n| json!({"n": n, "fail": n == 3})));
    let mut plan = Plan::parallel_read_only(reads());
    plan.max_parallel = std::num::NonZeroUsize::new(4);
    let outcome = router(&invoker).ainvoke_plan(&plan, &RunConfig::default()).await.expect("admitted");
    let due: Vec<String> =
        (0..20).map(|n| if n == 3 { "invocation_failed".to_owned() } else { n.to_string() }).collect();
    assert_eq!(told(&outcome), due, "one that fails stops no other");
    assert_eq!(invoker.most.load(Ordering::SeqCst), 4);

    let mixed = Plan::parallel_read_only([reads(), calls("write", [json!({"n": 1})])].concat());
    let refused = router(&Counting::default()).ainvoke_plan(&mixed, &RunConfig::default()).await;
    let error = refused.expect_err("a write runs beside nothing");
    assert_eq!(error.kind(), ErrorKind::PolicyRejected);
    assert_eq!(error.report().details.get("call").map(String::as_str), Some("21"));
}

#[tokio::test]
async fn ten_parallel_reads_with_three_attempts_and_a_pool_of_five_make_fifteen_calls() {
    let invoker = Counting::default();
    let plan = Plan::parallel_read_only(calls("read", (0..10).map(|n| json!({"n": n, "fail": true}))));
    let config = with(attempts(3)).with_retry_pool(5);
    let outcome = router(&invoker).ainvoke_plan(&plan, &config).await.expect("admitted");
    assert_eq!((invoker.calls.load(Ordering::SeqCst), outcome.spent.attempts), (15, 15));
    let reasons: Vec<_> =
        outcome.results.iter().map(|result| result.error().and_then(|e| e.report().reason.clone())).collect();
    let of = |word: &str| reasons.iter().flatten().filter(|reason| *reason == word).count();
    assert_eq!(of("retry_pool_spent") + of("last_attempt"), 10, "{reasons:?}");
    let failures = outcome.results.iter().filter_map(CallResult::error);
    assert!(failures.into_iter().all(|error| error.disposition() == Disposition::Transient));
}

#[tokio::test]
async fn budgets_are_exact_under_64_concurrent_calls_of_one_run() {
    let limits = [
        ("max_tool_calls", ExecutionBudget { max_tool_calls: Some(40), ..Default::default() }),
        (
            "per_tool_calls",
            ExecutionBudget { per_tool_calls: [("test", 40)].into_iter().collect(), ..Default::default() },
        ),
        ("max_attempts", ExecutionBudget { max_attempts: Some(40), ..Default::default() }),
        ("max_cost_units", ExecutionBudget { max_cost_units: Some(123), ..Default::default() }),
        ("max_response_bytes", ExecutionBudget { max_response_bytes: Some(80), ..Default::default() }),
    ];
    for (name, budget) in limits {
        let invoker = Counting::default();
        let mut plan = Plan::parallel_read_only(calls("read", (10..74).map(|n| json!({"n": n}))));
        plan.max_parallel = std::num::NonZeroUsize::new(64);
        let arguments = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let contract = Contract::new("test", "read", Effect::ReadOnly).with_arguments(arguments);
        let router = Router::builder()
            .costs([("test.read", 3)])
            .register(contract, invoker.clone())
            .build()
            .expect("valid");
        let config = RunConfig::default().with_budget(budget);
        let outcome = router.ainvoke_plan(&plan, &config).await.expect("admitted");
        let (done, failed): (Vec<_>, Vec<_>) =
            outcome.results.iter().partition(|result| result.outcome().is_some());
        // 123 units are enough for 41 attempts of 3.
        let most = if name == "max_cost_units" { 41 } else { 40 };
        assert_eq!((done.len(), failed.len()), (most, 64 - most), "{name}");
        for result in failed {
            let limit = result.error().and_then(|error| error.report().limit.clone()).expect("a limit");
            assert_eq!(limit.name, name);
        }
    }
}

#[test]
fn a_plan_can_widen_nothing() {
    let sneaky = json!({"calls": [], "retry_pool": 100});
    assert!(serde_json::from_value::<Plan>(sneaky).is_err());
}
