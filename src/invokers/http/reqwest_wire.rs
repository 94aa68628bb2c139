//! The built-in wire: reqwest, with everything that repeats, redirects or limits on its own switched off.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http_body_util::BodyExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, redirect, retry};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;
use tower::{BoxError, Layer, Service};

use super::chain::{ConnectFailure, connect_failure, find, proves_not_sent};
use super::egress::{EgressPolicy, check_resolved, is_local_name};
use super::refusal::Refusal;
use super::settings::HttpSettings;
use super::watch::ConnectionWatch;
use super::wire::{Wire, WireReply, WireRequest};
use crate::executor::{Failure, TimerHandle};

tokio::task_local! {
    /// The request on whose behalf a connection is made.
    static REQUEST: Arc<ConnectionWatch>;
}

/// Four clients, each made when it is first needed: plain or encrypted, shared connections or one per request.
///
/// A request that must not be repeated gets a connection of its own over HTTP/1.1: then "not connected yet" proves
/// that nothing was sent, and a reset cannot be that of an idle connection that died unnoticed. Root certificates
/// are only loaded for the first `https` request, so that a machine without any can still reach plain servers.
#[derive(Debug)]
pub(super) struct ReqwestWire {
    settings: HttpSettings,
    timer: TimerHandle,
    clients: [OnceLock<Result<Client, String>>; 4],
}

impl ReqwestWire {
    pub(super) fn new(settings: HttpSettings, timer: TimerHandle) -> Self {
        Self { settings, timer, clients: Default::default() }
    }

    fn client(&self, tls: bool, own_connection: bool) -> Result<&Client, Failure> {
        self.clients[usize::from(tls) * 2 + usize::from(own_connection)]
            .get_or_init(|| self.build(tls, own_connection))
            .as_ref()
            .map_err(|why| {
                Failure::new(
                    ErrorKind::Tls,
                    Fact::Unsendable,
                    format!("no encrypted connection can be made: {why}"),
                )
                .with_hint("install the system's CA certificates, or name a root certificate in the settings")
            })
    }

    fn build(&self, tls: bool, own_connection: bool) -> Result<Client, String> {
        let protocols: &[&str] = if own_connection { &["http/1.1"] } else { &["h2", "http/1.1"] };
        let connect = Connecting { timer: self.timer.clone(), limit: self.settings.connect_timeout };
        let mut builder = Client::builder()
            .tls_backend_preconfigured(tls_config(tls, protocols, &self.settings.root_certificates)?)
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .dns_resolver(Arc::new(CheckedResolver(self.settings.egress)))
            .connector_layer(connect);
        if own_connection {
            builder = builder.http1_only().pool_max_idle_per_host(0);
        }
        builder.build().map_err(|error| error.to_string())
    }
}

/// TLS with ring; no provider is installed for the process.
fn tls_config(tls: bool, protocols: &[&str], extra_roots: &[String]) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = if tls {
        let extra: Vec<CertificateDer<'static>> = extra_roots
            .iter()
            .flat_map(|pem| CertificateDer::pem_slice_iter(pem.as_bytes()))
            .collect::<Result<_, _>>()
            .map_err(|error| format!("a root certificate of the settings is not PEM: {error}"))?;
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra, provider)
            .map_err(|error| error.to_string())?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    };
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Ok(config)
}

impl Wire for ReqwestWire {
    async fn send(&self, request: WireRequest, watch: Arc<ConnectionWatch>) -> Result<WireReply, Failure> {
        let tls = request.url.scheme() == "https";
        let client = self.client(tls, request.own_connection)?;
        let host = request.url.host_str().unwrap_or_default().to_owned();
        if request.own_connection {
            watch.nothing_sent_yet();
        } else {
            watch.may_be_sent();
        }
        let mut outgoing = reqwest::Request::new(request.method, request.url);
        *outgoing.headers_mut() = request.headers;
        *outgoing.body_mut() = request.body.map(reqwest::Body::from);
        let reply = REQUEST
            .scope(watch, client.execute(outgoing))
            .await
            .map_err(|error| send_failure(&error, tls, &host))?;
        let (head, body) = http::Response::<reqwest::Body>::from(reply).into_parts();
        let (status, headers) = (head.status, head.headers);
        let framing = if headers.contains_key(TRANSFER_ENCODING) {
            "chunked body without its last chunk"
        } else if headers.contains_key(CONTENT_LENGTH) {
            "body shorter than its Content-Length"
        } else {
            "body cut off"
        };
        let status_code = status.as_u16();
        let body = body.into_data_stream().map_err(move |error| body_failure(error, status_code, framing));
        Ok(WireReply { status, headers, body: Box::pin(body) })
    }
}

/// The connection ended within the body.
fn body_failure(error: reqwest::Error, status: u16, framing: &str) -> Failure {
    let message = format!("the {status} reply was cut off: {framing}");
    Failure::new(ErrorKind::IncompleteBody, Fact::Broken, message)
        .with_reached(Reached::Answered(status))
        .with_phase(Phase::Reply)
        .with_source(error.without_url())
}

/// Why there is no reply. The URL may hold secrets, so it is taken out of the error before anything is kept.
fn send_failure(error: &reqwest::Error, tls: bool, host: &str) -> Failure {
    let new = |kind, fact, message: String| Failure::new(kind, fact, message);
    if error.is_builder() {
        return new(ErrorKind::InvalidArguments, Fact::Unsendable, "the request cannot be built".to_owned());
    }
    if let Some(NotAllowed(refusal)) = find::<NotAllowed>(error) {
        return new(ErrorKind::EgressDenied, Fact::Unsendable, refusal.message.clone());
    }
    if find::<ConnectTimedOut>(error).is_some() {
        let message = format!("no connection to `{host}` within the connect timeout");
        return new(ErrorKind::ConnectTimeout, Fact::NotSent, message);
    }
    if error.is_dns() || find::<NoAddress>(error).is_some() {
        return new(ErrorKind::Dns, Fact::NotSent, format!("the host name `{host}` could not be resolved"));
    }
    if proves_not_sent(error) {
        let (kind, fact, message) = match connect_failure(error, tls) {
            ConnectFailure::Refused => {
                (ErrorKind::ConnectRefused, Fact::NotSent, format!("`{host}` refused the connection"))
            }
            ConnectFailure::BadCertificate => {
                let why = find::<rustls::Error>(error).map(ToString::to_string).unwrap_or_default();
                (
                    ErrorKind::Tls,
                    Fact::Unsendable,
                    format!("the certificate of `{host}` is not acceptable: {why}"),
                )
            }
            ConnectFailure::Handshake => {
                (ErrorKind::Tls, Fact::NotSent, format!("the TLS handshake with `{host}` was cut off"))
            }
            ConnectFailure::CutOff | ConnectFailure::Other => (
                ErrorKind::ConnectionClosed,
                Fact::NotSent,
                format!("the connection to `{host}` ended before anything was sent"),
            ),
        };
        return new(kind, fact, message);
    }
    let message = format!("the connection to `{host}` ended before a reply");
    new(ErrorKind::ConnectionClosed, Fact::Broken, message)
}

/// Resolves names, and lets through only the addresses that the policy allows: what is checked is what is
/// connected to, so a name cannot change its mind in between.
#[derive(Debug)]
struct CheckedResolver(EgressPolicy);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = if is_local_name(name.as_str()) {
                // RFC 6761 section 6.3: a name of this machine is not asked for elsewhere.
                [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
                    .map(|ip| (ip, 0).into())
                    .to_vec()
            } else {
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect()
            };
            let mut denied = None;
            let mut allowed = Vec::new();
            for address in found {
                match check_resolved(name.as_str(), address.ip(), &policy) {
                    Ok(()) => allowed.push(address),
                    Err(refusal) => denied = Some(refusal),
                }
            }
            match (allowed.is_empty(), denied) {
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
                (true, Some(refusal)) => Err(NotAllowed(refusal).into()),
                (true, None) => Err(NoAddress.into()),
            }
        })
    }
}

/// Every address of the name is denied.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
struct NotAllowed(Refusal);

/// The name has no address.
#[derive(Debug, thiserror::Error)]
#[error("the name has no address")]
struct NoAddress;

/// No connection within the limit.
#[derive(Debug, thiserror::Error)]
#[error("no connection within the connect timeout")]
struct ConnectTimedOut;

/// Limits connecting (name resolution, TCP, TLS) by the executor's timer, and tells the request's watch.
#[derive(Clone)]
struct Connecting {
    timer: TimerHandle,
    limit: Duration,
}

impl<S> Layer<S> for Connecting {
    type Service = Connector<S>;

    fn layer(&self, inner: S) -> Connector<S> {
        Connector { inner, connecting: self.clone() }
    }
}

#[derive(Clone)]
struct Connector<S> {
    inner: S,
    connecting: Connecting,
}

// The connector's request and response types cannot be named; being generic over them is enough.
impl<S, R> Service<R> for Connector<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, destination: R) -> Self::Future {
        let watch = REQUEST.try_with(Arc::clone).ok();
        let Connecting { timer, limit } = self.connecting.clone();
        let work = self.inner.call(destination);
        Box::pin(async move {
            if let Some(watch) = &watch {
                watch.connecting();
            }
            let until = timer.now().saturating_add(limit);
            let connected =
                timer.limit(Some(until), work).await.unwrap_or_else(|| Err(ConnectTimedOut.into()));
            if let Some(watch) = watch {
                if connected.is_ok() {
                    // From here the request may be written at any moment.
                    watch.may_be_sent();
                }
                // Without a connection too: the request may be on a shared one that became free meanwhile.
                watch.connected();
            }
            connected
        })
    }
}
