//! Published API documents become governed calls.
pub mod catalog;
pub mod compile;
pub use schemarouter_kernel as kernel;
