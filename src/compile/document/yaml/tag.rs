//! What tags say about the nodes that carry them.

use granit_parser::Tag;

use super::scalar::{Meaning, plain};
use crate::compile::document::error::{Fault, ReadErrorKind};

/// The tag `!`, which takes a scalar for a string and says nothing about a container (YAML 1.2.2, section 6.9.1).
pub(super) fn is_non_specific(tag: &Tag) -> bool {
    tag.original() == "!"
}

/// The types that a tag may name: those of the core schema, and two of YAML 1.1 that tools write.
const TYPES: &[&str] = &["str", "int", "float", "bool", "null", "map", "seq", "binary", "merge"];

/// The type that a tag names.
pub(super) fn core_type(tag: &Tag, offset: usize) -> Result<&'static str, Fault> {
    let name = tag.suffix_in_namespace("tag:yaml.org,2002:");
    let known = name.and_then(|name| TYPES.iter().copied().find(|known| *known == name));
    known.ok_or_else(|| {
        Fault::new(ReadErrorKind::UnknownTag, offset).with_detail(format!("`{}`", tag.original()))
    })
}

/// The meaning of a scalar with a tag, quoted or not.
pub(super) fn meaning<'s>(tag: &Tag, text: &'s str, offset: usize) -> Result<Meaning<'s>, Fault> {
    let name = core_type(tag, offset)?;
    if matches!(name, "str" | "binary") || (name == "merge" && text == super::MERGE_KEY) {
        return Ok(Meaning::Text);
    }
    let meaning = plain(text);
    let is_integer = !text.contains(['.', 'e', 'E']) || text.starts_with("0x");
    match (name, &meaning) {
        ("null", Meaning::Null)
        | ("bool", Meaning::Bool(_))
        | ("float", Meaning::Number(_) | Meaning::NotFinite | Meaning::TooLong) => Ok(meaning),
        ("int", Meaning::Number(_) | Meaning::TooLong) if is_integer => Ok(meaning),
        _ => Err(mismatch(tag, offset)),
    }
}

pub(super) fn mismatch(tag: &Tag, offset: usize) -> Fault {
    Fault::new(ReadErrorKind::TagMismatch, offset).with_detail(format!("`{}`", tag.original()))
}
