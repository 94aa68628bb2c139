//! One call over HTTP: prepared once, sent as often as the executor says.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, RANGE};
use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;
use serde_json::{Map, Value};
use tracing::field::Empty;
use tracing::{Span, debug_span};
use url::Url;

use super::content_coding::ACCEPTED;
use super::egress::check_url;
use super::home::Homes;
use super::next_url::next_url;
use super::receive::{Received, receive};
use super::redact::Redactor;
use super::request::{Auth, Prepared, build};
use super::reqwest_wire::ReqwestWire;
use super::settings::HttpSettings;
use super::status;
use super::streamed::streamed;
use super::watch::ConnectionWatch;
use super::wire::{Wire, WireHandle, WireRequest};
use crate::catalog::{Endpoint, HttpPlan};
use crate::executor::span;
use crate::executor::{Attempt, Credentials, ExchangeKind, Failure, Invocation, Invoker, Reply, TimerHandle};

/// Reaches endpoints of documents over HTTP.
#[derive(Debug, Clone)]
pub struct HttpInvoker {
    settings: Arc<HttpSettings>,
    homes: Arc<Homes>,
    wire: WireHandle,
}

impl HttpInvoker {
    /// An invoker with the built-in client.
    pub fn new(settings: HttpSettings, timer: TimerHandle) -> Self {
        let wire = ReqwestWire::new(settings.clone(), timer);
        Self::with_wire(settings, wire)
    }

    /// An invoker with another client.
    pub fn with_wire(settings: HttpSettings, wire: impl Wire) -> Self {
        Self { settings: Arc::new(settings), homes: Arc::default(), wire: WireHandle::new(wire) }
    }

    /// Decides the request to its last byte; whatever forbids it is known before anything is attempted.
    ///
    /// # Errors
    /// No server, arguments that have no wire form, credentials that are missing, an address that is not allowed.
    pub fn prepare(
        &self,
        endpoint: &Arc<Endpoint>,
        plan: &HttpPlan,
        arguments: &Map<String, Value>,
        credentials: &Credentials,
    ) -> Result<PreparedCall, Error> {
        let home = self.homes.of(endpoint, plan, &self.settings)?;
        let request = build(plan, &home.url, arguments, Auth::With(credentials))?;
        if !home.is_open {
            check_url(&request.url, &self.settings.egress)?;
        }
        Ok(PreparedCall {
            endpoint: Arc::clone(endpoint),
            request,
            settings: Arc::clone(&self.settings),
            reply_timeout: self.settings.reply_timeout,
            is_streamed: false,
            wire: self.wire.clone(),
        })
    }
}

/// A call whose request is decided: every attempt sends the same bytes.
#[derive(Debug, Clone)]
pub struct PreparedCall {
    endpoint: Arc<Endpoint>,
    request: Prepared,
    settings: Arc<HttpSettings>,
    reply_timeout: Duration,
    is_streamed: bool,
    wire: WireHandle,
}

/// What came of an exchange.
enum Came {
    /// A reply, received.
    Whole(Received),
    /// A success that is still coming.
    Streamed(Reply),
}

impl Invoker for PreparedCall {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        // The right to make the request is charged; holding it is all there is to do.
        let _exchange = attempt.exchange(ExchangeKind::Call)?;
        let span = self.span();
        let received = span::within(&span, pin!(self.exchange(attempt))).await;
        if let Reached::Answered(status) = attempt.reach().reached() {
            span.record("http.response.status_code", status);
        }
        let received = match received.map_err(|failure| self.named(failure))? {
            Came::Whole(received) => received,
            Came::Streamed(reply) => return Ok(reply),
        };
        let wall = attempt.timer().wall();
        status::reply(&self.endpoint, &self.request, received, wall).map_err(|failure| self.named(failure))
    }
}

impl PreparedCall {
    /// The same with this limit on each exchange once it is connected.
    #[must_use]
    pub const fn with_reply_timeout(mut self, limit: Duration) -> Self {
        self.reply_timeout = limit;
        self
    }

    /// The same with a success handed on while it comes, instead of received whole and looked at.
    #[must_use]
    pub const fn streamed(mut self) -> Self {
        self.is_streamed = true;
        self
    }

    /// The same with one more header field.
    ///
    /// # Errors
    /// Where the request has that field already.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Result<Self, Error> {
        if self.request.headers.contains_key(&name) {
            let message = format!("the header field `{name}` would be sent twice");
            return Err(Error::rejected(ErrorKind::InvalidArguments, message));
        }
        self.request.headers.insert(name, value);
        Ok(self)
    }

    /// The URL that another page of this call is at, without credentials; `target` is as the other side wrote it, and
    /// `path` a pattern of other paths than that of the call.
    ///
    /// # Errors
    /// `egress_denied`, where it leads to another origin or path.
    pub fn next_url(&self, target: &str, path: Option<&str>) -> Result<Url, Error> {
        let Some(plan) = self.endpoint.http() else {
            return Err(Error::rejected(ErrorKind::UnsupportedSerialization, "it is reached by no URL"));
        };
        Ok(next_url(&self.request, plan, target, path)?)
    }

    /// The same call for the page at this URL, which is checked as [`next_url`](Self::next_url) does.
    ///
    /// # Errors
    /// As [`next_url`](Self::next_url); the address is that of the call, and so allowed.
    pub fn at_page(mut self, target: &str, path: Option<&str>) -> Result<Self, Error> {
        let url = self.next_url(target, path)?;
        self.request = self.request.at_page(url);
        Ok(self)
    }

    /// Takes this call's credentials out of a text.
    pub const fn redactor(&self) -> &Redactor {
        self.request.redactor()
    }

    /// One request and its reply, within the time limits.
    async fn exchange(&self, attempt: &Attempt) -> Result<Came, Failure> {
        let watch = Arc::new(ConnectionWatch::new(Arc::clone(attempt.reach()), attempt.timer().clone()));
        let sending = self.wire.send(self.outgoing(attempt), Arc::clone(&watch));
        let overdue = watch.reply_overdue(self.reply_timeout);
        tokio::pin!(overdue);
        let mut head = tokio::select! {
            biased;
            head = sending => head?,
            () = &mut overdue => return Err(self.timed_out(attempt.reach().reached())),
        };
        let status = head.status.as_u16();
        attempt.reach().answered(status);
        if self.is_streamed {
            let (timer, limit) = (attempt.timer(), self.reply_timeout);
            head = match streamed(&self.endpoint, &self.request, head, timer, limit) {
                Ok(reply) => return Ok(Came::Streamed(reply)),
                Err(head) => head,
            };
        }
        let (cap, redactor) = (self.settings.max_reply_bytes, self.request.redactor());
        let method = &self.request.method;
        let timed_out = || self.timed_out(Reached::Answered(status));
        let received =
            receive(&mut head, method, cap, redactor, overdue, timed_out, |bytes| attempt.received(bytes))
                .await;
        received.map(Came::Whole)
    }

    fn outgoing(&self, attempt: &Attempt) -> WireRequest {
        let mut headers = self.request.headers.clone();
        // A part of a coded body could not be decoded (RFC 9110 section 14.2).
        if !headers.contains_key(RANGE) {
            headers.entry(ACCEPT_ENCODING).or_insert(ACCEPTED);
        }
        WireRequest {
            method: self.request.method.clone(),
            url: self.request.url.clone(),
            headers,
            body: self.request.body.clone(),
            own_connection: !attempt.is_judged_safe(),
        }
    }

    fn timed_out(&self, reached: Reached) -> Failure {
        let limit = self.reply_timeout.as_secs_f64();
        let (fact, phase, what) = match reached {
            Reached::NotSent => (Fact::NotSent, Phase::Sending, "nothing could be sent"),
            Reached::MaybeSent => (Fact::TimedOut, Phase::Sending, "no reply"),
            Reached::Answered(_) => (Fact::TimedOut, Phase::Reply, "the reply did not end"),
        };
        Failure::new(ErrorKind::Timeout, fact, format!("{what} within the reply timeout of {limit} s"))
            .with_reached(reached)
            .with_phase(phase)
    }

    fn span(&self) -> Span {
        debug_span!(
            "exchange",
            http.request.method = self.request.method.as_str(),
            server.address = self.request.url.host_str(),
            // The path of the document, without the values in it.
            url.template = self.endpoint.http().map(|plan| plan.template.as_str()),
            http.response.status_code = Empty,
        )
    }

    /// Every failure says which request it is about; the URL without its query.
    fn named(&self, failure: Failure) -> Failure {
        let (method, url) = (&self.request.method, self.request.safe_url());
        failure.about(format_args!("{method} {url}"))
    }
}
