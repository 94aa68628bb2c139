//! What changes a fingerprint, and what does not.

mod changes;
mod graphs;
mod schemas;
