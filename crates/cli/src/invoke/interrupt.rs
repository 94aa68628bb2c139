//! Ctrl-C during a call: it ends at once, and says what may have been sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemarouter::catalog::Endpoint;
use schemarouter::executor::{Event, Observer};
use schemarouter::kernel::base::disposition::{Disposition, Reached};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::{Applied, ReachedReport};

/// Whether any request of the call may have been sent; learned by listening.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent(Arc<AtomicBool>);

impl Sent {
    pub(super) fn maybe(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Sent {
    fn on_event(&self, event: &Event) {
        let sent = match event {
            Event::AttemptEnded { report, .. } => {
                report.failure.as_ref().is_none_or(|failure| failure.reached != ReachedReport::NotSent)
            }
            Event::Dropped { under_way: Some((_, reached)), .. } => *reached != Reached::NotSent,
            _ => false,
        };
        self.0.fetch_or(sent, Ordering::Relaxed);
    }
}

/// Runs a call to its end, or to the user's Ctrl-C: `None` then.
pub(super) fn unless_interrupted<T>(call: impl Future<Output = T>) -> Result<Option<T>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Error::rejected(ErrorKind::InvocationFailed, format!("the system lets nothing start: {error}"))
    })?;
    let done = runtime.block_on(async {
        tokio::select! {
            biased;
            // Where no signal can be heard the process ends on it anyway.
            Ok(()) = tokio::signal::ctrl_c() => None,
            done = call => Some(done),
        }
    });
    // A name that is still being resolved must not hold the process back.
    runtime.shutdown_background();
    Ok(done)
}

/// What an interrupted call means.
pub(super) fn interrupted(endpoint: &Endpoint, maybe_sent: bool) -> Error {
    let reads = endpoint.effect.read_only() == Some(true);
    let key = &endpoint.key;
    let (disposition, applied, message) = match (maybe_sent, reads) {
        (false, _) => (Disposition::NonRetryable, Applied::No, format!("nothing of `{key}` was sent")),
        (true, true) => {
            let message =
                format!("a request of `{key}` may have been sent; it is read-only and changes nothing");
            (Disposition::NonRetryable, Applied::No, message)
        }
        (true, false) => {
            let message = format!("a request of `{key}` may have been sent and may have taken effect");
            (Disposition::Indeterminate, Applied::Maybe, message)
        }
    };
    let reached = if maybe_sent { Reached::MaybeSent } else { Reached::NotSent };
    Error::new(ErrorKind::Cancelled, disposition, message)
        .with_endpoint(key.as_str())
        .with_reached(reached)
        .with_applied((!reads).then_some(applied))
}
