//! Every action, checked to the byte by a client that is nothing but a socket.
#![allow(clippy::unwrap_used)]

mod connections;
mod exchanges;
mod ports;
mod scripts;
#[cfg(feature = "tls")]
mod tls;

use schemarouter_loopback::{Script, Server};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const GET: &str = "GET /a?b=%20 HTTP/1.1\r\nHost: x\r\n\r\n";
const POST: &str = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";

async fn start(script: impl Into<Script>) -> (Server, TcpStream) {
    let server = Server::start(script).await.unwrap();
    let client = TcpStream::connect(server.address()).await.unwrap();
    (server, client)
}

async fn send(client: &mut TcpStream, text: &str) {
    client.write_all(text.as_bytes()).await.unwrap();
}

/// Reads to the end: what came, and how it ended.
async fn rest(client: &mut TcpStream) -> (String, Option<io::ErrorKind>) {
    let mut bytes = Vec::new();
    let end = client.read_to_end(&mut bytes).await;
    (String::from_utf8(bytes).unwrap(), end.err().map(|e| e.kind()))
}

/// Reads exactly this text.
async fn expect(client: &mut TcpStream, text: &str) {
    let mut bytes = vec![0; text.len()];
    client.read_exact(&mut bytes).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), text);
}
