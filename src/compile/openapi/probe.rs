//! What a schema says plainly about the kind of its values, for decisions on the wire form.

use std::collections::HashSet;

use smallvec::SmallVec;

use crate::compile::document::{Kind, Node};

use super::refs::Refs;

/// The kind of values that a schema allows, where one look tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    Scalar,
    Array,
    Object,
    /// Several kinds, or nobody can tell without a validator.
    Unknown,
}

/// A declared member of an object schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'d> {
    pub(super) name: &'d str,
    pub(super) schema: Node<'d>,
    pub(super) required: bool,
}

/// Looks deeper than this into references are given up.
const DEEPEST: usize = 16;

/// Looks at schemas.
#[derive(Debug)]
pub(super) struct Probe<'r, 'd> {
    refs: &'r mut Refs<'d>,
}

impl<'r, 'd> Probe<'r, 'd> {
    pub(super) fn new(refs: &'r mut Refs<'d>) -> Self {
        Self { refs }
    }

    /// The kind of values that the schema allows; `null` aside, which is left out of a request.
    pub(super) fn plain(&mut self, schema: Node<'d>) -> Plain {
        let Some(schema) = self.resolved(schema) else { return Plain::Unknown };
        let Some(types) = schema.get("type") else { return enumerated(schema) };
        let mut words: SmallVec<[&str; 2]> = match types.kind() {
            Kind::Array => types.items().filter_map(Node::as_str).collect(),
            _ => types.as_str().into_iter().collect(),
        };
        words.retain(|word| *word != "null");
        match words[..] {
            [] => Plain::Unknown,
            ["array"] => Plain::Array,
            ["object"] => Plain::Object,
            _ if words.iter().all(|word| matches!(*word, "string" | "number" | "integer" | "boolean")) => {
                Plain::Scalar
            }
            _ => Plain::Unknown,
        }
    }

    /// Whether the items of an array schema are plainly lists or objects.
    pub(super) fn items_are_nested(&mut self, schema: Node<'d>) -> bool {
        let items = self.resolved(schema).and_then(|schema| schema.get("items"));
        items.is_some_and(|items| self.is_nested(items))
    }

    /// The declared members of an object schema.
    pub(super) fn members(&mut self, schema: Node<'d>) -> Vec<Member<'d>> {
        let Some(schema) = self.resolved(schema) else { return Vec::new() };
        let required: HashSet<&str> =
            schema.get("required").into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
        let members = schema.get("properties").into_iter().flat_map(Node::entries);
        members.map(|(name, schema)| Member { name, schema, required: required.contains(name) }).collect()
    }

    /// Whether values are plainly lists or objects.
    pub(super) fn is_nested(&mut self, schema: Node<'d>) -> bool {
        matches!(self.plain(schema), Plain::Array | Plain::Object)
    }

    fn resolved(&mut self, schema: Node<'d>) -> Option<Node<'d>> {
        let mut at = schema;
        for _ in 0..DEEPEST {
            let Some(reference) = at.get("$ref") else { return Some(at) };
            at = self.refs.target(reference, reference.as_str()?).ok()?;
        }
        None
    }
}

fn enumerated(schema: Node<'_>) -> Plain {
    let Some(values) = schema.get("enum").filter(|values| !values.is_empty()) else { return Plain::Unknown };
    let all_scalar = values.items().all(|value| !matches!(value.kind(), Kind::Array | Kind::Object));
    if all_scalar { Plain::Scalar } else { Plain::Unknown }
}
