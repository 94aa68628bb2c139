//! Builds the tree from a stream of events that no format owns.
//!
//! A reader walks its text once and calls, in document order, `start_object`, `key`, a value, ... `end`. It says where
//! each value starts and where its characters are; the builder keeps the parents, the limits, the duplicate keys and
//! the indexes of large objects.

mod repeat;

use super::limits::{LimitExceeded, Limits};
use super::tree::{INDEXED_ABOVE, Index, NO_PARENT, Slot, SlotKind, Source, Tree, index_u32};
use super::{DuplicateKey, NodeId};

pub(super) use repeat::MergeRefused;

/// The characters of a string, number or key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'a> {
    /// As they stand in the document's text: `len` bytes from byte `start`.
    Written { start: usize, len: usize },
    /// Different from their spelling there (escapes, folded lines): copied.
    Decoded(&'a str),
}

impl Text<'_> {
    /// Where the characters stand in the document's text, if they do.
    pub(super) fn start(self) -> Option<usize> {
        match self {
            Self::Written { start, .. } => Some(start),
            Self::Decoded(_) => None,
        }
    }
}

/// A kind of container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Object,
}

#[derive(Debug)]
struct Open {
    slot: u32,
    container: Container,
    /// Where this object's keys start in `Builder::keys`.
    keys_from: usize,
    /// Where this object's merge values start in `Builder::merges`.
    merges_from: usize,
}

/// A tree under construction. Events must nest properly; the readers see to that.
#[derive(Debug)]
pub(super) struct Builder<'t> {
    text: &'t str,
    limits: Limits,
    tree: Tree,
    open: Vec<Open>,
    /// Key slots of all open objects, innermost last.
    keys: Vec<u32>,
    /// The values of the merge keys of all open objects, innermost last.
    merges: Vec<u32>,
    /// What aliases have repeated so far, in slots.
    alias_nodes: u32,
    duplicates: Vec<DuplicateKey>,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str, limits: Limits) -> Self {
        let (open, keys, merges, duplicates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { text, limits, tree: Tree::default(), open, keys, merges, alias_nodes: 0, duplicates }
    }

    /// The innermost open container.
    pub(super) fn innermost(&self) -> Option<Container> {
        self.open.last().map(|open| open.container)
    }

    pub(super) fn null(&mut self, offset: usize) -> Result<(), LimitExceeded> {
        self.push(offset, 0, SlotKind::Null)
    }

    pub(super) fn bool(&mut self, offset: usize, value: bool) -> Result<(), LimitExceeded> {
        self.push(offset, 0, if value { SlotKind::True } else { SlotKind::False })
    }

    /// A number. Its text has to follow the grammar of RFC 8259, section 6, whatever the format spells.
    pub(super) fn number(&mut self, offset: usize, text: Text<'_>) -> Result<(), LimitExceeded> {
        let (extent, source) = self.place(offset, text);
        self.push(offset, extent, SlotKind::Number(source))
    }

    /// A number that the format spells otherwise than JSON does.
    pub(super) fn respelled_number(
        &mut self,
        offset: usize,
        number: &str,
        written: &str,
    ) -> Result<(), LimitExceeded> {
        let extent = self.tree.decoded.push(number);
        self.tree.decoded.push(written);
        self.push(offset, extent, SlotKind::Number(Source::Respelled))
    }

    pub(super) fn string(&mut self, offset: usize, text: Text<'_>) -> Result<(), LimitExceeded> {
        let (extent, source) = self.place(offset, text);
        self.push(offset, extent, SlotKind::String(source))
    }

    /// The name of the member whose value comes next.
    pub(super) fn key(&mut self, offset: usize, text: Text<'_>) -> Result<(), LimitExceeded> {
        debug_assert_eq!(self.innermost(), Some(Container::Object), "keys stand in objects");
        let (extent, source) = self.place(offset, text);
        self.keys.push(index_u32(self.tree.slots.len()));
        self.push(offset, extent, SlotKind::Key(source))
    }

    pub(super) fn start(&mut self, container: Container, offset: usize) -> Result<(), LimitExceeded> {
        let limit = self.limits.max_depth();
        if self.open.len() >= limit as usize {
            return Err(LimitExceeded::Depth { limit });
        }
        let slot = index_u32(self.tree.slots.len());
        let kind = match container {
            Container::Array => SlotKind::Array,
            Container::Object => SlotKind::Object,
        };
        self.push(offset, slot + 1, kind)?;
        let (keys_from, merges_from) = (self.keys.len(), self.merges.len());
        self.open.push(Open { slot, container, keys_from, merges_from });
        Ok(())
    }

    /// Closes the innermost container.
    pub(super) fn end(&mut self) {
        let Some(Open { slot, container, keys_from, merges_from }) = self.open.pop() else {
            debug_assert!(false, "every end has a start");
            return;
        };
        self.tree.slots[slot as usize].extent = index_u32(self.tree.slots.len());
        if container == Container::Object {
            if self.keys.len() - keys_from > INDEXED_ABOVE {
                self.index(slot, keys_from);
            } else {
                self.compare_pairs(slot, keys_from);
            }
            self.keys.truncate(keys_from);
            self.merges.truncate(merges_from);
        }
    }

    /// The finished tree and its repeated keys, in document order.
    pub(super) fn finish(self) -> (Tree, Vec<DuplicateKey>) {
        debug_assert!(
            self.open.is_empty() && !self.tree.slots.is_empty(),
            "a document is one complete value"
        );
        let Self { mut tree, mut duplicates, .. } = self;
        tree.indexes.sort_unstable_by_key(|index| index.object);
        duplicates.sort_unstable_by_key(|duplicate| duplicate.key_offset);
        tree.slots.shrink_to_fit();
        tree.decoded.shrink_to_fit();
        tree.indexes.shrink_to_fit();
        tree.members.shrink_to_fit();
        (tree, duplicates)
    }

    fn place(&mut self, offset: usize, text: Text<'_>) -> (u32, Source) {
        match text {
            Text::Written { start, len } if start == offset => (index_u32(len), Source::InPlace),
            Text::Written { start, len } if start == offset + 1 => (index_u32(len), Source::AfterQuote),
            Text::Written { start, len } => {
                (self.tree.decoded.push(&self.text[start..start + len]), Source::Decoded)
            }
            Text::Decoded(text) => (self.tree.decoded.push(text), Source::Decoded),
        }
    }

    fn push(&mut self, offset: usize, extent: u32, kind: SlotKind) -> Result<(), LimitExceeded> {
        let limit = self.limits.max_nodes();
        if self.tree.slots.len() >= limit as usize {
            return Err(LimitExceeded::Nodes { limit });
        }
        let parent = self.open.last().map_or(NO_PARENT, |open| open.slot);
        self.tree.slots.push(Slot { offset: index_u32(offset), parent, extent, kind });
        Ok(())
    }

    /// Finds the repeated keys of a small object.
    fn compare_pairs(&mut self, object: u32, keys_from: usize) {
        let count = self.keys.len() - keys_from;
        for earlier in 0..count {
            for later in (earlier + 1..count).rev() {
                let (first, last) = (self.keys[keys_from + earlier], self.keys[keys_from + later]);
                if self.tree.is_same_key(self.text, first, last) {
                    self.shadow(object, first, last);
                    break;
                }
            }
        }
    }

    /// Sorts the keys of a large object, finds the repeated ones and keeps the rest as its index.
    fn index(&mut self, object: u32, keys_from: usize) {
        let mut keys = self.keys.split_off(keys_from);
        // Stable, so the last of equal keys is the last in the text.
        keys.sort_by(|a, b| self.key_text(*a).cmp(self.key_text(*b)));
        let start = self.tree.members.len();
        let mut rest = keys.as_slice();
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|key| self.key_text(**key) == self.key_text(*first)).count();
            let (group, others) = rest.split_at(same);
            if let Some((last, shadowed)) = group.split_last() {
                for key in shadowed {
                    self.shadow(object, *key, *last);
                }
                self.tree.members.push(*last);
            }
            rest = others;
        }
        let len = index_u32(self.tree.members.len() - start);
        self.tree.indexes.push(Index { object, start: index_u32(start), len });
        self.tree.slots[object as usize].kind = SlotKind::IndexedObject;
    }

    fn key_text(&self, key: u32) -> &str {
        self.tree.key_text(self.text, key)
    }

    fn shadow(&mut self, object: u32, key: u32, kept: u32) {
        let slot = &mut self.tree.slots[key as usize];
        if let SlotKind::Key(source) = slot.kind {
            slot.kind = SlotKind::ShadowedKey(source);
        }
        self.duplicates.push(DuplicateKey {
            object: NodeId(object),
            key_offset: slot.offset,
            shadowed: NodeId(key + 1),
            kept: NodeId(kept + 1),
        });
    }
}
