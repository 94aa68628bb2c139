//! The lines of a saved catalog, read when they are asked for.

use serde::de::DeserializeOwned;

use super::VERSION;
use super::error::SavedError;
use super::key::{CatalogKey, check};
use super::shape::{Header, Index, Names, Number, Part, SavedListed};
use super::shelf::Shelf;

/// The header ends within this many bytes.
const HEADER_BYTES: u64 = 1024;

/// A saved catalog of which the header and the index were read.
#[derive(Debug)]
pub(super) struct SavedFile {
    shelf: Box<dyn Shelf>,
    parts: Vec<Piece>,
    listing: Number,
    names: Number,
    patterns: Number,
}

/// Where a line is.
#[derive(Debug, Clone, Copy)]
struct Piece {
    at: u64,
    length: u32,
    check: u32,
}

impl SavedFile {
    /// Reads the header and the index, of which the caller gets what is not about parts.
    pub(super) fn open(shelf: Box<dyn Shelf>, key: &CatalogKey) -> Result<(Self, Index), SavedError> {
        let size = shelf.size().map_err(|error| SavedError::unreadable(&error))?;
        let mut start = vec![0; usize::try_from(size.min(HEADER_BYTES)).unwrap_or_default()];
        shelf.read(0, &mut start).map_err(|error| SavedError::unreadable(&error))?;
        let Some(end) = start.iter().position(|byte| *byte == b'\n') else {
            return Err(SavedError::damaged("it does not begin with a header"));
        };
        let header = header(&start[..end], key)?;
        let at = end as u64 + 1;
        let place = Piece { at, length: header.index_length, check: header.index_check };
        if at + u64::from(place.length) > size {
            return Err(SavedError::damaged("it ends in its index"));
        }
        let index: Index = read(&*shelf, place)?;
        let parts = pieces(&index, at + u64::from(place.length), size)?;
        let Index { listing, names, patterns, .. } = index;
        Ok((Self { shelf, parts, listing, names, patterns }, index))
    }

    pub(super) fn part(&self, number: Number) -> Result<Part, SavedError> {
        let place = usize::try_from(number).ok().and_then(|at| self.parts.get(at));
        let place = place.ok_or_else(|| SavedError::damaged(format!("part {number} is missing")))?;
        read(&*self.shelf, *place)
    }

    pub(super) fn listing(&self) -> Result<Vec<SavedListed>, SavedError> {
        match self.part(self.listing)? {
            Part::Listing(listing) => Ok(listing),
            _ => Err(unexpected(self.listing)),
        }
    }

    pub(super) fn names(&self) -> Result<Names, SavedError> {
        match self.part(self.names)? {
            Part::Names(names) => Ok(names),
            _ => Err(unexpected(self.names)),
        }
    }

    pub(super) fn patterns(&self) -> Result<Vec<String>, SavedError> {
        match self.part(self.patterns)? {
            Part::Patterns(patterns) => Ok(patterns),
            _ => Err(unexpected(self.patterns)),
        }
    }
}

/// For a part that is not what others take it for.
pub(super) fn unexpected(number: Number) -> SavedError {
    SavedError::damaged(format!("part {number} is another one"))
}

/// The header, where it is of this version and of what is asked for; nothing else is expected of another version.
fn header(line: &[u8], key: &CatalogKey) -> Result<Header, SavedError> {
    let value: serde_json::Value = serde_json::from_slice(line).map_err(SavedError::damaged)?;
    let version = value.get("version").and_then(serde_json::Value::as_u64);
    if version != Some(VERSION.into()) {
        return Err(SavedError::new(format!("is not of version {VERSION}, which is what is read here")));
    }
    let header: Header = serde_json::from_value(value).map_err(SavedError::damaged)?;
    if header.options != key.options {
        return Err(SavedError::new("was made with other options, or by another version of this program"));
    }
    if header.document != key.document {
        return Err(SavedError::new("is of another document, or of another state of it"));
    }
    Ok(header)
}

fn pieces(index: &Index, mut at: u64, size: u64) -> Result<Vec<Piece>, SavedError> {
    let pieces = index.lengths.iter().zip(&index.checks).map(|(length, check)| {
        let piece = Piece { at, length: *length, check: *check };
        at += u64::from(*length);
        piece
    });
    let pieces: Vec<Piece> = pieces.collect();
    let fits = at == size && index.lengths.len() == index.checks.len();
    if fits { Ok(pieces) } else { Err(SavedError::damaged("its length is not what its index says")) }
}

fn read<T: DeserializeOwned>(shelf: &dyn Shelf, place: Piece) -> Result<T, SavedError> {
    let length = usize::try_from(place.length).map_err(SavedError::damaged)?;
    let mut line = vec![0; length];
    shelf.read(place.at, &mut line).map_err(|error| SavedError::unreadable(&error))?;
    if check(&line) != place.check {
        return Err(SavedError::damaged(format!(
            "byte {} and what follows are not as they were written",
            place.at
        )));
    }
    serde_json::from_slice(&line).map_err(SavedError::damaged)
}
