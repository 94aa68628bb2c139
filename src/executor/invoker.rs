//! Making one attempt, as a port.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::BoxFuture;
use super::attempt::Attempt;
use super::credentials::Credentials;
use super::failure::Failure;
use super::reply::Reply;
use crate::catalog::Endpoint;

/// A call as the invoker gets it: admitted, its arguments valid.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// What is called.
    pub endpoint: Arc<Endpoint>,
    /// With what.
    pub arguments: Arc<Map<String, Value>>,
    /// As whom.
    pub credentials: Arc<Credentials>,
    /// The key under which the other side does the call once, where the endpoint honours one; the same for every attempt
    /// of the call.
    pub idempotency_key: Option<Arc<str>>,
}

/// Makes one attempt and reports facts; retry, budget and permission are not its business.
///
/// Every HTTP request must be charged with [`Attempt::exchange`] first.
pub trait Invoker: Send + Sync + 'static {
    /// Makes one attempt.
    ///
    /// # Errors
    /// A [`Failure`] says what happened and how far the request got.
    ///
    /// # Cancel safety
    /// The future is dropped when the attempt is cut off or the caller goes away; it must leave nothing behind.
    fn invoke(
        &self,
        call: &Invocation,
        attempt: &Attempt,
    ) -> impl Future<Output = Result<Reply, Failure>> + Send;
}

/// An [`Invoker`] behind a handle that is cheap to clone.
#[derive(Clone)]
pub struct InvokerHandle(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn invoke<'a>(
        &'a self,
        call: &'a Invocation,
        attempt: &'a Attempt,
    ) -> BoxFuture<'a, Result<Reply, Failure>>;
}

impl<T: Invoker> Erased for T {
    fn invoke<'a>(
        &'a self,
        call: &'a Invocation,
        attempt: &'a Attempt,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(Invoker::invoke(self, call, attempt))
    }
}

impl InvokerHandle {
    /// A handle to `invoker`.
    pub fn new(invoker: impl Invoker) -> Self {
        Self(Arc::new(invoker))
    }

    /// Makes one attempt.
    ///
    /// # Errors
    /// As the invoker says.
    ///
    /// # Cancel safety
    /// As the invoker says.
    pub fn invoke<'a>(
        &'a self,
        call: &'a Invocation,
        attempt: &'a Attempt,
    ) -> impl Future<Output = Result<Reply, Failure>> + Send + 'a {
        self.0.invoke(call, attempt)
    }
}

impl std::fmt::Debug for InvokerHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InvokerHandle")
    }
}
