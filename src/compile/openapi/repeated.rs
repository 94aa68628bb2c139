//! Keys that are written more than once in one object.

use std::collections::{HashMap, HashSet};

use crate::compile::document::{Document, DuplicateKey, Node};

/// The repeated keys of a document, by the place of their object.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// By the offset of the object: what an alias repeats has the offset of its definition, and so its repeated keys.
    by_object: HashMap<u32, Vec<DuplicateKey>>,
    told: HashSet<u32>,
}

impl Repeated {
    pub(super) fn new(document: &Document) -> Self {
        let mut by_object: HashMap<u32, Vec<DuplicateKey>> = HashMap::new();
        for repeated in document.duplicate_keys() {
            by_object.entry(document.node(repeated.object).offset()).or_default().push(*repeated);
        }
        Self { by_object, told: HashSet::new() }
    }

    /// Those of an object.
    pub(super) fn of(&self, object: Node<'_>) -> &[DuplicateKey] {
        self.by_object.get(&object.offset()).map_or(&[], Vec::as_slice)
    }

    /// Remembers that keys at these offsets cost an operation, so that nobody is told that one of them counts.
    pub(super) fn told(&mut self, key_offsets: impl IntoIterator<Item = u32>) {
        self.told.extend(key_offsets);
    }

    /// Those that nobody was told about, in document order.
    pub(super) fn untold<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = &'a DuplicateKey> {
        document.duplicate_keys().iter().filter(|repeated| !self.told.contains(&repeated.key_offset))
    }
}
