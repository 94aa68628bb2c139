//! What is wrong with a value, or with a schema.

/// A schema that is no valid JSON Schema; the text says where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct SchemaError(pub(super) String);

/// One way in which a value breaks its schema; the value itself is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value, as a JSON pointer.
    pub pointer: String,
    /// The keyword that it breaks.
    pub keyword: String,
    /// One line, without the value.
    pub message: String,
}
