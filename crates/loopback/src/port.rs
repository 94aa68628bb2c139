//! Ports without a server.

use crate::{Script, Server, wire};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::{TcpSocket, TcpStream};

/// A port of 127.0.0.1 that refuses connections, and keeps doing so: nobody else can take it.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{ClosedPort, Reply};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let port = ClosedPort::new()?;
/// let refused = tokio::net::TcpStream::connect(port.address()).await;
/// assert!(refused.is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionRefused));
///
/// let server = port.open(Reply::status(204))?;
/// assert!(tokio::net::TcpStream::connect(server.address()).await.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ClosedPort {
    /// Bound and not listening.
    socket: TcpSocket,
    address: SocketAddr,
}

impl ClosedPort {
    /// Takes a free port.
    ///
    /// # Errors
    ///
    /// When no port can be bound.
    pub fn new() -> io::Result<Self> {
        let (socket, address) = bound()?;
        Ok(Self { socket, address })
    }

    /// The address that refuses.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, such as `http://127.0.0.1:40001`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Starts a server on it: the service comes back. Must be called in a runtime.
    ///
    /// # Errors
    ///
    /// When the port cannot listen.
    pub fn open(self, script: impl Into<Script>) -> io::Result<Server> {
        Server::spawn(self.socket.listen(1024)?, script.into(), "http", wire::plain())
    }
}

/// A port of 127.0.0.1 on which connecting takes until the client gives up, as behind a dropping firewall.
///
/// It listens with a full queue, so that the kernel drops every further SYN. That is what Linux does; other
/// systems may refuse instead.
#[derive(Debug)]
pub struct SilentPort {
    address: SocketAddr,
    /// Keeps the queue full.
    _held: (tokio::net::TcpListener, TcpStream),
}

impl SilentPort {
    /// Takes a free port and fills its queue.
    ///
    /// # Errors
    ///
    /// When no port can be bound or filled.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future frees the port.
    pub async fn new() -> io::Result<Self> {
        let (socket, address) = bound()?;
        let listener = socket.listen(0)?;
        let filler = TcpStream::connect(address).await?;
        Ok(Self { address, _held: (listener, filler) })
    }

    /// The address that does not answer.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, such as `http://127.0.0.1:40001`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn bound() -> io::Result<(TcpSocket, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}
