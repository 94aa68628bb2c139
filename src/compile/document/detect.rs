//! Which format a text is in, by its content.

use super::error::ReadErrorKind::{
    self, Comment, ExpectedColon, ExpectedCommaOrBrace, ExpectedCommaOrBracket, ExpectedKey, ExpectedValue,
    InvalidEscape, InvalidNumber, LeadingZero, SingleQuote, TrailingComma, TrailingData, UnknownWord,
};
use super::position::BYTE_ORDER_MARK;

/// Whether the text begins as JSON documents do. YAML in flow style does, too.
pub(super) fn begins_as_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Whether YAML may allow what JSON does not.
pub(super) fn yaml_may_allow(kind: ReadErrorKind) -> bool {
    matches!(
        kind,
        Comment
            | ExpectedColon
            | ExpectedCommaOrBrace
            | ExpectedCommaOrBracket
            | ExpectedKey
            | ExpectedValue
            | InvalidEscape
            | InvalidNumber
            | LeadingZero
            | SingleQuote
            | TrailingComma
            | TrailingData
            | UnknownWord
    )
}
