//! Maps by node, and by text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::compile::document::NodeId;

/// What is remembered about places in a document.
pub(super) type NodeMap<V> = HashMap<NodeId, V, BuildHasherDefault<NodeHasher>>;

/// What is remembered about texts of a document. Strangers choose those, so the hash has a key that they cannot know;
/// it is several times as fast as the one of the standard library.
pub(super) type TextMap<'d, V> = HashMap<&'d str, V, foldhash::fast::RandomState>;

/// Texts of a document, and others.
pub(super) type TextSet<'a> = HashSet<Cow<'a, str>, foldhash::fast::RandomState>;

/// Spreads node ids. They are places in the tree, not text that a stranger chose, so nothing keyed is needed: one
/// multiplication keeps 32 bits apart, and folding brings its high half down to where a table looks.
#[derive(Debug, Default)]
pub(super) struct NodeHasher(u64);

impl Hasher for NodeHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, id: u32) {
        let spread = (self.0 ^ u64::from(id)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
