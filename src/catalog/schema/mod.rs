//! Schemas of arguments and replies; with the only file that names the jsonschema crate.

mod bundle;
mod engine;
mod handle;
mod source;
mod violation;
mod walk;

pub use bundle::Bundle;
pub use handle::Schema;
pub use source::{Direction, SchemaId, SchemaSource};
pub use violation::{SchemaError, Violation};
