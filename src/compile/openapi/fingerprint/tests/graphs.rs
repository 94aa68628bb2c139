//! Circles: the digest against the plain definition of likeness.

use proptest::prelude::*;

use super::super::graph::{Graph, digests};
use super::super::prose_label;
use schemarouter_kernel::base::fingerprint::Fingerprint;

/// A graph as a list of nodes: label and references.
type Nodes = Vec<(u8, Vec<u32>)>;

fn hashed(nodes: &Nodes) -> Vec<Fingerprint> {
    let mut graph = Graph::default();
    for (_, references) in nodes {
        for to in references {
            graph.push_edge(*to);
        }
        graph.finish_node();
    }
    let labels: Vec<Fingerprint> = nodes.iter().map(|(label, _)| prose_label(&[*label])).collect();
    digests(&graph, &labels, prose_label(b""))
}

/// The definition: alike as far as paths of any length show, by as many rounds as there are nodes.
fn alike(nodes: &Nodes) -> Vec<usize> {
    let mut class = vec![0; nodes.len()];
    for _ in 0..=nodes.len() {
        let shape = |(label, references): &(u8, Vec<u32>)| {
            (*label, references.iter().map(|to| class[*to as usize]).collect::<Vec<_>>())
        };
        let shapes: Vec<_> = nodes.iter().map(shape).collect();
        let first = |shape| shapes.iter().position(|other| other == shape).expect("it is among them");
        class = shapes.iter().map(first).collect();
    }
    class
}

fn nodes(most: usize) -> impl Strategy<Value = Nodes> {
    (1..=most).prop_flat_map(|count| {
        let last = u32::try_from(count - 1).expect("few nodes");
        prop::collection::vec((0..2_u8, prop::collection::vec(0..=last, 0..3)), count)
    })
}

/// The same graph with node `i` at place `order[i]`.
fn moved(nodes: &Nodes, order: &[u32]) -> Nodes {
    let mut moved = vec![(0, Vec::new()); nodes.len()];
    for ((label, references), to) in nodes.iter().zip(order) {
        let references = references.iter().map(|to| order[*to as usize]).collect();
        moved[*to as usize] = (*label, references);
    }
    moved
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn digests_are_equal_exactly_where_nodes_are_alike(one in nodes(7), other in nodes(7)) {
        let shift = u32::try_from(one.len()).expect("few nodes");
        let mut both = one.clone();
        both.extend(other.iter().map(|(label, to)| (*label, to.iter().map(|to| to + shift).collect())));
        let (digests, class) = (hashed(&both), alike(&both));
        for (a, b) in (0..both.len()).flat_map(|a| (0..both.len()).map(move |b| (a, b))) {
            prop_assert_eq!(digests[a] == digests[b], class[a] == class[b], "{} {} of {:?}", a, b, both);
        }
        // What else there is in the document does not matter.
        prop_assert_eq!(&digests[..one.len()], hashed(&one));
        prop_assert_eq!(&digests[one.len()..], hashed(&other));
    }

    #[test]
    fn the_order_of_nodes_does_not_matter(
        (nodes, order) in nodes(9).prop_flat_map(|nodes| {
            let order: Vec<u32> = (0..).take(nodes.len()).collect();
            (Just(nodes), Just(order).prop_shuffle())
        })
    ) {
        let (digests, after) = (hashed(&nodes), hashed(&moved(&nodes, &order)));
        let found: Vec<Fingerprint> = order.iter().map(|at| after[*at as usize]).collect();
        prop_assert_eq!(digests, found);
    }
}

/// A ring, all alike but for the labels of the first `odd`.
fn ring(count: u32, odd: u32) -> Nodes {
    (0..count).map(|at| (u8::from(at < odd), vec![(at + 1) % count])).collect()
}

#[test]
fn long_rings_take_few_steps() {
    // With one odd node every node differs from every other; round by round that would be 8,000 rounds.
    let digests = hashed(&ring(8_000, 1));
    let mut distinct = digests.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 8_000);
    assert_eq!(hashed(&ring(8_000, 0)), vec![hashed(&ring(1, 0))[0]; 8_000]);
}
