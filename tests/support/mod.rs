//! What several topics need: an invoker that plays a script, a gate that counts, a router on virtual time.

pub(crate) mod api;
pub(crate) mod grammar;
pub(crate) mod sample;
pub(crate) mod shuffle;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemarouter::executor::{
    Admission, Attempt, Body, Failure, Gate, GateRefusal, Invocation, Invoker, Reply, Settlement, Ticket,
    VirtualTimer,
};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::policy::{RetryPolicy, RetryPolicyBuilder};
use schemarouter::router::{Contract, Outcome, ReplyValidation, Request, Router, RouterBuilder, RunConfig};
use serde_json::{Value, json};

type Act = dyn Fn(u32) -> Result<Value, Failure> + Send + Sync;

/// An invoker that does what a function of the attempt number says, in no time, and counts.
#[derive(Clone)]
pub(crate) struct Scripted {
    act: Arc<Act>,
    calls: Arc<AtomicU32>,
}

impl Scripted {
    pub(crate) fn new(act: impl Fn(u32) -> Result<Value, Failure> + Send + Sync + 'static) -> Self {
        Self { act: Arc::new(act), calls: Arc::default() }
    }

    /// Fails the first `times` attempts, then succeeds.
    pub(crate) fn failing(times: u32, failure: impl Fn() -> Failure + Send + Sync + 'static) -> Self {
        Self::new(move |number| if number <= times { Err(failure()) } else { Ok(json!({"ok": true})) })
    }

    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Invoker for Scripted {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        (self.act)(attempt.number()).map(Reply::of_json)
    }
}

/// A gate that counts what it gives and what comes back.
#[derive(Debug, Clone, Default)]
pub(crate) struct CountingGate {
    next: Arc<AtomicU64>,
    open: Arc<Mutex<Vec<u64>>>,
    settled: Arc<Mutex<Vec<Settlement>>>,
}

impl CountingGate {
    /// Tickets that are given and not settled.
    pub(crate) fn open(&self) -> usize {
        self.open.lock().expect("not poisoned").len()
    }

    pub(crate) fn settled(&self) -> Vec<Settlement> {
        self.settled.lock().expect("not poisoned").clone()
    }
}

impl Gate for CountingGate {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        // A point at which the call can be dropped before the ticket is given.
        tokio::task::yield_now().await;
        let ticket = self.next.fetch_add(1, Ordering::SeqCst);
        self.open.lock().expect("not poisoned").push(ticket);
        Ok(Ticket(ticket))
    }

    fn settle(&self, ticket: Ticket, settlement: Settlement) {
        let mut open = self.open.lock().expect("not poisoned");
        let at = open.iter().position(|given| *given == ticket.0).expect("each ticket is settled once");
        open.swap_remove(at);
        self.settled.lock().expect("not poisoned").push(settlement);
    }
}

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
