//! Admission as a port: breakers, bulkheads and limiters stand behind it.

use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::id::AttemptId;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::kernel::Fact;

use super::BoxFuture;
use crate::catalog::Key;

/// Who asks to be admitted.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    /// The endpoint.
    pub endpoint: &'a Key,
    /// The attempt.
    pub attempt: AttemptId,
}

/// A place that a gate has given; its meaning is the gate's own.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub u64);

/// Why a gate does not admit; it costs nothing, and ends the attempts on this path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRefusal {
    /// `circuit_open`, `bulkhead_full` or `rate_limited`.
    pub kind: ErrorKind,
    /// One line that names the gate and the rule.
    pub message: String,
    /// When to ask again, where known.
    pub retry_in: Option<Duration>,
}

/// What came of an admitted attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It succeeded.
    Succeeded,
    /// It failed; the gate judges whether that says something about the path.
    Failed(Fact),
    /// It was dropped, or never made: neutral, as if it had not been admitted.
    Abandoned,
}

/// Admits attempts, one at a time, and learns what came of them.
///
/// Every ticket is settled exactly once, also when the call is dropped.
pub trait Gate: Send + Sync + 'static {
    /// Gives a ticket, or refuses.
    ///
    /// # Cancel safety
    /// A gate must not have given a ticket when this future is dropped before it returned one.
    fn admit(&self, who: Admission<'_>) -> impl Future<Output = Result<Ticket, GateRefusal>> + Send;

    /// Takes a ticket back; it must not block, since it also runs while a call is dropped.
    fn settle(&self, ticket: Ticket, settlement: Settlement);
}

/// The gate that always admits.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        Ok(Ticket(0))
    }

    fn settle(&self, _: Ticket, _: Settlement) {}
}

/// A [`Gate`] behind a handle that is cheap to clone.
#[derive(Clone)]
pub struct GateHandle(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn admit<'a>(&'a self, who: Admission<'a>) -> BoxFuture<'a, Result<Ticket, GateRefusal>>;
    fn settle(&self, ticket: Ticket, settlement: Settlement);
}

impl<T: Gate> Erased for T {
    fn admit<'a>(&'a self, who: Admission<'a>) -> BoxFuture<'a, Result<Ticket, GateRefusal>> {
        Box::pin(Gate::admit(self, who))
    }
    fn settle(&self, ticket: Ticket, settlement: Settlement) {
        Gate::settle(self, ticket, settlement);
    }
}

impl GateHandle {
    /// A handle to `gate`.
    pub fn new(gate: impl Gate) -> Self {
        Self(Arc::new(gate))
    }

    /// Asks for a permit.
    ///
    /// # Cancel safety
    /// No ticket is left behind.
    pub(super) async fn admit(&self, who: Admission<'_>) -> Result<Permit, GateRefusal> {
        let ticket = self.0.admit(who).await?;
        Ok(Permit { gate: self.clone(), ticket: Some(ticket) })
    }
}

/// A ticket that finds its way back: dropped, it is settled as abandoned.
pub(super) struct Permit {
    gate: GateHandle,
    ticket: Option<Ticket>,
}

impl Permit {
    pub(super) fn settle(mut self, settlement: Settlement) {
        self.give_back(settlement);
    }

    fn give_back(&mut self, settlement: Settlement) {
        if let Some(ticket) = self.ticket.take() {
            self.gate.0.settle(ticket, settlement);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.give_back(Settlement::Abandoned);
    }
}
