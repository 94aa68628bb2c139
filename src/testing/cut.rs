//! Cut points: every poll after which a future may be dropped.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The most polls of one future; one that takes more waits for what polling does not bring.
pub const MOST_POLLS: usize = 10_000;

/// A future that was polled a number of times and then dropped.
#[derive(Debug)]
pub struct Cut<T> {
    /// How often it was polled.
    pub polls: usize,
    /// What came of it, where it was done by then.
    pub done: Option<T>,
}

/// Drops a call at every point at which it can be dropped, and checks what it leaves; how many points there are.
///
/// `scene` makes what one call needs, `call` makes the call on it, and `check` looks at the scene after the drop. The first
/// call is dropped before its first poll, the next one after it, and so on to the one that is done.
///
/// Nothing wakes the future: it goes on because it is polled. [`VirtualTimer`](crate::executor::VirtualTimer) and
/// `yield_now` do; sockets and threads may not.
///
/// # Panics
/// Where a call is not done after [`MOST_POLLS`] polls.
///
/// # Examples
/// ```
/// use schemarouter::testing::cut_points;
/// use std::sync::Mutex;
///
/// /// Counts the guards that are out.
/// struct Guard<'a>(&'a Mutex<u32>);
/// impl<'a> Guard<'a> {
///     fn take(count: &'a Mutex<u32>) -> Self {
///         *count.lock().expect("not poisoned") += 1;
///         Self(count)
///     }
/// }
/// impl Drop for Guard<'_> {
///     fn drop(&mut self) {
///         *self.0.lock().expect("not poisoned") -= 1;
///     }
/// }
///
/// let points = cut_points(
///     || Mutex::new(0),
///     async |count| {
///         let _guard = Guard::take(count);
///         tokio::task::yield_now().await;
///         tokio::task::yield_now().await;
///     },
///     |count, cut| assert_eq!(*count.lock().expect("not poisoned"), 0, "after {} polls", cut.polls),
/// );
/// assert_eq!(points, 4, "before the first poll, at the two yields, and at the end");
/// ```
#[expect(clippy::needless_pass_by_value, reason = "closures are written where they are given")]
pub fn cut_points<S, T>(
    scene: impl Fn() -> S,
    call: impl AsyncFn(&S) -> T,
    check: impl Fn(&S, &Cut<T>),
) -> usize {
    for polls in 0..=MOST_POLLS {
        let scene = scene();
        let done = polled(call(&scene), polls);
        let cut = Cut { polls, done };
        check(&scene, &cut);
        if cut.done.is_some() {
            return polls + 1;
        }
    }
    panic!("the call is not done after {MOST_POLLS} polls: what it waits for does not come by polling it");
}

/// Polls a future that often and drops it.
fn polled<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    })
}
