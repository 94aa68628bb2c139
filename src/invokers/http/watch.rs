//! Where a request is: connecting, or waiting for its reply; the two have different limits.

use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::time::Monotonic;
use tokio::sync::watch;

use crate::executor::{Reach, TimerHandle};

/// What a [`Wire`](super::Wire) tells while it sends one request.
#[derive(Debug)]
pub struct ConnectionWatch {
    reach: Arc<Reach>,
    timer: TimerHandle,
    phase: watch::Sender<Phase>,
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
        let (phase, _) = watch::channel(Phase::Waiting(timer.now()));
        Self { reach, timer, phase }
    }

    /// A connection for this request is being made, and nothing of it can have left before that ends.
    pub fn connecting(&self) {
        self.phase.send_replace(Phase::Connecting);
    }

    /// Connecting is over: the connection is made, or nothing is waited for that way any more.
    pub fn connected(&self) {
        self.phase.send_replace(Phase::Waiting(self.timer.now()));
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
        let mut phase = self.phase.subscribe();
        loop {
            let now = *phase.borrow_and_update();
            let overdue = match now {
                Phase::Connecting => None,
                Phase::Waiting(since) => Some(since.saturating_add(limit)),
            };
            let changed = async {
                // The sender is `self`, which outlives this future.
                let _ = phase.changed().await;
            };
            match overdue {
                None => changed.await,
                Some(at) if self.timer.limit(Some(at), changed).await.is_none() => return,
                Some(_) => {}
            }
        }
    }
}
