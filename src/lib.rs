//! Published API documents become governed calls.
pub mod compile;
