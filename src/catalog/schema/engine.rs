//! The validation engine; the only file that names the jsonschema crate.

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, PatternOptions, ValidationError};
use serde_json::Value;

use super::violation::{SchemaError, Violation};

/// How many violations are told of one value.
const MOST_VIOLATIONS: usize = 8;

/// How often a pattern with look-around may backtrack on one string, some milliseconds of work. Documents are not
/// trusted, and neither is the text that their patterns meet; beyond it the string counts as not matching.
const MOST_BACKTRACKING: usize = 100_000;

/// A schema, ready to judge values.
#[derive(Debug)]
pub(super) struct Validator(jsonschema::Validator);

impl Validator {
    /// The validator of a schema that is complete in itself.
    pub(super) fn complete(schema: &Value) -> Result<Self, SchemaError> {
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKING))
            .build(schema)
            .map(Self)
            .map_err(|error| SchemaError(format!("{} at {}", error.masked(), error.instance_path())))
    }

    pub(super) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// The ways in which `value` breaks the schema, at most eight.
    pub(super) fn violations(&self, value: &Value) -> Vec<Violation> {
        self.0.iter_errors(value).take(MOST_VIOLATIONS).map(|error| violation(&error)).collect()
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        pointer: error.instance_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message: masked(error),
    }
}

/// Property names in a message come from the value where the schema has no such name; those are masked too.
fn masked(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("{} of its property names are not allowed", unexpected.len())
        }
        Kind::PropertyNames { error } => format!("a property name is not allowed: {}", masked(error)),
        _ => error.masked().to_string(),
    }
}
