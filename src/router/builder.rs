//! Putting a router together; what the operator says here holds for every run.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::policy::{ExecutionBudget, ExecutionPolicy, RetryCeiling, RetryPolicy};

use super::admission;
use super::approval::{Approver, ApproverHandle};
use super::blocking::Blocking;
use super::contract::Contract;
use super::declaration::Declaration;
use super::declarations::Declarations;
use super::fallback::{Fallback, Fallbacks};
use super::pages;
use super::reply_check::ReplyValidation;
use super::router::{Inner, Router};
use super::seed::Seeds;
use super::settings::Settings;
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
    retry: RetryPolicy,
    retry_ceiling: RetryCeiling,
    repeat_idempotent: bool,
    settings: Settings,
    declared: BTreeMap<String, Declaration>,
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
            retry: RetryPolicy::default(),
            retry_ceiling: RetryCeiling::default(),
            repeat_idempotent: false,
            settings: Settings::default(),
            declared: BTreeMap::new(),
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
    pub fn costs<S: Into<String>>(self, costs: impl IntoIterator<Item = (S, u32)>) -> Self {
        costs.into_iter().fold(self, |builder, (selector, cost)| {
            builder.declare(selector, Declaration { cost: Some(cost), ..Declaration::default() })
        })
    }

    /// Takes over what files and the environment set. What this builder is told before is replaced where they say
    /// something of it, and what it is told afterwards replaces theirs.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        let values = &settings.values;
        self.http = values.http_settings();
        self.retry = values.retry.clone();
        self.retry_ceiling = values.retry_ceiling.clone();
        self.budget = values.budget.clone();
        self.policy = values.permission.clone();
        self.repeat_idempotent = values.repeat_idempotent;
        self.replies = values.replies;
        let servers = values.sources.iter().filter_map(|(name, source)| Some((name.clone(), source.server?)));
        self.servers.extend(servers);
        self.settings = settings;
        self
    }

    /// Says something of an endpoint, by its key, of all endpoints of a source, by its name, or of all (`*`); it goes over
    /// what [files](Self::settings) say.
    #[must_use]
    pub fn declare(mut self, selector: impl Into<String>, declaration: Declaration) -> Self {
        let selector = selector.into();
        let over = declaration.over(self.declared.get(&selector).unwrap_or(&Declaration::default()));
        self.declared.insert(selector, over);
        self
    }

    /// The most that a run may ask of retry.
    #[must_use]
    pub fn retry_ceiling(mut self, ceiling: RetryCeiling) -> Self {
        self.retry_ceiling = ceiling;
        self
    }

    /// Counts operations that documents make idempotent, by their method, as safe to repeat.
    ///
    /// They are not by default: many a `PUT` counts, appends or charges. Of one endpoint its
    /// [declaration](Self::declare) says it.
    #[must_use]
    pub const fn repeat_idempotent(mut self, is_safe: bool) -> Self {
        self.repeat_idempotent = is_safe;
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
    /// Where two endpoints have one key, or a source name holds a dot; `invalid_settings`, where what is said of endpoints
    /// cannot be meant; `stale_fingerprint`, where the documents are
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
            if let Some(rule) = &endpoint.next_page {
                pages::fits(rule, &endpoint).map_err(|why| {
                    let message = format!("the contract of `{}`, `next_page`: {why}", endpoint.key);
                    Error::rejected(ErrorKind::InvalidSettings, message)
                })?;
            }
            invokers.insert(endpoint.key.as_str().to_owned(), invoker);
            registered.push(Source::new(info, vec![endpoint], Vec::new()));
        }
        let sources = Sources::new(self.sources, registered, self.lock, self.servers)?;
        let catalog = sources.current();
        let declarations = Declarations::new(self.settings, self.declared, &catalog)?;
        let fallbacks = declarations.fallbacks().chain(self.fallbacks).collect();
        let fallbacks = Fallbacks::new(fallbacks, |name| {
            admission::find(&catalog, name).map(|endpoint| declarations.apply(endpoint))
        })?;
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
            declarations,
            retry: self.retry,
            retry_ceiling: self.retry_ceiling,
            repeat_idempotent: self.repeat_idempotent,
            replies: self.replies,
            observers: self.observers,
            seeds: Seeds::new(self.seed)?,
            blocking: Blocking::default(),
        })))
    }
}
