//! The trusted boundary at which calls are attempted, waited for and given up.
//!
//! [`Executor::run`] drives the kernel's `CallMachine`: it carries out what the machine decides and tells it what
//! came of it. Everything that touches the world goes through a port: [`Invoker`] makes one attempt, [`Timer`]
//! tells time, [`Gate`] admits, [`Observer`] listens.

mod attempt;
mod credentials;
mod deadline;
mod failure;
mod from_fn;
mod gate;
mod heartbeat;
mod history;
mod invoker;
mod ledger;
mod observer;
mod reply;
mod run;
pub(crate) mod span;
mod timer;
mod tokio_timer;
mod verdict_error;
mod virtual_timer;

pub use attempt::{Attempt, Exchange, ExchangeKind, Reach};
pub use credentials::{Credential, Credentials};
pub use failure::Failure;
pub use from_fn::{FromFn, from_fn};
pub use gate::{Admission, Gate, GateHandle, GateRefusal, OpenGate, Settlement, Ticket};
pub use heartbeat::Heartbeat;
pub use invoker::{Invocation, Invoker, InvokerHandle};
pub use ledger::SharedLedger;
pub use observer::{Event, Observer, ObserverHandle, Tags};
pub use reply::{Body, ByteStream, Reply};
pub use run::{CallPlan, Completed, Executor, ReplyCheck, RunContext};
pub use timer::{Timer, TimerHandle};
pub use tokio_timer::TokioTimer;
pub(crate) use verdict_error::stream_error;
pub use virtual_timer::VirtualTimer;

/// A future that a handle returns: boxed, so that the port behind it can be chosen at run time.
pub(crate) type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
