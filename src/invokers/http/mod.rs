//! Over HTTP: a plan and arguments become a request, a reply becomes facts.
//!
//! These rooms are pure: no I/O, no clock, no client. Whoever sends owns the order of things; each room decides
//! one question and says [`Refusal`] where the answer is no.

mod address;
pub mod credentials;
pub mod decode;
mod duplicates;
pub mod egress;
mod expand;
mod field;
pub mod media;
pub mod origin;
mod path;
mod prepared;
pub mod problem;
pub mod redact;
pub mod refusal;
pub mod request;
pub mod retry_after;

pub use refusal::Refusal;
