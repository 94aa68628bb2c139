//! Which operations reach which places of a document, found without the compiler: references are followed backwards.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemarouter::compile::document::{Document, Kind, Node, NodeId};

use crate::support::grammar::Place;

/// A value, and what it is read as.
type At = (NodeId, Place);

/// The two sides of an operation, by method and path.
#[derive(Debug, Default)]
struct Sides {
    sent: Vec<At>,
    received: Vec<At>,
}

/// What leads where.
pub(super) struct Reach<'d> {
    document: &'d Document,
    is_30: bool,
    /// Whatever is read at all, in the order of the document.
    places: BTreeMap<Place, Vec<NodeId>>,
    seen: HashSet<At>,
    /// From where each place is reached.
    from: HashMap<At, Vec<At>>,
    /// What stands above the target of a reference: its members cannot be renamed without losing that.
    passed: HashSet<NodeId>,
    /// Operations that begin with a place: method, path, and the part that it belongs to.
    roots: HashMap<At, Vec<(String, String, &'static str)>>,
}

impl<'d> Reach<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let version = document.root().get("openapi").and_then(Node::scalar_text).unwrap_or_default();
        let mut reach = Self {
            document,
            is_30: version.starts_with("3.0"),
            places: BTreeMap::new(),
            seen: HashSet::new(),
            from: HashMap::new(),
            passed: HashSet::new(),
            roots: HashMap::new(),
        };
        reach.operations();
        // What nobody uses changes nothing, and is changed too.
        for (key, section) in document.at("/components").into_iter().flat_map(Node::entries) {
            let place = Place::Components.member(key);
            reach.walk(section.entries().map(|(name, component)| (component, place.member(name))).collect());
        }
        for places in reach.places.values_mut() {
            places.sort_unstable();
        }
        reach
    }

    pub(super) fn places(&self, place: Place) -> &[NodeId] {
        self.places.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether a reference names something within a place.
    pub(super) fn is_passed(&self, at: NodeId) -> bool {
        self.passed.contains(&at)
    }

    /// The parts of operations that a value belongs to, whatever it is read as: a header may refer to a parameter.
    pub(super) fn parts(&self, at: NodeId) -> HashSet<(String, String, &'static str)> {
        let read_as = |place: &&Place| self.seen.contains(&(at, **place));
        let mut pending: Vec<At> = self.places.keys().filter(read_as).map(|place| (at, *place)).collect();
        let mut seen: HashSet<At> = pending.iter().copied().collect();
        let mut found = HashSet::new();
        while let Some(at) = pending.pop() {
            found.extend(self.roots.get(&at).into_iter().flatten().cloned());
            pending.extend(self.from.get(&at).into_iter().flatten().filter(|from| seen.insert(**from)));
        }
        found
    }

    fn operations(&mut self) {
        const METHODS: &[&str] =
            &["get", "put", "post", "delete", "options", "head", "patch", "trace", "query", "connect"];
        for (path, own) in self.document.at("/paths").into_iter().flat_map(Node::entries) {
            let referred = self.resolved(own).filter(|item| item.id() != own.id());
            let get = |key: &str| own.get(key).or_else(|| referred?.get(key));
            let keys =
                [Some(own), referred].into_iter().flatten().flat_map(Node::entries).map(|(key, _)| key);
            let methods: HashSet<&str> =
                keys.filter(|key| METHODS.contains(&key.to_lowercase().as_str())).collect();
            for method in methods {
                if let Some(operation) = get(method).and_then(|operation| self.resolved(operation)) {
                    let sides = self.sides(path, operation, get("parameters"));
                    for (part, side) in [("request", sides.sent), ("reply", sides.received)] {
                        for at in side {
                            let root = (method.to_uppercase(), path.to_owned(), part);
                            self.roots.entry(at).or_default().push(root);
                            self.walk(vec![(self.document.node(at.0), at.1)]);
                        }
                    }
                }
            }
        }
    }

    fn sides(&self, path: &str, operation: Node<'d>, shared: Option<Node<'d>>) -> Sides {
        let mut sides = Sides::default();
        // The operation's own parameters come before those of its path, and the first of a name counts.
        let mut names = HashSet::new();
        let lists = [operation.get("parameters"), shared].into_iter().flatten().flat_map(Node::items);
        for (written, parameter) in lists.filter_map(|written| Some((written, self.resolved(written)?))) {
            let text = |key| parameter.get(key).and_then(Node::as_str).unwrap_or_default();
            let (location, name) = (text("in"), text("name"));
            let lower = name.to_lowercase();
            let is_read = match location {
                "path" => path.contains(&format!("{{{name}}}")),
                "header" => !["accept", "content-type", "authorization"].contains(&lower.as_str()),
                _ => true,
            };
            if is_read && names.insert((location, if location == "header" { lower } else { name.to_owned() }))
            {
                sides.sent.push((written.id(), Place::Parameter));
            }
        }
        sides.sent.extend(operation.get("requestBody").map(|body| (body.id(), Place::Body)));
        sides.received.extend(operation.get("responses").map(|replies| (replies.id(), Place::Replies)));
        sides
    }

    fn walk(&mut self, mut pending: Vec<(Node<'d>, Place)>) {
        while let Some((node, place)) = pending.pop() {
            if !self.seen.insert((node.id(), place)) {
                continue;
            }
            self.places.entry(place).or_default().push(node.id());
            let reference = node.get("$ref").and_then(Node::as_str);
            let mut above = reference.and_then(|reference| self.target(reference)?.parent());
            while let Some(passed) = above.filter(|node| self.passed.insert(node.id())) {
                above = passed.parent();
            }
            for (to, as_what) in self.next(node, place) {
                self.from.entry((to.id(), as_what)).or_default().push((node.id(), place));
                pending.push((to, as_what));
            }
        }
    }

    /// What is part of a place.
    fn next(&self, node: Node<'d>, place: Place) -> Vec<(Node<'d>, Place)> {
        if let Some(reference) = node.get("$ref").and_then(Node::as_str).filter(|_| place != Place::Schemas) {
            let target = self.target(reference).map(|target| (target, place));
            if place != Place::Schema || self.is_30 {
                return target.into_iter().collect();
            }
            return target.into_iter().chain(self.members(node, place)).collect();
        }
        self.members(node, place).chain(node.items().map(|item| (item, place.item()))).collect()
    }

    fn members(&self, node: Node<'d>, place: Place) -> impl Iterator<Item = (Node<'d>, Place)> {
        let is_read = move |key: &str| match (place, key) {
            (Place::Parameter | Place::Header, "schema") => node.get("content").is_none(),
            (Place::Schema, "$defs" | "definitions") => false,
            (Place::Schema, "additionalItems") => {
                node.get("items").is_some_and(|items| items.kind() == Kind::Array)
            }
            (Place::Headers, name) => !name.eq_ignore_ascii_case("content-type"),
            (Place::Replies, key) => key.len() == 3 || key == "default",
            _ => true,
        };
        node.entries().filter(move |(key, _)| is_read(key)).filter_map(move |(key, value)| {
            match (place, place.member(key)) {
                (Place::Mapping, _) => Some((self.mapped(value.as_str()?)?, Place::Schema)),
                (_, Place::Data | Place::Prose | Place::Leaf | Place::Leaves) => None,
                (_, member) => Some((value, member)),
            }
        })
    }

    fn mapped(&self, target: &str) -> Option<Node<'d>> {
        let named = self.document.at("/components/schemas").and_then(|schemas| schemas.get(target));
        named.or_else(|| self.target(target))
    }

    fn target(&self, reference: &str) -> Option<Node<'d>> {
        let pointer =
            percent_encoding::percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        self.document.at(&pointer)
    }

    /// What a chain of references leads to.
    fn resolved(&self, node: Node<'d>) -> Option<Node<'d>> {
        let mut at = node;
        for _ in 0..64 {
            let Some(reference) = at.get("$ref") else { return Some(at) };
            at = self.target(reference.as_str()?)?;
        }
        None
    }
}
