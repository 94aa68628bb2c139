//! For the tests of whoever writes an [`Invoker`](crate::executor::Invoker), a [`Gate`](crate::executor::Gate) or an
//! [`Approver`](crate::router::Approver), or calls a router: dropping a future at each of its points, an invoker that plays
//! a script, a gate that counts.

mod counting_gate;
mod cut;
mod scripted;

pub use counting_gate::CountingGate;
pub use cut::{Cut, cut_points};
pub use scripted::Scripted;
