//! Ports without a server.

use super::*;
use schemarouter_loopback::{ClosedPort, Reply, SilentPort};
use std::future::Future;
use std::task::{Context, Poll, Waker};

#[tokio::test]
async fn a_closed_port_refuses_until_it_is_opened() {
    let port = ClosedPort::new().unwrap();
    for _ in 0..2 {
        let refused = TcpStream::connect(port.address()).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
    let (address, url) = (port.address(), port.url());
    let server = port.open(Reply::status(204)).unwrap();
    assert_eq!((server.address(), server.url()), (address, url));
    let mut client = TcpStream::connect(address).await.unwrap();
    send(&mut client, GET).await;
    expect(&mut client, "HTTP/1.1 204 No Content\r\n\r\n").await;
}

#[tokio::test]
async fn a_silent_port_never_completes_a_connect() {
    let port = SilentPort::new().await.unwrap();
    let mut connecting = Box::pin(TcpStream::connect(port.address()));
    // On loopback the kernel answers a SYN before the system call returns; what has not been answered after
    // the runtime has run in full was dropped.
    for _ in 0..100 {
        let poll = connecting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(poll, Poll::Pending));
        tokio::task::yield_now().await;
    }
}
