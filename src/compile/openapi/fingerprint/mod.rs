//! Fingerprints of operations: equal where they mean the same, whatever the document looks like.
//!
//! Schemas, parameters, headers, bodies and replies are nodes of one graph, each written once as canonical JSON
//! ([`Page`]: contract and prose apart) with its references taken out, and hashed once ([`graph`]); what an operation
//! holds itself is hashed with the digests of what it refers to. So the work is linear in the document, however many
//! operations share a component, and nothing but content counts.
//!
//! Some answers to what is contract: `default` and `format` are; `deprecated`, links and callbacks are not. Parameters
//! are a set by location and name. Lists of branches (`allOf`, `anyOf`, `oneOf`) are lists. Prose changes where an
//! object gains or loses a reference, even to an object without any.

mod graph;
mod number;
mod objects;
mod page;
mod partition;
mod security;
mod text;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::rc::Rc;

use schemarouter_kernel::base::fingerprint::Fingerprint;
use serde_json::Value;
use smallvec::SmallVec;

use crate::catalog::{Digesting, Domain, Fingerprints, HttpPlan, digest};
use crate::compile::document::{Document, Limits, Node};

use super::maps::NodeMap;
use super::object::OperationObject;
use super::operation::Parts;
use super::refs::Refs;
use super::replies::Responses;
use super::schema::{Identity, Member};
use super::version::Version;
use graph::{Graph, digests};
use objects::Objects;
use security::Demands;

pub(super) use page::{Kind, Page};
pub(super) use text::key_order;

/// What the members of an Operation Object are, besides prose: each is read in its own place.
const OPERATION: &[&str] =
    &["operationId", "parameters", "requestBody", "responses", "security", "servers", "callbacks"];

/// The fingerprints of the operations of one document.
#[derive(Debug)]
pub(super) struct Prints<'d> {
    document: &'d Document,
    version: Version,
    page: Page<'d>,
    members: Vec<(&'d str, Member<'d>)>,
    /// The numbers of nodes, by what they are read as.
    numbers: [NodeMap<u32>; Kind::COUNT],
    /// Nodes by number; those from `contract.labels.len()` on are still to be written.
    nodes: Vec<(Kind, Node<'d>)>,
    contract: Labelled,
    prose: Labelled,
    /// For each node another one that means the same: a schema that only refers is what it refers to.
    stand_ins: Vec<u32>,
    demands: Demands<'d>,
    destinations: HashMap<*const [String], Fingerprint>,
    /// Replies by number, since many operations have the same.
    replies: Vec<Replies>,
    replies_of: HashMap<*const Responses, u32>,
    operations: Vec<Operation>,
    /// The label of no prose at all.
    nothing: Fingerprint,
}

#[derive(Debug, Default)]
struct Labelled {
    labels: Vec<Fingerprint>,
    graph: Graph,
}

/// What an operation holds itself, and the numbers of what it refers to.
#[derive(Debug)]
struct Operation {
    request: Fingerprint,
    sent: SmallVec<[u32; 8]>,
    replies: u32,
    prose: Fingerprint,
    security: Fingerprint,
    destination: Fingerprint,
}

/// The same of replies.
#[derive(Debug)]
struct Replies {
    contract: Fingerprint,
    received: SmallVec<[u32; 4]>,
}

impl<'d> Prints<'d> {
    pub(super) fn new(document: &'d Document, version: Version) -> Self {
        Self {
            document,
            version,
            page: Page::default(),
            members: Vec::new(),
            numbers: Default::default(),
            nodes: Vec::new(),
            contract: Labelled::default(),
            prose: Labelled::default(),
            stand_ins: Vec::new(),
            demands: Demands::default(),
            destinations: HashMap::new(),
            replies: Vec::new(),
            replies_of: HashMap::new(),
            operations: Vec::new(),
            nothing: prose_label(b""),
        }
    }

    /// Reads an operation; [`finish`](Self::finish) tells its fingerprints.
    pub(super) fn add(
        &mut self,
        refs: &mut Refs<'d>,
        object: &OperationObject<'d>,
        parts: &Parts<'d>,
        plan: &HttpPlan,
    ) {
        let (request, sent) = self.request(refs, object.node, parts, plan);
        let prose = self.text_of_prose();
        let replies = self.replies(&parts.responses);
        let servers = &plan.servers;
        let destination = *self
            .destinations
            .entry(std::sync::Arc::as_ptr(servers))
            .or_insert_with(|| destination(servers.iter().map(String::as_str)));
        let security = self.demands.of(self.document, object.own_security(), refs);
        self.operations.push(Operation { request, sent, replies, prose, security, destination });
        self.write_all(refs);
    }

    /// Method, path, body, and the parameters by location and name; leaves the operation's own prose on the page.
    fn request(
        &mut self,
        refs: &mut Refs<'d>,
        operation: Node<'d>,
        parts: &Parts<'d>,
        plan: &HttpPlan,
    ) -> (Fingerprint, SmallVec<[u32; 8]>) {
        let mut parameters: SmallVec<[_; 8]> = parts.parameters.iter().collect();
        parameters.sort_by(|one, other| {
            one.location.cmp(&other.location).then_with(|| key_order(one.name, other.name))
        });
        self.page.clear();
        let mut objects = Objects { refs, page: &mut self.page };
        objects.page.contract.open(b'{');
        if let Some(body) = &parts.body {
            objects.page.contract.key("body");
            objects.page.reference(Kind::Body, Some(body.node), "");
        }
        objects.page.contract.key("method");
        objects.page.contract.string(&plan.method);
        objects.page.contract.key("parameters");
        objects.page.contract.open(b'[');
        for parameter in parameters {
            if parameter.node.id() == operation.id() {
                objects.undeclared(parameter.name);
            } else {
                objects.page.reference(Kind::Parameter, Some(parameter.node), "");
            }
        }
        objects.page.contract.close(b']');
        objects.page.contract.key("path");
        objects.page.contract.string(&plan.template);
        objects.page.contract.close(b'}');
        objects.prose(operation, OPERATION);
        self.taken(Kind::Parameter)
    }

    /// Statuses, each with its reply.
    fn replies(&mut self, responses: &Rc<Responses>) -> u32 {
        if let Some(known) = self.replies_of.get(&Rc::as_ptr(responses)) {
            return *known;
        }
        self.page.clear();
        self.page.contract.open(b'{');
        for (status, reply) in &responses.declared {
            self.page.contract.key(&status.to_string());
            self.page.reference(Kind::Reply, Some(self.document.node(reply.node)), "");
        }
        self.page.contract.close(b'}');
        let (contract, received) = self.taken(Kind::Reply);
        let number = partition::index(self.replies.len());
        self.replies.push(Replies { contract, received });
        self.replies_of.insert(Rc::as_ptr(responses), number);
        number
    }

    /// The label of the contract that stands on the page, and the numbers of its references.
    fn taken<Numbers: FromIterator<u32>>(&mut self, kind: Kind) -> (Fingerprint, Numbers) {
        let references = std::mem::take(&mut self.page.references);
        let numbers = references.iter().map(|(kind, node)| self.number(*kind, *node)).collect();
        self.page.references = references;
        (label(kind, self.page.contract.as_bytes()), numbers)
    }

    /// The label of the prose that stands on the page.
    fn text_of_prose(&self) -> Fingerprint {
        match self.page.prose.text().as_bytes() {
            b"" => self.nothing,
            text => prose_label(text),
        }
    }

    fn number(&mut self, kind: Kind, node: Node<'d>) -> u32 {
        let nodes = &mut self.nodes;
        *self.numbers[kind as usize].entry(node.id()).or_insert_with(|| {
            nodes.push((kind, node));
            partition::index(nodes.len() - 1)
        })
    }

    /// Writes every node that is known, and those that this makes known.
    fn write_all(&mut self, refs: &mut Refs<'d>) {
        while let Some(&(kind, node)) = self.nodes.get(self.contract.labels.len()) {
            self.page.clear();
            let mut objects = Objects { refs, page: &mut self.page };
            match kind {
                Kind::Schema => {
                    let Self { version, page, members, .. } = self;
                    Identity { version: *version, refs, page, members }.schema(node);
                }
                Kind::Parameter => objects.parameter(node),
                Kind::Header => objects.header(node),
                Kind::Body => objects.body(node),
                Kind::Reply => objects.reply(node),
                Kind::Example => objects.prose(node, &[]),
            }
            self.take(kind);
        }
    }

    /// Adds the node that stands on the page.
    fn take(&mut self, kind: Kind) {
        let own = partition::index(self.contract.labels.len());
        self.contract.labels.push(label(kind, self.page.contract.as_bytes()));
        self.prose.labels.push(self.text_of_prose());
        let references = std::mem::take(&mut self.page.references);
        for (kind, node) in &references {
            let number = self.number(*kind, *node);
            self.contract.graph.push_edge(number);
            self.prose.graph.push_edge(number);
        }
        let examples = std::mem::take(&mut self.page.examples);
        for example in &examples {
            let number = self.number(Kind::Example, *example);
            self.prose.graph.push_edge(number);
        }
        self.contract.graph.finish_node();
        self.prose.graph.finish_node();
        let is_reference = kind == Kind::Schema && self.page.contract.as_bytes() == br#"{"$ref":""}"#;
        let only = references.first().filter(|_| is_reference).map(|(kind, node)| self.number(*kind, *node));
        self.stand_ins.push(only.unwrap_or(own));
        self.page.references = references;
        self.page.examples = examples;
    }

    /// The digests of all nodes: contract, and prose.
    fn digests(&mut self, refs: &mut Refs<'d>) -> (Vec<Fingerprint>, Vec<Fingerprint>) {
        self.write_all(refs);
        let stand_ins = settled(&self.stand_ins);
        let graph = self.contract.graph.redirected(&stand_ins);
        let nothing = self.nothing;
        let contract = digests(&graph, &self.contract.labels, nothing);
        let contract = stand_ins.iter().map(|stand_in| contract[*stand_in as usize]).collect();
        (contract, digests(&self.prose.graph, &self.prose.labels, nothing))
    }

    /// The fingerprints, operation by operation.
    pub(super) fn finish(mut self, refs: &mut Refs<'d>) -> Vec<Fingerprints> {
        let (contract, prose) = self.digests(refs);
        let part = |domain, own: Fingerprint, references: &mut dyn Iterator<Item = Fingerprint>| {
            let mut part = Digesting::of(domain);
            std::iter::once(own).chain(references).for_each(|digest| part.part(digest.as_bytes()));
            part.finish()
        };
        let reply = |Replies { contract: own, received }: &Replies| {
            part(Domain::Reply, *own, &mut received.iter().map(|at| contract[*at as usize]))
        };
        let replies: Vec<Fingerprint> = self.replies.iter().map(reply).collect();
        let operations = self.operations.iter().map(|operation| {
            let Operation { request, sent, replies: at, prose: own, security, destination } = operation;
            let received = &self.replies[*at as usize].received;
            Fingerprints {
                request: part(Domain::Request, *request, &mut sent.iter().map(|at| contract[*at as usize])),
                reply: replies[*at as usize],
                security: *security,
                destination: *destination,
                prose: part(
                    Domain::Prose,
                    *own,
                    &mut sent.iter().chain(received).map(|at| prose[*at as usize]),
                ),
            }
        });
        operations.collect()
    }

    /// The digests of a schema: contract, and prose.
    fn of_schema(mut self, schema: Node<'d>, refs: &mut Refs<'d>) -> (Fingerprint, Fingerprint) {
        let number = self.number(Kind::Schema, schema) as usize;
        let (contract, prose) = self.digests(refs);
        (contract[number], prose[number])
    }
}

/// The fingerprints of registered code, from the schemas of its contract (JSON Schema 2020-12).
pub(crate) fn registered(arguments: &Value, reply: Option<&Value>, summary: Option<&str>) -> Fingerprints {
    let (request, request_prose) = of_value(arguments);
    let (reply, reply_prose) = of_value(reply.unwrap_or(&Value::Bool(true)));
    let own = prose_label(summary.unwrap_or_default().as_bytes());
    let prose = [own, request_prose, reply_prose];
    Fingerprints {
        request: digest(Domain::Request, [request.as_bytes().as_slice()]),
        reply: digest(Domain::Reply, [reply.as_bytes().as_slice()]),
        security: security::undeclared(),
        destination: destination([]),
        prose: digest(Domain::Prose, prose.iter().map(|part| part.as_bytes().as_slice())),
    }
}

fn of_value(schema: &Value) -> (Fingerprint, Fingerprint) {
    let text = schema.to_string();
    match Document::from_json(text.as_bytes(), &Limits::default()) {
        Ok(document) => {
            let prints = Prints::new(&document, Version::V31);
            prints.of_schema(document.root(), &mut Refs::new(&document, None))
        }
        // Beyond the limits of documents only the spelling is known.
        Err(_) => (label(Kind::Schema, text.as_bytes()), prose_label(b"")),
    }
}

/// Servers in order: the first is the default.
fn destination<'u>(servers: impl IntoIterator<Item = &'u str>) -> Fingerprint {
    let mut text = text::Text::default();
    text.strings(servers);
    digest(Domain::Destination, [text.as_bytes()])
}

fn label(kind: Kind, text: &[u8]) -> Fingerprint {
    digest(Domain::Text, [[kind as u8].as_slice(), text])
}

fn prose_label(text: &[u8]) -> Fingerprint {
    digest(Domain::Text, [text])
}

/// Where each chain of stand-ins ends; a circle ends at one of its own.
fn settled(stand_ins: &[u32]) -> Vec<u32> {
    const OPEN: u32 = u32::MAX;
    let mut ends = vec![OPEN; stand_ins.len()];
    let mut path: Vec<u32> = Vec::new();
    for start in (0..).take(stand_ins.len()) {
        let mut at = start;
        while ends[at as usize] == OPEN {
            ends[at as usize] = at;
            path.push(at);
            at = stand_ins[at as usize];
        }
        let end = ends[at as usize];
        path.drain(..).for_each(|passed| ends[passed as usize] = end);
    }
    ends
}
