//! Dropping a future at every point at which it can be dropped.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A future that takes more polls than this waits for something that does not come.
const MOST_POLLS: usize = 100_000;

/// Where a future was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<T> {
    /// How often it had been polled.
    pub polls: usize,
    /// What came of it, where it was over by then; it is the last cut.
    pub done: Option<T>,
}

/// Drops a future before its first poll, after its first, and so on until it is over, and has each cut checked.
///
/// Dropping is how calls are cancelled: at a deadline, or because the caller has gone. Every `await` is a point at which
/// that can happen, and what was taken has to be given back at each. For every cut there is a fresh scene and a fresh
/// future; `check` sees the scene when the future is gone. The answer is the number of cuts.
///
/// There is no runtime: the future is polled again at once, whether it has been woken or not. Sockets and the time of
/// the machine need one; [`VirtualTimer`](crate::executor::VirtualTimer) and channels do not.
///
/// # Panics
/// Where `check` does, and where the future is not over after 100,000 polls.
///
/// # Examples
/// A place that is taken before it is waited for is lost when the caller goes; here it is given back:
/// ```
/// use schemarouter::testing::cut_points;
/// use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// struct Taken<'a>(&'a AtomicU32);
/// impl Drop for Taken<'_> {
///     fn drop(&mut self) {
///         self.0.fetch_sub(1, SeqCst);
///     }
/// }
///
/// let cuts = cut_points(
///     || AtomicU32::new(0),
///     async |taken| {
///         taken.fetch_add(1, SeqCst);
///         let _back = Taken(taken);
///         tokio::task::yield_now().await;
///         "done"
///     },
///     |taken, cut| assert_eq!(taken.load(SeqCst), 0, "after {} polls", cut.polls),
/// );
/// assert_eq!(cuts, 3, "before the first poll, at the `await`, at the end");
/// ```
#[expect(clippy::needless_pass_by_value, reason = "closures are given, as everywhere")]
pub fn cut_points<S, T>(
    scene: impl Fn() -> S,
    play: impl AsyncFn(&S) -> T,
    mut check: impl FnMut(&S, &Cut<T>),
) -> usize {
    for polls in 0..=MOST_POLLS {
        let scene = scene();
        let cut = Cut { polls, done: poll_and_drop(play(&scene), polls) };
        check(&scene, &cut);
        if cut.done.is_some() {
            return polls + 1;
        }
    }
    panic!(
        "the future is not over after {MOST_POLLS} polls: what it waits for does not come without a runtime"
    );
}

fn poll_and_drop<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    })
}
