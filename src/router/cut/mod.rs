//! Results that are too large for their reader: cut where they have joints, with a handle for the rest.

mod fit;
mod place;

use std::ops::Range;

use bytes::Bytes;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde::Serialize;
use serde_json::value::RawValue;

use super::outcome::raw_json;
use super::run_config::RunConfig;
use super::selection::index;
use super::tree::{Kind, Node, said};
use fit::{Asked, Fitting};
pub use place::{CutPlace, Unit};

/// A result that was larger than its run takes: where it was cut.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// How long the full result is.
    pub full_bytes: usize,
    /// Every place that is not whole, in the order of the text.
    pub places: Vec<CutPlace>,
    /// For the rest.
    #[serde(skip)]
    pub rest: ResultHandle,
}

/// A full result, for code that serves its reader piece by piece; cheap to clone.
///
/// It holds the result in memory for as long as it is held.
#[derive(Clone)]
pub struct ResultHandle {
    full: Bytes,
    most: usize,
}

/// A piece of a result.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The text: of a list, an object or a string the pieces that were asked for, as a list, an object or a string.
    pub json: Box<RawValue>,
    /// Every place that is not whole, the value that was asked for first, with the pieces of it that are here.
    pub places: Vec<CutPlace>,
    /// Where to go on, if something is left of the value.
    pub next: Option<usize>,
}

/// A text within its limit.
pub(super) struct Shortened {
    pub(super) json: String,
    pub(super) cut: Option<Cut>,
}

/// Cuts a text that is longer than `most`; `None` where it is nested deeper than values are read.
pub(super) fn shorten(full: &Bytes, most: usize) -> Option<Shortened> {
    let most = at_least(most);
    let node = Node::of(raw_json(full)?)?;
    let mut fitting = Fitting::default();
    fitting.write(&node, most);
    let Fitting { text: json, places, .. } = fitting;
    // Without white space it may have fitted.
    let cut = (!places.is_empty()).then(|| Cut {
        full_bytes: full.len(),
        places,
        rest: ResultHandle { full: full.clone(), most },
    });
    Some(Shortened { json, cut })
}

/// The limit that holds where this one is set.
fn at_least(most: usize) -> usize {
    most.max(RunConfig::LEAST_RESULT_BYTES)
}

/// Whether a text of this length has to be cut.
pub(super) fn is_over(len: usize, most: usize) -> bool {
    len > at_least(most)
}

impl ResultHandle {
    /// The full result, as it was received or selected.
    pub const fn full(&self) -> &Bytes {
        &self.full
    }

    /// Pieces of the value at a JSON Pointer (RFC 6901): elements of a list, members of an object, characters of a string.
    ///
    /// The text is within the limit of the run, cut by the same rule; [`Piece::next`] says where to go on. A number that
    /// does not fit comes as a string of its digits; every other number, and `true`, `false` and `null`, come whole.
    ///
    /// # Errors
    /// `invalid_arguments`, where nothing is at the pointer, or the name of the next member does not fit by itself.
    pub fn get(&self, pointer: &str, pieces: Range<usize>) -> Result<Piece, Error> {
        let gone = || refused(format!("nothing is at `{}` in the result", pointer.escape_debug()));
        let root = raw_json(&self.full).and_then(Node::of).ok_or_else(gone)?;
        let node = at(&root, pointer).ok_or_else(|| {
            gone().with_hint("take a `pointer` of the outcome's cut, or put a name or number after one")
        })?;
        let mut fitting = Fitting { pointer: pointer.to_owned(), ..Fitting::default() };
        let (asked, most) = (Asked { from: pieces.start, to: pieces.end }, self.most);
        let (end, of) = match &node.kind {
            Kind::List(items) => (fitting.list(items, asked, most), items.len()),
            Kind::Object(members) => (fitting.object(members, asked, most), members.len()),
            Kind::String(text) => {
                let text = said(text);
                (fitting.string(&text, asked, most), text.chars().count())
            }
            Kind::Atom(text) if text.len() > most => (fitting.string(text, asked, most), text.len()),
            Kind::Atom(_) => {
                fitting.write(node, most);
                (0, 0)
            }
        };
        if end <= pieces.start && end < pieces.end.min(of) {
            let message = format!("the name of member {end} of `{pointer}` does not fit into {most} bytes");
            return Err(refused(message));
        }
        let Fitting { text, places, .. } = fitting;
        // It was written from pieces of JSON.
        let json = RawValue::from_string(text).map_err(|error| refused(error.to_string()))?;
        Ok(Piece { json, places, next: (end < of).then_some(end) })
    }
}

impl std::fmt::Debug for ResultHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResultHandle({} bytes)", self.full.len())
    }
}

/// The value at a pointer; of two members with one name the last, as in [`Data::json`](super::Data::json).
fn at<'n, 't>(root: &'n Node<'t>, pointer: &str) -> Option<&'n Node<'t>> {
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |node, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        match &node.kind {
            Kind::List(items) => items.get(index(&token)?),
            Kind::Object(members) => {
                members.iter().rev().find(|(name, _)| said(name) == token).map(|(_, value)| value)
            }
            Kind::Atom(_) | Kind::String(_) => None,
        }
    })
}

fn refused(message: String) -> Error {
    Error::rejected(ErrorKind::InvalidArguments, message)
}
