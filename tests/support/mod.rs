//! What several topics need: a router on virtual time, documents, shuffles.

pub(crate) mod api;
pub(crate) mod grammar;
pub(crate) mod sample;
pub(crate) mod shuffle;

use std::time::Duration;

use schemarouter::executor::{Attempt, Body, Failure, Invocation, Invoker, Reply, VirtualTimer};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::policy::{RetryPolicy, RetryPolicyBuilder};
use schemarouter::router::{Contract, Outcome, ReplyValidation, Request, Router, RouterBuilder, RunConfig};
pub(crate) use schemarouter::testing::{CountingGate, Scripted};
use serde_json::{Value, json};

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

/// An invoker of `test.say` that answers with its argument `text`, as it is; JSON where it is JSON.
pub(crate) struct Says;

impl Says {
    pub(crate) fn router(reply: Option<Value>) -> Router {
        Self::builder(reply).build().expect("a valid router")
    }

    /// The same, where a reply that breaks its schema is a warning.
    pub(crate) fn router_warning(reply: Value) -> Router {
        Self::builder(Some(reply)).replies(ReplyValidation::Warn).build().expect("a valid router")
    }

    fn builder(reply: Option<Value>) -> RouterBuilder {
        let contract = Contract::new("test", "say", Effect::ReadOnly)
            .with_arguments(json!({"type": "object", "properties": {"text": {"type": "string"}}}));
        let contract = match reply {
            Some(schema) => contract.with_reply(schema),
            None => contract,
        };
        Router::builder().timer(VirtualTimer::new()).seed(1).register(contract, Self)
    }
}

impl Invoker for Says {
    async fn invoke(&self, call: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        let text = call.arguments["text"].as_str().expect("a text").to_owned();
        let json = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
        Ok(Reply { json, body: Body::Buffered(text.into()), ..Reply::of_json(Value::Null) })
    }
}

/// A request for `test.say`.
pub(crate) fn saying(text: &str) -> Request {
    Request::new("test.say", json!({"text": text}))
}
