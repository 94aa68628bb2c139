//! What was read before: at the same place, or elsewhere in the same words.

use crate::compile::document::Node;

use super::maps::{NodeMap, TextMap};

/// What objects of one kind were read as.
///
/// Generators repeat themselves: Microsoft Graph writes 27,000 parameters in 1,400 texts. Within one document the same
/// words mean the same, so such an object is read once, and is one object for everything that comes after. Only where
/// there was nothing to say about it: a remark is about a place, and each place has its own.
#[derive(Debug)]
pub(super) struct Known<'d, T> {
    by_place: NodeMap<T>,
    by_text: TextMap<'d, T>,
}

impl<T> Default for Known<'_, T> {
    fn default() -> Self {
        Self { by_place: NodeMap::default(), by_text: TextMap::default() }
    }
}

impl<'d, T: Clone> Known<'d, T> {
    pub(super) fn get(&self, node: Node<'d>) -> Option<&T> {
        self.by_place.get(&node.id()).or_else(|| self.by_text.get(node.written()?))
    }

    /// Remembers what was read; for all places where the same is written if nothing was said about this one.
    pub(super) fn insert(&mut self, node: Node<'d>, read: T, nothing_said: bool) {
        if let Some(text) = node.written().filter(|_| nothing_said) {
            self.by_text.insert(text, read.clone());
        }
        self.by_place.insert(node.id(), read);
    }
}
