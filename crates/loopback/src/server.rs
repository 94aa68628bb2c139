//! The server's handle and its listener.

use crate::log::{Fault, Log, Progress};
use crate::wire::{self, Handshake};
use crate::{Request, Script, serve};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};

/// A running server; dropping it closes the port and every connection as soon as its runtime runs again.
///
/// It never panics in the test's place: what goes wrong inside is kept in [`Server::faults`].
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{Action, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let server = Server::start(Action::stall()).await?;
/// assert!(server.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(server.connections(), 0);
/// # Ok(())
/// # }
/// ```
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    log: Arc<Log>,
    /// Dropping it ends the listener, which takes the connections with it.
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
}

impl Server {
    /// Starts a server on a free port of 127.0.0.1, as a task of the current runtime.
    ///
    /// # Errors
    ///
    /// When no port can be bound.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready starts nothing.
    pub async fn start(script: impl Into<Script>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Self::spawn(listener, script.into(), "http", wire::plain())
    }

    /// Starts a server on a thread of its own, for callers without a runtime and for those that block.
    ///
    /// # Errors
    ///
    /// When no port can be bound or no thread started.
    pub fn start_on_thread(script: impl Into<Script>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let (server, running) = Self::prepare(listener.local_addr()?, "http");
        let script = script.into();
        std::thread::Builder::new().name("loopback".to_owned()).spawn(move || {
            let log = Arc::clone(&running.log);
            if let Err(error) = running.listen_on_this_thread(listener, script) {
                log.fault(None, "starting a runtime", &error);
            }
        })?;
        Ok(server)
    }

    pub(crate) fn spawn(
        listener: TcpListener,
        script: Script,
        scheme: &'static str,
        handshake: Handshake,
    ) -> io::Result<Self> {
        let (server, running) = Self::prepare(listener.local_addr()?, scheme);
        tokio::spawn(running.listen(listener, script, handshake));
        Ok(server)
    }

    fn prepare(address: SocketAddr, scheme: &'static str) -> (Self, Running) {
        let log = Arc::new(Log::default());
        let (stop, stopping) = oneshot::channel();
        let (done, stopped) = oneshot::channel();
        let running = Running { log: Arc::clone(&log), stopping, _done: done };
        (Self { address, scheme, log, stop, stopped }, running)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, such as `http://127.0.0.1:40001`, without a slash at the end.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Every request whose head was read, in that order, with the body bytes read so far.
    pub fn requests(&self) -> Vec<Request> {
        self.log.requests()
    }

    /// How many TCP connections were accepted, also those on which no request came.
    pub fn connections(&self) -> usize {
        self.progress().connections
    }

    /// What went wrong that was not scripted.
    pub fn faults(&self) -> Vec<Fault> {
        self.log.faults()
    }

    /// How far things have got.
    pub fn progress(&self) -> Progress {
        self.log.progress()
    }

    /// Waits until the progress satisfies the condition, and returns it.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only watches.
    pub async fn until(&self, condition: impl FnMut(&Progress) -> bool) -> Progress {
        let mut watch = self.log.watch();
        // The sender lives in the log, which `self` holds: the wait cannot fail.
        watch.wait_for(condition).await.map_or_else(|_| self.progress(), |progress| *progress)
    }

    /// Closes the port and every connection, and waits until that is done.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the server too; only the waiting is given up.
    pub async fn stop(self) {
        drop(self.stop);
        // The sender is only ever dropped: an error is the answer.
        let _ = self.stopped.await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("url", &self.url()).field("progress", &self.progress()).finish()
    }
}

/// The other end of a [`Server`].
struct Running {
    log: Arc<Log>,
    stopping: oneshot::Receiver<()>,
    /// Dropped when all is closed.
    _done: oneshot::Sender<()>,
}

impl Running {
    fn listen_on_this_thread(self, listener: std::net::TcpListener, script: Script) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            self.listen(listener, script, wire::plain()).await;
            Ok(())
        })
    }

    /// Accepts connections until told to stop.
    async fn listen(mut self, listener: TcpListener, script: Script, handshake: Handshake) {
        let script = Arc::new(script);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                _ = &mut self.stopping => break,
                Some(ended) = connections.join_next() => note_panic(&self.log, ended),
                accepted = listener.accept() => match accepted {
                    Ok((tcp, _)) => {
                        let number = self.log.progress().connections;
                        self.log.advance(|p| p.connections += 1);
                        let (handshake, script) = (Arc::clone(&handshake), Arc::clone(&script));
                        connections.spawn(serve::serve(tcp, number, handshake, script, Arc::clone(&self.log)));
                    }
                    Err(error) => {
                        self.log.fault(None, "accepting", &error);
                        break;
                    }
                },
            }
        }
        drop(listener);
        connections.shutdown().await;
    }
}

/// Keeps a panic of a script's closure.
fn note_panic(log: &Log, ended: Result<(), JoinError>) {
    let Err(error) = ended else { return };
    let Ok(payload) = error.try_into_panic() else { return };
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    log.fault(None, "running the script", &text.unwrap_or_else(|| "a panic without a text".to_owned()));
}
