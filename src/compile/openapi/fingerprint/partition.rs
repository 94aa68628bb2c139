//! Which nodes of a graph are alike, as far as references show it: partition refinement in m log n steps.
//!
//! The method is Hopcroft's for automata, with the places of references as letters. Every choice that it makes is by
//! number of a block, size of a block or place of a reference, never by number of a node: graphs of the same shape
//! get their blocks in the same order, however their nodes are numbered.

use std::collections::VecDeque;

/// A reference: from a node, at a place in it, to a node. Nodes with the same label have the same places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) place: u32,
    pub(super) to: u32,
}

/// The block of each node: two are in one block exactly where everything that can be reached from them in the same
/// way has the same labels. Blocks of nodes that differ in their labels keep the order of labels.
pub(super) fn refine<L: Ord>(labels: &[L], edges: &[Edge]) -> Vec<u32> {
    let mut partition = Partition::by_label(labels);
    // A node that is alone cannot be told from another one, so nothing need be known of where it leads.
    let is_alone = |edge: &Edge| partition.blocks[partition.block_of[edge.from as usize] as usize].len() == 1;
    let incoming = Incoming::of(labels.len(), edges.iter().filter(|edge| !is_alone(edge)));
    let mut queue: VecDeque<u32> = (0..).take(partition.blocks.len()).collect();
    let mut is_queued = vec![true; partition.blocks.len()];
    let mut sources: Vec<(u32, u32)> = Vec::new();
    while let Some(splitter) = queue.pop_front() {
        is_queued[splitter as usize] = false;
        sources.clear();
        for node in partition.members(splitter) {
            sources.extend_from_slice(incoming.of_node(*node));
        }
        sources.sort_unstable();
        for at_place in sources.chunk_by(|one, other| one.0 == other.0) {
            for (split, new) in partition.split(at_place.iter().map(|(_, from)| *from)) {
                // The smaller half suffices where the whole was looked at before.
                let is_smaller = partition.len(new) <= partition.len(split);
                let push = if is_queued[split as usize] || is_smaller { new } else { split };
                is_queued.push(false);
                is_queued[push as usize] = true;
                queue.push_back(push);
            }
        }
    }
    partition.block_of
}

/// Nodes in blocks: a block is a range of `nodes`, its marked members first.
struct Partition {
    nodes: Vec<u32>,
    place_of: Vec<u32>,
    block_of: Vec<u32>,
    blocks: Vec<std::ops::Range<usize>>,
    marked: Vec<usize>,
}

impl Partition {
    fn by_label<L: Ord>(labels: &[L]) -> Self {
        let mut nodes: Vec<u32> = (0..).take(labels.len()).collect();
        nodes.sort_unstable_by(|one, other| labels[*one as usize].cmp(&labels[*other as usize]));
        let (mut place_of, mut block_of) = (vec![0; nodes.len()], vec![0; nodes.len()]);
        let mut blocks = Vec::new();
        let mut start = 0;
        let same = |one: &u32, other: &u32| labels[*one as usize] == labels[*other as usize];
        for (number, block) in (0_u32..).zip(nodes.chunk_by(same)) {
            for (place, node) in (start..).zip(block) {
                place_of[*node as usize] = index(place);
                block_of[*node as usize] = number;
            }
            blocks.push(start..start + block.len());
            start += block.len();
        }
        let marked = vec![0; blocks.len()];
        Self { nodes, place_of, block_of, blocks, marked }
    }

    fn members(&self, block: u32) -> &[u32] {
        &self.nodes[self.blocks[block as usize].clone()]
    }

    fn len(&self, block: u32) -> usize {
        self.blocks[block as usize].len()
    }

    /// Splits every block into those nodes and the others: the old numbers, and the new ones of those nodes.
    fn split(&mut self, those: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let mut touched = Vec::new();
        for node in those {
            let block = self.block_of[node as usize];
            let marked = &mut self.marked[block as usize];
            if *marked == 0 {
                touched.push(block);
            }
            let (place, first) =
                (self.place_of[node as usize] as usize, self.blocks[block as usize].start + *marked);
            *marked += 1;
            self.nodes.swap(place, first);
            self.place_of[self.nodes[place] as usize] = index(place);
            self.place_of[node as usize] = index(first);
        }
        touched.sort_unstable();
        touched.retain(|block| {
            let (range, marked) = (&self.blocks[*block as usize], &mut self.marked[*block as usize]);
            let is_whole = *marked == range.len();
            if is_whole {
                *marked = 0;
            }
            !is_whole
        });
        touched.into_iter().map(|block| (block, self.take_marked(block))).collect()
    }

    fn take_marked(&mut self, block: u32) -> u32 {
        let new = index(self.blocks.len());
        let range = &mut self.blocks[block as usize];
        let middle = range.start + std::mem::take(&mut self.marked[block as usize]);
        let those = range.start..middle;
        range.start = middle;
        for node in &self.nodes[those.clone()] {
            self.block_of[*node as usize] = new;
        }
        self.blocks.push(those);
        self.marked.push(0);
        new
    }
}

/// The references to each node, as place and source.
struct Incoming {
    starts: Vec<u32>,
    list: Vec<(u32, u32)>,
}

impl Incoming {
    fn of<'e>(nodes: usize, edges: impl Iterator<Item = &'e Edge> + Clone) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for edge in edges.clone() {
            starts[edge.to as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0); starts[nodes] as usize];
        for edge in edges {
            let at = &mut next[edge.to as usize];
            list[*at as usize] = (edge.place, edge.from);
            *at += 1;
        }
        Self { starts, list }
    }

    fn of_node(&self, node: u32) -> &[(u32, u32)] {
        &self.list[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// Graphs are smaller than their documents, which have fewer than 2^32 nodes.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
