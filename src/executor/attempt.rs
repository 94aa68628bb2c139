//! What an invoker may know and use during one attempt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::id::AttemptId;
use schemarouter_kernel::base::kind::Phase;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::Fact;
use tokio_util::sync::CancellationToken;

use super::failure::Failure;
use super::heartbeat::{Heartbeat, Pulse};
use super::observer::Event;
use super::reply::{Body, Reply};
use super::run::RunContext;
use super::timer::TimerHandle;

/// One attempt of a call: its name, its limit, the time, and the right to make exchanges.
///
/// It knows nothing of retry: an invoker makes one attempt and reports facts.
#[derive(Debug)]
pub struct Attempt {
    id: AttemptId,
    until: Option<Monotonic>,
    judged: bool,
    timer: TimerHandle,
    run: Arc<RunContext>,
    exchanges: AtomicU32,
    bytes: AtomicU64,
    called: AtomicBool,
    reach: Arc<Reach>,
    pulse: Pulse,
}

/// What an HTTP request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExchangeKind {
    /// The call itself.
    Call,
    /// Following a redirect.
    Redirect,
    /// Getting a token for the call.
    Token,
}

/// The right to make one HTTP request, already charged; to be kept until the request is over, which is told when it is
/// dropped.
#[derive(Debug)]
#[must_use = "the budget is charged; make the request"]
pub struct Exchange<'a> {
    attempt: &'a Attempt,
    kind: ExchangeKind,
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        let Self { attempt, kind } = *self;
        let reached = attempt.reach.reached();
        attempt.run.observers.tell(&Event::ExchangeEnded { id: attempt.id, kind, reached });
    }
}

impl Attempt {
    pub(super) fn new(
        id: AttemptId,
        until: Option<Monotonic>,
        judged: bool,
        timer: TimerHandle,
        run: Arc<RunContext>,
        heartbeat: Option<Duration>,
    ) -> Self {
        let pulse = Pulse::start(heartbeat, timer.now());
        Self {
            id,
            until,
            judged,
            timer,
            run,
            exchanges: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            called: AtomicBool::new(false),
            reach: Arc::default(),
            pulse,
        }
    }

    /// Its name.
    pub const fn id(&self) -> AttemptId {
        self.id
    }

    /// Which attempt of the call, from 1.
    pub const fn number(&self) -> u32 {
        self.id.number
    }

    /// When it is cut off.
    pub const fn until(&self) -> Option<Monotonic> {
        self.until
    }

    /// Whether repeating the call is judged safe; where it is not, an invoker should avoid whatever makes it
    /// hard to tell how far a request got, such as reusing an idle connection.
    pub const fn is_judged_safe(&self) -> bool {
        self.judged
    }

    /// The time.
    pub const fn timer(&self) -> &TimerHandle {
        &self.timer
    }

    /// Charges one HTTP request of this attempt; each must be charged before it is made.
    ///
    /// # Errors
    /// Where the budget has none left; the invoker passes this failure on.
    pub fn exchange(&self, kind: ExchangeKind) -> Result<Exchange<'_>, Failure> {
        let charged = self.run.ledger.lock().charge_exchange(self.timer.now());
        charged.map_err(|limit| Failure::over_budget(limit, self.cut_short()))?;
        self.exchanges.fetch_add(1, Ordering::Relaxed);
        if kind != ExchangeKind::Token {
            self.called.store(true, Ordering::Relaxed);
        }
        self.run.observers.tell(&Event::ExchangeStarted { id: self.id, kind });
        Ok(Exchange { attempt: self, kind })
    }

    /// Charges bytes of a reply as they come, after decompression, so that a run ends before it has received more than
    /// it may. They are a sign of life.
    ///
    /// An invoker that does not charge a buffered reply has it charged when it is done.
    ///
    /// # Errors
    /// Where the budget has not so many left; the invoker passes this failure on.
    pub fn received(&self, bytes: usize) -> Result<(), Failure> {
        let bytes = bytes as u64;
        self.pulse.seen(self.timer.now());
        let charged = self.run.ledger.lock().charge_bytes(bytes, self.timer.now());
        charged.map_err(|limit| {
            Failure::over_budget(limit, Fact::UnusableReply)
                .with_reached(self.reach.reached())
                .with_phase(Phase::Reply)
        })?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Charges what the invoker has not charged of a reply that is there.
    pub(super) fn received_whole(&self, reply: Reply) -> Result<Reply, Failure> {
        if let Body::Buffered(body) = &reply.body {
            let charged = usize::try_from(self.bytes.load(Ordering::Relaxed)).unwrap_or(usize::MAX);
            self.received(body.len().saturating_sub(charged))?;
        }
        Ok(reply)
    }

    /// What it means that the attempt cannot go on: an exchange before this one may have taken effect, one for a
    /// token has not.
    fn cut_short(&self) -> Fact {
        let sent = self.called.load(Ordering::Relaxed) && self.reach.reached() != Reached::NotSent;
        match (sent, self.judged) {
            (false, _) => Fact::Unsendable,
            (true, true) => Fact::Declared(Disposition::NonRetryable),
            (true, false) => Fact::Declared(Disposition::Indeterminate),
        }
    }

    /// Gives a sign of life. Where the endpoint has a heartbeat window, an attempt that is silent for longer is cut off
    /// and counts as timed out.
    ///
    /// Give as many as you like: observers are told the first one, and then three in a window.
    pub fn heartbeat(&self, heartbeat: Heartbeat) {
        if self.pulse.beat(self.timer.now()) {
            self.run.observers.tell(&Event::Heartbeat { id: self.id, heartbeat });
        }
    }

    /// How long it may be silent; `None` where it may.
    pub const fn heartbeat_window(&self) -> Option<Duration> {
        self.pulse.window()
    }

    /// Is cancelled when the run is. The attempt is dropped then; this is for work that goes on elsewhere, such as on
    /// another thread.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.run.cancellation
    }

    /// When it is cut off unless it gives a sign of life before.
    pub(super) fn lost_at(&self) -> Option<Monotonic> {
        self.pulse.lost_at()
    }

    /// How many exchanges it has made.
    pub fn exchanges(&self) -> u32 {
        self.exchanges.load(Ordering::Relaxed)
    }

    /// How far its request got, to be told by an invoker that knows its transport.
    pub const fn reach(&self) -> &Arc<Reach> {
        &self.reach
    }
}

/// How far a request got, as far as its invoker can tell; unless told otherwise, it may have been sent.
#[derive(Debug, Default)]
pub struct Reach(AtomicU16);

const UNKNOWN: u16 = 0;
const NOTHING_SENT: u16 = 1;
const MAY_BE_SENT: u16 = 2;
/// From here on the number is the status of a reply.
const ANSWERED: u16 = 100;

impl Reach {
    /// Says that nothing has been sent so far; once a byte may have left, this changes nothing.
    pub fn nothing_sent_yet(&self) {
        let _ = self.0.compare_exchange(UNKNOWN, NOTHING_SENT, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Says that from now on a byte may have left.
    pub fn may_be_sent(&self) {
        self.0.store(MAY_BE_SENT, Ordering::Release);
    }

    /// Says that the head of the reply is there.
    pub fn answered(&self, status: u16) {
        self.0.store(status, Ordering::Release);
    }

    /// How far the request got, were it cut off now.
    pub fn reached(&self) -> Reached {
        match self.0.load(Ordering::Acquire) {
            NOTHING_SENT => Reached::NotSent,
            status @ ANSWERED.. => Reached::Answered(status),
            _ => Reached::MaybeSent,
        }
    }
}
