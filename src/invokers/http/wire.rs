//! Sending one HTTP request and reading its reply, as a port.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use http::{HeaderMap, Method, StatusCode};
use url::Url;

use super::origin::safe_url;
use super::watch::ConnectionWatch;
use crate::executor::Failure;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One HTTP request, ready to go. Its `Debug` holds neither query nor body, the fields do.
#[derive(Clone)]
pub struct WireRequest {
    /// The method.
    pub method: Method,
    /// The whole URL; it may hold secrets in its query.
    pub url: Url,
    /// The header fields; secret ones are marked sensitive.
    pub headers: HeaderMap,
    /// The body.
    pub body: Option<Bytes>,
    /// Whether the request must not share a connection with another one, so that a reset tells how far it got.
    pub own_connection: bool,
}

impl std::fmt::Debug for WireRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WireRequest")
            .field("method", &self.method)
            .field("url", &safe_url(&self.url))
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .field("own_connection", &self.own_connection)
            .finish()
    }
}

/// The beginning of a reply, and the rest of it.
pub struct WireReply {
    /// The status.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body as received, in pieces: framing removed, content codings not undone. A failure says that the reply
    /// was cut off.
    pub body: WireBody,
}

impl std::fmt::Debug for WireReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WireReply({})", self.status)
    }
}

/// A body in pieces.
pub type WireBody = Pin<Box<dyn Stream<Item = Result<Bytes, Failure>> + Send>>;

/// Sends requests; another HTTP client plugs in here.
///
/// An implementation repeats nothing, follows no redirect, uses no proxy that was not configured, and sets no time
/// limit of its own but the one on connecting, which it takes from the executor's timer. It adds no
/// `Accept-Encoding` and decompresses nothing: what the reply's `Content-Encoding` names is undone by the invoker,
/// within its cap. It reports facts: what failed and how far the request got.
pub trait Wire: Send + Sync + 'static {
    /// Sends a request and returns when the head of its reply is there.
    ///
    /// It tells `watch` when it connects and when it is connected, and from when on a byte may have left.
    ///
    /// # Errors
    /// What failed, and how far the request got.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request; what was sent stays sent.
    fn send(
        &self,
        request: WireRequest,
        watch: Arc<ConnectionWatch>,
    ) -> impl Future<Output = Result<WireReply, Failure>> + Send;
}

/// A [`Wire`] behind a handle that is cheap to clone.
#[derive(Clone)]
pub(super) struct WireHandle(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn send(
        &self,
        request: WireRequest,
        watch: Arc<ConnectionWatch>,
    ) -> BoxFuture<'_, Result<WireReply, Failure>>;
}

impl<T: Wire> Erased for T {
    fn send(
        &self,
        request: WireRequest,
        watch: Arc<ConnectionWatch>,
    ) -> BoxFuture<'_, Result<WireReply, Failure>> {
        Box::pin(Wire::send(self, request, watch))
    }
}

impl WireHandle {
    /// A handle to `wire`.
    pub(super) fn new(wire: impl Wire) -> Self {
        Self(Arc::new(wire))
    }

    pub(super) fn send(
        &self,
        request: WireRequest,
        watch: Arc<ConnectionWatch>,
    ) -> BoxFuture<'_, Result<WireReply, Failure>> {
        self.0.send(request, watch)
    }
}

impl std::fmt::Debug for WireHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WireHandle")
    }
}
