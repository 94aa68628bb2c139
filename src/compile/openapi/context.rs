//! What all rooms of the compiler share while they read one document.

use std::rc::Rc;
use std::sync::Arc;

use crate::catalog::{Direction, Schema, SchemaId, SchemaSource, Schemas};
use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Document, Node, NodeId};
use crate::compile::{Options, UndefinedStyles};

use super::body::{self, Body};
use super::fingerprint::Prints;
use super::known::Known;
use super::maps::NodeMap;
use super::params::{self, Read};
use super::refs::{Problem, Refs};
use super::repeated::Repeated;
use super::replies::{Declared, Responses};
use super::schema::{self, Check, DocumentSchemas};
use super::security::SecurityReader;
use super::servers::ServerReader;
use super::version::Version;

/// The document, and everything that is remembered so that nothing is read twice.
#[derive(Debug)]
pub(super) struct Context<'d> {
    pub(super) document: &'d Document,
    pub(super) version: Version,
    pub(super) refs: Refs<'d>,
    pub(super) sink: Sink,
    pub(super) check: Check<'d>,
    pub(super) servers: ServerReader<'d>,
    pub(super) security: SecurityReader<'d>,
    pub(super) repeated: Repeated,
    pub(super) prints: Prints<'d>,
    /// Responses Objects that were read.
    pub(super) responses: Known<'d, Rc<Responses>>,
    /// Response Objects that were read.
    pub(super) replies: Known<'d, Rc<Declared>>,
    parameters: Known<'d, Read<'d>>,
    bodies: Known<'d, Rc<Body<'d>>>,
    pub(super) undefined: UndefinedStyles,
    pub(super) source: Arc<DocumentSchemas>,
    schemas: Arc<Schemas>,
    /// The schema that each place stands for.
    roots: NodeMap<NodeId>,
}

impl<'d> Context<'d> {
    pub(super) fn new(document: &'d Document, options: &'d Options, version: Version) -> Self {
        let document_url = options.document_url.as_ref();
        let source = Arc::new(DocumentSchemas::new(document.clone(), document_url.cloned(), version));
        Self {
            document,
            version,
            refs: Refs::new(document, document_url),
            sink: Sink::default(),
            check: Check::new(version),
            servers: ServerReader::new(options),
            security: SecurityReader::default(),
            repeated: Repeated::new(document),
            prints: Prints::new(document, version),
            responses: Known::default(),
            replies: Known::default(),
            parameters: Known::default(),
            bodies: Known::default(),
            undefined: options.undefined_styles,
            schemas: Schemas::new(Arc::clone(&source) as Arc<dyn SchemaSource>),
            source,
            roots: NodeMap::default(),
        }
    }

    /// How much was said so far, or will be said about what is broken.
    pub(super) fn said(&self) -> usize {
        self.sink.said + self.check.broken_count()
    }

    /// The schema that a place stands for, looked at with everything that it reaches.
    pub(super) fn schema(&mut self, place: Node<'d>, direction: Direction) -> Schema {
        let root = match self.roots.get(&place.id()) {
            Some(root) => *root,
            None => self.new_root(place),
        };
        Schema::new(&self.schemas, SchemaId(root.0), direction)
    }

    fn new_root(&mut self, place: Node<'d>) -> NodeId {
        let root = schema::root(place, self.version, &mut self.refs);
        self.check.visit(root, &mut self.refs, &mut self.sink);
        self.roots.insert(place.id(), root.id());
        root.id()
    }

    /// A parameter or a reference to one. Remarks are made once; about the operation if it alone has the parameter.
    pub(super) fn parameter(
        &mut self,
        place: Node<'d>,
        operation: Option<&str>,
    ) -> Result<Read<'d>, Problem<'d>> {
        if let Some(known) = self.parameters.get(place) {
            return Ok(known.clone());
        }
        let node = self.refs.object(place)?;
        if let Some(known) = self.parameters.get(node) {
            return Ok(known.clone());
        }
        let about = operation.filter(|_| node.id() == place.id());
        let said = self.said();
        let mut remarks = Vec::new();
        let read = params::read(self, node, &mut remarks);
        if let Read::Parameter(parameter) = &read
            && !parameter.required
            && let Err((code, reason)) = &parameter.style
        {
            remarks.push((*code, format!("{}: {reason}; a call that uses it is refused", parameter.label())));
        }
        for (code, message) in remarks {
            self.sink.warn(code, node, about, message);
        }
        // What is to be refused is told of each operation that it costs, with its own place.
        let can_be_used = matches!(&read, Read::Parameter(parameter) if parameter.style.is_ok());
        self.parameters.insert(node, read.clone(), can_be_used && self.said() == said);
        Ok(read)
    }

    /// A request body or a reference to one. Remarks are made once, as for parameters.
    pub(super) fn body(&mut self, place: Node<'d>, operation: &str) -> Result<Rc<Body<'d>>, Problem<'d>> {
        if let Some(known) = self.bodies.get(place) {
            return Ok(Rc::clone(known));
        }
        let node = self.refs.object(place)?;
        if let Some(known) = self.bodies.get(node) {
            return Ok(Rc::clone(known));
        }
        let about = (node.id() == place.id()).then_some(operation);
        let said = self.said();
        let mut remarks = Vec::new();
        let body = Rc::new(body::read(self, node, &mut remarks));
        for (code, message) in remarks {
            self.sink.warn(code, node, about, message);
        }
        self.bodies.insert(node, Rc::clone(&body), body.content.is_ok() && self.said() == said);
        Ok(body)
    }

    /// Says what costs an operation.
    pub(super) fn lose(&mut self, operation: &str, problem: &Problem<'d>) {
        self.sink.error(problem.code, problem.node, Some(operation), problem.message.as_str());
    }

    /// Says something about an operation that costs nothing.
    pub(super) fn warn(
        &mut self,
        code: DiagnosticCode,
        node: Node<'d>,
        operation: &str,
        message: impl Into<String>,
    ) {
        self.sink.warn(code, node, Some(operation), message);
    }
}
