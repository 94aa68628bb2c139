//! Tests of the document as its users see it.

mod grammar;
mod properties;
mod tree;
mod value;
mod yaml;
mod yaml_properties;

use super::{Document, Limits};

/// A document that has to be readable.
fn read(text: &str) -> Document {
    Document::from_json(text, &Limits::default()).expect("the text is JSON")
}
