//! Schemas of arguments and replies; with the only file that names the jsonschema crate.

mod bundle;
mod engine;
mod handle;
mod run;
mod shared;
mod source;
mod text;
mod violation;
mod walk;

#[cfg(test)]
mod tests;

pub use bundle::Bundle;
pub use handle::Schema;
pub use shared::Schemas;
pub use source::{Direction, SchemaId, SchemaSource};
pub use violation::{SchemaError, Violation};
pub(super) use walk::walk;
