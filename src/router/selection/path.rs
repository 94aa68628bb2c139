//! A path to a field, as a request writes it.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

/// More than a reader asks for; each is looked for at every member of a reply.
const MOST_PATHS: usize = 64;
const MOST_BYTES: usize = 512;

/// A path: its text, and the steps down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldPath {
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
}

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The member of an object.
    pub(super) name: String,
    /// The element of a list, where the step can mean one; else it goes into every element.
    pub(super) index: Option<usize>,
}

/// The paths of a request, or what is wrong with one.
pub(super) fn all(fields: &[String]) -> Result<Vec<FieldPath>, Error> {
    if fields.is_empty() {
        return Err(refused("`fields` names no field").with_hint("leave `fields` out, and all of them come"));
    }
    if fields.len() > MOST_PATHS {
        return Err(refused(format!("`fields` has {} paths, and {MOST_PATHS} is the most", fields.len()))
            .with_hint("name an object or list whole in place of its members"));
    }
    (1_usize..).zip(fields).map(|(number, text)| path(number, text)).collect()
}

fn path(number: usize, text: &str) -> Result<FieldPath, Error> {
    if text.len() > MOST_BYTES {
        let message =
            format!("path {number} of `fields` has {} bytes, and {MOST_BYTES} is the most", text.len());
        return Err(refused(message));
    }
    let steps = match text.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(pointed).collect::<Option<Vec<_>>>(),
        None => text.split('.').map(named).collect(),
    };
    let Some(steps) = steps else {
        return Err(refused(format!("`{}` in `fields` is no path", text.escape_debug())).with_hint(
            "write names with dots between them (`items.id`), or a JSON Pointer (`/items/0/id`, RFC 6901) where a name \
             holds a dot",
        ));
    };
    Ok(FieldPath { text: text.to_owned(), steps })
}

fn named(name: &str) -> Option<Step> {
    (!name.is_empty()).then(|| Step { name: name.to_owned(), index: None })
}

/// A token of a JSON Pointer (RFC 6901 sections 3 and 4).
fn pointed(token: &str) -> Option<Step> {
    let mut escapes = token.split('~').skip(1);
    if !escapes.all(|rest| rest.starts_with(['0', '1'])) {
        return None;
    }
    let name = token.replace("~1", "/").replace("~0", "~");
    Some(Step { index: index(&name), name })
}

/// Digits without leading zeros (RFC 6901 section 4).
pub(in crate::router) fn index(text: &str) -> Option<usize> {
    let is_index = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    if is_index { text.parse().ok() } else { None }
}

fn refused(message: impl Into<String>) -> Error {
    Error::rejected(ErrorKind::InvalidArguments, message)
}
