//! The text of a schema as the engine gets it: alone, with other schemas to judge what it refers to.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::engine::SHARED;
use super::source::{Direction, SchemaId, SchemaSource};
use super::violation::SchemaError;
use super::walk::walk;

/// What says nothing about values; the engine would keep a copy of it in every node.
const NOTES: &[&str] = &[
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "contentMediaType",
    "contentEncoding",
];

/// A schema for the engine.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) schema: Value,
    /// It has a pattern that the engine may give up.
    pub(super) may_give_up: bool,
}

/// Writes a schema for the engine.
///
/// References become [`SHARED`]. What is evaluated behind that keyword stays behind it, though, so where a schema
/// speaks of what is left unevaluated, those it refers to for the same value are written in, under `$defs`.
pub(super) fn write(
    source: &dyn SchemaSource,
    id: SchemaId,
    direction: Direction,
) -> Result<Text, SchemaError> {
    let mut included = Included::default();
    let mut schema = included.write(source, id, direction, false)?;
    let mut definitions = Map::new();
    while let Some(id) = included.pending.pop() {
        definitions.insert(id.0.to_string(), included.write(source, id, direction, true)?);
    }
    if let Value::Object(keywords) = &mut schema
        && !definitions.is_empty()
    {
        keywords.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Ok(Text { schema, may_give_up: included.may_give_up })
}

/// The schemas that a schema refers to, each once.
pub(super) fn references(
    source: &dyn SchemaSource,
    id: SchemaId,
    direction: Direction,
) -> Result<Vec<SchemaId>, SchemaError> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    walk(&mut source.write(id, direction)?, &mut |keywords, _| {
        found.extend(SchemaId::referred(keywords).filter(|id| seen.insert(*id)));
    });
    Ok(found)
}

#[derive(Default)]
struct Included {
    seen: HashSet<SchemaId>,
    pending: Vec<SchemaId>,
    may_give_up: bool,
}

impl Included {
    fn write(
        &mut self,
        source: &dyn SchemaSource,
        id: SchemaId,
        direction: Direction,
        is_evaluated: bool,
    ) -> Result<Value, SchemaError> {
        let mut schema = source.write(id, direction)?;
        walk(&mut schema, &mut |keywords, place| {
            keywords.retain(|keyword, _| !NOTES.contains(&keyword.as_str()));
            self.may_give_up |= patterns(keywords).any(may_be_given_up);
            let Some(referred) = SchemaId::referred(keywords) else { return };
            if place.is_evaluated || (is_evaluated && place.in_place) {
                if self.seen.insert(referred) {
                    self.pending.push(referred);
                }
            } else {
                keywords.shift_remove("$ref");
                keywords.insert(SHARED.to_owned(), referred.0.into());
            }
        });
        Ok(schema)
    }
}

/// The regular expressions of a schema, without those of schemas in it.
pub(super) fn patterns(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let by_name = keywords.get("patternProperties").and_then(Value::as_object);
    let names = by_name.into_iter().flat_map(Map::keys).map(String::as_str);
    keywords.get("pattern").and_then(Value::as_str).into_iter().chain(names)
}

/// Whether a pattern may need backtracking, and with it be given up. Look-around, back references and possessive
/// repetition do; a yes too many costs time only.
fn may_be_given_up(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    bytes.windows(2).any(|pair| match pair {
        [b'*' | b'+' | b'?' | b'}', b'+'] => true,
        [b'\\', escaped] => escaped.is_ascii_alphanumeric() && !b"dDwWsSbBtnrfvxucpP0".contains(escaped),
        _ => false,
    }) || bytes.windows(3).any(|three| three.starts_with(b"(?") && three[2] != b':')
}

#[cfg(test)]
mod tests {
    use super::may_be_given_up;

    #[test]
    fn patterns_that_backtrack() {
        for pattern in ["^(?=a)", "(?<!a)b", r"(a)\1", r"(?<n>a)\k<n>", "a++", "(?>a)", r"\Ga"] {
            assert!(may_be_given_up(pattern), "{pattern}");
        }
        for pattern in ["^[a-z]+$", r"^\d{1,3}(?:\.\d+)?$", r"\p{L}\u0041\\", "", "a+b*c?"] {
            assert!(!may_be_given_up(pattern), "{pattern}");
        }
    }
}
