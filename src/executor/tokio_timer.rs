//! The system's clocks; the only room that reads them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemarouter_kernel::base::time::{Monotonic, Wall};
use tokio::time::{Instant, sleep_until};

use super::timer::Timer;

/// The system's clocks and tokio's timers.
#[derive(Debug, Clone)]
pub struct TokioTimer {
    origin: Instant,
}

impl TokioTimer {
    /// A timer whose monotonic clock starts now.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// A time beyond what the platform can tell is a time that does not come.
    async fn sleep(&self, at: Monotonic) {
        match self.origin.checked_add(at.since_origin()) {
            Some(instant) => sleep_until(instant).await,
            None => std::future::pending().await,
        }
    }
}

impl Timer for TokioTimer {
    fn now(&self) -> Monotonic {
        Monotonic::from_origin(self.origin.elapsed())
    }

    fn wall(&self) -> Wall {
        Wall::from_epoch(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
    }

    async fn wait_until(&self, at: Monotonic) {
        self.sleep(at).await;
    }

    async fn alarm(&self, at: Option<Monotonic>) {
        match at {
            Some(at) => self.sleep(at).await,
            None => std::future::pending().await,
        }
    }
}
