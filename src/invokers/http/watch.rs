//! Where a request is: connecting, or waiting for its reply; the two have different limits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemarouter_kernel::base::time::Monotonic;
use tokio::sync::Notify;

use crate::executor::{Reach, TimerHandle};

/// What a [`Wire`](super::Wire) tells while it sends one request.
#[derive(Debug)]
pub struct ConnectionWatch {
    reach: Arc<Reach>,
    timer: TimerHandle,
    phase: Mutex<Phase>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// A connection is being made; its own limit holds.
    Connecting,
    /// The request is on a connection, or about to be, since then.
    Waiting(Monotonic),
}

impl ConnectionWatch {
    pub(super) fn new(reach: Arc<Reach>, timer: TimerHandle) -> Self {
        let phase = Mutex::new(Phase::Waiting(timer.now()));
        Self { reach, timer, phase, changed: Notify::new() }
    }

    /// A connection for this request is being made, and nothing of it can have left before that ends.
    pub fn connecting(&self) {
        self.enter(Phase::Connecting);
    }

    /// Connecting is over: the connection is made, or nothing is waited for that way any more.
    pub fn connected(&self) {
        self.enter(Phase::Waiting(self.timer.now()));
    }

    fn enter(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.notify_one();
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        // One value, set in one step: a panic elsewhere cannot leave it torn.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing of the request has left so far.
    pub fn nothing_sent_yet(&self) {
        self.reach.nothing_sent_yet();
    }

    /// From now on a byte of the request may have left.
    pub fn may_be_sent(&self) {
        self.reach.may_be_sent();
    }

    /// Returns when the reply has taken longer than `limit`, the time for connecting not counted.
    pub(super) async fn reply_overdue(&self, limit: Duration) {
        loop {
            // A change from here on is kept for whoever waits for it: there is one.
            let changed = self.changed.notified();
            let phase = *self.phase();
            match phase {
                Phase::Connecting => changed.await,
                Phase::Waiting(since) => {
                    let at = since.saturating_add(limit);
                    if self.timer.limit(Some(at), changed).await.is_none() {
                        return;
                    }
                }
            }
        }
    }
}
