//! Plain HTTP.

use crate::{chain, client, outcome};
use schemarouter_loopback::{Action, ClosedPort, Connection, End, Reply, Script, Server};
use std::io;

/// Connections on a script that would answer.
fn plan(connection: Connection) -> Script {
    Script::repeat(Reply::status(204)).other_connections(connection)
}

const RESET: &str = "maybe sent: request | legacy > hyper() > io(ConnectionReset)";
const CLOSED: &str = "maybe sent: request | legacy > hyper(incomplete)";
const TOO_SHORT: &str = r#""end of file before message length reached""#;
const PARSE: &str = "maybe sent: request | legacy > hyper(parse)";

#[tokio::test]
async fn each_failure_has_its_chain() {
    let json = || Reply::json(200, "[1,2]");
    let in_body = |rest: &str| format!("200, then decode | hyper() > {rest}");
    let early_eof = |text: &str| in_body(&format!("io(UnexpectedEof) > {text}"));
    let bad_chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    let table: Vec<(&str, Script, usize, String)> = vec![
        ("closed, request unread", plan(Connection::close_on_arrival()), 0, RESET.into()),
        ("reset, request unread", plan(Connection::reset_on_arrival()), 0, RESET.into()),
        ("request read, then closed", Action::close().into(), 1, CLOSED.into()),
        ("request read, then reset", Action::reset().into(), 1, RESET.into()),
        ("half of the request read, then reset", Action::reset().after_body(3).into(), 1, RESET.into()),
        ("no HTTP", Action::raw("220 ready\r\n\r\n", End::Close).into(), 1, PARSE.into()),
        ("two lengths", json().header("Content-Length", "7").into(), 1, PARSE.into()),
        ("bad field value", json().header("X", [0]).into(), 1, PARSE.into()),
        ("half a head", json().cut_head_after(20, End::Close).into(), 1, CLOSED.into()),
        ("half a head, then reset", json().cut_head_after(20, End::Reset).into(), 1, RESET.into()),
        ("body too short", json().content_length(100).into(), 1, early_eof(TOO_SHORT)),
        ("body cut at once", json().cut_after(0, End::Close).into(), 1, early_eof(TOO_SHORT)),
        (
            "no last chunk",
            json().chunked().cut_after(5, End::Close).into(),
            1,
            early_eof(r#""unexpected EOF during chunk size line""#),
        ),
        ("reset in the body", json().cut_after(2, End::Reset).into(), 1, in_body("io(ConnectionReset)")),
        (
            "bad chunk",
            Action::raw(bad_chunk, End::Close).into(),
            1,
            in_body(r#"io(InvalidInput) > "Invalid chunk size line: missing size digit""#),
        ),
        ("no length, cut", json().until_close().cut_after(2, End::Close).into(), 1, "200, 2 bytes".into()),
        ("interim first", json().interim(103, &[("Link", "</a>")]).into(), 1, "200, 5 bytes".into()),
        (
            "answered before the body",
            Action::from(Reply::status(413).close()).after_body(0).into(),
            1,
            "413, 0 bytes".into(),
        ),
    ];
    let client = client(None).build().unwrap();
    for (name, script, requests, expected) in table {
        let server = Server::start(script).await.unwrap();
        assert_eq!(outcome(&client, &server.url()).await, expected, "{name}");
        assert_eq!((server.connections(), server.requests().len()), (1, requests), "{name}");
    }
}

#[tokio::test]
async fn case_093_a_refused_connection_sent_nothing() {
    let (client, port) = (client(None).build().unwrap(), ClosedPort::new().unwrap());
    let expected =
        r#"not sent: connect request | legacy(connect) > "tcp connect error" > io(ConnectionRefused)"#;
    for _ in 0..2 {
        assert_eq!(outcome(&client, &port.url()).await, expected);
    }
    let server = port.open(Reply::status(201)).unwrap();
    assert_eq!(outcome(&client, &server.url()).await, "201, 0 bytes");
    assert_eq!(server.requests().len(), 1);
}

/// A resolver that knows no name.
struct NoNames;

impl reqwest::dns::Resolve for NoNames {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::ready(Err(io::Error::other("no such name").into())))
    }
}

#[tokio::test]
async fn case_093_an_unknown_name_and_a_bad_scheme_sent_nothing() {
    let client = client(None).dns_resolver(NoNames).build().unwrap();
    let error = client.get("http://api.test").send().await.unwrap_err();
    assert!(chain::not_sent(&error) && error.is_connect() && error.is_dns());
    let error = client.get("ftp://api.test").send().await.unwrap_err();
    assert!(chain::not_sent(&error) && error.is_builder() && !error.is_connect());
}

/// How far the client gets before a server on another thread closes is a race; that nothing was received is not.
///
/// Most rounds end before a connection was handed to the request, where `is_connect` and `is_canceled` are both
/// false and only the missing `connect_info` shows that nothing was sent.
#[tokio::test]
async fn closing_at_accept_is_mostly_known_to_be_unsent() {
    let client = client(None).build().unwrap();
    for connection in [Connection::close(), Connection::reset(), Connection::speak("220 ready\r\n")] {
        let server = Server::start_on_thread(plan(connection)).unwrap();
        for _ in 0..50 {
            let error = client.post(server.url()).body("x").send().await.unwrap_err();
            assert!(error.is_request(), "{}", chain::shown(&error));
        }
        assert_eq!(server.requests(), []);
    }
}

#[tokio::test]
async fn case_094_a_kept_connection_that_closes_is_not_told_from_one_that_acted() {
    let table = [
        ("unread", plan(Connection::close_on_arrival().after(1)), RESET, 1),
        ("unread, reset", plan(Connection::reset_on_arrival().after(1)), RESET, 1),
        ("read", Script::sequence([Reply::status(204).into(), Action::close()]), CLOSED, 2),
    ];
    let client = client(None).pool_max_idle_per_host(1).build().unwrap();
    for (name, script, expected, requests) in table {
        let server = Server::start(script).await.unwrap();
        assert_eq!(outcome(&client, &server.url()).await, "204, 0 bytes", "{name}");
        assert_eq!(outcome(&client, &server.url()).await, expected, "{name}");
        assert_eq!((server.connections(), server.requests().len()), (1, requests), "{name}");
    }
}

#[tokio::test]
async fn case_094_a_connection_closed_while_idle_is_replaced() {
    let client = client(None).pool_max_idle_per_host(1).build().unwrap();
    let server = Server::start(plan(Connection::close().after(1))).await.unwrap();
    for n in 1..=3 {
        assert_eq!(outcome(&client, &server.url()).await, "204, 0 bytes");
        server.until(|p| p.closed == n).await;
    }
    assert_eq!((server.connections(), server.requests().len()), (3, 3));
}
