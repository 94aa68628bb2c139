//! When a call must be over, and what it means that an attempt was cut off.

use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::base::report::seconds;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::kernel::{Fact, Ledger, LimitReached};
use schemarouter_kernel::policy::{Limit, Windows};

use super::attempt::Attempt;
use super::failure::Failure;
use super::ledger::SharedLedger;
use super::reply::Reply;

/// When a call must be over: at the deadline of its run, or as soon as it has taken as long as it may.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    pub(super) at: Option<Monotonic>,
    /// The start of the call and the time that it may take, where that is what ends it.
    call: Option<(Monotonic, Duration)>,
}

impl Deadline {
    /// The deadline of a call that starts now.
    pub(super) fn of(windows: Option<Windows>, ledger: &Ledger, now: Monotonic) -> Self {
        let run = ledger.deadline();
        let call = windows.map(|windows| (now, windows.start_to_close));
        let end = |(started, length): (Monotonic, Duration)| started.saturating_add(length);
        match call.map(end) {
            Some(end) if run.is_none_or(|run| end < run) => Self { at: Some(end), call },
            _ => Self { at: run, call: None },
        }
    }

    /// The limit that is reached at it.
    pub(super) fn reached(&self, ledger: &SharedLedger, now: Monotonic) -> LimitReached {
        match self.call {
            Some((started, length)) => LimitReached {
                limit: Limit::StartToClose,
                most: seconds(length),
                spent: seconds(now.saturating_since(started)),
            },
            None => ledger.lock().reached(Limit::Elapsed, now),
        }
    }
}

/// What ended work that was not done yet.
pub(super) enum Limited {
    /// The deadline came first.
    CutOff,
    /// It gave no sign of life for this long.
    Silent(Duration),
}

impl Attempt {
    /// What comes of the work, unless the run is cancelled before.
    pub(super) async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.cancellation().cancelled() => {
                Err(cancelled(self.reach().reached(), self.is_judged_safe()))
            }
        }
    }

    /// Carries the work out until it is done, its deadline comes, or it is silent for too long.
    pub(super) async fn watched(
        &self,
        work: impl Future<Output = Result<Reply, Failure>> + Send,
    ) -> Result<Result<Reply, Failure>, Limited> {
        tokio::pin!(work);
        loop {
            let lost_at = self.lost_at();
            let at = [self.until(), lost_at].into_iter().flatten().min();
            match self.timer().limit(at, &mut work).await {
                Some(done) => return Ok(done),
                None if at == self.until() => return Err(Limited::CutOff),
                // A sign of life since then has moved the limit.
                None => match self.heartbeat_window() {
                    Some(window) if self.lost_at() == lost_at => return Err(Limited::Silent(window)),
                    _ => {}
                },
            }
        }
    }
}

/// The attempt was cut off at this limit.
pub(super) fn cut(reached: Reached, at: &str) -> Failure {
    let late = |fact, message| Failure::new(ErrorKind::Timeout, fact, message);
    match reached {
        Reached::NotSent => late(Fact::NotSent, format!("cut off at {at}, before anything was sent")),
        Reached::MaybeSent => late(Fact::TimedOut, format!("no reply before {at}")),
        Reached::Answered(status @ 200..=299) => {
            late(Fact::TimedOut, format!("the reply did not end before {at}"))
                .with_reached(Reached::Answered(status))
                .with_phase(Phase::Reply)
        }
        // An error reply that is cut off keeps the verdict of its status.
        Reached::Answered(status) => {
            let message = format!("status {status}, and no more of the reply before {at}");
            Failure::new(ErrorKind::HttpStatus, Fact::Status(status), message)
        }
    }
}

/// The attempt gave no sign of life for as long as it may be silent.
pub(super) fn silent(reached: Reached, window: Duration) -> Failure {
    cut(reached, &format!("the end of {} s without a heartbeat", window.as_secs_f64()))
}

/// The run was cancelled while the attempt was under way: it is not repeated, and not forgotten.
pub(super) fn cancelled(reached: Reached, judged: bool) -> Failure {
    let (fact, message) = match reached {
        Reached::NotSent => (Fact::Unsendable, "cancelled before anything was sent"),
        Reached::Answered(200..=299) => (Fact::UnusableReply, "cancelled while the reply came"),
        Reached::Answered(status) => (Fact::Status(status), "cancelled while the error reply came"),
        Reached::MaybeSent if judged => {
            (Fact::Declared(Disposition::NonRetryable), "cancelled while a reply was awaited")
        }
        Reached::MaybeSent => {
            (Fact::Declared(Disposition::Indeterminate), "cancelled while a reply was awaited")
        }
    };
    Failure::new(ErrorKind::Cancelled, fact, message).with_reached(reached)
}
