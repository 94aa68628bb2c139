//! Virtual time that is true over real sockets.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemarouter_kernel::base::time::{Monotonic, Wall};
use tokio::sync::{Notify, watch};
use tokio::task::yield_now;

use super::timer::Timer;

/// A clock that moves only when something says so; 300 s of waits pass in milliseconds.
///
/// It advances in two cases, and never because the runtime happens to be idle, since a real socket may be about
/// to answer:
///
/// - a wait between attempts, when no work is under way anywhere and every task that could go on has gone on: to
///   the earliest wait;
/// - [`stalled`](Self::stalled), by which a scripted server announces that it will not answer: to the earliest
///   alarm.
///
/// # Examples
/// ```
/// use schemarouter::executor::{TimerHandle, VirtualTimer};
/// use schemarouter::kernel::base::time::Monotonic;
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let time = VirtualTimer::new();
/// TimerHandle::new(time.clone()).wait_until(Monotonic::from_origin(Duration::from_secs(300))).await;
/// assert_eq!(time.elapsed(), Duration::from_secs(300));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VirtualTimer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    wall_at_origin: Wall,
    pending: Mutex<Pending>,
    now: watch::Sender<Monotonic>,
    /// Work that was under way has ended.
    work_ended: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    waits: Times,
    alarms: Times,
    /// Work under way that has no limit; it keeps time from moving as well.
    unlimited: usize,
}

/// Times that somebody waits for, with how many do.
#[derive(Debug, Default)]
struct Times(BTreeMap<Monotonic, usize>);

impl Times {
    fn add(&mut self, at: Monotonic) {
        *self.0.entry(at).or_insert(0) += 1;
    }

    fn remove(&mut self, at: Monotonic) {
        if let Some(count) = self.0.get_mut(&at) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&at);
            }
        }
    }

    fn first(&self) -> Option<Monotonic> {
        self.0.keys().next().copied()
    }
}

#[derive(Clone, Copy)]
enum Role {
    Wait,
    Alarm,
}

impl VirtualTimer {
    /// A clock at its origin; the wall clock reads 1970-01-01T00:00:00Z there.
    pub fn new() -> Self {
        Self::with_wall(Wall::default())
    }

    /// A clock at its origin, where the wall clock reads `wall`.
    pub fn with_wall(wall: Wall) -> Self {
        let (now, _) = watch::channel(Monotonic::ZERO);
        let (pending, work_ended) = (Mutex::default(), Notify::new());
        Self { shared: Arc::new(Shared { wall_at_origin: wall, pending, now, work_ended }) }
    }

    /// How far the clock has moved.
    pub fn elapsed(&self) -> Duration {
        self.shared.now.borrow().since_origin()
    }

    /// Says that what is under way will not go on by itself: moves to the earliest alarm, if there is one.
    pub fn stalled(&self) {
        let first = self.shared.pending().alarms.first();
        if let Some(at) = first {
            self.shared.move_to(at);
        }
    }

    /// Moves by `by`, as the work of a test's own invoker takes time.
    pub fn advance(&self, by: Duration) {
        let at = self.shared.now.borrow().saturating_add(by);
        self.shared.move_to(at);
    }

    async fn until(&self, at: Monotonic, role: Role) {
        let _entry = Entry::new(&self.shared, at, role);
        let mut now = self.shared.now.subscribe();
        // The sender lives in `shared`, which this future keeps alive.
        let reached = async {
            let _ = now.wait_for(|now| *now >= at).await;
        };
        match role {
            Role::Alarm => reached.await,
            Role::Wait => tokio::select! {
                biased;
                () = reached => {}
                never = self.shared.move_on() => match never {},
            },
        }
    }
}

impl Default for VirtualTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_to(&self, at: Monotonic) {
        self.now.send_if_modified(|now| {
            let later = at > *now;
            *now = (*now).max(at);
            later
        });
    }

    /// Moves to the earliest wait whenever nothing is under way, as long as somebody waits.
    ///
    /// A call whose attempt has just ended is about to start its next one, or to wait for less long than the others
    /// do; so every other task goes on first.
    async fn move_on(&self) -> Infallible {
        loop {
            let ended = self.work_ended.notified();
            yield_now().await;
            self.move_if_nothing_is_under_way();
            ended.await;
        }
    }

    fn move_if_nothing_is_under_way(&self) {
        let pending = self.pending();
        let idle = pending.alarms.first().is_none() && pending.unlimited == 0;
        // Within the lock, so that no work starts in between.
        if let Some(at) = pending.waits.first().filter(|_| idle) {
            self.move_to(at);
        }
    }
}

/// Somebody waiting; taken back when dropped.
struct Entry<'a> {
    shared: &'a Shared,
    at: Monotonic,
    role: Role,
}

impl<'a> Entry<'a> {
    fn new(shared: &'a Shared, at: Monotonic, role: Role) -> Self {
        let mut pending = shared.pending();
        match role {
            Role::Wait => pending.waits.add(at),
            Role::Alarm => pending.alarms.add(at),
        }
        drop(pending);
        Self { shared, at, role }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let mut pending = self.shared.pending();
        match self.role {
            Role::Wait => pending.waits.remove(self.at),
            Role::Alarm => pending.alarms.remove(self.at),
        }
        drop(pending);
        self.shared.work_ended.notify_waiters();
    }
}

/// Work without a limit.
struct Unlimited<'a>(&'a Shared);

impl Drop for Unlimited<'_> {
    fn drop(&mut self) {
        self.0.pending().unlimited -= 1;
        self.0.work_ended.notify_waiters();
    }
}

impl Timer for VirtualTimer {
    fn now(&self) -> Monotonic {
        *self.shared.now.borrow()
    }

    fn wall(&self) -> Wall {
        Wall::from_epoch(self.shared.wall_at_origin.since_epoch().saturating_add(self.elapsed()))
    }

    async fn wait_until(&self, at: Monotonic) {
        self.until(at, Role::Wait).await;
    }

    async fn alarm(&self, at: Option<Monotonic>) {
        let Some(at) = at else {
            self.shared.pending().unlimited += 1;
            let _under_way = Unlimited(&self.shared);
            return std::future::pending().await;
        };
        self.until(at, Role::Alarm).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Monotonic {
        Monotonic::from_origin(Duration::from_secs(seconds))
    }

    #[tokio::test]
    async fn a_wait_does_not_jump_over_work_under_way() {
        let time = VirtualTimer::new();
        let work = tokio::spawn({
            let time = time.clone();
            async move { time.alarm(Some(at(30))).await }
        });
        tokio::task::yield_now().await;
        let waiting = tokio::spawn({
            let time = time.clone();
            async move { time.wait_until(at(5)).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(time.elapsed(), Duration::ZERO, "somebody is at work");
        work.abort();
        assert!(work.await.is_err());
        waiting.await.expect("the wait ends once nobody is at work");
        assert_eq!(time.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test]
    async fn a_stall_moves_to_the_earliest_alarm() {
        let time = VirtualTimer::new();
        let alarms = [30, 10].map(|seconds| {
            let time = time.clone();
            tokio::spawn(async move { time.alarm(Some(at(seconds))).await })
        });
        tokio::task::yield_now().await;
        let [later, sooner] = alarms;
        time.stalled();
        sooner.await.expect("the sooner alarm fires");
        assert_eq!((time.elapsed(), later.is_finished()), (Duration::from_secs(10), false));
        time.stalled();
        later.await.expect("the later alarm fires");
        assert_eq!(time.elapsed(), Duration::from_secs(30));
    }
}
