//! Schemas of arguments and replies; the only room that names the jsonschema crate.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

/// How often a pattern with look-around may backtrack on one string, some milliseconds of work. Documents are not
/// trusted, and neither is the text that their patterns meet; beyond it the string counts as not matching.
const MOST_BACKTRACKING: usize = 100_000;

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

/// Where schemas come from: the compiler keeps the document and writes a schema out only when it is used.
pub trait SchemaSource: Send + Sync + std::fmt::Debug {
    /// These schemas in JSON Schema 2020-12, with everything that they reach.
    fn bundle(&self, roots: &[SchemaId], direction: Direction) -> Bundle;
}

/// Schemas that share definitions: each refers to `#/$defs/<name>`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// The schemas asked for, in order.
    pub schemas: Vec<Value>,
    /// What they refer to, by name.
    pub definitions: Map<String, Value>,
}

/// A schema that is built when it is first used, and kept.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    source: Arc<dyn SchemaSource>,
    id: SchemaId,
    direction: Direction,
    validator: OnceLock<Result<jsonschema::Validator, SchemaError>>,
}

/// A schema that is no valid JSON Schema; the text says where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct SchemaError(String);

/// One way in which a value breaks its schema; the value itself is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value, as a JSON pointer.
    pub pointer: String,
    /// The keyword that it breaks.
    pub keyword: String,
    /// One line, without the value.
    pub message: String,
}

impl Schema {
    /// The schema that `source` keeps under `id`.
    pub fn new(source: Arc<dyn SchemaSource>, id: SchemaId, direction: Direction) -> Self {
        Self { inner: Arc::new(Inner { source, id, direction, validator: OnceLock::new() }) }
    }

    /// Its name within its source.
    pub fn id(&self) -> SchemaId {
        self.inner.id
    }

    /// The source that keeps it.
    pub fn source(&self) -> &Arc<dyn SchemaSource> {
        &self.inner.source
    }

    /// The schema as one self-contained JSON Schema 2020-12 document.
    pub fn to_value(&self) -> Value {
        let Bundle { mut schemas, definitions } =
            self.inner.source.bundle(&[self.inner.id], self.inner.direction);
        let root = schemas.pop().unwrap_or(Value::Bool(true));
        match root {
            Value::Object(mut object) if !definitions.is_empty() => {
                object.insert("$defs".to_owned(), Value::Object(definitions));
                Value::Object(object)
            }
            other => other,
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
        const MOST: usize = 8;
        let validator = self.validator()?;
        if validator.is_valid(value) {
            return Ok(Vec::new());
        }
        Ok(validator.iter_errors(value).take(MOST).map(|error| violation(&error)).collect())
    }

    fn validator(&self) -> Result<&jsonschema::Validator, SchemaError> {
        self.inner
            .validator
            .get_or_init(|| {
                jsonschema::options()
                    .with_draft(jsonschema::Draft::Draft202012)
                    .offline()
                    .should_validate_formats(false)
                    .with_pattern_options(
                        jsonschema::PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKING),
                    )
                    .build(&self.to_value())
                    .map_err(|error| SchemaError(format!("{} at {}", error.masked(), error.instance_path())))
            })
            .as_ref()
            .map_err(Clone::clone)
    }
}

fn violation(error: &jsonschema::ValidationError<'_>) -> Violation {
    Violation {
        pointer: error.instance_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message: masked(error),
    }
}

/// Property names in a message come from the value where the schema has no such name; those are masked too.
fn masked(error: &jsonschema::ValidationError<'_>) -> String {
    use jsonschema::error::ValidationErrorKind as Kind;
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("{} of its property names are not allowed", unexpected.len())
        }
        Kind::PropertyNames { error } => format!("a property name is not allowed: {}", masked(error)),
        _ => error.masked().to_string(),
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Schema({}, {:?})", self.inner.id.0, self.inner.direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct One(Value);

    impl SchemaSource for One {
        fn bundle(&self, _: &[SchemaId], _: Direction) -> Bundle {
            Bundle { schemas: vec![self.0.clone()], ..Bundle::default() }
        }
    }

    #[test]
    fn a_pattern_that_backtracks_without_end_is_given_up_and_named() {
        let schema = serde_json::json!({"type": "string", "pattern": "^((?=a)a+)+$"});
        let schema = Schema::new(Arc::new(One(schema)), SchemaId(0), Direction::Request);
        assert_eq!(schema.violations(&"aaaa".into()), Ok(Vec::new()));
        let text = "a".repeat(40) + "b";
        let violations = schema.violations(&text.clone().into()).expect("a usable schema");
        assert_eq!(violations.first().map(|violation| violation.keyword.as_str()), Some("pattern"));
        assert!(!violations[0].message.contains(&text), "{}", violations[0].message);
    }
}
