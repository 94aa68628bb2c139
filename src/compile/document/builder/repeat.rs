//! Values that stand in the tree more than once: aliases and merge keys.
//!
//! The tree has no sharing: a node knows one parent. So a repeated value is written again, slot by slot, at the cost of
//! its slots; texts stay where they are. Offsets stay those of the definition, which is what there is to correct.

use super::{Builder, Container};
use crate::compile::document::NodeId;
use crate::compile::document::limits::LimitExceeded;
use crate::compile::document::tree::{Slot, SlotKind, Source, index_u32};

/// Why a merge key cannot be followed.
#[derive(Debug)]
pub(in super::super) enum MergeRefused {
    /// The value is neither an object nor an array of objects.
    NoObject {
        offset: usize,
    },
    Limit {
        exceeded: LimitExceeded,
        offset: usize,
    },
}

impl Builder<'_> {
    /// The name of the value that comes next.
    pub(in super::super) fn next_value(&self) -> NodeId {
        NodeId(index_u32(self.tree.slots.len()))
    }

    /// Counts what an alias repeats, in slots.
    pub(in super::super) fn charge_alias(&mut self, slots: usize) -> Result<(), LimitExceeded> {
        let limit = self.limits.max_alias_nodes();
        let spent = u32::try_from(slots).ok().and_then(|slots| self.alias_nodes.checked_add(slots));
        match spent {
            Some(spent) if spent <= limit => {
                self.alias_nodes = spent;
                Ok(())
            }
            _ => Err(LimitExceeded::AliasNodes { limit }),
        }
    }

    /// Writes a finished value again, as the value that comes next.
    pub(in super::super) fn repeat(&mut self, value: NodeId) -> Result<(), LimitExceeded> {
        let end = self.tree.after(value.0);
        self.charge_alias((end - value.0) as usize)?;
        let mut ends: Vec<u32> = Vec::new();
        let mut at = value.0;
        while at < end {
            while ends.pop_if(|end| *end == at).is_some() {
                self.end();
            }
            let Slot { offset, extent, kind, .. } = self.tree.slot(at);
            let offset = offset as usize;
            match kind {
                // Told where they are written.
                SlotKind::ShadowedKey(_) => {
                    at = self.tree.after(at + 1);
                    continue;
                }
                SlotKind::Array => self.start(Container::Array, offset)?,
                SlotKind::Object | SlotKind::IndexedObject => self.start(Container::Object, offset)?,
                SlotKind::Key(_) => {
                    self.keys.push(index_u32(self.tree.slots.len()));
                    self.push(offset, extent, kind)?;
                }
                _ => self.push(offset, extent, kind)?,
            }
            if matches!(kind, SlotKind::Array | SlotKind::Object | SlotKind::IndexedObject) {
                ends.push(extent);
            }
            at += 1;
        }
        for _ in ends {
            self.end();
        }
        Ok(())
    }

    /// A merge key (`<<`): the value that comes next gives its members to the object, and is no member itself.
    pub(in super::super) fn merge_key(&mut self, offset: usize, len: usize) -> Result<(), LimitExceeded> {
        self.push(offset, index_u32(len), SlotKind::ShadowedKey(Source::InPlace))?;
        self.merges.push(index_u32(self.tree.slots.len()));
        Ok(())
    }

    /// Adds to the innermost object what its merge keys give, before it ends.
    ///
    /// Members of its own win, wherever they stand; then those of the earlier source.
    pub(in super::super) fn merge(&mut self) -> Result<(), MergeRefused> {
        let Some((keys_from, merges_from)) = self.open.last().map(|open| (open.keys_from, open.merges_from))
        else {
            return Ok(());
        };
        if self.merges.len() == merges_from {
            return Ok(());
        }
        for key in self.missing_members(keys_from, &self.sources(merges_from)?) {
            let Slot { offset, extent, kind, .. } = self.tree.slot(key);
            let place = offset as usize;
            self.keys.push(index_u32(self.tree.slots.len()));
            self.charge_alias(1)
                .and_then(|()| self.push(place, extent, kind))
                .and_then(|()| self.repeat(NodeId(key + 1)))
                .map_err(|exceeded| MergeRefused::Limit { exceeded, offset: place })?;
        }
        Ok(())
    }

    /// The objects that the innermost object merges, in order.
    fn sources(&self, merges_from: usize) -> Result<Vec<u32>, MergeRefused> {
        let is_object =
            |slot: u32| matches!(self.tree.slot(slot).kind, SlotKind::Object | SlotKind::IndexedObject);
        let mut sources = Vec::new();
        for &value in &self.merges[merges_from..] {
            if self.tree.slot(value).kind != SlotKind::Array {
                sources.push(value);
                continue;
            }
            let mut item = value + 1;
            while item < self.tree.after(value) {
                sources.push(item);
                item = self.tree.after(item);
            }
        }
        match sources.iter().find(|source| !is_object(**source)) {
            Some(other) => Err(MergeRefused::NoObject { offset: self.tree.slot(*other).offset as usize }),
            None => Ok(sources),
        }
    }

    /// The key slots of the members that the object does not have itself, each name once.
    fn missing_members(&self, keys_from: usize, sources: &[u32]) -> Vec<u32> {
        // Rank 0 is the object itself; the sort is stable, so the first of equal names is the one that counts.
        let mut members: Vec<(usize, u32)> = self.keys[keys_from..].iter().map(|key| (0, *key)).collect();
        for (rank, &source) in sources.iter().enumerate() {
            let mut key = source + 1;
            while key < self.tree.after(source) {
                if matches!(self.tree.slot(key).kind, SlotKind::Key(_)) {
                    members.push((rank + 1, key));
                }
                key = self.tree.after(key + 1);
            }
        }
        members.sort_by(|(_, a), (_, b)| self.key_text(*a).cmp(self.key_text(*b)));
        members.dedup_by(|(_, later), (_, first)| self.key_text(*later) == self.key_text(*first));
        members.retain(|(rank, _)| *rank > 0);
        members.sort_unstable();
        members.into_iter().map(|(_, key)| key).collect()
    }
}
