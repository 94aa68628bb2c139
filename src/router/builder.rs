//! Putting a router together; what the operator says here holds for every run.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::policy::{ByEndpoint, ExecutionBudget, ExecutionPolicy, RetryPolicy};

use super::approval::{Approver, ApproverHandle};
use super::blocking::Blocking;
use super::contract::Contract;
use super::fallback::{Fallback, Fallbacks};
use super::reply_check::ReplyValidation;
use super::router::{Inner, Router};
use super::seed::Seeds;
use super::sources::Sources;
use crate::catalog::{Lock, Source, SourceInfo};
use crate::executor::{
    Credentials, Executor, Gate, GateHandle, Invoker, InvokerHandle, Observer, ObserverHandle, OpenGate,
    Timer, TimerHandle, TokioTimer,
};
use crate::invokers::http::{HttpInvoker, HttpSettings, Wire};

/// Collects sources, registered code and what is allowed; [`build`](Self::build) makes the [`Router`].
pub struct RouterBuilder {
    sources: Vec<Source>,
    lock: Option<Lock>,
    servers: BTreeMap<String, NonZeroUsize>,
    registered: Vec<(Contract, InvokerHandle)>,
    credentials: BTreeMap<String, Credentials>,
    policy: ExecutionPolicy,
    approver: Option<ApproverHandle>,
    fallbacks: Vec<Fallback>,
    budget: ExecutionBudget,
    costs: ByEndpoint<u32>,
    retry: RetryPolicy,
    replies: ReplyValidation,
    http: HttpSettings,
    wire: Option<Box<dyn FnOnce(HttpSettings) -> HttpInvoker + Send>>,
    timer: Option<TimerHandle>,
    gate: GateHandle,
    observers: ObserverHandle,
    seed: Option<u64>,
}

impl std::fmt::Debug for RouterBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RouterBuilder")
    }
}

impl RouterBuilder {
    pub(super) fn new() -> Self {
        Self {
            sources: Vec::new(),
            lock: None,
            servers: BTreeMap::new(),
            registered: Vec::new(),
            credentials: BTreeMap::new(),
            policy: ExecutionPolicy::default(),
            approver: None,
            fallbacks: Vec::new(),
            budget: ExecutionBudget::default(),
            costs: ByEndpoint::default(),
            retry: RetryPolicy::default(),
            replies: ReplyValidation::default(),
            http: HttpSettings::default(),
            wire: None,
            timer: None,
            gate: GateHandle::new(OpenGate),
            observers: ObserverHandle::default(),
            seed: None,
        }
    }

    /// Adds a compiled document, whose diagnostics stay with the caller, or a [saved](Source::open) one.
    #[must_use]
    pub fn source(mut self, source: impl Into<Source>) -> Self {
        self.sources.push(source.into());
        self
    }

    /// Refuses to build the router unless its documents are as they were locked, whole.
    ///
    /// All documents of the lock are expected; whoever uses some of them locks [those](Lock::only). Registered code is
    /// not looked at.
    #[must_use]
    pub fn locked(mut self, lock: Lock) -> Self {
        self.lock = Some(lock);
        self
    }

    /// Calls a source at the server of this number, counted from 1, among those that its document declares; without
    /// it at the first.
    ///
    /// It is a choice among what is [locked](Self::locked), and no drift. An endpoint that has no such server is not
    /// called at another one; [`HttpSettings::with_base_url`] goes before.
    #[must_use]
    pub fn server(mut self, source: impl Into<String>, number: NonZeroUsize) -> Self {
        self.servers.insert(source.into(), number);
        self
    }

    /// Registers code under a contract; registering it is the permission to run it (ruling 10).
    #[must_use]
    pub fn register(mut self, contract: Contract, invoker: impl Invoker) -> Self {
        self.registered.push((contract, InvokerHandle::new(invoker)));
        self
    }

    /// Proves identity to this source.
    #[must_use]
    pub fn credentials(mut self, source: impl Into<String>, credentials: Credentials) -> Self {
        self.credentials.insert(source.into(), credentials);
        self
    }

    /// Allows effects, and rules over calls.
    #[must_use]
    pub fn allow(mut self, policy: ExecutionPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Asks this approver where a rule demands approval; without one such calls are refused.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(ApproverHandle::new(approver));
        self
    }

    /// Calls another endpoint where one is unavailable, under the same run (ruling 12).
    #[must_use]
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallbacks.push(fallback);
        self
    }

    /// The most that any run may spend.
    #[must_use]
    pub fn budget(mut self, budget: ExecutionBudget) -> Self {
        self.budget = budget;
        self
    }

    /// What an attempt costs, in units of [`ExecutionBudget::max_cost_units`]; nothing where it is not said.
    #[must_use]
    pub fn costs<S: Into<String>>(mut self, costs: impl IntoIterator<Item = (S, u32)>) -> Self {
        self.costs = costs.into_iter().collect();
        self
    }

    /// How runs retry that do not say it themselves.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// What happens to replies that break their schema.
    #[must_use]
    pub const fn replies(mut self, validation: ReplyValidation) -> Self {
        self.replies = validation;
        self
    }

    /// How HTTP endpoints are reached.
    #[must_use]
    pub fn http(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sends HTTP requests by this wire instead of the built-in client.
    #[must_use]
    pub fn wire(mut self, wire: impl Wire) -> Self {
        self.wire = Some(Box::new(|settings| HttpInvoker::with_wire(settings, wire)));
        self
    }

    /// Tells time by this timer instead of the system's.
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(TimerHandle::new(timer));
        self
    }

    /// Admits attempts by this gate.
    #[must_use]
    pub fn gate(mut self, gate: impl Gate) -> Self {
        self.gate = GateHandle::new(gate);
        self
    }

    /// Tells this observer what happens in every run.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers = self.observers.with(observer);
        self
    }

    /// Starts names of runs and the randomness of waits from this seed.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The router.
    ///
    /// # Errors
    /// Where two endpoints have one key, or a source name holds a dot; `stale_fingerprint`, where the documents are
    /// not those of the [lock](Self::locked); `missing_server`, where no endpoint has the [server](Self::server) that was
    /// chosen, or there is no such source.
    pub fn build(self) -> Result<Router, Error> {
        let timer = self.timer.unwrap_or_else(|| TimerHandle::new(TokioTimer::start()));
        let mut http_settings = self.http;
        for (name, number) in &self.servers {
            http_settings = http_settings.with_server(name, *number);
        }
        let (mut registered, mut invokers) = (Vec::new(), HashMap::new());
        for (contract, invoker) in self.registered {
            let info = SourceInfo {
                name: contract.source().to_owned(),
                format: "registered".to_owned(),
                operations_declared: 1,
                endpoint_count: 1,
            };
            let endpoint = contract.into_endpoint();
            invokers.insert(endpoint.key.as_str().to_owned(), invoker);
            registered.push(Source::new(info, vec![endpoint], Vec::new()));
        }
        let sources = Sources::new(self.sources, registered, self.lock, self.servers)?;
        let fallbacks = Fallbacks::new(self.fallbacks, &sources.current())?;
        let http = match self.wire {
            Some(with_wire) => with_wire(http_settings.clone()),
            None => HttpInvoker::new(http_settings.clone(), timer.clone()),
        };
        Ok(Router(Arc::new(Inner {
            sources,
            invokers,
            http,
            http_settings,
            executor: Executor::new(timer, self.gate),
            credentials: self.credentials,
            policy: self.policy,
            approver: self.approver,
            fallbacks,
            budget: self.budget,
            costs: self.costs,
            retry: self.retry,
            replies: self.replies,
            observers: self.observers,
            seeds: self.seed.map_or_else(Seeds::random, Seeds::from),
            blocking: Blocking::default(),
        })))
    }
}
