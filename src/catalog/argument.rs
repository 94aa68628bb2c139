//! What an endpoint takes: one JSON object, one member per argument.

use std::sync::Arc;

use super::schema::Schema;

/// One argument: a parameter or the body.
#[derive(Debug, Clone)]
pub struct Argument {
    /// The name in the arguments object (ruling 13): the wire name, or `path_id` and the like after a clash.
    pub name: Arc<str>,
    /// What it is for, as the document says; shared by all operations that refer to the parameter.
    pub description: Option<Arc<str>>,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What its value must satisfy; absent where the document says nothing.
    pub schema: Option<Schema>,
    /// Whether it can be put on the wire.
    pub support: Support,
}

/// Whether an argument has an exact wire form here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// It has.
    Supported,
    /// It has none; using the argument is refused with this reason, leaving it out is fine.
    Unsupported(String),
}
