//! The document as one compact tree, whatever format it came in.
//!
//! The compiler reads documents as they are, tolerant of what does not matter and exact about what does, so it needs
//! more than a [`serde_json::Value`] keeps: numbers as they are written (`1.10`, `1e400`, 2^64 + 1), the byte offset of
//! every value for diagnostics, and keys that are repeated. It also needs less memory: published documents reach 47 MB.
//! A [`Document`] owns its text and one array of 16-byte slots that point into it; strings without escapes are
//! borrowed. Reading one takes less than half the time of a `Value` and about a quarter of its memory.
//!
//! [`Node`] is the way in: a handle to copy, with lookups, iterators, and its own RFC 6901 pointer on demand.

mod builder;
mod error;
mod json;
mod limits;
mod node;
mod pointer;
mod position;
#[cfg(test)]
mod tests;
mod tree;
mod value;

use std::fmt;
use std::sync::Arc;

pub use error::{ReadError, ReadErrorKind};
pub use limits::Limits;
pub use node::{Entries, Items, Kind, Node, NodeId};
pub use position::Position;
pub use value::InexactNumber;

use json::Fault;
use tree::Tree;

/// A document read into memory: its text and the tree over it.
///
/// Clones share both. A document never changes.
///
/// # Examples
///
/// ```
/// use schemarouter::compile::document::{Document, Kind, Limits};
///
/// let text = r#"{"openapi": "3.1.0", "paths": {"/pets/{id}": {"get": {"x-cost": 1.10}}}}"#;
/// let document = Document::from_json(text, &Limits::default())?;
/// let cost = document.at("/paths/~1pets~1{id}/get/x-cost").expect("the path is there");
/// assert_eq!(cost.kind(), Kind::Number);
/// assert_eq!(cost.number_text(), Some("1.10"));
/// assert_eq!(document.position(cost.offset()).to_string(), "line 1, column 65");
/// assert_eq!(cost.pointer(), "/paths/~1pets~1{id}/get/x-cost");
/// # Ok::<(), schemarouter::compile::document::ReadError>(())
/// ```
#[derive(Clone)]
pub struct Document {
    shared: Arc<Shared>,
}

struct Shared {
    text: String,
    tree: Tree,
    duplicate_keys: Vec<DuplicateKey>,
    format: Format,
}

/// The format that a document was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON, RFC 8259.
    Json,
}

/// A key that is written more than once in one object.
///
/// RFC 8259, section 4, leaves the meaning open; as in every common reader the last member counts. The earlier ones
/// are skipped by every method of [`Node`] and can be seen here, one entry for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The object that has the key twice.
    pub object: NodeId,
    /// Byte offset of the key of the member that is skipped.
    pub key_offset: u32,
    /// The value of the member that is skipped.
    pub shadowed: NodeId,
    /// The value that counts: the last one under this key. [`Node::key`] tells the key.
    pub kept: NodeId,
}

impl Document {
    /// Reads a JSON text: strict RFC 8259 in UTF-8, with or without a byte order mark.
    ///
    /// # Errors
    ///
    /// The first rule that the text breaks, with its place and the next step; or the limit that it exceeds. An escape
    /// for half a surrogate pair is an error as well: it stands for no character, and replacing it would change a
    /// name or a pattern silently.
    pub fn from_json(text: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, ReadError> {
        let bytes = text.into();
        let limit = limits.max_bytes();
        if bytes.len() > limit as usize {
            return Err(refuse(
                &bytes,
                &Fault { kind: ReadErrorKind::TooManyBytes { limit }, offset: limit as usize },
            ));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            refuse(error.as_bytes(), &Fault { kind: ReadErrorKind::NotUtf8, offset })
        })?;
        let (tree, duplicate_keys) =
            json::read(&text, limits).map_err(|fault| refuse(text.as_bytes(), &fault))?;
        Ok(Self { shared: Arc::new(Shared { text, tree, duplicate_keys, format: Format::Json }) })
    }

    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        self.node(NodeId(0))
    }

    /// The node that an id of this document names.
    ///
    /// # Panics
    ///
    /// May panic, now or when the node is used, if the id comes from another document.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// The node at an RFC 6901 pointer from the root, such as `/paths/~1pets/get`; not percent-encoded.
    ///
    /// `None` where nothing is, and for a text that is no pointer.
    pub fn at(&self, pointer: &str) -> Option<Node<'_>> {
        pointer::resolve(self.root(), pointer)
    }

    /// The node that a reference within this document names, such as `#/paths/~1pets~1%7Bid%7D`.
    ///
    /// Takes the fragment, percent-decodes it and follows the pointer (RFC 6901, section 6). `#` and the empty
    /// reference name the root. `None` for an anchor (`#name`) and for anything before the `#`: those need a resolver.
    pub fn resolve_fragment(&self, reference: &str) -> Option<Node<'_>> {
        pointer::resolve_fragment(self.root(), reference)
    }

    /// Line and column of a byte offset, by a scan of the text before it.
    pub fn position(&self, offset: u32) -> Position {
        position::locate(self.text().as_bytes(), offset as usize)
    }

    /// Every member that a later one of the same key shadows, in document order.
    pub fn duplicate_keys(&self) -> &[DuplicateKey] {
        &self.shared.duplicate_keys
    }

    /// The format that the document was written in.
    pub fn format(&self) -> Format {
        self.shared.format
    }

    /// The text as it was given, a byte order mark included; offsets count from its first byte.
    pub fn text(&self) -> &str {
        &self.shared.text
    }

    fn tree(&self) -> &Tree {
        &self.shared.tree
    }
}

impl fmt::Debug for Document {
    /// Sizes only: a document may be tens of megabytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("format", &self.format())
            .field("bytes", &self.text().len())
            .field("nodes", &self.tree().slots.len())
            .finish_non_exhaustive()
    }
}

fn refuse(text: &[u8], fault: &Fault) -> ReadError {
    let found = text.get(fault.offset..).and_then(first_character);
    ReadError::new(fault.kind, fault.offset, position::locate(text, fault.offset), found)
}

/// The character that `bytes` begin with, if they begin with one.
fn first_character(bytes: &[u8]) -> Option<char> {
    let chunk = bytes.utf8_chunks().next()?;
    chunk.valid().chars().next()
}
