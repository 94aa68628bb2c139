//! Time as a port.

use std::sync::Arc;

use schemarouter_kernel::base::time::{Monotonic, Wall};

use super::BoxFuture;

/// The only source of time: what it is now, and how to wait.
///
/// Waiting between attempts and guarding work that is under way are two methods, because virtual time may jump
/// over the first and never over the second.
pub trait Timer: Send + Sync + 'static {
    /// The clock that deadlines and waits are measured on.
    fn now(&self) -> Monotonic;

    /// The clock that dates on the wire are compared with.
    fn wall(&self) -> Wall;

    /// Returns at `at`; nothing of this call is under way meanwhile.
    ///
    /// # Cancel safety
    /// Dropping the future ends the wait and leaves nothing behind.
    fn wait_until(&self, at: Monotonic) -> impl Future<Output = ()> + Send;

    /// Returns at `at`; work is under way meanwhile, and this is its limit. Without `at` it never returns.
    ///
    /// # Cancel safety
    /// Dropping the future takes the alarm back.
    fn alarm(&self, at: Option<Monotonic>) -> impl Future<Output = ()> + Send;
}

/// A [`Timer`] behind a handle that is cheap to clone.
#[derive(Clone)]
pub struct TimerHandle(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn now(&self) -> Monotonic;
    fn wall(&self) -> Wall;
    fn wait_until(&self, at: Monotonic) -> BoxFuture<'_, ()>;
    fn alarm(&self, at: Option<Monotonic>) -> BoxFuture<'_, ()>;
}

impl<T: Timer> Erased for T {
    fn now(&self) -> Monotonic {
        Timer::now(self)
    }
    fn wall(&self) -> Wall {
        Timer::wall(self)
    }
    fn wait_until(&self, at: Monotonic) -> BoxFuture<'_, ()> {
        Box::pin(Timer::wait_until(self, at))
    }
    fn alarm(&self, at: Option<Monotonic>) -> BoxFuture<'_, ()> {
        Box::pin(Timer::alarm(self, at))
    }
}

impl TimerHandle {
    /// A handle to `timer`.
    pub fn new(timer: impl Timer) -> Self {
        Self(Arc::new(timer))
    }

    /// The clock that deadlines and waits are measured on.
    pub fn now(&self) -> Monotonic {
        self.0.now()
    }

    /// The clock that dates on the wire are compared with.
    pub fn wall(&self) -> Wall {
        self.0.wall()
    }

    /// Returns at `at`; nothing of this call is under way meanwhile.
    ///
    /// # Cancel safety
    /// Dropping the future ends the wait and leaves nothing behind.
    pub fn wait_until(&self, at: Monotonic) -> impl Future<Output = ()> + Send + '_ {
        self.0.wait_until(at)
    }

    /// Returns at `at`, the limit of work that is under way; without `at` never.
    ///
    /// # Cancel safety
    /// Dropping the future takes the alarm back.
    pub async fn alarm(&self, at: Option<Monotonic>) {
        self.0.alarm(at).await;
    }

    /// Runs `work` until it is done or `at` has come; `None` where the time was up first.
    ///
    /// # Cancel safety
    /// Dropping the future drops `work`.
    pub async fn limit<T>(&self, at: Option<Monotonic>, work: impl Future<Output = T> + Send) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.alarm(at) => None,
        }
    }
}

impl std::fmt::Debug for TimerHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TimerHandle")
    }
}
