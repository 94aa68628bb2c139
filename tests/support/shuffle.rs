//! Documents written otherwise, with the same meaning.

use std::collections::{HashMap, HashSet};

use schemarouter::compile::document::{Document, Kind, Node};
use schemarouter::kernel::base::rng::Jitter;

use super::grammar::Place;

/// What is written otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// Nothing but the format, which is JSON afterwards.
    Nothing,
    /// The order of keys, paths, components and alternatives of security, the names of components, the order of
    /// `required`, `enum` and `type`.
    Form,
    /// All texts for people, examples and extensions too.
    Prose,
}

/// The document as JSON, written otherwise: straight from its tree, since published documents are large.
pub(crate) fn rewritten(document: &Document, rewrite: Rewrite, seed: u64) -> Vec<u8> {
    let names = match rewrite {
        Rewrite::Form => new_names(document),
        Rewrite::Nothing | Rewrite::Prose => Names::new(),
    };
    let mut writer = Writer { rewrite, random: Jitter::seeded(seed), names, out: Vec::new() };
    writer.value(document.root(), Place::Root);
    writer.out
}

/// By section and name, the new name of a component.
type Names<'d> = HashMap<(&'d str, &'d str), String>;

struct Writer<'d> {
    rewrite: Rewrite,
    random: Jitter,
    names: Names<'d>,
    out: Vec<u8>,
}

impl<'d> Writer<'d> {
    fn value(&mut self, node: Node<'d>, place: Place) {
        match node.kind() {
            Kind::Null => self.out.extend(b"null"),
            Kind::Bool => self.out.extend(node.as_bool().unwrap_or_default().to_string().bytes()),
            Kind::Number => self.out.extend(node.number_text().unwrap_or_default().bytes()),
            Kind::String => {
                let text = node.as_str().unwrap_or_default();
                match (self.rewrite, place) {
                    (Rewrite::Prose, Place::Prose) => self.string(&format!("{text} (edited)")),
                    _ => self.string(text),
                }
            }
            Kind::Array => self.list(node.items().collect(), place, place == Place::Demands),
            Kind::Object => self.object(node, place),
        }
    }

    fn list(&mut self, mut items: Vec<Node<'d>>, place: Place, is_set: bool) {
        if is_set {
            self.shuffle(&mut items);
        }
        self.out.push(b'[');
        for (at, item) in items.into_iter().enumerate() {
            self.comma(at);
            self.value(item, place.item());
        }
        self.out.push(b']');
    }

    fn object(&mut self, node: Node<'d>, place: Place) {
        let mut members: Vec<(&str, Node<'_>)> = node.entries().collect();
        self.shuffle(&mut members);
        // Only names directly below a section of the components are names of components.
        let above = node.parent().filter(|parent| parent.key() == Some("components"));
        let is_section = above.and_then(Node::parent).is_some_and(|root| root.parent().is_none());
        let section = match place {
            Place::Demand => Some("securitySchemes"),
            _ => node.key().filter(|_| is_section),
        };
        self.out.push(b'{');
        for (at, (key, value)) in members.into_iter().enumerate() {
            self.comma(at);
            let name = section.and_then(|section| self.names.get(&(section, key)));
            self.string(&name.cloned().unwrap_or_else(|| key.to_owned()));
            self.out.push(b':');
            self.member(key, value, place);
        }
        self.out.push(b'}');
    }

    fn member(&mut self, key: &str, value: Node<'d>, place: Place) {
        match (place, key, value.as_str()) {
            (Place::Mapping, _, Some(target)) => self.string(&self.mapped(target, value.document())),
            (Place::Data | Place::Prose | Place::Demand, ..) => self.value(value, place.member(key)),
            (_, "$ref", Some(reference)) => self.string(&self.reference(reference)),
            (Place::Schema, "required" | "enum" | "type", _) if value.kind() == Kind::Array => {
                self.list(value.items().collect(), Place::Data, true);
            }
            _ => self.value(value, place.member(key)),
        }
    }

    fn string(&mut self, text: &str) {
        serde_json::to_writer(&mut self.out, text).expect("memory takes any text");
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push(b',');
        }
    }

    fn reference(&self, reference: &str) -> String {
        let renamed = component(reference).and_then(|(section, name, rest)| {
            let new = self.names.get(&(section, name.as_str()))?;
            Some(format!("#/components/{section}/{new}{rest}"))
        });
        renamed.unwrap_or_else(|| reference.to_owned())
    }

    /// A mapping names a component, or refers to it.
    fn mapped(&self, target: &str, document: &Document) -> String {
        let named = document.at("/components/schemas").and_then(|schemas| schemas.get(target));
        match self.names.get(&("schemas", target)) {
            Some(new) => new.clone(),
            None if named.is_some() => target.to_owned(),
            None => self.reference(target),
        }
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        if self.rewrite == Rewrite::Form {
            for at in (1..items.len()).rev() {
                let with = self.random.bits() % (at as u64 + 1);
                items.swap(at, usize::try_from(with).expect("an index"));
            }
        }
    }
}

/// Section, name and what follows, of a reference to a component or into one.
fn component(reference: &str) -> Option<(&str, String, &str)> {
    let (section, rest) = reference.strip_prefix("#/components/")?.split_once('/')?;
    let (token, rest) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let decoded = percent_encoding::percent_decode_str(token).decode_utf8().ok()?;
    Some((section, decoded.replace("~1", "/").replace("~0", "~"), rest))
}

/// New names for all components, but for the branches of a discriminator: there a name is a value (ruling 18).
fn new_names(document: &Document) -> Names<'_> {
    let mut kept = HashSet::new();
    branches(document.root(), &mut kept);
    let mut names = Names::new();
    for (section, components) in document.at("/components").into_iter().flat_map(Node::entries) {
        for (number, (name, _)) in components.entries().enumerate() {
            if !kept.contains(name) {
                let backwards: String = name.chars().rev().filter(char::is_ascii_alphanumeric).collect();
                names.insert((section, name), format!("{backwards}-{number}"));
            }
        }
    }
    names
}

fn branches(node: Node<'_>, found: &mut HashSet<String>) {
    if node.get("discriminator").is_some() {
        let lists = ["oneOf", "anyOf"].into_iter().filter_map(|list| node.get(list));
        let references = lists.flat_map(Node::items).filter_map(|branch| branch.get("$ref")?.as_str());
        found.extend(references.filter_map(|reference| Some(component(reference)?.1)));
    }
    node.entries().for_each(|(_, member)| branches(member, found));
    node.items().for_each(|item| branches(item, found));
}
