//! The validation engine; the only file that names the jsonschema crate.

use std::sync::{Arc, Weak};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, Keyword, PatternCache, PatternOptions, ValidationError, ValidationOptions};
use serde_json::Value;

use super::source::SchemaId;
use super::violation::{SchemaError, Violation};

/// How many violations are told of one value.
const MOST_VIOLATIONS: usize = 8;

/// How often a pattern with look-around may backtrack on one string, some milliseconds of work. Documents are not
/// trusted, and neither is the text that their patterns meet; beyond it the string counts as not matching.
const MOST_BACKTRACKING: usize = 100_000;

/// Our own keyword: its value is the id of a schema that judges the same value, elsewhere.
pub(super) const SHARED: &str = "x-shared";

/// Regular expressions that were compiled; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns(PatternCache);

/// A schema, ready to judge values.
#[derive(Debug)]
pub(super) struct Validator(Box<jsonschema::Validator>);

/// A schema that judges for [`SHARED`].
pub(super) trait Component: Send + Sync {
    /// Whether the value keeps the schema.
    fn is_valid(&self, value: &Value) -> bool;

    /// The ways in which it does not, at most eight; pointers begin at `value`.
    fn violations(&self, value: &Value) -> Arc<[Violation]>;
}

impl Patterns {
    /// Whether this is a regular expression.
    pub(super) fn is_usable(&self, pattern: &str) -> bool {
        let options = options().with_pattern_cache(self.0.clone());
        build(&options, &serde_json::json!({ "pattern": pattern })).is_ok()
    }
}

impl Validator {
    /// The validator of a schema that is complete in itself.
    pub(super) fn complete(schema: &Value) -> Result<Self, SchemaError> {
        build(&options(), schema)
    }

    /// The validator of a schema that has other schemas judge for it; `component` says which.
    pub(super) fn sharing(
        schema: &Value,
        patterns: &Patterns,
        component: impl Fn(SchemaId) -> Option<Weak<dyn Component>> + Send + Sync + 'static,
    ) -> Result<Self, SchemaError> {
        let component = move |value: &Value| component(SchemaId(value.as_u64()?.try_into().ok()?));
        let options = options().with_pattern_cache(patterns.0.clone()).with_keyword(
            SHARED,
            move |_: &serde_json::Map<String, Value>, value, _| match component(value) {
                Some(component) => Ok(Box::new(Shared(component)) as Box<dyn for<'i> Keyword<'i>>),
                None => Err(ValidationError::schema("it refers to no schema")),
            },
        );
        build(&options, schema)
    }

    pub(super) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// The ways in which `value` breaks the schema, at most eight.
    pub(super) fn violations(&self, value: &Value) -> Vec<Violation> {
        let mut violations = Vec::new();
        for error in self.0.iter_errors(value) {
            tell(&error, &mut violations);
            if violations.len() >= MOST_VIOLATIONS {
                violations.truncate(MOST_VIOLATIONS);
                break;
            }
        }
        violations
    }
}

fn options<'i>() -> ValidationOptions<'i> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKING))
}

fn build(options: &ValidationOptions<'_>, schema: &Value) -> Result<Validator, SchemaError> {
    options
        .build(schema)
        .map(|validator| Validator(Box::new(validator)))
        .map_err(|error| SchemaError::new(format!("{} at {}", error.masked(), error.instance_path())))
}

/// The keyword [`SHARED`].
///
/// The engine puts the place of the keyword into whatever error comes out of one, so what the component has to tell
/// goes through as the message: pointer, keyword and text of each violation, in JSON.
struct Shared(Weak<dyn Component>);

impl<'i> Keyword<'i> for Shared {
    fn is_valid(&self, instance: &'i Value) -> bool {
        // Who holds the validator holds the component; were it gone, nothing may pass.
        let Some(component) = self.0.upgrade() else { return false };
        component.is_valid(instance)
    }

    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        let violations: Arc<[Violation]> = match self.0.upgrade() {
            Some(component) => component.violations(instance),
            None => [Violation::unexplained()].into(),
        };
        if violations.is_empty() { Ok(()) } else { Err(ValidationError::custom(packed(&violations))) }
    }
}

type Packed<T> = Vec<(T, T, T)>;

fn packed(violations: &[Violation]) -> String {
    let parts: Packed<&str> =
        violations.iter().map(|v| (v.pointer.as_str(), v.keyword.as_str(), v.message.as_str())).collect();
    serde_json::to_string(&parts).unwrap_or_default()
}

/// What came through [`Shared`]; `None` for every other error.
fn unpacked(error: &ValidationError<'_>) -> Option<Packed<String>> {
    match error.kind() {
        Kind::Custom { keyword, message } if keyword == SHARED => serde_json::from_str(message).ok(),
        _ => None,
    }
}

fn tell(error: &ValidationError<'_>, violations: &mut Vec<Violation>) {
    let at = error.instance_path().as_str();
    if let Some(parts) = unpacked(error) {
        violations.extend(parts.into_iter().map(|(pointer, keyword, message)| Violation {
            pointer: format!("{at}{pointer}"),
            keyword,
            message,
        }));
        return;
    }
    let own =
        |message| Violation { pointer: at.to_owned(), keyword: error.kind().keyword().to_owned(), message };
    match error.kind() {
        // One for each way in which a name is wrong.
        Kind::PropertyNames { error } => {
            let about = |message| own(format!("a property name is not allowed: {message}"));
            match unpacked(error) {
                Some(parts) => violations.extend(parts.into_iter().map(|(_, _, message)| about(message))),
                None => violations.push(about(masked(error))),
            }
        }
        _ => violations.push(own(masked(error))),
    }
}

/// A message without the value, and without property names where they come from the value.
fn masked(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("{} of its property names are not allowed", unexpected.len())
        }
        // The engine would print the schema as it got it.
        Kind::Not { .. } => "value is one that is excluded".to_owned(),
        _ => error.masked().to_string(),
    }
}
