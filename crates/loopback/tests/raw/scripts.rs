//! The order of actions, routes, and the server's life.

use super::*;
use schemarouter_loopback::{Action, Reply};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

#[tokio::test]
async fn a_request_after_the_sequence_is_told_so() {
    let (server, mut client) = start(Script::sequence([Reply::status(204)])).await;
    send(&mut client, &format!("{GET}{GET}")).await;
    expect(&mut client, NO_CONTENT).await;
    expect(&mut client, "HTTP/1.1 500 Internal Server Error\r\n").await;
    assert_eq!(
        server.faults()[0].to_string(),
        "connection 0, choosing an action: loopback: the script has 1 actions and this request comes after them"
    );
}

#[tokio::test]
async fn a_sequence_may_end_in_repetition() {
    let script = Script::sequence([Reply::status(500)]).then_repeat(Reply::status(204));
    let (server, mut client) = start(script).await;
    send(&mut client, &format!("{GET}{GET}{GET}")).await;
    let failed = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
    expect(&mut client, &format!("{failed}{NO_CONTENT}{NO_CONTENT}")).await;
    assert_eq!(server.faults(), []);
}

#[tokio::test]
async fn a_route_sees_the_body_and_a_head_route_does_not() {
    let echo = Script::route(|r| Reply::status(200).body(r.body.clone()));
    let (_server, mut client) = start(echo).await;
    send(&mut client, &format!("{POST}0123456789")).await;
    expect(&mut client, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789").await;

    let early = Script::route_heads(|r| {
        assert!(r.body.is_empty());
        Action::from(Reply::status(413)).after_body(0)
    });
    let (server, mut client) = start(early).await;
    send(&mut client, POST).await;
    expect(&mut client, "HTTP/1.1 413 Content Too Large\r\n").await;
    assert_eq!(server.faults(), []);
}

#[tokio::test]
async fn a_panic_in_a_route_is_a_fault() {
    let route = Script::route(|r| -> Reply { panic!("no route for {}", r.path()) });
    let (server, mut client) = start(route).await;
    send(&mut client, GET).await;
    assert_eq!(rest(&mut client).await.0, "");
    // The listener notes it as soon as it runs.
    while server.faults().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.faults()[0].to_string(), "running the script: no route for /a");
}

#[tokio::test]
async fn a_client_that_asks_to_close_is_obeyed() {
    for head in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nconnection: Foo, Close\r\n\r\n"] {
        let (server, mut client) = start(Reply::status(204)).await;
        send(&mut client, &format!("{head}{GET}")).await;
        assert!(rest(&mut client).await.0.starts_with(NO_CONTENT));
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn stopping_closes_the_port_and_every_connection() {
    let (server, mut client) = start(Action::stall()).await;
    let address = server.address();
    send(&mut client, GET).await;
    server.until(|p| p.stalls == 1).await;
    server.stop().await;
    assert_eq!(rest(&mut client).await, (String::new(), None));
    let refused = TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn dropping_closes_every_connection() {
    let (server, mut client) = start(Action::stall()).await;
    send(&mut client, GET).await;
    server.until(|p| p.stalls == 1).await;
    drop(server);
    assert_eq!(rest(&mut client).await, (String::new(), None));
}

#[tokio::test]
async fn a_server_on_its_own_thread_may_be_started_in_a_runtime() {
    let server = Server::start_on_thread(Reply::status(204)).unwrap();
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    send(&mut client, GET).await;
    expect(&mut client, NO_CONTENT).await;
    server.stop().await;
    assert_eq!(rest(&mut client).await, (String::new(), None));
}

#[test]
fn a_server_on_its_own_thread_needs_no_runtime() {
    use std::io::{Read, Write};
    let server = Server::start_on_thread(Reply::status(204).close()).unwrap();
    let mut client = std::net::TcpStream::connect(server.address()).unwrap();
    client.write_all(GET.as_bytes()).unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    assert_eq!(text, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}
