//! Calls for those who cannot wait in an async function, driven by the same machine.

use std::sync::OnceLock;
use std::sync::mpsc;

use tokio::runtime::{Builder, Runtime};

/// A runtime of the router's own, started when somebody first needs it.
///
/// It has a thread of its own, so that a call works from within another runtime too, whose thread it blocks; and it lasts
/// as long as the router, since connections that are kept belong to it.
#[derive(Debug, Default)]
pub(super) struct Blocking(OnceLock<Runtime>);

impl Blocking {
    /// What comes of the work.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> std::io::Result<T> {
        let runtime = match self.0.get() {
            Some(runtime) => runtime,
            None => {
                let new = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
                // Another thread may have been first; its runtime is as good, and ours is not waited for.
                if let Err(late) = self.0.set(new) {
                    late.shutdown_background();
                }
                self.0.wait()
            }
        };
        let (done, wait) = mpsc::sync_channel(1);
        let task = runtime.spawn(async move {
            // Nobody listens only where the waiting thread is gone.
            let _ = done.send(work.await);
        });
        match wait.recv() {
            Ok(done) => Ok(done),
            // The work has panicked, and so does whoever waits for it.
            Err(_) => match runtime.block_on(task) {
                Err(panic) if panic.is_panic() => std::panic::resume_unwind(panic.into_panic()),
                _ => Err(std::io::Error::other("the call was given up")),
            },
        }
    }
}

impl Drop for Blocking {
    /// A router may be dropped within another runtime, where waiting for threads is not allowed.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
