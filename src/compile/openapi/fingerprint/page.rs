//! What is written about one object, and where it leads.

use crate::compile::document::Node;

use super::text::Text;

/// What an object is read as; the same words mean other things in objects of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Schema,
    Parameter,
    Header,
    Body,
    Reply,
    Example,
}

impl Kind {
    pub(super) const COUNT: usize = Self::Example as usize + 1;
}

/// One object on two pages: its contract, and its prose. References stand apart, in the order of the contract, so
/// that the names of components do not matter.
#[derive(Debug, Default)]
pub(in super::super) struct Page<'d> {
    pub(in super::super) contract: Text<'d>,
    pub(in super::super) prose: Prose<'d>,
    pub(super) references: Vec<(Kind, Node<'d>)>,
    /// Shared examples, which are prose alone.
    pub(super) examples: Vec<Node<'d>>,
}

impl<'d> Page<'d> {
    pub(super) fn clear(&mut self) {
        self.contract.clear();
        self.prose.clear();
        self.references.clear();
        self.examples.clear();
    }

    /// A reference, or the text of one that leads nowhere.
    pub(in super::super) fn reference(&mut self, kind: Kind, target: Option<Node<'d>>, written: &str) {
        match target {
            Some(target) => {
                self.contract.string("");
                self.references.push((kind, target));
            }
            None => self.contract.strings([written]),
        }
    }
}

/// What people and models read, each text under the names that lead to it; names that lead to none are not written.
#[derive(Debug, Default)]
pub(in super::super) struct Prose<'d> {
    text: Text<'d>,
    path: Vec<Step<'d>>,
    /// How many steps of the path are written.
    written: usize,
}

#[derive(Debug, Clone, Copy)]
enum Step<'d> {
    Name(&'d str),
    Index(usize),
}

impl<'d> Prose<'d> {
    pub(super) fn text(&self) -> &Text<'d> {
        &self.text
    }

    fn clear(&mut self) {
        self.text.clear();
        self.path.clear();
        self.written = 0;
    }

    pub(in super::super) fn enter(&mut self, name: &'d str) {
        self.path.push(Step::Name(name));
    }

    pub(in super::super) fn enter_item(&mut self, index: usize) {
        self.path.push(Step::Index(index));
    }

    pub(in super::super) fn leave(&mut self) {
        self.path.pop();
        if self.written > self.path.len() {
            self.written = self.path.len();
            self.text.close(b'}');
        }
    }

    /// A text, or whatever stands in the place of one.
    pub(in super::super) fn note(&mut self, name: &str, value: Node<'d>) {
        self.key(name);
        self.text.data(value);
    }

    /// Begins a member of its own, whose value the caller writes next.
    pub(super) fn key(&mut self, name: &str) -> &mut Text<'d> {
        for step in &self.path[self.written..] {
            match step {
                Step::Name(name) => self.text.key(name),
                Step::Index(index) => self.text.key(&index.to_string()),
            }
            self.text.open(b'{');
        }
        self.written = self.path.len();
        self.text.key(name);
        &mut self.text
    }
}
