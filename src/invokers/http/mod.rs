//! Over HTTP: a plan and arguments become a request, a reply becomes facts.
//!
//! Most rooms are pure: no I/O, no clock, no client. [`HttpInvoker`] decides a request once and sends it by a
//! [`Wire`]; each room decides one question and says [`Refusal`] where the answer is no.

mod address;
mod body;
mod chain;
mod content_coding;
mod cookie;
pub mod credentials;
pub mod decode;
mod dry_run;
pub mod egress;
mod expand;
mod field;
mod home;
mod invoker;
mod json;
pub mod link;
pub mod media;
mod next_url;
pub mod origin;
mod pairs;
mod path;
mod prepared;
pub mod problem;
mod receive;
pub mod redact;
pub mod refusal;
pub mod request;
mod reqwest_wire;
pub mod retry_after;
mod settings;
mod status;
mod streamed;
mod watch;
mod wire;

pub use dry_run::DryRun;
pub use egress::EgressPolicy;
pub(crate) use field::may_be_set;
pub use invoker::{HttpInvoker, PreparedCall};
pub use refusal::Refusal;
pub use settings::HttpSettings;
pub use watch::ConnectionWatch;
pub use wire::{Wire, WireBody, WireReply, WireRequest};
