//! The schemas of a document, written out when somebody uses them.

use std::sync::OnceLock;

use serde_json::Value;
use url::Url;

use crate::catalog::{Direction, SchemaError, SchemaId, SchemaSource};
use crate::compile::document::{Document, Node, NodeId};

use super::super::refs::{self, Refs};
use super::super::version::Version;
use super::name;
use super::write::Writer;

/// Pure references are followed this far to the schema that they stand for.
const LONGEST_CHAIN: usize = 64;

/// The document, and what is needed to read its schemas; a schema's id is its node's.
#[derive(Debug)]
pub(crate) struct DocumentSchemas {
    pub(super) document: Document,
    pub(super) document_url: Option<Url>,
    pub(super) version: Version,
    /// The regular expressions that the check met.
    patterns: OnceLock<Vec<String>>,
}

impl DocumentSchemas {
    pub(in super::super) fn new(document: Document, document_url: Option<Url>, version: Version) -> Self {
        Self { document, document_url, version, patterns: OnceLock::new() }
    }

    /// Keeps the regular expressions that the check met, once it is through.
    pub(in super::super) fn keep_patterns<'p>(&self, patterns: impl Iterator<Item = &'p str>) {
        self.patterns.get_or_init(|| patterns.map(str::to_owned).collect());
    }

    /// The node that a `$ref` names.
    pub(super) fn target<'d>(&'d self, reference: Node<'d>) -> Option<Node<'d>> {
        refs::target(&self.document, self.document_url.as_ref(), reference.as_str()?).ok()
    }
}

impl SchemaSource for DocumentSchemas {
    fn write(&self, id: SchemaId, direction: Direction) -> Result<Value, SchemaError> {
        Ok(Writer::new(self, direction).write(self.document.node(NodeId(id.0))))
    }

    fn name(&self, id: SchemaId) -> Result<String, SchemaError> {
        Ok(name::of(self.document.node(NodeId(id.0)), name::components(&self.document)))
    }

    fn patterns(&self) -> Result<Vec<String>, SchemaError> {
        Ok(self.patterns.get().cloned().unwrap_or_default())
    }

    fn owner(&self, name: &str) -> Result<Option<SchemaId>, SchemaError> {
        let component = name::components(&self.document).and_then(|components| components.get(name));
        Ok(component.map(|component| SchemaId(component.id().0)))
    }

    fn own_names(&self) -> Result<Vec<String>, SchemaError> {
        let components = name::components(&self.document).into_iter().flat_map(Node::entries);
        Ok(components.map(|(name, _)| name.to_owned()).collect())
    }
}

/// The schema that a place stands for: a pure reference is the same as its target, so that operations which refer to
/// one component share its validator.
pub(in super::super) fn root<'d>(schema: Node<'d>, version: Version, refs: &mut Refs<'d>) -> Node<'d> {
    let mut at = schema;
    for _ in 0..LONGEST_CHAIN {
        let Some(reference) = at.get("$ref") else { return at };
        let is_pure = version == Version::V30 || at.len() == 1;
        let target = reference.as_str().and_then(|text| refs.target(reference, text).ok());
        match target.filter(|_| is_pure) {
            Some(target) => at = target,
            None => return at,
        }
    }
    schema
}
