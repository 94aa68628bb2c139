//! A file read and parsed, by us and by what we are compared with.

use std::fs;

use granit_parser::{Parser, options};
use schemarouter::compile::document::{Document, Limits};
use serde_json::Value;

use crate::Answer;

pub(crate) fn value(file: &str) -> Answer {
    let value: Value = serde_json::from_slice(&fs::read(file)?)?;
    let members = value.as_object().map_or(0, serde_json::Map::len);
    Ok(members.to_string())
}

pub(crate) fn events(file: &str) -> Answer {
    let text = fs::read_to_string(file)?;
    // As our reader asks for them: without comments.
    let mut events = Parser::new_from_str_with_options(&text, options! { emit_comments: false });
    let count = events.try_fold(0_usize, |count, event| event.map(|_| count + 1))?;
    Ok(count.to_string())
}

pub(crate) fn yaml(file: &str) -> Answer {
    let document = Document::from_text(fs::read(file)?, &Limits::default())?;
    Ok(document.root().entries().count().to_string())
}
