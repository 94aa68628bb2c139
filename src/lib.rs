//! Published API documents become governed calls.
pub mod catalog;
pub mod compile;
pub mod executor;
pub mod invokers;
pub mod router;
pub use schemarouter_kernel as kernel;
