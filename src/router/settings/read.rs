//! From a text to settings; what is wrong with it names file, line and column.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::compile::document::{Document, Limits, Node};

/// The version of configuration and overlay files.
pub(super) const VERSION: u64 = 1;

/// Reads a file of ours: JSON or YAML with a `version`, and then what its type says.
///
/// For surfaces that have files of their own, so that all of them are read, and refused, in one way.
///
/// # Errors
/// `invalid_settings`, where the text is no such file; it names line and column.
pub fn read_file<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<T, Error> {
    read(name, text).map(|(typed, _)| typed)
}

/// A file of ours, and its tree without the version.
///
/// Members that come twice are refused: which of them was meant, nobody can tell.
pub(super) fn read<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<(T, Value), Error> {
    let document = Document::from_text(text, &Limits::default()).map_err(|refused| {
        let at = refused.position();
        let message = format!("{name}:{}:{}: {}", at.line, at.column, refused.reason());
        invalid(message).with_hint(refused.next_step())
    })?;
    let placed = |pointer: &str, message: &str| {
        let at = document.at(pointer).map_or(0, Node::offset);
        let at = document.position(at);
        let about = if pointer.is_empty() { String::new() } else { format!("`{pointer}`: ") };
        invalid(format!("{name}:{}:{}: {about}{message}", at.line, at.column))
    };
    if let Some(twice) = document.duplicate_keys().first() {
        return Err(placed(&document.node(twice.kept).pointer(), "stands twice; say it once"));
    }
    let mut tree = document.root().to_value();
    match tree.as_object_mut().map(|members| members.shift_remove("version")) {
        Some(Some(version)) if version.as_u64() == Some(VERSION) => {}
        Some(Some(version)) => {
            let message = format!("is {version}, and {VERSION} is what is read here");
            return Err(placed("/version", &message));
        }
        Some(None) => return Err(placed("", "a `version` is missing; write `version: 1`")),
        None => return Err(placed("", "it is no object; write `version: 1` and settings after it")),
    }
    let typed = typed(&tree).map_err(|(pointer, message)| placed(&pointer, &message))?;
    Ok((typed, tree))
}

/// The tree as a type, or where it is not one, as a JSON pointer, and why.
pub(super) fn typed<T: DeserializeOwned>(tree: &Value) -> Result<T, (String, String)> {
    serde_path_to_error::deserialize(tree).map_err(|error| (pointer(error.path()), error.inner().to_string()))
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::rejected(ErrorKind::InvalidSettings, message)
}

fn pointer(path: &Path) -> String {
    let token = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } => Some(format!("/{}", escaped(key))),
        Segment::Enum { variant } => Some(format!("/{}", escaped(variant))),
        Segment::Unknown => None,
    };
    path.iter().filter_map(token).collect()
}

/// A name within a JSON pointer (RFC 6901 section 3).
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
