//! The words everyone uses.

pub mod disposition;
pub mod error;
pub mod fingerprint;
pub mod id;
pub mod kind;
pub mod report;
pub mod rng;
pub mod safe_url;
pub mod secret;
pub mod time;
