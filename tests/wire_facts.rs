//! What the built-in wire reports of each way in which an exchange can fail, over real sockets.
//!
//! One row per failure, for a read and for a write: how many attempts were made, how many requests arrived, and
//! what the caller is told. Virtual time moves only when the server announces that it will not go on.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use schemarouter::executor::VirtualTimer;
use schemarouter::invokers::http::EgressPolicy;
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::ReachedReport;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{Outcome, Request, RunConfig};
use schemarouter_loopback::tls::{Authority, Certificate};
use schemarouter_loopback::{Action, ClosedPort, Connection, End, Reply, Script, Server};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::api::{Api, on_stall};
use crate::support::{attempts, with};

/// How a row's server behaves.
enum Peer {
    Script(fn() -> Script),
    Closed,
    UnknownName,
    Plain,
    Tls(Certificate, fn() -> Script),
    TrustedTls(Certificate, fn() -> Script),
}

const READ: &str = "listJobs";
const WRITE: &str = "addJob";

fn config() -> RunConfig {
    with(attempts(2))
}

/// A success with this body: 200 for a read, 201 for a write, as the document declares them.
fn success(body: &'static str) -> Script {
    Script::route(move |request| Reply::json(if request.method == "POST" { 201 } else { 200 }, body))
}

fn serve() -> Script {
    Script::route(|request| {
        if request.method == "POST" { Reply::json(201, r#"{"id": 1}"#) } else { Reply::json(200, "[]") }
    })
}

fn rows() -> Vec<(&'static str, Peer)> {
    use Peer::{Closed, Plain, Script as S, Tls, TrustedTls, UnknownName};
    vec![
        ("connection refused", Closed),
        ("unknown host name", UnknownName),
        (
            "reset while connecting (TLS)",
            Tls(Certificate::Sound, || serve().other_connections(Connection::reset_on_arrival())),
        ),
        ("TLS to a plain server", Plain),
        ("handshake hangs", Tls(Certificate::Sound, || serve().other_connections(Connection::stall()))),
        ("certificate of an unknown authority", Tls(Certificate::SelfSigned, serve)),
        ("expired certificate", TrustedTls(Certificate::Expired, serve)),
        ("certificate for another host", TrustedTls(Certificate::WrongHost, serve)),
        ("sound certificate", TrustedTls(Certificate::Sound, serve)),
        ("closed after the request was read", S(|| Script::repeat(Action::close()))),
        ("reset after the request was read", S(|| Script::repeat(Action::reset()))),
        ("closed with the request unread", S(|| serve().other_connections(Connection::close_on_arrival()))),
        ("garbage instead of a reply", S(|| Script::repeat(Action::raw("garbage\r\n\r\n", End::Close)))),
        ("half a head", S(|| Reply::json(200, "[]").cut_head_after(20, End::Close).into())),
        ("no reply", S(|| Script::repeat(Action::stall()))),
        ("body cut off", S(|| Reply::json(200, "[1,2]").content_length(100).into())),
        (
            "chunked body without its last chunk",
            S(|| {
                let reply = Reply::json(200, "[1,2]").chunked();
                let size = 3 + 5 + 2;
                reply.cut_after(size, End::Close).into()
            }),
        ),
        ("body reset", S(|| Reply::json(200, "[1,2]").content_length(100).cut_after(3, End::Reset).into())),
        ("body stalls", S(|| Reply::json(200, "[1,2]").content_length(100).cut_after(3, End::Stall).into())),
        ("error body cut off", S(|| Reply::json(404, "{\"a\"").content_length(100).into())),
        (
            "error body stalls",
            S(|| Reply::json(503, "{\"a\"").content_length(100).cut_after(3, End::Stall).into()),
        ),
        ("interim reply, then success", S(|| Reply::json(200, "[]").interim(103, &[]).into())),
        ("malformed JSON", S(|| success("[1,"))),
        (
            "not the declared media type",
            S(|| {
                Script::route(|request| {
                    let status = if request.method == "POST" { 201 } else { 200 };
                    Reply::text(status, "<!doctype html>").header("Content-Type", "text/html")
                })
            }),
        ),
        ("schema violated", S(|| success("\"x\""))),
        ("too large, announced", S(|| Reply::json(200, "[1,2]").content_length(40_000_000).into())),
        ("too large, not announced", S(|| Reply::json(200, vec![b' '; 20_000_000]).chunked().into())),
        ("redirect", S(|| Reply::status(302).header("Location", "/elsewhere").into())),
        ("status 304", S(|| Reply::status(304).into())),
        ("status 400", S(|| Reply::json(400, "{}").into())),
        ("status 429", S(|| Reply::status(429).header("Retry-After", "1").into())),
        ("status 500", S(|| Reply::status(500).into())),
        ("status 503", S(|| Reply::status(503).into())),
    ]
}

async fn play(peer: &Peer, operation: &str) -> String {
    let authority = Authority::new().expect("an authority");
    let time = VirtualTimer::new();
    let (mut api, server, _closed);
    match peer {
        Peer::Closed => {
            let port = ClosedPort::new().expect("a port");
            api = Api::at(&port.url());
            (server, _closed) = (None, Some(port));
        }
        Peer::UnknownName => {
            api = Api::at("http://no-such-host.invalid");
            api.settings =
                api.settings.with_egress(EgressPolicy { allow_plain_http: true, ..Default::default() });
            (server, _closed) = (None, None);
        }
        Peer::Plain => {
            let started = Server::start(serve()).await.expect("a server");
            api = Api::at(&started.url().replace("http:", "https:"));
            (server, _closed) = (Some(started), None);
        }
        Peer::Script(script) => {
            let started = Server::start(script().on_stall(on_stall(&time))).await.expect("a server");
            api = Api::at(&started.url());
            (server, _closed) = (Some(started), None);
        }
        Peer::Tls(certificate, script) | Peer::TrustedTls(certificate, script) => {
            let identity = authority.issue(*certificate).expect("a certificate");
            let script = script().on_stall(on_stall(&time));
            let started = Server::start_tls(script, &identity).await.expect("a server");
            api = Api::at(&started.url());
            if matches!(peer, Peer::TrustedTls(..)) {
                api.settings = api.settings.with_root_certificates(authority.pem());
            }
            (server, _closed) = (Some(started), None);
        }
    }
    api.time = time;
    let arguments = if operation == WRITE { json!({"body": {}}) } else { json!({}) };
    let result = api.call(operation, arguments, &config()).await;
    let arrived = server.as_ref().map_or(0, |server| server.requests().len());
    row(&result, arrived, api.time.elapsed().as_secs_f64())
}

fn row(result: &Result<Outcome, Error>, arrived: usize, seconds: f64) -> String {
    match result {
        Ok(outcome) => format!("success | attempts {} | arrived {arrived}", outcome.attempts.len()),
        Err(error) => {
            let report = error.report();
            let reached = report.reached.map_or_else(String::new, |reached| format!("{reached:?}"));
            let applied = report.applied.map_or_else(|| "-".to_owned(), |applied| format!("{applied:?}"));
            format!(
                "{} | {} | {:?} | {reached} | applied {applied} | attempts {} | arrived {arrived} | {seconds} s | {}",
                report.kind,
                report.disposition,
                report.phase,
                report.attempts.len(),
                report.reason.as_deref().unwrap_or("-"),
            )
        }
    }
}

#[tokio::test]
async fn case_092_093_094_every_failure_of_an_exchange() {
    let mut table = String::new();
    for (name, peer) in rows() {
        let _ = writeln!(table, "{name}");
        for operation in [READ, WRITE] {
            let _ = writeln!(table, "    {operation}: {}", play(&peer, operation).await);
        }
    }
    insta::assert_snapshot!(table);
}

#[tokio::test]
async fn an_exchange_limit_forbids_the_request() {
    let server = Server::start(Script::repeat(Reply::status(503))).await.expect("a server");
    let api = Api::at(&server.url());
    let budget = ExecutionBudget { max_remote_attempts: Some(1), ..ExecutionBudget::default() };
    let error = api.call(READ, json!({}), &with(attempts(3)).with_budget(budget)).await.expect_err("limited");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(error.report().limit.as_ref().map(|limit| limit.name.as_str()), Some("max_remote_attempts"));
    assert_eq!(error.report().cause.as_ref().map(|cause| cause.kind.code()), Some("http_status"));
}

#[tokio::test]
async fn the_deadline_of_a_run_tells_connecting_from_waiting() {
    let authority = Authority::new().expect("an authority");
    let identity = authority.issue(Certificate::Sound).expect("a certificate");
    let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(5)), ..ExecutionBudget::default() };
    let table: [(_, fn() -> Script, _, _); 4] = [
        (
            "connecting",
            || serve().other_connections(Connection::stall()),
            Disposition::Unavailable,
            ReachedReport::NotSent,
        ),
        ("waiting", || Script::repeat(Action::stall()), Disposition::Indeterminate, ReachedReport::MaybeSent),
        (
            "reading a success",
            || Reply::json(201, "{").content_length(100).cut_after(1, End::Stall).into(),
            Disposition::Indeterminate,
            ReachedReport::Answered,
        ),
        (
            "reading an error, which keeps the verdict of its status",
            || Reply::json(404, "{").content_length(100).cut_after(1, End::Stall).into(),
            Disposition::NonRetryable,
            ReachedReport::Answered,
        ),
    ];
    for (name, script, disposition, reached) in table {
        let time = VirtualTimer::new();
        let server =
            Server::start_tls(script().on_stall(on_stall(&time)), &identity).await.expect("a server");
        let mut api = Api::at(&server.url());
        api.settings = api.settings.with_root_certificates(authority.pem());
        api.time = time.clone();
        let config = with(attempts(3)).with_budget(budget.clone());
        let error = api.call(WRITE, json!({"body": {}}), &config).await.expect_err(name);
        assert_eq!((error.kind(), error.disposition()), (ErrorKind::BudgetExceeded, disposition), "{name}");
        assert_eq!(
            (error.report().reached, time.elapsed()),
            (Some(reached), Duration::from_secs(5)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_reply_to_head_announces_a_body_that_does_not_count() {
    let script = Script::repeat(Reply::status(200).header("Content-Length", "40000000"));
    let server = Server::start(script).await.expect("a server");
    let outcome = Api::at(&server.url()).call("headJobs", json!({}), &config()).await.expect("a success");
    assert_eq!((outcome.status, outcome.attempts.len()), (Some(200), 1));
}

#[tokio::test]
async fn a_shared_connection_that_became_free_has_its_reply_limit() {
    // The second request starts to connect, gets the first one's connection instead, and waits there in vain.
    let authority = Authority::new().expect("an authority");
    let identity = authority.issue(Certificate::Sound).expect("a certificate");
    let (first_arrived, first_ends) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (time, requests, stalls) = (VirtualTimer::new(), AtomicU32::new(0), AtomicU32::new(0));
    let (arrived, ends, free) = (Arc::clone(&first_arrived), Arc::clone(&first_ends), first_ends);
    let moved = time.clone();
    let script = Script::route(move |_| match requests.fetch_add(1, Ordering::SeqCst) {
        0 => {
            arrived.notify_one();
            Action::from(Reply::json(200, "[]").pieces(2).gate(Arc::clone(&ends)))
        }
        _ => Action::stall(),
    })
    .connections([Connection::serve(), Connection::stall()])
    .on_stall(move || match stalls.fetch_add(1, Ordering::SeqCst) {
        0 => free.notify_one(),
        _ => {
            let time = moved.clone();
            tokio::spawn(async move {
                while time.elapsed() < Duration::from_secs(90) {
                    for _ in 0..32 {
                        tokio::task::yield_now().await;
                    }
                    time.stalled();
                }
            });
        }
    });
    let server = Server::start_tls(script, &identity).await.expect("a server");
    let mut api = Api::at(&server.url());
    api.settings = api.settings.with_root_certificates(authority.pem());
    api.time = time;
    let router = api.builder().build().expect("a valid router");
    let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(90)), ..ExecutionBudget::default() };
    let config = with(attempts(1)).with_budget(budget);
    let request = || Request::new(READ, json!({}));
    let second = async {
        first_arrived.notified().await;
        router.ainvoke(request(), &config).await
    };
    let (first, second) = tokio::join!(router.ainvoke(request(), &config), second);
    first.expect("a success");
    let error = second.expect_err("no reply");
    assert_eq!((error.kind(), server.connections()), (ErrorKind::Timeout, 2), "{error}");
    // The connect timeout, 10 s, then the reply timeout, 30 s.
    assert_eq!(error.report().elapsed_seconds, Some(40.0));
}
