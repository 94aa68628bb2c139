//! What the server saw and did.

use crate::Request;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How far things have got; every number only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Accepted TCP connections, also those on which no request came.
    pub connections: usize,
    /// Requests whose head was read.
    pub requests: usize,
    /// Requests that were read to the end of their body.
    pub bodies: usize,
    /// Actions carried out to their end.
    pub actions: usize,
    /// Stalls begun.
    pub stalls: usize,
    /// Stalls that the client left. One that began before everything sent was read is never seen to be left.
    pub hangups: usize,
    /// Connections that are over, whoever ended them.
    pub closed: usize,
}

/// Something went wrong that was not scripted.
///
/// A client that leaves in mid-request, mid-reply or mid-handshake is listed too: the test knows what it expects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The connection it happened on, counted from 0; none for the listener.
    pub connection: Option<usize>,
    /// What the server was doing.
    pub during: &'static str,
    /// What happened.
    pub error: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.connection {
            Some(number) => write!(f, "connection {number}, {}: {}", self.during, self.error),
            None => write!(f, "{}: {}", self.during, self.error),
        }
    }
}

/// Shared by the server's handle and its connections.
#[derive(Default)]
pub(crate) struct Log {
    requests: Mutex<Vec<Request>>,
    faults: Mutex<Vec<Fault>>,
    progress: watch::Sender<Progress>,
}

impl Log {
    pub(crate) fn advance(&self, change: impl FnOnce(&mut Progress)) {
        self.progress.send_modify(change);
    }

    pub(crate) fn progress(&self) -> Progress {
        *self.progress.borrow()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(crate) fn fault(&self, connection: Option<usize>, during: &'static str, error: &impl ToString) {
        lock(&self.faults).push(Fault { connection, during, error: error.to_string() });
    }

    pub(crate) fn faults(&self) -> Vec<Fault> {
        lock(&self.faults).clone()
    }

    /// Keeps a request and returns its number.
    pub(crate) fn request(&self, request: Request) -> usize {
        let mut requests = lock(&self.requests);
        requests.push(request);
        let number = requests.len() - 1;
        drop(requests);
        self.advance(|p| p.requests += 1);
        number
    }

    pub(crate) fn body(&self, number: usize, piece: &[u8]) {
        if let Some(request) = lock(&self.requests).get_mut(number) {
            request.body.extend_from_slice(piece);
        }
    }

    /// Notes the end of a request's body, once however often it is called.
    pub(crate) fn complete(&self, number: usize) {
        let before = lock(&self.requests).get_mut(number).map(|r| std::mem::replace(&mut r.complete, true));
        if before == Some(false) {
            self.advance(|p| p.bodies += 1);
        }
    }

    pub(crate) fn get(&self, number: usize) -> Option<Request> {
        lock(&self.requests).get(number).cloned()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.requests).clone()
    }
}

/// Locks even after a panic: every update is complete in itself.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
