//! What paths keep of a value.

use super::path::FieldPath;
use crate::router::tree::{Kind, Node, said};

/// A path, by its number, and how many of its steps are behind.
type Alive = (usize, usize);

/// Keeps what paths lead to.
pub(super) struct Projection<'p> {
    paths: &'p [FieldPath],
    /// Which paths led to something, or to a list without elements or a null, of which nothing can be told.
    pub(super) met: Vec<bool>,
}

impl<'p> Projection<'p> {
    pub(super) fn new(paths: &'p [FieldPath]) -> Self {
        Self { paths, met: vec![false; paths.len()] }
    }

    /// What the paths keep; `None` of a value that has nothing below it.
    pub(super) fn of<'t>(&mut self, root: Node<'t>) -> Option<Node<'t>> {
        let alive: Vec<Alive> = (0..self.paths.len()).map(|path| (path, 0)).collect();
        self.keep(root, &alive)
    }

    fn keep<'t>(&mut self, node: Node<'t>, alive: &[Alive]) -> Option<Node<'t>> {
        if alive.iter().any(|(path, at)| *at == self.paths[*path].steps.len()) {
            self.meet(alive);
            return Some(node);
        }
        match node.kind {
            Kind::Object(members) => {
                let kept = members.into_iter().filter_map(|(name, value)| {
                    let next = self.next_member(alive, &said(name));
                    let value = if next.is_empty() { None } else { self.keep(value, &next) };
                    value.map(|value| (name, value))
                });
                Some(Node::object(kept.collect()))
            }
            Kind::List(items) => {
                if items.is_empty() {
                    self.meet(alive);
                }
                let kept = items.into_iter().enumerate().filter_map(|(number, item)| {
                    let next = self.next_element(alive, number);
                    if next.is_empty() { None } else { self.keep(item, &next) }
                });
                Some(Node::list(kept.collect()))
            }
            // An object that may be null is null whatever is asked of it.
            Kind::Atom("null") => {
                self.meet(alive);
                Some(node)
            }
            Kind::Atom(_) | Kind::String(_) => None,
        }
    }

    fn next_member(&self, alive: &[Alive], name: &str) -> Vec<Alive> {
        let next = |&(path, at): &Alive| (self.paths[path].steps[at].name == name).then_some((path, at + 1));
        alive.iter().filter_map(next).collect()
    }

    fn next_element(&self, alive: &[Alive], number: usize) -> Vec<Alive> {
        let next = |&(path, at): &Alive| match self.paths[path].steps[at].index {
            Some(index) => (index == number).then_some((path, at + 1)),
            None => Some((path, at)),
        };
        alive.iter().filter_map(next).collect()
    }

    fn meet(&mut self, alive: &[Alive]) {
        for (path, _) in alive {
            self.met[*path] = true;
        }
    }
}
