//! What several topics need: a router on virtual time, documents, shuffles.

pub(crate) mod api;
pub(crate) mod grammar;
pub(crate) mod sample;
pub(crate) mod shuffle;

use std::time::Duration;

use schemarouter::executor::{Invoker, VirtualTimer};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::policy::{RetryPolicy, RetryPolicyBuilder};
use schemarouter::router::{Contract, Outcome, Request, Router, RouterBuilder, RunConfig};
pub(crate) use schemarouter::testing::{CountingGate, Scripted};
use serde_json::json;

/// `test.act`, with this effect, behind this invoker, on virtual time.
pub(crate) fn router(effect: Effect, invoker: impl Invoker, time: &VirtualTimer) -> RouterBuilder {
    Router::builder().timer(time.clone()).seed(1).register(Contract::new("test", "act", effect), invoker)
}

pub(crate) fn attempts(most: u32) -> RetryPolicyBuilder {
    RetryPolicy::builder().max_attempts(most)
}

pub(crate) fn with(policy: RetryPolicyBuilder) -> RunConfig {
    RunConfig::default().with_retry(policy.build().expect("a valid policy"))
}

/// Calls `test.act` once: what came of it, and how long that took.
pub(crate) async fn call(
    effect: Effect,
    invoker: &Scripted,
    config: &RunConfig,
) -> (Result<Outcome, Error>, Duration) {
    let time = VirtualTimer::new();
    let router = router(effect, invoker.clone(), &time).build().expect("a valid router");
    let outcome = router.ainvoke(Request::new("test.act", json!({})), config).await;
    (outcome, time.elapsed())
}

pub(crate) async fn error(effect: Effect, invoker: &Scripted, config: &RunConfig) -> Error {
    call(effect, invoker, config).await.0.expect_err("the call fails")
}
