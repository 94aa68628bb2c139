//! One accepted connection as a stream of bytes, plain or TLS.

use bytes::BytesMut;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A byte stream over a TCP connection.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {
    /// The connection beneath, for what only a socket can do.
    fn tcp(&self) -> &TcpStream;
}

impl Stream for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

type Shaken = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

/// Turns an accepted connection into the stream on which requests come.
pub(crate) type Handshake = Arc<dyn Fn(TcpStream) -> Shaken + Send + Sync>;

/// The handshake of plain HTTP: none.
pub(crate) fn plain() -> Handshake {
    Arc::new(|tcp| Box::pin(std::future::ready(Ok(Box::new(tcp) as Box<dyn Stream>))))
}

/// A stream with the bytes that were read and not yet used.
pub(crate) struct Wire {
    stream: Box<dyn Stream>,
    pub(crate) buffer: BytesMut,
}

impl Wire {
    pub(crate) fn new(stream: Box<dyn Stream>) -> Self {
        Self { stream, buffer: BytesMut::new() }
    }

    /// Reads more into the buffer; false at the end.
    pub(crate) async fn fill(&mut self) -> io::Result<bool> {
        self.buffer.reserve(16 * 1024);
        Ok(self.stream.read_buf(&mut self.buffer).await? > 0)
    }

    /// Waits until something has arrived, without reading it; false if the client left instead.
    pub(crate) async fn arrival(&self) -> bool {
        !self.buffer.is_empty() || matches!(self.stream.tcp().peek(&mut [0]).await, Ok(1))
    }

    /// Reads and forgets until the client leaves.
    pub(crate) async fn left(&mut self) {
        while matches!(self.fill().await, Ok(true)) {
            self.buffer.clear();
        }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Closes with FIN, as far as the kernel agrees.
    pub(crate) async fn close(mut self) {
        // The client may be gone already; the result is the same.
        let _ = self.stream.shutdown().await;
    }

    /// Closes with RST.
    pub(crate) fn reset(self) -> io::Result<()> {
        self.stream.tcp().set_zero_linger()
    }
}
