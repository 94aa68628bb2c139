//! A schema as its users hold it.

use std::sync::{Arc, OnceLock};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::bundle::Bundle;
use super::engine::Validator;
use super::shared::Schemas;
use super::source::{Direction, SchemaId, SchemaSource};
use super::violation::{SchemaError, Violation, told};

/// A schema that is compiled when it is first used, and kept.
#[derive(Clone)]
pub struct Schema(Origin);

/// Where the text of a schema is.
#[derive(Clone)]
enum Origin {
    Source { schemas: Arc<Schemas>, id: SchemaId, direction: Direction },
    Alone(Arc<Alone>),
}

struct Alone {
    schema: Value,
    validator: OnceLock<Result<Validator, SchemaError>>,
}

impl Schema {
    /// The schema that the source of `schemas` keeps under `id`.
    pub fn new(schemas: &Arc<Schemas>, id: SchemaId, direction: Direction) -> Self {
        Self(Origin::Source { schemas: Arc::clone(schemas), id, direction })
    }

    /// A schema that is complete in itself, in JSON Schema 2020-12; it may refer to its own `$defs`.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::catalog::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::alone(json!({"$ref": "#/$defs/count", "$defs": {"count": {"minimum": 1}}}));
    /// let violations = schema.violations(&json!(0)).expect("it is a schema");
    /// assert_eq!(violations[0].keyword, "minimum");
    /// ```
    #[must_use]
    pub fn alone(schema: Value) -> Self {
        Self(Origin::Alone(Arc::new(Alone { schema, validator: OnceLock::new() })))
    }

    /// Its name within its source; a schema that stands alone has none.
    #[must_use]
    pub fn id(&self) -> Option<SchemaId> {
        match &self.0 {
            Origin::Source { id, .. } => Some(*id),
            Origin::Alone(_) => None,
        }
    }

    /// The source that keeps it; a schema that stands alone has none.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<dyn SchemaSource>> {
        match &self.0 {
            Origin::Source { schemas, .. } => Some(schemas.source()),
            Origin::Alone(_) => None,
        }
    }

    /// The schema as one self-contained JSON Schema 2020-12 document.
    ///
    /// # Errors
    /// Where it, or one that it reaches, cannot be read from its source.
    pub fn to_value(&self) -> Result<Value, SchemaError> {
        match &self.0 {
            Origin::Source { schemas, id, direction } => {
                Ok(Bundle::of(schemas.source().as_ref(), &[*id], *direction)?.into_document())
            }
            Origin::Alone(alone) => Ok(alone.schema.clone()),
        }
    }

    /// The schema alone: what it refers to stands in it as [`Schema::referred`] takes it.
    pub(crate) fn to_own_value(&self) -> Result<Value, SchemaError> {
        match &self.0 {
            Origin::Source { schemas, id, direction } => schemas.source().write(*id, *direction),
            Origin::Alone(alone) => Ok(alone.schema.clone()),
        }
    }

    /// What a reference in [`to_own_value`](Self::to_own_value), or in what it led to, means; `None` where it leads
    /// nowhere that is known.
    pub(crate) fn referred(&self, reference: &str) -> Result<Option<Value>, SchemaError> {
        match &self.0 {
            Origin::Source { schemas, direction, .. } => {
                SchemaId::of(reference).map(|id| schemas.source().write(id, *direction)).transpose()
            }
            Origin::Alone(alone) => {
                let pointer = reference
                    .strip_prefix('#')
                    .map(|encoded| percent_decode_str(encoded).decode_utf8_lossy());
                Ok(pointer.and_then(|pointer| alone.schema.pointer(&pointer)).cloned())
            }
        }
    }

    /// Makes sure that the schema can be used, so that one that cannot is known before anything is sent.
    ///
    /// # Errors
    /// Where the schema, or one that it reaches, is no valid JSON Schema.
    pub fn prepare(&self) -> Result<(), SchemaError> {
        match &self.0 {
            Origin::Source { schemas, id, direction } => schemas.prepare(*id, *direction),
            Origin::Alone(alone) => alone.validator().map(|_| ()),
        }
    }

    /// The ways in which `value` breaks this schema, at most eight; empty if none.
    ///
    /// # Errors
    /// Where the schema itself cannot be used, or one that `value` leads to.
    pub fn violations(&self, value: &Value) -> Result<Vec<Violation>, SchemaError> {
        match &self.0 {
            Origin::Source { schemas, id, direction } => schemas.violations(*id, *direction, value),
            Origin::Alone(alone) => {
                let validator = alone.validator()?;
                Ok(told(validator.is_valid(value), || validator.violations(value)))
            }
        }
    }
}

impl Alone {
    fn validator(&self) -> Result<&Validator, SchemaError> {
        self.validator.get_or_init(|| Validator::complete(&self.schema)).as_ref().map_err(Clone::clone)
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Origin::Source { id, direction, .. } => write!(f, "Schema({}, {direction:?})", id.0),
            Origin::Alone(_) => f.write_str("Schema(alone)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_backtracks_without_end_is_given_up_and_named() {
        let schema = Schema::alone(serde_json::json!({"type": "string", "pattern": "^((?=a)a+)+$"}));
        assert_eq!(schema.violations(&"aaaa".into()), Ok(Vec::new()));
        let text = "a".repeat(40) + "b";
        let violations = schema.violations(&text.clone().into()).expect("a usable schema");
        assert_eq!(violations.first().map(|violation| violation.keyword.as_str()), Some("pattern"));
        assert!(!violations[0].message.contains(&text), "{}", violations[0].message);
    }
}
