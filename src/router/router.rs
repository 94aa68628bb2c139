//! The router: one call from request to outcome.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::policy::{ExecutionBudget, ExecutionPolicy, RetryCeiling, RetryPolicy};

use super::admitted::Config;
use super::approval::ApproverHandle;
use super::blocking::Blocking;
use super::builder::RouterBuilder;
use super::declarations::Declarations;
use super::download::{self, Download};
use super::fallback::Fallbacks;
use super::outcome::Outcome;
use super::plan::{self, Plan, PlanOutcome};
use super::reply_check::ReplyValidation;
use super::request::Request;
use super::run::Run;
use super::run_config::RunConfig;
use super::seed::Seeds;
use super::selection::Selection;
use super::settings::Setting;
use super::sources::Sources;
use super::{admission, arguments, idempotency, stale};
use crate::catalog::{Binding, Catalog, Drift, Endpoint, Source};
use crate::executor::{Credentials, Executor, InvokerHandle, ObserverHandle};
use crate::invokers::http::{DryRun, HttpInvoker, HttpSettings};

/// Carries out calls on a catalog, within what the operator allows; cheap to clone.
#[derive(Clone)]
pub struct Router(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) sources: Sources,
    pub(super) invokers: HashMap<String, InvokerHandle>,
    pub(super) http: HttpInvoker,
    pub(super) http_settings: HttpSettings,
    pub(super) executor: Executor,
    pub(super) credentials: BTreeMap<String, Credentials>,
    pub(super) policy: ExecutionPolicy,
    pub(super) approver: Option<ApproverHandle>,
    pub(super) fallbacks: Fallbacks,
    pub(super) budget: ExecutionBudget,
    pub(super) declarations: Declarations,
    pub(super) retry: RetryPolicy,
    pub(super) retry_ceiling: RetryCeiling,
    pub(super) repeat_idempotent: bool,
    pub(super) replies: ReplyValidation,
    pub(super) observers: ObserverHandle,
    pub(super) seeds: Seeds,
    pub(super) blocking: Blocking,
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Router({} endpoints)", self.0.sources.current().len())
    }
}

impl Router {
    /// A builder; by default nothing but read-only operations runs, once.
    pub fn builder() -> RouterBuilder {
        RouterBuilder::new()
    }

    /// What can be called now; a catalog that is held stays as it is.
    pub fn catalog(&self) -> Catalog {
        self.0.sources.current()
    }

    /// Puts a document in the place of the one of its name, in one step; says what is different, by key.
    ///
    /// Calls that have begun go on with what they began with. A request that pins a contract of before is refused, and
    /// told which parts have changed. What was demanded when the router was built holds for the new document too: the
    /// [lock](RouterBuilder::locked) and the chosen [server](RouterBuilder::server).
    ///
    /// # Errors
    /// `compile_error`, where no document has that name; `stale_fingerprint` and `missing_server` as
    /// [`RouterBuilder::build`] has them. Then nothing is replaced.
    pub fn replace(&self, source: impl Into<Source>) -> Result<Vec<Drift>, Error> {
        self.0.sources.replace(source.into())
    }

    /// The endpoint of this name: `source.operation`, or the operation alone where only one source has it.
    ///
    /// # Errors
    /// `unknown_endpoint`, with the nearest names; `compile_error` for an operation that is declared and cannot be called.
    pub fn endpoint(&self, name: &str) -> Result<Arc<Endpoint>, Error> {
        let endpoint = admission::find(&self.0.sources.current(), name)?;
        Ok(self.0.declarations.apply(endpoint))
    }

    /// What the operator, or the document in the operator's place, says of how this endpoint is called; each with where
    /// it is said.
    pub fn explain(&self, endpoint: &Endpoint) -> Vec<Setting> {
        self.0.declarations.explain(endpoint)
    }

    /// Carries one call out.
    ///
    /// The checks come in one order: endpoint, fingerprint, permission, arguments, approval, reply schemas; then attempts
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
        let run = Run::open(&self.0, Config::Lent(config));
        let call = run.admit(request).await?;
        run.carry_out(call).await
    }

    /// Carries one call out, for callers that are not async: the same, on a thread of the router's own.
    ///
    /// The calling thread waits. Within an async function that blocks everything else on its thread;
    /// [`ainvoke`](Self::ainvoke) is for that.
    ///
    /// # Errors
    /// As [`ainvoke`](Self::ainvoke).
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
    /// let router = Router::builder().register(Contract::new("clock", "now", Effect::ReadOnly), Clock).build()?;
    /// let outcome = router.invoke(Request::new("clock.now", json!({})), &RunConfig::default())?;
    /// assert_eq!(outcome.data.json(), Some(&json!({"time": "12:00"})));
    /// # Ok::<(), schemarouter::kernel::base::error::Error>(())
    /// ```
    pub fn invoke(&self, request: Request, config: &RunConfig) -> Result<Outcome, Error> {
        let (router, config) = (self.clone(), config.clone());
        let done = self.0.blocking.wait(async move { router.ainvoke(request, &config).await });
        done.unwrap_or_else(|error| {
            let message = format!("no thread could be started for the call: {error}");
            Err(Error::rejected(ErrorKind::Unclassified, message))
        })
    }

    /// Carries one call out and puts the reply into a file while it comes, so that it may be larger than memory.
    ///
    /// As [`RunConfig::with_streams`] says, it is not held against its schema. The file has its name only once it is whole,
    /// in the place of one that was there; until then it is called `.part`, and stays so where the reply breaks off: the
    /// error's details say where and how much of it there is. A reply that has begun to come is not asked for again.
    ///
    /// # Errors
    /// As [`ainvoke`](Self::ainvoke), and how the reply broke off, or why it could not be written.
    ///
    /// # Cancel safety
    /// As [`ainvoke`](Self::ainvoke); what has come stays under `.part`.
    pub async fn download(
        &self,
        request: Request,
        config: &RunConfig,
        file: impl AsRef<Path>,
    ) -> Result<Download, Error> {
        let file = file.as_ref();
        download::writable(file)?;
        let config = config.clone().with_streams();
        let run = Run::open(&self.0, Config::Lent(&config));
        let call = run.admit(request).await?;
        let on = run.footing_of(&call);
        let outcome = run.carry_out(call).await?;
        download::into_file(outcome, on, file).await
    }

    /// Carries several calls out as one run.
    ///
    /// All of them are checked before the first is made: endpoint, fingerprint, permission, arguments, approval.
    ///
    /// # Errors
    /// What forbade one of the calls, with its number in the details; then none was made. What came of the calls
    /// themselves is in the outcome.
    ///
    /// # Cancel safety
    /// As [`ainvoke`](Self::ainvoke), for each call that is under way.
    pub async fn ainvoke_plan(&self, plan: &Plan, config: &RunConfig) -> Result<PlanOutcome, Error> {
        plan::carry_out(&Run::open(&self.0, Config::Lent(config)), plan).await
    }

    /// The request that a call would send, without sending it; needs neither permission nor credentials.
    ///
    /// # Errors
    /// Where the arguments are invalid, or there is no server or no HTTP request to send.
    pub fn dry_run(&self, request: &Request) -> Result<DryRun, Error> {
        let endpoint = self.endpoint(&request.endpoint)?;
        let named = |error: Error| error.with_endpoint(endpoint.key.as_str());
        stale::pinned(&endpoint, request.fingerprint, &self.0.sources).map_err(named)?;
        let said = self.0.declarations.of(endpoint.key.as_str());
        let (given, mut arguments) = (request.idempotency_key.as_deref(), request.arguments.clone());
        let generate = || self.0.seeds.idempotency_key();
        let key =
            idempotency::settle(&endpoint, said.idempotency_key.as_ref(), given, &mut arguments, generate);
        let header = key.map_err(named)?.and_then(|key| key.header);
        let arguments = arguments::check(&endpoint, arguments).map_err(named)?;
        Selection::read(request.fields.as_ref()).map_err(named)?;
        match &endpoint.binding {
            Binding::Http(plan) => {
                DryRun::of(&endpoint, plan, &arguments, &self.0.http_settings, header).map_err(named)
            }
            Binding::Custom => Err(Error::rejected(
                ErrorKind::UnsupportedSerialization,
                format!("`{}` is registered code and sends no request of its own", endpoint.key),
            )),
        }
    }
}
