//! One look at every schema that an operation reaches.
//!
//! The walk is memoised over the nodes of the document, so that it is linear in the document however many operations
//! share a schema, and it keeps its own stack, so that depth costs no recursion. Schemas for the same value (`allOf`,
//! references) are followed depth first: a circle of these alone has no end and is told. What is broken is carried
//! backwards over all edges at the end, so that exactly the operations that reach it are lost.

use std::collections::BTreeSet;

use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Node, NodeId};

use super::super::maps::NodeMap;
use super::super::refs::{Problem, Refs, circle};
use super::super::version::Version;
use super::keywords::{Keyword, belongs, is_known_dialect, keyword};
use super::read::{self, Form, Reading, Remark};

/// How far the walk got with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the path of schemas for the same value.
    Open,
    Done,
}

/// The walk.
#[derive(Debug)]
pub(crate) struct Check<'d> {
    version: Version,
    states: Vec<State>,
    /// Schemas for parts, still to be looked at.
    pending: Vec<Node<'d>>,
    /// Empty between two descents; kept so that a descent allocates nothing.
    same: Vec<Node<'d>>,
    frames: Vec<Frame>,
    /// From a schema to one that it uses.
    edges: Vec<(NodeId, NodeId)>,
    broken: Vec<(NodeId, Problem<'d>)>,
    /// The regular expressions, each once.
    patterns: BTreeSet<&'d str>,
}

/// Schemas for the same value that are being looked at: a node and what is left of its own.
#[derive(Debug)]
struct Frame {
    node: NodeId,
    next: usize,
    end: usize,
}

impl<'d> Check<'d> {
    pub(in super::super) fn new(version: Version) -> Self {
        Self {
            version,
            states: Vec::new(),
            pending: Vec::new(),
            same: Vec::new(),
            frames: Vec::new(),
            edges: Vec::new(),
            broken: Vec::new(),
            patterns: BTreeSet::new(),
        }
    }

    /// Looks at a schema and everything that it reaches.
    pub(in super::super) fn visit(&mut self, root: Node<'d>, refs: &mut Refs<'d>, sink: &mut Sink) {
        self.pending.push(root);
        while let Some(node) = self.pending.pop() {
            if self.state(node.id()) == State::New {
                self.descend(node, refs, sink);
            }
        }
    }

    fn state(&self, id: NodeId) -> State {
        self.states.get(id.0 as usize).copied().unwrap_or(State::New)
    }

    fn set(&mut self, id: NodeId, state: State) {
        let at = id.0 as usize;
        if at >= self.states.len() {
            self.states.resize(at + 1, State::New);
        }
        self.states[at] = state;
    }

    /// Follows schemas for the same value, depth first.
    fn descend(&mut self, root: Node<'d>, refs: &mut Refs<'d>, sink: &mut Sink) {
        let (mut same, mut frames) = (std::mem::take(&mut self.same), std::mem::take(&mut self.frames));
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                self.set(node.id(), State::Open);
                let start = same.len();
                Scan { check: self, refs, sink, node, same: &mut same }.run();
                frames.push(Frame { node: node.id(), next: start, end: same.len() });
            }
            let Some(frame) = frames.last_mut() else { break };
            if frame.next == frame.end {
                let node = frame.node;
                frames.pop();
                same.truncate(frames.last().map_or(0, |below| below.end));
                self.set(node, State::Done);
                continue;
            }
            let node = same[frame.next];
            frame.next += 1;
            let from = frame.node;
            match self.state(node.id()) {
                State::New => entering = Some(node),
                State::Open => self.broken.push((from, circle(node))),
                State::Done => {}
            }
        }
        (self.same, self.frames) = (same, frames);
    }

    /// How much that was looked at is broken.
    pub(in super::super) fn broken_count(&self) -> usize {
        self.broken.len()
    }

    /// The regular expressions in everything that was looked at.
    pub(in super::super) fn patterns(&self) -> impl Iterator<Item = &'d str> {
        self.patterns.iter().copied()
    }

    /// What is broken, by every schema that reaches it.
    pub(in super::super) fn finish(self) -> Broken<'d> {
        let Self { mut edges, broken, .. } = self;
        let mut causes: NodeMap<usize> = NodeMap::default();
        let mut queue: Vec<NodeId> = Vec::new();
        for (at, (node, _)) in broken.iter().enumerate() {
            if causes.insert(*node, at).is_none() {
                queue.push(*node);
            }
        }
        if !queue.is_empty() {
            edges.sort_unstable_by_key(|(_, to)| *to);
        }
        while let Some(reached) = queue.pop() {
            let Some(&cause) = causes.get(&reached) else { continue };
            let first = edges.partition_point(|(_, to)| *to < reached);
            for (from, _) in edges[first..].iter().take_while(|(_, to)| *to == reached) {
                causes.entry(*from).or_insert_with(|| {
                    queue.push(*from);
                    cause
                });
            }
        }
        Broken { causes, problems: broken.into_iter().map(|(_, problem)| problem).collect() }
    }
}

/// The schemas that cannot be used.
#[derive(Debug)]
pub(crate) struct Broken<'d> {
    causes: NodeMap<usize>,
    problems: Vec<Problem<'d>>,
}

impl<'d> Broken<'d> {
    /// Whether every schema can be used.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Why this schema cannot be used, by the number of the problem.
    pub(in super::super) fn cause(&self, schema: NodeId) -> Option<usize> {
        self.causes.get(&schema).copied()
    }

    /// The problem of this number.
    pub(in super::super) fn problem(&self, number: usize) -> &Problem<'d> {
        &self.problems[number]
    }
}

/// One look at one schema.
struct Scan<'c, 'd> {
    check: &'c mut Check<'d>,
    refs: &'c mut Refs<'d>,
    sink: &'c mut Sink,
    node: Node<'d>,
    /// Takes the schemas for the same value.
    same: &'c mut Vec<Node<'d>>,
}

impl<'d> Scan<'_, 'd> {
    fn run(mut self) {
        let version = self.check.version;
        let is_additional = self.node.key() == Some("additionalProperties");
        let form = self.take("", self.node, read::schema(self.node, version, is_additional));
        let Some(Form::Keywords(node)) = form else { return };
        if let Some(reference) = node.get("$ref") {
            self.reference(reference);
            if version == Version::V30 {
                self.siblings(node);
                return;
            }
        }
        for (name, value) in node.entries() {
            if let Some(keyword) = keyword(name) {
                self.keyword(name, keyword, value);
            }
        }
    }

    fn reference(&mut self, reference: Node<'d>) {
        let Some(text) = reference.as_str() else {
            let code = DiagnosticCode::UnresolvedReference;
            return self.broken(Problem::new(code, reference, "`$ref` has to be a string"));
        };
        match self.refs.target(reference, text) {
            Ok(target) => self.same(target),
            Err(problem) => self.broken(problem),
        }
    }

    /// Reference Object of 3.0: additional properties SHALL be ignored.
    fn siblings(&mut self, node: Node<'d>) {
        let ignored: Vec<&str> = node
            .entries()
            .map(|(name, _)| name)
            .filter(|name| keyword(name).is_some_and(Keyword::asserts))
            .collect();
        if !ignored.is_empty() {
            let message = format!(
                "`{}` beside `$ref` is ignored in OpenAPI 3.0; wrap the reference in `allOf` to apply it",
                ignored.join("`, `")
            );
            self.sink.warn(DiagnosticCode::IgnoredKeyword, node, None, message);
        }
    }

    fn keyword(&mut self, name: &str, keyword: Keyword, value: Node<'d>) {
        let version = self.check.version;
        if !belongs(name, version) {
            let (code, message) = match version {
                Version::V30 => (
                    DiagnosticCode::ReadByIntent,
                    format!("`{name}` is no keyword of OpenAPI 3.0; read as OpenAPI 3.1 would"),
                ),
                Version::V31 => (
                    DiagnosticCode::IgnoredKeyword,
                    format!("`{name}` is no keyword of OpenAPI 3.1; ignored, write `type: [.., \"null\"]`"),
                ),
            };
            self.sink.warn(code, value, None, message);
            if version == Version::V31 {
                return;
            }
        }
        match keyword {
            Keyword::Type => drop(self.take(name, value, read::types(value, version))),
            Keyword::Nullable | Keyword::Flag => drop(self.take(name, value, read::flag(value))),
            Keyword::Number => drop(self.take(name, value, read::number(value))),
            Keyword::Count(bound) => drop(self.take(name, value, read::count(value, bound))),
            Keyword::Exclusive { .. } => drop(self.take(name, value, read::exclusive(value, version))),
            Keyword::Text => {
                let pattern = self.take(name, value, read::text(value));
                self.check.patterns.extend(pattern);
            }
            Keyword::Names => drop(self.take(name, value, read::names(value))),
            Keyword::DataList => drop(self.take(name, value, read::data_list(value))),
            Keyword::NamesByName => {
                if let Some(names) = self.take(name, value, read::by_name(value)) {
                    for (_, value) in names.entries() {
                        self.take(name, value, read::names(value));
                    }
                }
            }
            Keyword::SameSchema => self.same(value),
            Keyword::SameSchemas => {
                if let Some(list) = self.take(name, value, read::list(value)) {
                    list.items().for_each(|schema| self.same(schema));
                }
            }
            Keyword::SameSchemasByName => {
                if let Some(schemas) = self.take(name, value, read::by_name(value)) {
                    schemas.entries().for_each(|(_, schema)| self.same(schema));
                }
            }
            Keyword::PartSchema | Keyword::PartSchemaOrFlag => self.part(value),
            Keyword::Items => self.items(value),
            Keyword::AdditionalItems => {
                if self.node.get("items").is_some_and(is_list) {
                    self.part(value);
                }
            }
            Keyword::PartSchemas => {
                if let Some(list) = self.take(name, value, read::list(value)) {
                    list.items().for_each(|schema| self.part(schema));
                }
            }
            Keyword::PartSchemasByName => {
                if let Some(schemas) = self.take(name, value, read::by_name(value)) {
                    if name == "patternProperties" {
                        self.check.patterns.extend(schemas.entries().map(|(pattern, _)| pattern));
                    }
                    schemas.entries().for_each(|(_, schema)| self.part(schema));
                }
            }
            Keyword::Dialect => self.dialect(value),
            Keyword::Unsupported => self.unsupported(name, value),
            Keyword::Data | Keyword::Note | Keyword::NoteFlag | Keyword::NoteData | Keyword::Travel => {}
        }
    }

    fn items(&mut self, value: Node<'d>) {
        if !is_list(value) {
            return self.part(value);
        }
        let message = "a schema is due under `items`; the list is read as `prefixItems`";
        self.sink.warn(DiagnosticCode::ReadByIntent, value, None, message);
        value.items().for_each(|schema| self.part(schema));
    }

    fn dialect(&mut self, value: Node<'d>) {
        let uri = value.as_str().unwrap_or_default();
        if self.check.version == Version::V31 && !is_known_dialect(uri) {
            let message =
                format!("the dialect `{uri}` is not supported; write the schema in JSON Schema 2020-12");
            self.broken(Problem::new(DiagnosticCode::UnsupportedDialect, value, message));
        }
    }

    fn unsupported(&mut self, name: &str, value: Node<'d>) {
        if self.check.version == Version::V31 {
            let message = format!(
                "`{name}` is not supported yet; refer by a JSON pointer such as #/components/schemas/Pet"
            );
            self.broken(Problem::new(DiagnosticCode::UnsupportedSchema, value, message));
        }
    }

    fn same(&mut self, schema: Node<'d>) {
        self.check.edges.push((self.node.id(), schema.id()));
        self.same.push(schema);
    }

    fn part(&mut self, schema: Node<'d>) {
        self.check.edges.push((self.node.id(), schema.id()));
        if self.check.state(schema.id()) == State::New {
            self.check.pending.push(schema);
        }
    }

    fn broken(&mut self, problem: Problem<'d>) {
        self.check.broken.push((self.node.id(), problem));
    }

    /// Tells what a reading had to say and passes its value on.
    fn take<T>(&mut self, name: &str, node: Node<'d>, reading: Reading<T>) -> Option<T> {
        let about = |message| if name.is_empty() { message } else { format!("`{name}`: {message}") };
        match reading.remark {
            None => {}
            Some(Remark::Intent(message)) => {
                self.sink.warn(DiagnosticCode::ReadByIntent, node, None, about(message));
            }
            Some(Remark::Ignored(message)) => {
                self.sink.warn(DiagnosticCode::IgnoredKeyword, node, None, about(message));
            }
            Some(Remark::Broken(message)) => {
                let problem = Problem::new(DiagnosticCode::InvalidSchema, node, about(message));
                self.broken(problem);
            }
        }
        reading.value
    }
}

fn is_list(node: Node<'_>) -> bool {
    node.kind() == crate::compile::document::Kind::Array
}
