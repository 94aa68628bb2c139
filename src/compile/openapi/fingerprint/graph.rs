//! Digests of objects that refer to each other, in circles too: equal exactly where the objects, with every reference
//! replaced by what it leads to, are equal without end.
//!
//! 1. What reaches no circle is hashed from the bottom up, as in any Merkle tree.
//! 2. The rest is put into blocks of alike nodes ([`refine`]), so that one node stands for each block. An object that
//!    is written out once before it refers to itself falls into one block with itself.
//! 3. What is left is the one smallest graph of that meaning. Its circles are hashed as groups: the labels and
//!    references of all members in an order that depends on nothing but the shape ([`refine`] again), then each
//!    member by its number.

use schemarouter_kernel::base::fingerprint::Fingerprint;

use crate::catalog::{Digesting, Domain, digest};

use super::partition::{Edge, index, refine};

/// References of numbered nodes, in order.
#[derive(Debug, Default)]
pub(super) struct Graph {
    edges: Vec<u32>,
    ends: Vec<usize>,
}

impl Graph {
    /// Adds a reference to the node that comes next; it may lead to a node that is still to be added.
    pub(super) fn push_edge(&mut self, to: u32) {
        self.edges.push(to);
    }

    /// Adds the node with the references since the last one.
    pub(super) fn finish_node(&mut self) {
        self.ends.push(self.edges.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn edges(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[node]]
    }

    /// The same graph with every reference to a node replaced by one to its stand-in.
    pub(super) fn redirected(&self, stand_ins: &[u32]) -> Self {
        let edges = self.edges.iter().map(|to| stand_ins[*to as usize]).collect();
        Self { edges, ends: self.ends.clone() }
    }
}

/// The digest of each node; `nothing` is the label of what has nothing to say.
pub(super) fn digests(graph: &Graph, labels: &[Fingerprint], nothing: Fingerprint) -> Vec<Fingerprint> {
    let mut known: Vec<Option<Fingerprint>> = vec![None; graph.len()];
    let mut endless: Vec<u32> = Vec::new();
    for group in groups(graph.len(), |node| graph.edges(node)).iter() {
        match *group {
            [node] if graph.edges(node).iter().all(|to| known[*to as usize].is_some()) => {
                let children = graph.edges(node).iter().filter_map(|to| known[*to as usize].as_ref());
                known[node as usize] = Some(of_node(&labels[node as usize], children, nothing));
            }
            _ => endless.extend_from_slice(group),
        }
    }
    if !endless.is_empty() {
        of_endless(graph, labels, &endless, &mut known, nothing);
    }
    known.into_iter().map(|digest| digest.unwrap_or(nothing)).collect()
}

/// A node that reaches no circle, or reaches only circles whose digests are known.
fn of_node<'f>(
    label: &'f Fingerprint,
    mut children: impl Iterator<Item = &'f Fingerprint> + Clone,
    nothing: Fingerprint,
) -> Fingerprint {
    let all = children.clone();
    if children.all(|child| *child == nothing) {
        return *label;
    }
    digest(Domain::Node, std::iter::once(label).chain(all).map(|part| part.as_bytes().as_slice()))
}

/// Everything that reaches a circle.
fn of_endless(
    graph: &Graph,
    labels: &[Fingerprint],
    endless: &[u32],
    known: &mut [Option<Fingerprint>],
    nothing: Fingerprint,
) {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; graph.len()];
    for (at, node) in (0..).zip(endless) {
        number[*node as usize] = at;
    }
    let places: Vec<Fingerprint> = endless
        .iter()
        .map(|node| place(labels[*node as usize], graph.edges(*node).iter().map(|to| known[*to as usize])))
        .collect();
    let inner: Vec<Edge> = (0..)
        .zip(endless)
        .flat_map(|(from, node)| {
            inner_edges(from, graph.edges(*node).iter().map(|to| number[*to as usize]), NONE)
        })
        .collect();
    let blocks = refine(&places, &inner);

    // One node stands for each block.
    let count = blocks.iter().max().map_or(0, |last| *last as usize + 1);
    let mut deputies = vec![NONE; count];
    for (node, block) in endless.iter().zip(&blocks) {
        deputies[*block as usize] = *node;
    }
    let mut quotient = Quotient {
        graph,
        labels,
        known,
        deputies,
        block_of: |node: u32| (number[node as usize] != NONE).then(|| blocks[number[node as usize] as usize]),
        digests: vec![None; count],
        nothing,
    };
    quotient.run();
    let digests = quotient.digests;
    for (node, block) in endless.iter().zip(&blocks) {
        known[*node as usize] = digests[*block as usize];
    }
}

/// The references that stay within a set, by their new numbers.
fn inner_edges(from: u32, targets: impl Iterator<Item = u32>, none: u32) -> impl Iterator<Item = Edge> {
    (0..).zip(targets).filter(move |(_, to)| *to != none).map(move |(place, to)| Edge { from, place, to })
}

/// A label, and for each reference the digest of where it leads, as far as that is known.
fn place(label: Fingerprint, children: impl Iterator<Item = Option<Fingerprint>>) -> Fingerprint {
    let mut place = Digesting::of(Domain::Place);
    place.part(label.as_bytes());
    for child in children {
        place.part(&[u8::from(child.is_some())]);
        if let Some(child) = child {
            place.part(child.as_bytes());
        }
    }
    place.finish()
}

/// The smallest graph of the same meaning.
struct Quotient<'g, B> {
    graph: &'g Graph,
    labels: &'g [Fingerprint],
    /// Digests of what reaches no circle.
    known: &'g [Option<Fingerprint>],
    deputies: Vec<u32>,
    block_of: B,
    /// Digests by block.
    digests: Vec<Option<Fingerprint>>,
    nothing: Fingerprint,
}

impl<B: Fn(u32) -> Option<u32>> Quotient<'_, B> {
    fn run(&mut self) {
        let mut edges = Graph::default();
        for deputy in &self.deputies {
            self.graph
                .edges(*deputy)
                .iter()
                .filter_map(|to| (self.block_of)(*to))
                .for_each(|to| edges.push_edge(to));
            edges.finish_node();
        }
        for group in groups(self.deputies.len(), |block| edges.edges(block)).iter() {
            match *group {
                [block] if !edges.edges(block).contains(&block) => {
                    let children: Vec<Fingerprint> = self.children(block).flatten().collect();
                    let digest = of_node(&self.label(block), children.iter(), self.nothing);
                    self.digests[block as usize] = Some(digest);
                }
                _ => self.group(group),
            }
        }
    }

    fn label(&self, block: u32) -> Fingerprint {
        self.labels[self.deputies[block as usize] as usize]
    }

    fn targets(&self, block: u32) -> &[u32] {
        self.graph.edges(self.deputies[block as usize])
    }

    /// The digests of what a block refers to, as far as they are known.
    fn children(&self, block: u32) -> impl Iterator<Item = Option<Fingerprint>> {
        self.targets(block).iter().map(|to| match (self.block_of)(*to) {
            Some(block) => self.digests[block as usize],
            None => self.known[*to as usize],
        })
    }

    /// Blocks that refer to each other.
    fn group(&mut self, members: &[u32]) {
        const OUTSIDE: u32 = u32::MAX;
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let within = |block: Option<u32>| {
            block.and_then(|block| sorted.binary_search(&block).ok()).map_or(OUTSIDE, index)
        };
        let places: Vec<Fingerprint> =
            sorted.iter().map(|block| place(self.label(*block), self.children(*block))).collect();
        let edges: Vec<Edge> = (0..)
            .zip(&sorted)
            .flat_map(|(from, block)| {
                let targets: Vec<u32> =
                    self.targets(*block).iter().map(|to| within((self.block_of)(*to))).collect();
                inner_edges(from, targets.into_iter(), OUTSIDE)
            })
            .collect();
        // No two blocks are alike, so each gets a number of its own.
        let ranks = refine(&places, &edges);
        let mut lines: Vec<(u32, Vec<u8>)> =
            ranks.iter().zip(&places).map(|(rank, place)| (*rank, place.as_bytes().to_vec())).collect();
        for edge in &edges {
            lines[edge.from as usize].1.extend_from_slice(&ranks[edge.to as usize].to_be_bytes());
        }
        lines.sort_unstable();
        debug_assert!(lines.windows(2).all(|pair| pair[0].0 != pair[1].0), "no two blocks are alike");
        let whole = digest(Domain::Group, lines.iter().map(|(_, line)| line.as_slice()));
        for (block, rank) in sorted.iter().zip(&ranks) {
            let member = digest(Domain::Member, [whole.as_bytes().as_slice(), &rank.to_be_bytes()]);
            self.digests[*block as usize] = Some(member);
        }
    }
}

/// Groups of nodes that reach each other, one after another; whatever a group refers to comes before it.
struct Groups {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.nodes[start..*end])
    }
}

/// The strongly connected components of a graph (Tarjan), on a stack of our own.
fn groups<'e>(count: usize, edges: impl Fn(u32) -> &'e [u32]) -> Groups {
    const UNSEEN: u32 = 0;
    const DONE: u32 = u32::MAX;
    let mut found = Groups { nodes: Vec::with_capacity(count), ends: Vec::new() };
    // When a node was entered, from 1; then the earliest node on the stack that it is known to reach.
    let mut low = vec![UNSEEN; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut frames: Vec<(u32, usize, u32)> = Vec::new();
    let mut entered = 0;
    for root in (0..).take(count) {
        if low[root as usize] == UNSEEN {
            frames.push((root, 0, 0));
        }
        while let Some((node, next, order)) = frames.last_mut() {
            if *next == 0 && *order == 0 {
                entered += 1;
                *order = entered;
                low[*node as usize] = entered;
                stack.push(*node);
            }
            let node = *node;
            if let Some(to) = edges(node).get(*next).copied() {
                *next += 1;
                match low[to as usize] {
                    UNSEEN => frames.push((to, 0, 0)),
                    DONE => {}
                    reached => low[node as usize] = low[node as usize].min(reached),
                }
                continue;
            }
            let order = *order;
            frames.pop();
            let reached = low[node as usize];
            if reached == order {
                let first = stack.iter().rposition(|on_stack| *on_stack == node).unwrap_or_default();
                for member in stack.drain(first..) {
                    low[member as usize] = DONE;
                    found.nodes.push(member);
                }
                found.ends.push(found.nodes.len());
            }
            if let Some((parent, ..)) = frames.last()
                && reached < order
            {
                low[*parent as usize] = low[*parent as usize].min(reached);
            }
        }
    }
    found
}
