//! Actions per request.

use super::*;
use schemarouter_loopback::{Action, End, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

const RESET: Option<io::ErrorKind> = Some(io::ErrorKind::ConnectionReset);
const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

#[tokio::test]
async fn ends_after_one_request() {
    let json = || Reply::json(200, "[1,2]");
    let table: Vec<(&str, Action, String, Option<io::ErrorKind>)> = vec![
        ("close", Action::close(), String::new(), None),
        ("reset", Action::reset(), String::new(), RESET),
        ("garbage", Action::raw("no HTTP", End::Close), "no HTTP".to_owned(), None),
        ("half a head", json().cut_head_after(12, End::Close).into(), "HTTP/1.1 200".to_owned(), None),
        (
            "too short",
            json().content_length(100).into(),
            format!("{OK}Content-Length: 100\r\n\r\n[1,2]"),
            None,
        ),
        ("cut", json().cut_after(3, End::Close).into(), format!("{OK}Content-Length: 5\r\n\r\n[1,"), None),
        (
            "no last chunk",
            json().chunked().cut_after(5, End::Close).into(),
            format!("{OK}Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n"),
            None,
        ),
        (
            "says close",
            json().close().into(),
            format!("{OK}Content-Length: 5\r\nConnection: close\r\n\r\n[1,2]"),
            None,
        ),
        (
            "dripped",
            json().pieces(5).close().into(),
            format!("{OK}Content-Length: 5\r\nConnection: close\r\n\r\n[1,2]"),
            None,
        ),
    ];
    for (name, action, text, end) in table {
        let (server, mut client) = start(action).await;
        send(&mut client, GET).await;
        assert_eq!(rest(&mut client).await, (text, end), "{name}");
        let progress = server.until(|p| p.closed == 1).await;
        assert_eq!((progress.connections, progress.requests, progress.actions), (1, 1, 1), "{name}");
        assert_eq!(server.faults(), [], "{name}");
    }
}

#[tokio::test]
async fn a_reset_in_mid_reply_follows_the_bytes() {
    let (_server, mut client) = start(Reply::json(200, "[1,2]").cut_after(3, End::Reset)).await;
    send(&mut client, GET).await;
    assert_eq!(rest(&mut client).await, (format!("{OK}Content-Length: 5\r\n\r\n[1,"), RESET));
}

#[tokio::test]
async fn the_request_is_kept_as_it_came() {
    let (server, mut client) = start(Reply::status(204)).await;
    send(&mut client, &format!("{GET}{POST}0123456789")).await;
    expect(&mut client, "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n").await;
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!((first.method.as_str(), first.path(), first.query()), ("GET", "/a", Some("b=%20")));
    assert_eq!((first.header("HOST"), first.header("other")), (Some("x"), None));
    assert_eq!(first.head, GET.as_bytes());
    assert_eq!((second.body.as_slice(), second.complete, second.connection), (&b"0123456789"[..], true, 0));
}

#[tokio::test]
async fn a_chunked_request_body_is_decoded() {
    let (server, mut client) = start(Reply::status(204)).await;
    send(&mut client, "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n").await;
    send(&mut client, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").await;
    assert_eq!(rest(&mut client).await.0, "HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(server.requests()[0].body, b"abcde");
}

#[tokio::test]
async fn a_reset_after_half_of_the_body() {
    let (server, mut client) = start(Action::reset().after_body(5)).await;
    send(&mut client, &format!("{POST}01234")).await;
    assert_eq!(rest(&mut client).await, (String::new(), RESET));
    let request = &server.requests()[0];
    assert_eq!((request.body.as_slice(), request.complete), (&b"01234"[..], false));
}

#[tokio::test]
async fn a_reply_before_the_body_keeps_the_connection() {
    let (server, mut client) = start(Action::from(Reply::status(204)).after_body(0)).await;
    send(&mut client, POST).await;
    expect(&mut client, "HTTP/1.1 204 No Content\r\n\r\n").await;
    assert!(!server.requests()[0].complete);
    send(&mut client, &format!("0123456789{GET}")).await;
    expect(&mut client, "HTTP/1.1 204 No Content\r\n\r\n").await;
    let requests = server.requests();
    assert_eq!((requests[0].body.len(), requests[0].complete, requests.len()), (10, true, 2));
}

#[tokio::test]
async fn a_gate_holds_each_piece() {
    let gate = Arc::new(Notify::new());
    let (_server, mut client) = start(Reply::json(200, "[1,2]").pieces(2).gate(Arc::clone(&gate))).await;
    send(&mut client, GET).await;
    expect(&mut client, &format!("{OK}Content-Length: 5\r\n\r\n[1,")).await;
    tokio::task::yield_now().await;
    assert_eq!(client.try_read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    gate.notify_one();
    expect(&mut client, "2]").await;
}

#[tokio::test]
async fn a_stall_is_announced_and_a_hangup_seen() {
    let announced = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&announced);
    let script = Script::repeat(Action::stall()).on_stall(move || {
        seen.fetch_add(1, Ordering::Relaxed);
    });
    let (server, mut client) = start(script).await;
    send(&mut client, GET).await;
    assert_eq!(server.until(|p| p.stalls == 1).await.hangups, 0);
    assert_eq!(announced.load(Ordering::Relaxed), 1);
    assert_eq!(client.try_read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    drop(client);
    server.until(|p| p.hangups == 1 && p.closed == 1).await;
}

#[tokio::test]
async fn a_stall_in_mid_body() {
    let (server, mut client) = start(Reply::json(200, "[1,2]").cut_after(3, End::Stall)).await;
    send(&mut client, GET).await;
    expect(&mut client, &format!("{OK}Content-Length: 5\r\n\r\n[1,")).await;
    server.until(|p| p.stalls == 1).await;
    server.stop().await;
    assert_eq!(rest(&mut client).await, (String::new(), None));
}

#[tokio::test]
async fn a_stall_in_mid_request_reads_no_further() {
    let (server, mut client) = start(Action::stall().after_body(5)).await;
    send(&mut client, &format!("{POST}01234567")).await;
    server.until(|p| p.stalls == 1).await;
    assert_eq!(server.requests()[0].body, b"01234");
}

#[tokio::test]
async fn bad_requests_are_faults() {
    let table = [
        ("GET nothing\r\n\r\n", "reading a request head", "HTTP/1.1 400 Bad Request\r\n"),
        ("GET / HT", "reading a request head", ""),
        ("PUT / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "reading a request head", ""),
        ("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\n12", "reading a request body", ""),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "reading a request body", ""),
    ];
    for (text, during, reply) in table {
        let (server, mut client) = start(Reply::status(204)).await;
        send(&mut client, text).await;
        client.shutdown().await.unwrap();
        assert!(rest(&mut client).await.0.starts_with(reply), "{text}");
        assert_eq!(server.faults()[0].during, during, "{text}");
    }
}
