//! A scripted HTTP server on loopback that fails on purpose, for tests and demonstrations.
//!
//! A client is only as good as its answers to broken peers: a reset in mid-body, a reply that never comes, a
//! connection closed as the next request arrives. This server produces each of them on demand, over a real
//! socket on 127.0.0.1, and keeps every request it saw. It never sleeps: where order matters a test waits for
//! [`Progress`], opens a gate, or is told by [`Script::on_stall`].
//!
//! - A [`Script`] says what happens: [`Action`]s per request, [`Connection`]s per connection.
//! - A [`Reply`] is the usual action; it can be chunked, dripped, cut, or announce a false length.
//! - [`ClosedPort`] refuses connections, [`SilentPort`] lets them hang.
//! - With the feature `tls`, the module `tls` serves HTTPS under good and bad certificates.
//!
//! # Examples
//!
//! ```
//! use schemarouter_loopback::{Reply, Script, Server};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let busy = Reply::status(503).header("Retry-After", "7");
//! let server = Server::start(Script::sequence([busy, Reply::json(200, "[1,2]")])).await?;
//!
//! let mut client = tokio::net::TcpStream::connect(server.address()).await?;
//! client.write_all(b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n").await?;
//! let mut replies = String::new();
//! client.read_to_string(&mut replies).await?;
//!
//! assert!(replies.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
//! assert!(replies.ends_with("\r\n\r\n[1,2]"));
//! assert_eq!(server.requests()[1].target, "/b");
//! # Ok(())
//! # }
//! ```

mod action;
mod body;
mod connection;
mod log;
mod port;
mod render;
mod reply;
mod request;
mod script;
mod serve;
mod server;
#[cfg(feature = "tls")]
pub mod tls;
mod wire;

pub use action::{Action, End};
pub use connection::Connection;
pub use log::{Fault, Progress};
pub use port::{ClosedPort, SilentPort};
pub use reply::Reply;
pub use request::Request;
pub use script::Script;
pub use server::Server;
