//! The arena: one slot of 16 bytes for every value and every key, in the order of the text.
//!
//! A container's slot is followed by its children and knows the slot after the last of them, so a subtree is a
//! range, the next sibling one read away, and nothing is allocated per node. In an object each value's slot stands
//! right after its key's slot.

use super::NodeId;

/// The parent of the root.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// Objects with more members than this get a sorted index; below it a walk is as fast and costs no memory.
pub(super) const INDEXED_ABOVE: usize = 16;

/// One value or key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// Byte offset in the text of the first byte of the value or key, its quote included.
    pub(super) offset: u32,
    /// Slot of the enclosing container, or [`NO_PARENT`].
    pub(super) parent: u32,
    /// Containers: the slot after the last descendant. Texts: see [`Source`].
    pub(super) extent: u32,
    pub(super) kind: SlotKind,
}

const _: () = assert!(size_of::<Slot>() == 16);

impl Slot {
    /// The byte offset in a JSON text after a scalar, or after the bracket that opens a container; `None` for a text
    /// that differs from its spelling, whose end is not kept.
    pub(super) fn end(self) -> Option<u32> {
        let length = match self.kind {
            SlotKind::Null | SlotKind::True => 4,
            SlotKind::False => 5,
            SlotKind::Array | SlotKind::Object | SlotKind::IndexedObject => 1,
            SlotKind::Number(source)
            | SlotKind::String(source)
            | SlotKind::Key(source)
            | SlotKind::ShadowedKey(source) => match source {
                Source::InPlace => self.extent,
                // Its quotes.
                Source::AfterQuote => self.extent + 2,
                Source::Decoded | Source::Respelled => return None,
            },
        };
        Some(self.offset + length)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotKind {
    Null,
    False,
    True,
    Number(Source),
    String(Source),
    Key(Source),
    /// A key that is repeated later in the same object, or a merge key: skipped by every reader.
    ShadowedKey(Source),
    Array,
    Object,
    /// An object with an entry in [`Tree::indexes`].
    IndexedObject,
}

/// Where the characters of a text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// In the document's text, `extent` bytes from `offset`.
    InPlace,
    /// In the document's text, `extent` bytes from `offset + 1`.
    AfterQuote,
    /// In [`Tree::decoded`], as text number `extent`.
    Decoded,
    /// A number that JSON spells otherwise: as [`Source::Decoded`], and as it is written in the next text.
    Respelled,
}

/// Keys of one large object, sorted: `members[start..start + len]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Index {
    pub(super) object: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Texts that differ from their spelling, one after another in one buffer.
#[derive(Debug, Default)]
pub(super) struct DecodedTexts {
    buffer: String,
    ends: Vec<u32>,
}

impl DecodedTexts {
    /// Adds a text and returns its number.
    pub(super) fn push(&mut self, text: &str) -> u32 {
        let number = index_u32(self.ends.len());
        self.buffer.push_str(text);
        self.ends.push(index_u32(self.buffer.len()));
        number
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.buffer[start as usize..self.ends[number] as usize]
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.buffer.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The arena and its side tables. It does not own the document's text: methods that need it take it.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) slots: Vec<Slot>,
    pub(super) decoded: DecodedTexts,
    /// Sorted by `object` once the tree is finished.
    pub(super) indexes: Vec<Index>,
    /// Key slots of the indexed objects, sorted by text within each index, without shadowed keys.
    pub(super) members: Vec<u32>,
}

impl Tree {
    pub(super) fn slot(&self, id: u32) -> Slot {
        self.slots[id as usize]
    }

    /// The slot after the subtree of `id`.
    pub(super) fn after(&self, id: u32) -> u32 {
        let slot = self.slot(id);
        match slot.kind {
            SlotKind::Array | SlotKind::Object | SlotKind::IndexedObject => slot.extent,
            _ => id + 1,
        }
    }

    /// The characters of a text slot.
    pub(super) fn text<'t>(&'t self, text: &'t str, slot: Slot, source: Source) -> &'t str {
        let start = slot.offset as usize;
        let len = slot.extent as usize;
        match source {
            Source::InPlace => &text[start..start + len],
            Source::AfterQuote => &text[start + 1..start + 1 + len],
            Source::Decoded | Source::Respelled => self.decoded.get(slot.extent),
        }
    }

    /// Whether these are the characters of a text slot; most are told apart by their length alone.
    fn is_text(&self, text: &str, slot: Slot, source: Source, name: &str) -> bool {
        let start = match source {
            Source::InPlace => slot.offset as usize,
            Source::AfterQuote => slot.offset as usize + 1,
            Source::Decoded | Source::Respelled => return self.decoded.get(slot.extent) == name,
        };
        slot.extent as usize == name.len()
            && text.as_bytes().get(start..start + name.len()) == Some(name.as_bytes())
    }

    /// The characters of a text slot as the document spells it, quotes and escapes aside.
    pub(super) fn spelling<'t>(&'t self, text: &'t str, slot: Slot, source: Source) -> &'t str {
        match source {
            Source::Respelled => self.decoded.get(slot.extent + 1),
            _ => self.text(text, slot, source),
        }
    }

    /// The characters of a key slot; empty for any other slot.
    pub(super) fn key_text<'t>(&'t self, text: &'t str, key: u32) -> &'t str {
        let slot = self.slot(key);
        match slot.kind {
            SlotKind::Key(source) | SlotKind::ShadowedKey(source) => self.text(text, slot, source),
            _ => "",
        }
    }

    /// Whether two key slots hold the same characters; most are told apart by their length alone.
    pub(super) fn is_same_key(&self, text: &str, one: u32, other: u32) -> bool {
        let in_text = |slot: Slot| {
            matches!(slot.kind, SlotKind::Key(Source::AfterQuote) | SlotKind::ShadowedKey(Source::AfterQuote))
        };
        let slots = [self.slot(one), self.slot(other)];
        let differ_in_length = slots.into_iter().all(in_text) && slots[0].extent != slots[1].extent;
        !differ_in_length && self.key_text(text, one) == self.key_text(text, other)
    }

    /// The value of the last member of `object` that is called `name`.
    pub(super) fn member(&self, text: &str, object: u32, name: &str) -> Option<NodeId> {
        let slot = self.slot(object);
        match slot.kind {
            SlotKind::Object => self.walk_for(text, object, slot.extent, name),
            SlotKind::IndexedObject => self.search_for(text, object, name),
            _ => None,
        }
    }

    fn walk_for(&self, text: &str, object: u32, end: u32, name: &str) -> Option<NodeId> {
        let mut key = object + 1;
        while key < end {
            let slot = self.slot(key);
            if let SlotKind::Key(source) = slot.kind
                && self.is_text(text, slot, source, name)
            {
                return Some(NodeId(key + 1));
            }
            key = self.after(key + 1);
        }
        None
    }

    fn search_for(&self, text: &str, object: u32, name: &str) -> Option<NodeId> {
        let members = self.index_of(object)?;
        let found = members.binary_search_by(|key| self.key_text(text, *key).cmp(name)).ok()?;
        Some(NodeId(members[found] + 1))
    }

    /// The sorted keys of an indexed object.
    pub(super) fn index_of(&self, object: u32) -> Option<&[u32]> {
        let found = self.indexes.binary_search_by_key(&object, |index| index.object).ok()?;
        let Index { start, len, .. } = self.indexes[found];
        Some(&self.members[start as usize..(start + len) as usize])
    }
}

/// A length or index of the arena as `u32`.
///
/// The limits keep every one of them below `u32::MAX` ([`super::Limits`]), so the cast never cuts.
#[expect(clippy::cast_possible_truncation, reason = "the limits keep lengths below u32::MAX")]
pub(super) fn index_u32(length: usize) -> u32 {
    debug_assert!(u32::try_from(length).is_ok(), "the limits keep lengths below u32::MAX");
    length as u32
}
