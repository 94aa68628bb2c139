//! Plans per connection.

use super::*;
use schemarouter_loopback::{Connection, Reply};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";
const RESET: Option<io::ErrorKind> = Some(io::ErrorKind::ConnectionReset);

fn script(plan: Connection) -> Script {
    Script::repeat(Reply::status(204)).connections([plan])
}

#[tokio::test]
async fn without_a_request() {
    let (server, mut client) = start(script(Connection::close())).await;
    assert_eq!(rest(&mut client).await, (String::new(), None));
    assert_eq!((server.connections(), server.requests().len()), (1, 0));

    let (server, mut client) = start(script(Connection::reset())).await;
    server.until(|p| p.closed == 1).await;
    assert_eq!(rest(&mut client).await, (String::new(), RESET));
    assert_eq!((server.connections(), server.requests().len()), (1, 0));
}

#[tokio::test]
async fn on_arrival() {
    let table = [
        ("close", Connection::close_on_arrival(), "", RESET),
        ("reset", Connection::reset_on_arrival(), "", RESET),
        ("garbage", Connection::speak("220 mail\r\n"), "220 mail\r\n", None),
    ];
    for (name, plan, text, end) in table {
        let (server, mut client) = start(script(plan)).await;
        server.until(|p| p.connections == 1).await;
        assert_eq!(server.progress().closed, 0, "{name}");
        send(&mut client, GET).await;
        assert_eq!(rest(&mut client).await, (text.to_owned(), end), "{name}");
        assert_eq!((server.requests().len(), server.faults()), (0, vec![]), "{name}");
    }
}

#[tokio::test]
async fn a_stall_reads_nothing() {
    let (server, mut client) = start(script(Connection::stall())).await;
    send(&mut client, GET).await;
    server.until(|p| p.stalls == 1).await;
    assert_eq!((server.connections(), server.requests().len()), (1, 0));
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_replies() {
    let (server, mut client) = start(script(Connection::close().after(2))).await;
    send(&mut client, GET).await;
    expect(&mut client, NO_CONTENT).await;
    send(&mut client, GET).await;
    assert_eq!(rest(&mut client).await, (NO_CONTENT.to_owned(), None));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_kept_connection_is_closed_as_the_next_request_arrives() {
    let (server, mut client) = start(script(Connection::close_on_arrival().after(1))).await;
    send(&mut client, GET).await;
    expect(&mut client, NO_CONTENT).await;
    server.until(|p| p.actions == 1).await;
    assert_eq!(client.try_read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    send(&mut client, GET).await;
    assert_eq!(rest(&mut client).await, (String::new(), RESET));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn later_connections_are_served_unless_told() {
    let (server, mut first) = start(script(Connection::close())).await;
    assert_eq!(rest(&mut first).await.0, "");
    let mut second = TcpStream::connect(server.address()).await.unwrap();
    send(&mut second, GET).await;
    expect(&mut second, NO_CONTENT).await;
    assert_eq!(server.requests()[0].connection, 1);

    let all = Script::repeat(Reply::status(204)).other_connections(Connection::close());
    let (server, mut first) = start(all).await;
    let mut second = TcpStream::connect(server.address()).await.unwrap();
    assert_eq!((rest(&mut first).await.0, rest(&mut second).await.0), (String::new(), String::new()));
}
