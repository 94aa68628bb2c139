//! Lines and columns, found when somebody asks.

use std::fmt;

/// A place in a text, for people and editors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1; lines end with a line feed.
    pub line: u32,
    /// The column in characters, from 1; a byte order mark is none.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The UTF-8 byte order mark.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The position of byte `offset`. Scans from the start: a diagnostic is rare and an index would cost every document.
///
/// Takes bytes, not text, because the offset may stand where the text stops being UTF-8. An offset beyond the end is
/// the end.
pub(super) fn locate(text: &[u8], offset: usize) -> Position {
    let before = &text[..offset.min(text.len())];
    let before = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
    let (mut feeds, mut characters) = (0_usize, 0_usize);
    for byte in before {
        match byte {
            b'\n' => (feeds, characters) = (feeds + 1, 0),
            byte if is_continuation(*byte) => {}
            _ => characters += 1,
        }
    }
    let from_one = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    Position { line: from_one(feeds), column: from_one(characters) }
}

/// Whether a byte continues a character of UTF-8 instead of beginning one.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}
