//! What happens, told while it happens.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::disposition::{Disposition, Reached};
use schemarouter_kernel::base::id::{AttemptId, RunId};
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::report::{AttemptReport, Spent};
use schemarouter_kernel::kernel::WaitPlan;

use super::attempt::ExchangeKind;
use super::heartbeat::Heartbeat;
use crate::catalog::Key;

/// One thing that happened in a run; holds no secret and no argument.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A run begins.
    RunStarted {
        /// Its name, which is in every event of it.
        run: RunId,
        /// What trusted code says of it.
        tags: Tags,
    },
    /// A call was refused before anything was charged.
    Rejected {
        /// The run.
        run: RunId,
        /// What was asked for: the endpoint's key, or the name that no endpoint has.
        endpoint: Box<str>,
        /// Why.
        kind: ErrorKind,
    },
    /// A call is admitted and charged.
    CallStarted {
        /// The run.
        run: RunId,
        /// Which call of the run, from 1.
        call: u32,
        /// The endpoint.
        endpoint: Key,
    },
    /// An attempt was admitted and starts.
    AttemptStarted {
        /// Its name.
        id: AttemptId,
    },
    /// An HTTP request of an attempt is about to be made.
    ExchangeStarted {
        /// The attempt.
        id: AttemptId,
        /// What it is for.
        kind: ExchangeKind,
    },
    /// An HTTP request is over: it was answered, it failed, or it was cut off.
    ExchangeEnded {
        /// The attempt.
        id: AttemptId,
        /// What it was for.
        kind: ExchangeKind,
        /// How far it got, as far as its invoker can tell.
        reached: Reached,
    },
    /// An attempt that is under way gives a sign of life.
    Heartbeat {
        /// The attempt.
        id: AttemptId,
        /// How far it is.
        heartbeat: Heartbeat,
    },
    /// An attempt ended.
    AttemptEnded {
        /// Its name.
        id: AttemptId,
        /// What came of it.
        report: AttemptReport,
    },
    /// The call waits before its next attempt, or to the deadline.
    Waiting {
        /// The run.
        run: RunId,
        /// The wait.
        plan: WaitPlan,
    },
    /// A call is over.
    CallEnded {
        /// The run.
        run: RunId,
        /// Which call of the run, from 1.
        call: u32,
        /// How it failed, if it did.
        failure: Option<(ErrorKind, Disposition)>,
    },
    /// A path is unavailable, and another endpoint is asked in its place.
    FellBack {
        /// The run.
        run: RunId,
        /// The endpoint that is unavailable.
        from: Key,
        /// The one that is asked now.
        to: Key,
    },
    /// The caller dropped the call before it was over.
    Dropped {
        /// The run.
        run: RunId,
        /// The attempt that was under way, and how far its request may have got.
        under_way: Option<(AttemptId, Reached)>,
    },
    /// A run is over, or was dropped. What a reply that is still coming takes is charged after it.
    RunEnded {
        /// The run.
        run: RunId,
        /// What it has spent.
        spent: Spent,
        /// How long it took.
        elapsed: Duration,
    },
}

/// What trusted code says of a run, by name: which agent, which task, which tenant.
pub type Tags = Arc<BTreeMap<String, String>>;

/// Listens to what happens; it must return quickly, since the call waits for it.
pub trait Observer: Send + Sync + 'static {
    /// Takes in one event.
    fn on_event(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync + 'static> Observer for F {
    fn on_event(&self, event: &Event) {
        self(event);
    }
}

/// Any number of observers behind a handle that is cheap to clone.
#[derive(Clone, Default)]
pub struct ObserverHandle(Vec<Arc<dyn Observer>>);

impl ObserverHandle {
    /// These observers and one more.
    #[must_use]
    pub fn with(mut self, observer: impl Observer) -> Self {
        self.0.push(Arc::new(observer));
        self
    }

    /// These observers and those.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// Tells all of them what is only made up if there is one.
    pub(crate) fn tell_with(&self, event: impl FnOnce() -> Event) {
        if !self.0.is_empty() {
            self.tell(&event());
        }
    }

    /// Tells all of them.
    pub fn tell(&self, event: &Event) {
        for observer in &self.0 {
            observer.on_event(event);
        }
    }
}

impl std::fmt::Debug for ObserverHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ObserverHandle({})", self.0.len())
    }
}
