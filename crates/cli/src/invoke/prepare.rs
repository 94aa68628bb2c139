//! From what was said on the command line to a router, a request and its configuration.

use std::sync::Arc;

use schemarouter::catalog::Endpoint;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::RetryPolicy;
use schemarouter::router::{Request, Router, RunConfig, Settings};

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
/// The person at the command line is the operator: permission and addresses are theirs to open, and flags go over files
/// and the environment.
pub(super) fn prepare(given: Given, args: &InvokeArgs) -> Result<Prepared, Error> {
    let Given { source: document, all, lock, settings } = given;
    let source = document.info().name.clone();
    let mut builder = Router::builder();
    if let Some(lock) = lock {
        builder = builder.locked(lock);
    }
    let settings = with_flags(settings.only([source.as_str()]), args, &source)?;
    let named = settings.values.sources.get(&source).map(|said| said.credentials.clone()).unwrap_or_default();
    let router = builder.source(document).settings(settings).build()?;
    let endpoint = router.endpoint(&args.key)?;
    let arguments = values::read(&endpoint, all.as_deref(), &args.values)?;
    let request = Request {
        arguments,
        fingerprint: args.fingerprint,
        idempotency_key: args.idempotency_key.clone(),
        fields: (!args.select.is_empty()).then(|| args.select.clone()),
        ..Request::new(endpoint.key.to_string(), serde_json::Value::Null)
    };
    let mut config = RunConfig::default();
    if let Some(bytes) = args.max_result_bytes {
        config = config.with_max_result_bytes(bytes);
    }
    if !args.dry_run {
        config =
            config.with_credentials(source, credentials::read(&args.credentials.over(named), &endpoint)?);
    }
    Ok(Prepared { router, endpoint, request, config })
}

/// The settings with what the flags say over them.
fn with_flags(mut settings: Settings, args: &InvokeArgs, source: &str) -> Result<Settings, Error> {
    let values = &mut settings.values;
    values.permission.allow_mutations |= args.permission.allow_mutations;
    values.permission.allow_destructive |= args.permission.allow_destructive;
    values.retry = retry(&values.retry, &args.retry)?;
    values.budget.max_elapsed = args.retry.max_elapsed.or(values.budget.max_elapsed);
    values.replies = args.reach.replies.map_or(values.replies, Into::into);
    let http = &mut values.http;
    http.allow_private |= args.reach.allow_private;
    http.allow_loopback |= args.reach.allow_private;
    http.allow_plain_http |= args.reach.allow_plain_http;
    if let Some(limit) = args.retry.timeout {
        (http.connect_timeout, http.reply_timeout) = (limit, limit);
    }
    if let Some(server) = &args.reach.server {
        let (base_url, server) = match server {
            Server::Url(url) => (Some(url.clone()), None),
            Server::Declared(number) => (None, Some(*number)),
        };
        let said = values.sources.entry(source.to_owned()).or_default();
        (said.base_url, said.server) = (base_url, server);
    }
    Ok(settings)
}

fn retry(policy: &RetryPolicy, args: &RetryArgs) -> Result<RetryPolicy, Error> {
    policy
        .to_builder()
        .max_attempts(args.max_attempts.unwrap_or(policy.max_attempts().get()))
        .initial_backoff(args.initial_backoff.unwrap_or(policy.initial_backoff()))
        .retry_non_read_only(args.retry_non_read_only || policy.retry_non_read_only())
        .build()
        .map_err(|error| Error::rejected(ErrorKind::InvalidArguments, error.to_string()))
}
