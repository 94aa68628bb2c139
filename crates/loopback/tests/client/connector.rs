//! A layer around reqwest's connector: an own deadline for connecting, and the proof of not having connected.

use crate::chain::{links, not_sent};
use crate::client;
use reqwest::Client;
use schemarouter_loopback::{Action, Connection, Reply, Script, Server, SilentPort};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::sync::Notify;
use tower::{BoxError, Layer, Service};

tokio::task_local! {
    /// What the layer knows of the call that connects.
    static CALL: Call;
}

#[derive(Clone, Default)]
struct Call {
    begun: Arc<AtomicUsize>,
    connected: Arc<AtomicUsize>,
    give_up: Arc<Notify>,
}

impl Call {
    fn counts(&self) -> (usize, usize) {
        (self.begun.load(Ordering::Relaxed), self.connected.load(Ordering::Relaxed))
    }
}

#[derive(Debug)]
struct ConnectDeadline;

impl fmt::Display for ConnectDeadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection in time")
    }
}

impl std::error::Error for ConnectDeadline {}

#[derive(Clone)]
struct Watch;

#[derive(Clone)]
struct Watched<S>(S);

impl<S> Layer<S> for Watch {
    type Service = Watched<S>;

    fn layer(&self, inner: S) -> Watched<S> {
        Watched(inner)
    }
}

// reqwest's request and response types cannot be named; being generic over them is enough.
impl<S, R> Service<R> for Watched<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, destination: R) -> Self::Future {
        let call = CALL.get();
        let connecting = self.0.call(destination);
        Box::pin(async move {
            call.begun.fetch_add(1, Ordering::Relaxed);
            tokio::select! {
                biased;
                connected = connecting => {
                    call.connected.fetch_add(usize::from(connected.is_ok()), Ordering::Relaxed);
                    connected
                }
                () = call.give_up.notified() => Err(ConnectDeadline.into()),
            }
        })
    }
}

async fn post(client: &Client, url: &str, call: &Call) -> reqwest::Result<reqwest::Response> {
    CALL.scope(call.clone(), client.post(url).body("x").send()).await
}

#[tokio::test]
async fn case_093_an_own_connect_deadline_sent_nothing() {
    let client = client(None).connector_layer(Watch).build().unwrap();
    let port = SilentPort::new().await.unwrap();
    let call = Call::default();
    call.give_up.notify_one();
    let error = post(&client, &port.url(), &call).await.unwrap_err();
    assert!(links(&error).iter().any(|link| link.is::<ConnectDeadline>()));
    assert!(not_sent(&error) && error.is_connect() && !error.is_timeout());
    assert_eq!(call.counts(), (1, 0));
}

#[tokio::test]
async fn case_093_the_deadline_covers_the_tls_handshake() {
    let client = client(None).connector_layer(Watch).build().unwrap();
    let call = Call::default();
    let give_up = Arc::clone(&call.give_up);
    let script = Script::repeat(Reply::status(204))
        .other_connections(Connection::stall())
        .on_stall(move || give_up.notify_one());
    let server = Server::start(script).await.unwrap();
    let url = server.url().replace("http:", "https:");
    let error = post(&client, &url, &call).await.unwrap_err();
    assert!(links(&error).iter().any(|link| link.is::<ConnectDeadline>()));
    assert_eq!((call.counts(), server.connections()), ((1, 0), 1));
}

#[tokio::test]
async fn without_a_pool_each_request_connects_inside_its_own_future() {
    let client = client(None).connector_layer(Watch).build().unwrap();
    let server = Server::start(Script::sequence([Reply::status(204).into(), Action::stall()])).await.unwrap();
    let call = Call::default();
    post(&client, &server.url(), &call).await.unwrap();
    assert_eq!(call.counts(), (1, 1));

    // Dropped while it waits for the reply: connected, so maybe sent; the connection goes with the future.
    let (call, url) = (Call::default(), server.url());
    tokio::select! {
        biased;
        _ = server.until(|p| p.stalls == 1) => {}
        _ = post(&client, &url, &call) => panic!("a stalled call ended"),
    }
    assert_eq!(call.counts(), (1, 1));
    server.until(|p| p.hangups == 1).await;

    // Dropped while it connects: nothing goes on in the background.
    let (port, call) = (SilentPort::new().await.unwrap(), Call::default());
    let url = port.url();
    let mut posting = Box::pin(post(&client, &url, &call));
    while call.counts().0 == 0 {
        tokio::select! {
            biased;
            _ = &mut posting => panic!("a silent port connected"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(posting);
    assert_eq!((call.counts(), Arc::strong_count(&call.begun)), ((1, 0), 1));
}

#[tokio::test]
async fn with_a_pool_not_connecting_proves_nothing() {
    let client = client(None).pool_max_idle_per_host(1).connector_layer(Watch).build().unwrap();
    let server = Server::start(Script::sequence([Reply::status(204).into(), Action::close()])).await.unwrap();
    post(&client, &server.url(), &Call::default()).await.unwrap();
    let call = Call::default();
    let error = post(&client, &server.url(), &call).await.unwrap_err();
    assert!(!not_sent(&error));
    assert_eq!((call.counts(), server.requests().len()), ((0, 0), 2));
}
