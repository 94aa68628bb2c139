//! Where schemas come from.

use serde_json::{Map, Value};

use super::violation::SchemaError;

/// What a reference begins with; the id in decimal follows.
const PREFIX: &str = "#/$defs/";

/// Which way a value travels: `readOnly` members are not required in requests, `writeOnly` ones not in replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// What we send.
    Request,
    /// What we receive.
    Reply,
}

/// The name of a schema within its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SchemaId(pub u32);

/// Where schemas come from: a document, say, which is kept and from which a schema is written out only when it is
/// used.
pub trait SchemaSource: Send + Sync + std::fmt::Debug {
    /// One schema alone in JSON Schema 2020-12: what it refers to stands there as [`SchemaId::reference`], never
    /// written in. It has no `$defs`, `$id` or anchor, and no other references.
    ///
    /// # Errors
    /// Where it cannot be read: a source may keep its schemas elsewhere.
    fn write(&self, id: SchemaId, direction: Direction) -> Result<Value, SchemaError>;

    /// Makes sure that everything of it can be read from now on. It is asked before a call: what a reply meets must not
    /// be the first to fail.
    ///
    /// # Errors
    /// Where something cannot be read.
    fn hold(&self) -> Result<(), SchemaError> {
        Ok(())
    }

    /// What a reader would call it: of letters, digits, `-`, `.` and `_`, not empty, and not necessarily unique.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    fn name(&self, id: SchemaId) -> Result<String, SchemaError>;

    /// Every regular expression in the schemas that are used, under `pattern` or `patternProperties`; more do not
    /// matter. They are tried before a call, so that none turns out to be wrong after it.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    fn patterns(&self) -> Result<Vec<String>, SchemaError>;

    /// The schema whose own name this is, whether or not anything refers to it. Names that are made up for other
    /// schemas stay clear of it, so that a name means the same schema in every bundle.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    fn owner(&self, _name: &str) -> Result<Option<SchemaId>, SchemaError> {
        Ok(None)
    }

    /// All names that have an [`owner`](Self::owner).
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    fn own_names(&self) -> Result<Vec<String>, SchemaError> {
        Ok(Vec::new())
    }
}

impl SchemaId {
    /// What `$ref` says in the text of another schema to refer to this one: `#/$defs/<id>`.
    #[must_use]
    pub fn reference(self) -> String {
        format!("{PREFIX}{}", self.0)
    }

    /// The schema that `keywords` refer to; `None` without `$ref`, or where that is not ours.
    pub(in crate::catalog) fn referred(keywords: &Map<String, Value>) -> Option<Self> {
        Self::of(keywords.get("$ref")?.as_str()?)
    }

    /// What a reference means; `None` where it is not ours.
    pub(super) fn of(reference: &str) -> Option<Self> {
        reference.strip_prefix(PREFIX)?.parse().ok().map(Self)
    }
}
