//! A schema as its users hold it.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::bundle::Bundle;
use super::engine::Validator;
use super::source::{Direction, SchemaId, SchemaSource};
use super::violation::{SchemaError, Violation};

/// A schema that is built when it is first used, and kept.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    origin: Origin,
    validator: OnceLock<Result<Validator, SchemaError>>,
}

/// Where the text of a schema is.
enum Origin {
    Source { source: Arc<dyn SchemaSource>, id: SchemaId, direction: Direction },
    Alone(Value),
}

impl Schema {
    /// The schema that `source` keeps under `id`.
    pub fn new(source: Arc<dyn SchemaSource>, id: SchemaId, direction: Direction) -> Self {
        Self::of(Origin::Source { source, id, direction })
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
        Self::of(Origin::Alone(schema))
    }

    fn of(origin: Origin) -> Self {
        Self { inner: Arc::new(Inner { origin, validator: OnceLock::new() }) }
    }

    /// Its name within its source; a schema that stands alone has none.
    #[must_use]
    pub fn id(&self) -> Option<SchemaId> {
        match &self.inner.origin {
            Origin::Source { id, .. } => Some(*id),
            Origin::Alone(_) => None,
        }
    }

    /// The source that keeps it; a schema that stands alone has none.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<dyn SchemaSource>> {
        match &self.inner.origin {
            Origin::Source { source, .. } => Some(source),
            Origin::Alone(_) => None,
        }
    }

    /// The schema as one self-contained JSON Schema 2020-12 document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.inner.origin {
            Origin::Source { source, id, direction } => {
                Bundle::of(source.as_ref(), &[*id], *direction).into_document()
            }
            Origin::Alone(schema) => schema.clone(),
        }
    }

    /// Builds the validator now, so that a schema that cannot be used is known before anything is sent.
    ///
    /// # Errors
    /// Where the schema is no valid JSON Schema.
    pub fn prepare(&self) -> Result<(), SchemaError> {
        self.validator().map(|_| ())
    }

    /// The ways in which `value` breaks this schema, at most eight; empty if none.
    ///
    /// # Errors
    /// Where the schema itself cannot be used.
    pub fn violations(&self, value: &Value) -> Result<Vec<Violation>, SchemaError> {
        let validator = self.validator()?;
        if validator.is_valid(value) {
            return Ok(Vec::new());
        }
        Ok(validator.violations(value))
    }

    fn validator(&self) -> Result<&Validator, SchemaError> {
        self.inner
            .validator
            .get_or_init(|| Validator::complete(&self.to_value()))
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.inner.origin {
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
