//! From what was said on the command line to a router, a request and its configuration.

use std::sync::Arc;

use schemarouter::catalog::Endpoint;
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::{ExecutionBudget, ExecutionPolicy, RetryPolicy};
use schemarouter::router::{Request, Router, RunConfig};

use super::flags::{InvokeArgs, RetryArgs, Server};
use super::{Given, credentials, values};

/// A call that is ready to be made.
pub(super) struct Prepared {
    pub(super) router: Router,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) request: Request,
    pub(super) config: RunConfig,
}

/// Prepares a call.
///
/// The person at the command line is the operator: permission and addresses are theirs to open.
pub(super) fn prepare(given: Given, args: &InvokeArgs) -> Result<Prepared, Error> {
    let Given { source: document, all, lock } = given;
    let source = document.info().name.clone();
    let mut builder = Router::builder();
    if let Some(lock) = lock {
        builder = builder.locked(lock);
    }
    if let Some(Server::Declared(number)) = args.reach.server {
        builder = builder.server(&source, number);
    }
    let router = builder
        .source(document)
        .allow(ExecutionPolicy {
            allow_mutations: args.permission.allow_mutations,
            allow_destructive: args.permission.allow_destructive,
            ..ExecutionPolicy::default()
        })
        .replies(args.reach.replies.into())
        .http(http(args, &source))
        .build()?;
    let endpoint = router.endpoint(&args.key)?;
    let arguments = values::read(&endpoint, all.as_deref(), &args.values)?;
    let request = Request { endpoint: endpoint.key.to_string(), arguments, fingerprint: args.fingerprint };
    let budget = ExecutionBudget { max_elapsed: args.retry.max_elapsed, ..ExecutionBudget::default() };
    let mut config = RunConfig::default().with_retry(retry(&args.retry)?).with_budget(budget);
    if !args.dry_run {
        config = config.with_credentials(source, credentials::read(&args.credentials, &endpoint)?);
    }
    Ok(Prepared { router, endpoint, request, config })
}

fn retry(args: &RetryArgs) -> Result<RetryPolicy, Error> {
    RetryPolicy::builder()
        .max_attempts(args.max_attempts)
        .initial_backoff(args.initial_backoff)
        .retry_non_read_only(args.retry_non_read_only)
        .build()
        .map_err(|error| Error::rejected(ErrorKind::InvalidArguments, error.to_string()))
}

fn http(args: &InvokeArgs, source: &str) -> HttpSettings {
    let open = args.reach.allow_private;
    let egress = EgressPolicy {
        allow_private: open,
        allow_loopback: open,
        allow_plain_http: args.reach.allow_plain_http,
    };
    let mut settings = HttpSettings::default().with_egress(egress);
    if let Some(limit) = args.retry.timeout {
        settings = settings.with_connect_timeout(limit).with_reply_timeout(limit);
    }
    if let Some(Server::Url(url)) = &args.reach.server {
        settings = settings.with_base_url(source, url.clone());
    }
    settings
}
