//! Why a saved catalog is not used.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

/// A saved catalog that cannot be written, cannot be read, or is of something else; the text says which.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the saved catalog {0}")]
pub struct SavedError(String);

impl SavedError {
    pub(super) fn new(rule: impl Into<String>) -> Self {
        Self(rule.into())
    }

    /// Where the bytes cannot be had.
    pub(super) fn unreadable(error: &std::io::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }

    /// Where they are not those that were written.
    pub(super) fn damaged(what: impl std::fmt::Display) -> Self {
        Self(format!("is damaged: {what}"))
    }
}

impl From<SavedError> for Error {
    fn from(error: SavedError) -> Self {
        Self::rejected(ErrorKind::CompileError, error.to_string()).with_hint(
            "remove its file from the folder that `--cache` names, and the document is compiled anew",
        )
    }
}
