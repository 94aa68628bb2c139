//! A gate that counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::executor::{Admission, Gate, GateRefusal, Settlement, Ticket};

/// A gate that always admits, and counts what it gives and what comes back; clones count together.
#[derive(Debug, Clone, Default)]
pub struct CountingGate(Arc<Mutex<Tickets>>);

#[derive(Debug, Default)]
struct Tickets {
    next: u64,
    open: Vec<u64>,
    settled: Vec<Settlement>,
}

impl CountingGate {
    fn tickets(&self) -> MutexGuard<'_, Tickets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tickets that are given and not settled.
    pub fn open(&self) -> usize {
        self.tickets().open.len()
    }

    /// What came of the others, in the order in which they were settled.
    pub fn settled(&self) -> Vec<Settlement> {
        self.tickets().settled.clone()
    }
}

impl Gate for CountingGate {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        // A point at which the call can be dropped before the ticket is given.
        tokio::task::yield_now().await;
        let mut tickets = self.tickets();
        tickets.next += 1;
        let ticket = tickets.next;
        tickets.open.push(ticket);
        Ok(Ticket(ticket))
    }

    /// # Panics
    /// Where the ticket is not open: each is settled once.
    fn settle(&self, ticket: Ticket, settlement: Settlement) {
        let mut tickets = self.tickets();
        let at = tickets.open.iter().position(|given| *given == ticket.0);
        tickets.open.swap_remove(at.expect("each ticket is settled once"));
        tickets.settled.push(settlement);
    }
}
