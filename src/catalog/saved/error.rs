//! Why a saved catalog is not used.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

/// A saved catalog that cannot be written, cannot be read, or is of something else; its text says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the saved catalog {rule}")]
pub struct SavedError {
    kind: SavedErrorKind,
    rule: String,
}

/// What is the matter with a saved catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SavedErrorKind {
    /// It is of another document, of other options, or by another version: nothing is wrong with it.
    Mismatch,
    /// Its bytes are not those that were written.
    Damaged,
    /// Its bytes cannot be had.
    Unreadable,
    /// It cannot be saved in this form.
    Unsupported,
}

impl SavedError {
    pub(super) fn mismatch(rule: impl Into<String>) -> Self {
        Self { kind: SavedErrorKind::Mismatch, rule: rule.into() }
    }

    pub(super) fn unsupported(rule: impl Into<String>) -> Self {
        Self { kind: SavedErrorKind::Unsupported, rule: rule.into() }
    }

    pub(super) fn unreadable(error: &std::io::Error) -> Self {
        Self { kind: SavedErrorKind::Unreadable, rule: format!("cannot be read: {error}") }
    }

    pub(super) fn damaged(what: impl std::fmt::Display) -> Self {
        Self { kind: SavedErrorKind::Damaged, rule: format!("is damaged: {what}") }
    }

    /// What is the matter.
    pub const fn kind(&self) -> SavedErrorKind {
        self.kind
    }
}

/// What to do about one that cannot be used.
pub(crate) const NEXT_STEP: &str = "compile the document anew, and put what is saved in the place of this catalog (with `--cache`: remove its file)";

impl From<SavedError> for Error {
    fn from(error: SavedError) -> Self {
        Self::rejected(ErrorKind::CompileError, error.to_string()).with_hint(NEXT_STEP)
    }
}
