//! Strings and keys: borrowed from the text where they stand there as they are, decoded where they hold escapes.

use super::scan;
use crate::compile::document::builder::Text;
use crate::compile::document::error::{Fault, ReadErrorKind};

/// Reads the string whose opening quote is at `at`, and moves `at` behind its closing quote.
#[inline]
pub(super) fn read<'s>(text: &str, at: &mut usize, scratch: &'s mut String) -> Result<Text<'s>, Fault> {
    let bytes = text.as_bytes();
    let start = *at + 1;
    let end = scan::plain(bytes, start);
    if bytes.get(end) == Some(&b'"') {
        *at = end + 1;
        return Ok(Text::Written { start, len: end - start });
    }
    scratch.clear();
    *at = decode(text, start, end, scratch)?;
    Ok(Text::Decoded(scratch))
}

/// Decodes from `start`, where `special` is the first byte that is not plain; returns the byte after the closing quote.
#[cold]
fn decode(text: &str, start: usize, mut special: usize, decoded: &mut String) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let mut plain = start;
    loop {
        decoded.push_str(&text[plain..special]);
        match bytes.get(special) {
            Some(b'"') => return Ok(special + 1),
            Some(b'\\') => {
                let (character, after) = escape(bytes, special)?;
                decoded.push(character);
                plain = after;
            }
            Some(_) => return Err(Fault::new(ReadErrorKind::ControlCharacter, special)),
            None => return Err(Fault::new(ReadErrorKind::UnexpectedEnd, special)),
        }
        special = scan::plain(bytes, plain);
    }
}

/// The character that the escape at `at` stands for, and the byte after the escape.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let character = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at),
        Some(_) => return Err(Fault::new(ReadErrorKind::InvalidEscape, at)),
        None => return Err(Fault::new(ReadErrorKind::UnexpectedEnd, at + 1)),
    };
    Ok((character, at + 2))
}

/// Length of `\u` and four digits, in bytes.
const UNIT: usize = 6;

fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let lone = Fault::new(ReadErrorKind::LoneSurrogate, at);
    let first = code_unit(bytes, at)?;
    let paired = (0xD800..0xDC00).contains(&first) && bytes[at + UNIT..].starts_with(b"\\u");
    let (units, after) =
        if paired { ([first, code_unit(bytes, at + UNIT)?], at + 2 * UNIT) } else { ([first, 0], at + UNIT) };
    let units = &units[..if paired { 2 } else { 1 }];
    match char::decode_utf16(units.iter().copied()).next() {
        Some(Ok(character)) => Ok((character, after)),
        _ => Err(lone),
    }
}

/// The UTF-16 code unit of the `\uXXXX` at `at`.
fn code_unit(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    let mut unit = 0;
    for index in at + 2..at + UNIT {
        let Some(byte) = bytes.get(index) else {
            return Err(Fault::new(ReadErrorKind::UnexpectedEnd, bytes.len()));
        };
        let Some(digit) = char::from(*byte).to_digit(16) else {
            return Err(Fault::new(ReadErrorKind::InvalidEscape, at));
        };
        unit = unit << 4 | digit;
    }
    // Four hexadecimal digits fill a code unit exactly.
    Ok(u16::try_from(unit).unwrap_or(u16::MAX))
}
