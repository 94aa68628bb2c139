//! What is wrong with a value, or with a schema.

/// A schema that cannot be used; the text says where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {rule}")]
pub struct SchemaError {
    pub(super) rule: String,
    is_unreadable: bool,
}

impl SchemaError {
    /// It is no valid JSON Schema.
    pub(super) fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), is_unreadable: false }
    }

    /// It cannot be read from where it is kept.
    pub(in crate::catalog) fn unreadable(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), is_unreadable: true }
    }

    /// Whether it could not be read, and may be another time; nothing is known of the schema then.
    pub const fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }
}

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

impl Violation {
    /// For a value that is not valid, and nothing tells why: what cannot be explained is not let through.
    pub(super) fn unexplained() -> Self {
        let message = "value is not valid, for a reason that cannot be told".to_owned();
        Self { pointer: String::new(), keyword: "$ref".to_owned(), message }
    }
}

/// What there is to tell of a value: asked only where it is not valid, and then never nothing.
pub(super) fn told(is_valid: bool, violations: impl FnOnce() -> Vec<Violation>) -> Vec<Violation> {
    if is_valid {
        return Vec::new();
    }
    let violations = violations();
    if violations.is_empty() { vec![Violation::unexplained()] } else { violations }
}
