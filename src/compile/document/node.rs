//! Handles to the values of a document.

use std::fmt;
use std::iter::FusedIterator;

use serde_json::Value;

use super::tree::{NO_PARENT, Slot, SlotKind, Source};
use super::value::{self, InexactNumber};
use super::{Document, Format, pointer};

/// The name of a value within its document: 4 bytes, ordered as the values are in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number of any size and precision.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl fmt::Display for Kind {
    /// The type's name in JSON Schema: `boolean`, not `bool`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        })
    }
}

/// A value of a document: a handle of two words, to copy and pass by value.
///
/// Methods that ask for another kind of value than it is answer `None` or nothing, so that code which is tolerant of
/// odd documents reads straight through.
///
/// # Examples
///
/// ```
/// use schemarouter::compile::document::{Document, Limits};
///
/// let document = Document::from_json(r#"{"a": [1, 2], "b": "x", "a": [3]}"#, &Limits::default())?;
/// let root = document.root();
/// assert_eq!(root.get("b").and_then(|b| b.as_str()), Some("x"));
/// // The last of repeated keys counts; the others are reported by the document.
/// assert_eq!(root.entries().map(|(key, _)| key).collect::<Vec<_>>(), ["b", "a"]);
/// assert_eq!(root.get("a").map(|a| a.len()), Some(1));
/// assert_eq!(document.duplicate_keys().len(), 1);
/// # Ok::<(), schemarouter::compile::document::ReadError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    id: NodeId,
}

impl<'d> Node<'d> {
    pub(super) fn new(document: &'d Document, id: NodeId) -> Self {
        Self { document, id }
    }

    /// The name of this value within its document.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The document that this value is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        match self.slot().kind {
            SlotKind::Null => Kind::Null,
            SlotKind::False | SlotKind::True => Kind::Bool,
            SlotKind::Number(_) => Kind::Number,
            SlotKind::String(_) | SlotKind::Key(_) | SlotKind::ShadowedKey(_) => Kind::String,
            SlotKind::Array => Kind::Array,
            SlotKind::Object | SlotKind::IndexedObject => Kind::Object,
        }
    }

    /// The byte offset in the document's text where the value begins, its quote or bracket included.
    pub fn offset(self) -> u32 {
        self.slot().offset
    }

    /// The object or array that the value stands in; `None` for the root.
    pub fn parent(self) -> Option<Node<'d>> {
        let parent = self.slot().parent;
        (parent != NO_PARENT).then(|| self.document.node(NodeId(parent)))
    }

    /// The key that the value stands under; `None` for the root and for the items of an array.
    pub fn key(self) -> Option<&'d str> {
        let parent = self.parent()?;
        (parent.kind() == Kind::Object).then(|| self.tree().key_text(self.document.text(), self.id.0 - 1))
    }

    /// The characters of a string, escapes decoded.
    pub fn as_str(self) -> Option<&'d str> {
        match self.slot().kind {
            SlotKind::String(source) => Some(self.text(source)),
            _ => None,
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.slot().kind {
            SlotKind::True => Some(true),
            SlotKind::False => Some(false),
            _ => None,
        }
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.slot().kind == SlotKind::Null
    }

    /// A number to its last digit: `1.10`, `1e400`, `18446744073709551617`.
    ///
    /// As it is written, except where YAML allows what JSON does not: `+1`, `012`, `.5` and `0x1F` are 1, 12, 0.5 and 31.
    pub fn number_text(self) -> Option<&'d str> {
        match self.slot().kind {
            SlotKind::Number(source) => Some(self.text(source)),
            _ => None,
        }
    }

    /// The characters of a string, number or boolean as they are written, for places where the format of the document
    /// wants a string.
    ///
    /// In YAML a text without quotes may look like a number or a boolean: `version: 1.10` says "1.10", not 1.1. `None`
    /// for `null`, which says nothing, and for arrays and objects.
    pub fn scalar_text(self) -> Option<&'d str> {
        let slot = self.slot();
        let text = self.document.text();
        let bool = |len| text.get(slot.offset as usize..slot.offset as usize + len);
        match slot.kind {
            SlotKind::String(source) | SlotKind::Number(source) => {
                Some(self.tree().spelling(text, slot, source))
            }
            SlotKind::True => bool("true".len()),
            SlotKind::False => bool("false".len()),
            _ => None,
        }
    }

    /// A number that is written as a plain integer from 0 to 2^64 - 1; `1.0` and `1e3` are not.
    pub fn as_u64(self) -> Option<u64> {
        self.number_text()?.parse().ok()
    }

    /// The member of an object that has this key; the last one if it is repeated.
    ///
    /// Walks small objects and searches a sorted index of large ones, so a lookup among thousands of paths or
    /// components costs about as much as one among ten.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let member = self.tree().member(self.document.text(), self.id.0, key)?;
        Some(self.document.node(member))
    }

    /// The members of an object in document order, repeated keys once, at their last place; nothing for other values.
    pub fn entries(self) -> Entries<'d> {
        Entries { document: self.document, next: self.id.0 + 1, end: self.end_if(Kind::Object) }
    }

    /// The items of an array; nothing for other values.
    pub fn items(self) -> Items<'d> {
        Items { document: self.document, next: self.id.0 + 1, end: self.end_if(Kind::Array) }
    }

    /// The number of [`entries`](Self::entries) or [`items`](Self::items), counted by a walk; 0 for a scalar.
    pub fn len(self) -> usize {
        match self.tree().index_of(self.id.0) {
            Some(index) => index.len(),
            None => self.entries().count() + self.items().count(),
        }
    }

    /// Whether there are no [`entries`](Self::entries) or [`items`](Self::items).
    pub fn is_empty(self) -> bool {
        self.entries().next().is_none() && self.items().next().is_none()
    }

    /// The text of a JSON value up to the last scalar in it; what follows only closes lists and objects, so that values
    /// of the same text are the same.
    ///
    /// `None` in YAML, where the same words may mean another anchor, and where the last scalar has escapes.
    pub(crate) fn written(self) -> Option<&'d str> {
        let text = self.document.text();
        let last = self.tree().slot(self.tree().after(self.id.0) - 1);
        let end = last.end().filter(|_| self.document.format() == Format::Json)?;
        text.get(self.offset() as usize..end as usize)
    }

    /// The RFC 6901 pointer from the root to this value, so that [`Document::at`] leads back.
    ///
    /// The pointer of a member that a later one shadows leads to that later one.
    pub fn pointer(self) -> String {
        pointer::write(self)
    }

    /// The value for consumers that work with `serde_json`, its numbers as near as that allows.
    ///
    /// Integers within `u64` and `i64` are exact. Any other number becomes the nearest `f64`, and one beyond its range
    /// the largest `f64` of that sign: the same as most readers of JSON do, and total. Where a changed digit would
    /// matter (identity, constants), use [`to_value_exact`](Self::to_value_exact) or
    /// [`number_text`](Self::number_text).
    pub fn to_value(self) -> Value {
        value::nearest(self)
    }

    /// The value for consumers that work with `serde_json`, no number changed.
    ///
    /// `1.10` and `1e2` are fine: 1.1 and 100.0 are the same numbers.
    ///
    /// # Errors
    ///
    /// The first number that would print as another one: an integer beyond 64 bits, more digits than an `f64` keeps,
    /// or a magnitude beyond its range.
    pub fn to_value_exact(self) -> Result<Value, InexactNumber> {
        value::exact(self)
    }

    fn tree(self) -> &'d super::Tree {
        self.document.tree()
    }

    fn slot(self) -> Slot {
        self.tree().slot(self.id.0)
    }

    fn text(self, source: Source) -> &'d str {
        self.tree().text(self.document.text(), self.slot(), source)
    }

    /// The end of the subtree if the value is of this kind, else the end of an empty one.
    fn end_if(self, kind: Kind) -> u32 {
        if self.kind() == kind { self.tree().after(self.id.0) } else { self.id.0 + 1 }
    }
}

impl fmt::Debug for Node<'_> {
    /// What and where, not the subtree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`", self.kind(), self.pointer())
    }
}

/// The members of an object: see [`Node::entries`].
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Entries<'d> {
    type Item = (&'d str, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let tree = self.document.tree();
        while self.next < self.end {
            let key = self.next;
            self.next = tree.after(key + 1);
            let slot = tree.slot(key);
            if let SlotKind::Key(source) = slot.kind {
                let name = tree.text(self.document.text(), slot, source);
                return Some((name, self.document.node(NodeId(key + 1))));
            }
        }
        None
    }
}

impl FusedIterator for Entries<'_> {}

/// The items of an array: see [`Node::items`].
#[derive(Debug, Clone)]
pub struct Items<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let item = self.next;
        self.next = self.document.tree().after(item);
        Some(self.document.node(NodeId(item)))
    }
}

impl FusedIterator for Items<'_> {}
