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
mod detect;
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
mod yaml;

use std::fmt;
use std::sync::Arc;

pub use error::{ReadError, ReadErrorKind};
pub use limits::Limits;
pub use node::{Entries, Items, Kind, Node, NodeId};
pub use position::Position;
pub use value::InexactNumber;

use error::Fault;
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
    /// YAML 1.2, by its core schema.
    Yaml,
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
        Self::read(as_utf8(text.into(), limits.max_bytes())?, Format::Json, limits)
    }

    /// Reads a YAML 1.2 text in UTF-8 that holds one document, with or without a byte order mark.
    ///
    /// Scalars are read by the core schema (YAML 1.2.2, section 10.3): `no` and `off` are strings, `012` is the number
    /// 12. Keys are texts as they are written, so `200` and `'200'` are the same key. Aliases and merge keys (`<<`)
    /// are expanded; what they repeat has the offsets of the definition.
    ///
    /// # Errors
    ///
    /// The first rule that the text breaks, with its place and the next step; or the limit that it exceeds. What a tree
    /// of JSON values cannot hold is an error as well: keys that are lists or objects, `.inf` and `.nan`, an alias
    /// within its own anchor, and tags beyond the core schema.
    ///
    /// # Examples
    ///
    /// ```
    /// use schemarouter::compile::document::{Document, Kind, Limits};
    ///
    /// let text = "info: &info {version: 1.10}\nagain: *info\nresponses:\n  200: no\n";
    /// let document = Document::from_yaml(text, &Limits::default())?;
    /// let version = document.at("/again/version").expect("the alias is expanded");
    /// assert_eq!((version.kind(), version.scalar_text()), (Kind::Number, Some("1.10")));
    /// let reply = document.at("/responses/200").expect("keys are texts");
    /// assert_eq!(reply.as_str(), Some("no"));
    /// assert_eq!(document.position(reply.offset()).to_string(), "line 4, column 8");
    /// # Ok::<(), schemarouter::compile::document::ReadError>(())
    /// ```
    pub fn from_yaml(text: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, ReadError> {
        let limit = limits.max_bytes().min(Limits::YAML_BYTES_CEILING);
        Self::read(as_utf8(text.into(), limit)?, Format::Yaml, limits)
    }

    /// Reads a text in the format that it is in: JSON or YAML.
    ///
    /// What begins with a brace or bracket is JSON, unless keys without double quotes or the like say that YAML was
    /// meant; everything else is YAML. [`Document::format`] tells which it was.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json) and [`from_yaml`](Self::from_yaml): where both were tried, the refusal of the one
    /// that came further.
    pub fn from_text(text: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, ReadError> {
        let bytes = text.into();
        if !detect::begins_as_json(&bytes) {
            return Self::from_yaml(bytes, limits);
        }
        let text = as_utf8(bytes, limits.max_bytes())?;
        let refused = match json::read(&text, limits) {
            Ok(tree) => return Ok(Self::new(text, tree, Format::Json)),
            Err(fault) => fault,
        };
        let fits = text.len() <= Limits::YAML_BYTES_CEILING as usize;
        if !fits || !detect::is_meant_as_yaml(&refused, text.as_bytes()) {
            return Err(refused.in_text(text.as_bytes()));
        }
        match yaml::read(&text, limits) {
            Ok(tree) => Ok(Self::new(text, tree, Format::Yaml)),
            Err(other) => {
                let further = if other.offset > refused.offset { other } else { refused };
                Err(further.in_text(text.as_bytes()))
            }
        }
    }

    fn read(text: String, format: Format, limits: &Limits) -> Result<Self, ReadError> {
        let read = match format {
            Format::Json => json::read(&text, limits),
            Format::Yaml => yaml::read(&text, limits),
        };
        match read {
            Ok(tree) => Ok(Self::new(text, tree, format)),
            Err(fault) => Err(fault.in_text(text.as_bytes())),
        }
    }

    fn new(text: String, (tree, duplicate_keys): (Tree, Vec<DuplicateKey>), format: Format) -> Self {
        Self { shared: Arc::new(Shared { text, tree, duplicate_keys, format }) }
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

/// The text, if it is UTF-8 and no longer than `limit` bytes.
fn as_utf8(bytes: Vec<u8>, limit: u32) -> Result<String, ReadError> {
    if bytes.len() > limit as usize {
        return Err(Fault::new(ReadErrorKind::TooManyBytes { limit }, limit as usize).in_text(&bytes));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Fault::new(ReadErrorKind::NotUtf8, offset).in_text(error.as_bytes())
    })
}
