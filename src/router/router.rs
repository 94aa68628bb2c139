//! The router: one call from request to outcome.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::kernel::Footing;
use schemarouter_kernel::policy::{ByEndpoint, ExecutionBudget, ExecutionPolicy, RetryPolicy};
use serde_json::{Map, Value};

use super::builder::RouterBuilder;
use super::outcome::{Data, Outcome};
use super::reply_check::{ContractCheck, ReplyValidation};
use super::request::Request;
use super::run_config::RunConfig;
use super::seed::Seeds;
use super::{admission, arguments};
use crate::catalog::{Binding, Catalog, Endpoint};
use crate::executor::{
    CallPlan, Credentials, Executor, Invocation, InvokerHandle, ObserverHandle, RunContext, SharedLedger,
};
use crate::invokers::http::{DryRun, HttpInvoker, HttpSettings};

/// Carries out calls on a catalog, within what the operator allows; cheap to clone.
#[derive(Clone)]
pub struct Router(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) catalog: Catalog,
    pub(super) invokers: HashMap<String, InvokerHandle>,
    pub(super) http: HttpInvoker,
    pub(super) http_settings: HttpSettings,
    pub(super) executor: Executor,
    pub(super) credentials: BTreeMap<String, Credentials>,
    pub(super) policy: ExecutionPolicy,
    pub(super) budget: ExecutionBudget,
    pub(super) costs: ByEndpoint<u32>,
    pub(super) retry: RetryPolicy,
    pub(super) replies: ReplyValidation,
    pub(super) observers: ObserverHandle,
    pub(super) seeds: Seeds,
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Router({} endpoints)", self.0.catalog.len())
    }
}

impl Router {
    /// A builder; by default nothing but read-only operations runs, once.
    pub fn builder() -> RouterBuilder {
        RouterBuilder::new()
    }

    /// What can be called.
    pub fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// The endpoint of this name: `source.operation`, or the operation alone where only one source has it.
    ///
    /// # Errors
    /// `unknown_endpoint`, with the nearest names; `compile_error` for an operation that is declared and cannot be called.
    pub fn endpoint(&self, name: &str) -> Result<Arc<Endpoint>, Error> {
        admission::find(&self.0.catalog, name)
    }

    /// Carries one call out.
    ///
    /// The checks come in one order: endpoint, fingerprint, permission, arguments, reply schemas; then attempts
    /// under the retry policy, within the budget; then the reply's contract. What is refused before its first attempt
    /// costs nothing.
    ///
    /// # Errors
    /// What forbade the call, or how its last attempt failed, with the history of the attempts. Its disposition
    /// says whether calling again may help, and whether it may harm.
    ///
    /// # Cancel safety
    /// Dropping the future ends the call: its permit is given back and observers are told. A
    /// request that was under way may have taken effect.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::executor::{Attempt, Failure, Invocation, Invoker, Reply};
    /// use schemarouter::kernel::base::disposition::Effect;
    /// use schemarouter::router::{Contract, Request, Router, RunConfig};
    /// use serde_json::json;
    ///
    /// struct Clock;
    /// impl Invoker for Clock {
    ///     async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
    ///         Ok(Reply::of_json(json!({"time": "12:00"})))
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let router = Router::builder().register(Contract::new("clock", "now", Effect::ReadOnly), Clock).build()?;
    /// let outcome = router.ainvoke(Request::new("clock.now", json!({})), &RunConfig::default()).await?;
    /// assert_eq!(outcome.data.json(), Some(&json!({"time": "12:00"})));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn ainvoke(&self, request: Request, config: &RunConfig) -> Result<Outcome, Error> {
        let Inner { executor, policy, budget, costs, retry, replies, observers, seeds, .. } = &*self.0;
        let ledger = SharedLedger::open(budget.min(&config.budget), executor.timer().now())
            .with_retry_pool(config.retry_pool);
        let (endpoint, arguments) = self.admit(&request, Some(*policy))?;
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        admission::prepare_replies(&endpoint, *replies).map_err(named)?;

        let credentials = self.credentials(&endpoint, config);
        let invoker = self.invoker(&endpoint, &arguments, &credentials).map_err(named)?;

        ledger.charge_call(endpoint.key.as_str(), executor.timer().now())?;

        let retry = config.retry.clone().unwrap_or_else(|| retry.clone());
        let (id, seed) = seeds.next();
        let plan = CallPlan {
            run: RunContext { id, ledger, observers: observers.clone().and(&config.observers), seed },
            call: 1,
            footing: Footing::of(endpoint.effect, &retry),
            policy: retry,
            invoker,
            cost: costs.get(endpoint.key.as_str()).copied().unwrap_or(0),
            invocation: Invocation {
                arguments: Arc::new(arguments),
                credentials: Arc::new(credentials),
                endpoint: Arc::clone(&endpoint),
            },
        };
        let check = ContractCheck { endpoint: &endpoint, validation: *replies };
        let done = executor.run(&plan, &check).await?;
        Ok(Outcome {
            endpoint: endpoint.key.as_str().to_owned(),
            status: done.reply.status,
            headers: done.reply.headers,
            data: Data::new(done.reply.content_type, done.reply.json, done.reply.body),
            attempts: done.attempts,
            elapsed: done.elapsed,
            spent: done.spent,
            warnings: done.reply.warnings,
        })
    }

    /// The request that a call would send, without sending it; needs neither permission nor credentials.
    ///
    /// # Errors
    /// Where the arguments are invalid, or there is no server or no HTTP request to send.
    pub fn dry_run(&self, request: &Request) -> Result<DryRun, Error> {
        let (endpoint, arguments) = self.admit(request, None)?;
        match &endpoint.binding {
            Binding::Http(plan) => DryRun::of(&endpoint, plan, &arguments, &self.0.http_settings)
                .map_err(|error| error.with_endpoint(endpoint.key.as_str())),
            Binding::Custom => Err(Error::rejected(
                ErrorKind::UnsupportedSerialization,
                format!("`{}` is registered code and sends no request of its own", endpoint.key),
            )),
        }
    }

    /// Endpoint, fingerprint, permission, arguments; in this order.
    fn admit(
        &self,
        request: &Request,
        policy: Option<ExecutionPolicy>,
    ) -> Result<(Arc<Endpoint>, Map<String, Value>), Error> {
        let endpoint = self.endpoint(&request.endpoint)?;
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        admission::pinned(&endpoint, request.fingerprint).map_err(named)?;
        if let Some(policy) = policy {
            admission::permit(&endpoint, policy).map_err(named)?;
        }
        let arguments = arguments::check(&endpoint, &request.arguments).map_err(named)?;
        Ok((endpoint, arguments))
    }

    /// For a document's endpoint the request is decided here, so that what forbids it costs no attempt.
    fn invoker(
        &self,
        endpoint: &Arc<Endpoint>,
        arguments: &Map<String, Value>,
        credentials: &Credentials,
    ) -> Result<InvokerHandle, Error> {
        match &endpoint.binding {
            Binding::Http(plan) => {
                self.0.http.prepare(endpoint, plan, arguments, credentials).map(InvokerHandle::new)
            }
            Binding::Custom => self.0.invokers.get(endpoint.key.as_str()).cloned().ok_or_else(|| {
                Error::rejected(
                    ErrorKind::UnknownEndpoint,
                    format!("no code is registered for `{}`", endpoint.key),
                )
            }),
        }
    }

    /// A source's credentials go to that source only; the run's are over the router's.
    fn credentials(&self, endpoint: &Endpoint, config: &RunConfig) -> Credentials {
        let source = endpoint.key.source();
        let base = self.0.credentials.get(source).cloned().unwrap_or_default();
        match config.credentials.get(source) {
            Some(run) => run.clone().over(&base),
            None => base,
        }
    }
}
