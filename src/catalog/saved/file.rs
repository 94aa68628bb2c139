//! The lines of a saved catalog, read when they are asked for.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use super::VERSION;
use super::error::SavedError;
use super::key::{CatalogKey, check};
use super::read_at::ReadAt;
use super::shape::{Header, Index, Names, Number, Part, SavedListed};

/// The header ends within this many bytes.
const HEADER_BYTES: u64 = 1024;

/// A saved catalog of which the header and the index were read.
#[derive(Debug)]
pub(super) struct SavedFile {
    bytes: Box<dyn ReadAt>,
    parts: Vec<Piece>,
    /// How many parts are endpoints; the others are shared.
    endpoints: usize,
    listing: Number,
    names: Number,
    patterns: Number,
    /// All that endpoints share, once somebody relies on it.
    shared: OnceLock<Vec<u8>>,
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
    pub(super) fn open(bytes: Box<dyn ReadAt>, key: &CatalogKey) -> Result<(Self, Index), SavedError> {
        let size = bytes.size().map_err(|error| SavedError::unreadable(&error))?;
        let start = read(&*bytes, 0, size.min(HEADER_BYTES))?;
        let Some(end) = start.iter().position(|byte| *byte == b'\n') else {
            return Err(SavedError::damaged("it does not begin with a header"));
        };
        let header = header(&start[..end], key)?;
        let at = end as u64 + 1;
        let place = Piece { at, length: header.index_length, check: header.index_check };
        let first = at + u64::from(place.length);
        if first > size {
            return Err(SavedError::damaged("it ends in its index"));
        }
        let index: Index = parsed(sound(&read(&*bytes, at, place.length.into())?, place)?)?;
        let (parts, endpoints) = (pieces(&index, first, size)?, index.operations.len());
        let Index { listing, names, patterns, .. } = index;
        let file = Self { bytes, parts, endpoints, listing, names, patterns, shared: OnceLock::new() };
        Ok((file, index))
    }

    pub(super) fn part(&self, number: Number) -> Result<Part, SavedError> {
        let at = usize::try_from(number).ok();
        let Some((at, place)) = at.and_then(|at| Some((at, *self.parts.get(at)?))) else {
            return Err(SavedError::damaged(format!("part {number} is missing")));
        };
        match self.shared.get().filter(|_| at >= self.endpoints) {
            Some(shared) => parsed(self.within(shared, place)?),
            None => parsed(sound(&read(&*self.bytes, place.at, place.length.into())?, place)?),
        }
    }

    /// Reads and checks all that endpoints share, and keeps it: from now on nothing of it can fail to be read.
    pub(super) fn hold(&self) -> Result<(), SavedError> {
        if self.shared.get().is_some() {
            return Ok(());
        }
        let pieces = self.parts.get(self.endpoints..).unwrap_or_default();
        let Some((first, last)) = pieces.first().zip(pieces.last()) else { return Ok(()) };
        let shared = read(&*self.bytes, first.at, last.at + u64::from(last.length) - first.at)?;
        for piece in pieces {
            sound(self.within(&shared, *piece)?, *piece)?;
        }
        self.shared.get_or_init(|| shared);
        Ok(())
    }

    /// A line within what endpoints share.
    fn within<'b>(&self, shared: &'b [u8], piece: Piece) -> Result<&'b [u8], SavedError> {
        let start = self.parts.get(self.endpoints).map_or(0, |first| first.at);
        let from = usize::try_from(piece.at - start).ok();
        let line = from.and_then(|from| shared.get(from..)?.get(..usize::try_from(piece.length).ok()?));
        line.ok_or_else(|| SavedError::damaged("a line is beyond its end"))
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
        return Err(SavedError::mismatch(format!("is not of version {VERSION}, which is what is read here")));
    }
    let header: Header = serde_json::from_value(value).map_err(SavedError::damaged)?;
    if header.options != key.options {
        return Err(SavedError::mismatch(
            "was made with other options, or by another version of this program",
        ));
    }
    if header.document != key.document {
        return Err(SavedError::mismatch("is of another document, or of another state of it"));
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

fn read(bytes: &dyn ReadAt, at: u64, length: u64) -> Result<Vec<u8>, SavedError> {
    let mut line = vec![0; usize::try_from(length).map_err(SavedError::damaged)?];
    bytes.read_exact_at(at, &mut line).map_err(|error| SavedError::unreadable(&error))?;
    Ok(line)
}

/// The line, where it is as it was written.
fn sound(line: &[u8], place: Piece) -> Result<&[u8], SavedError> {
    if check(line) == place.check {
        return Ok(line);
    }
    let what = format!("byte {} and what follows are not as they were written", place.at);
    Err(SavedError::damaged(what))
}

fn parsed<T: DeserializeOwned>(line: &[u8]) -> Result<T, SavedError> {
    serde_json::from_slice(line).map_err(SavedError::damaged)
}
