//! What of a demand for proof of identity enters a fingerprint: schemes by content, since their names are names of
//! components. Alternatives are a set, and so are the schemes and scopes of one.

use std::collections::HashMap;

use schemarouter_kernel::base::fingerprint::Fingerprint;

use crate::catalog::{Domain, digest};
use crate::compile::document::{Document, Kind, Node};

use super::super::maps::NodeMap;
use super::super::refs::Refs;
use super::text::{Text, key_order};

/// What a Security Scheme Object says about requests.
const SCHEME: &[&str] = &["type", "in", "name", "scheme", "openIdConnectUrl"];
/// What one of its flows does; the list of all scopes does not bind an operation, its own does.
const FLOW: &[&str] = &["authorizationUrl", "tokenUrl", "refreshUrl"];

/// Reads security requirements, each list and each scheme once.
#[derive(Debug, Default)]
pub(super) struct Demands<'d> {
    lists: NodeMap<Fingerprint>,
    schemes: HashMap<&'d str, Option<Fingerprint>>,
}

impl<'d> Demands<'d> {
    /// The demand of an operation: its own list, else the document's.
    pub(super) fn of(
        &mut self,
        document: &'d Document,
        own: Option<Node<'d>>,
        refs: &mut Refs<'d>,
    ) -> Fingerprint {
        let Some(list) = own.or_else(|| document.root().get("security")) else { return undeclared() };
        if let Some(known) = self.lists.get(&list.id()) {
            return *known;
        }
        let mut alternatives: Vec<Vec<u8>> =
            list.items().filter_map(|requirement| self.alternative(document, requirement, refs)).collect();
        alternatives.sort_unstable();
        alternatives.dedup();
        let mut text = vec![b'['];
        text.extend(alternatives.join(&b','));
        text.push(b']');
        let demand = digest(Domain::Security, [text.as_slice()]);
        self.lists.insert(list.id(), demand);
        demand
    }

    /// One alternative; `None` for one that the compiler leaves out.
    fn alternative(
        &mut self,
        document: &'d Document,
        requirement: Node<'d>,
        refs: &mut Refs<'d>,
    ) -> Option<Vec<u8>> {
        if requirement.kind() != Kind::Object {
            return None;
        }
        let mut uses = Vec::new();
        for (name, scopes) in requirement.entries() {
            let scheme = *self.schemes.entry(name).or_insert_with(|| scheme(document, name, refs));
            let mut needed: Vec<&str> = scopes.items().filter_map(Node::as_str).collect();
            needed.sort_unstable();
            needed.dedup();
            uses.push((scheme?, needed));
        }
        uses.sort_unstable();
        let mut text = Text::default();
        text.open(b'[');
        for (scheme, scopes) in uses {
            text.open(b'{');
            text.key("scheme");
            text.string(&scheme.to_string());
            text.key("scopes");
            text.strings(scopes);
            text.close(b'}');
        }
        text.close(b']');
        Some(text.as_bytes().to_vec())
    }
}

/// Where a document says nothing.
pub(super) fn undeclared() -> Fingerprint {
    digest(Domain::Security, [b"null".as_slice()])
}

fn scheme<'d>(document: &'d Document, name: &str, refs: &mut Refs<'d>) -> Option<Fingerprint> {
    let declared = document.at("/components/securitySchemes")?.get(name)?;
    let scheme = refs.object(declared).ok()?;
    let mut text = Text::default();
    text.open(b'{');
    for (name, value) in sorted(scheme) {
        if name == "flows" {
            text.key(name);
            flows(value, &mut text);
        } else if SCHEME.contains(&name) {
            text.key(name);
            match value.as_str() {
                // RFC 9110 section 11.1: the name of an authentication scheme has no case.
                Some(word) if name == "scheme" => text.string(&word.to_ascii_lowercase()),
                _ => text.data(value),
            }
        }
    }
    text.close(b'}');
    Some(digest(Domain::Text, [text.as_bytes()]))
}

fn flows<'d>(flows: Node<'d>, text: &mut Text<'d>) {
    text.open(b'{');
    for (name, flow) in sorted(flows) {
        text.key(name);
        text.open(b'{');
        for (name, value) in sorted(flow).into_iter().filter(|(name, _)| FLOW.contains(name)) {
            text.key(name);
            text.data(value);
        }
        text.close(b'}');
    }
    text.close(b'}');
}

fn sorted(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut members: Vec<_> = node.entries().filter(|(name, _)| !name.starts_with("x-")).collect();
    members.sort_unstable_by(|one, other| key_order(one.0, other.0));
    members
}
