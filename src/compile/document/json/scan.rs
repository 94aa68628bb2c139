//! Runs of bytes: white space, plain string characters, numbers.

use crate::compile::document::error::{Fault, ReadErrorKind};

const LANES: usize = size_of::<u64>();
const LOW_BITS: u64 = u64::from_ne_bytes([0x01; LANES]);
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; LANES]);

/// The first byte from `at` that is not white space (RFC 8259, section 2).
pub(super) fn space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The first byte from `at` that a string does not hold as itself: a quote, a backslash or a control character.
///
/// Eight bytes at a time: strings are most of a document, and prose most of the strings.
pub(super) fn plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some((lanes, _)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<LANES>) {
        let special = special_lanes(u64::from_le_bytes(*lanes));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += LANES;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | ..=0x1F) {
            break;
        }
        at += 1;
    }
    at
}

/// The high bit of each lane that holds a quote, a backslash or a control character; exact in the lowest such lane.
///
/// A lane below `n` borrows when `n` is subtracted from it, which sets its high bit; lanes that had it set before
/// (bytes of UTF-8 beyond ASCII) are masked out. A borrow can only disturb lanes above the one that caused it.
fn special_lanes(lanes: u64) -> u64 {
    let below = |lanes: u64, bound: u8| lanes.wrapping_sub(LOW_BITS * u64::from(bound)) & !lanes;
    let equal = |byte: u8| below(lanes ^ (LOW_BITS * u64::from(byte)), 1);
    (below(lanes, 0x20) | equal(b'"') | equal(b'\\')) & HIGH_BITS
}

/// The end of the number that begins at `start` with a digit or a minus sign (RFC 8259, section 6).
pub(super) fn number(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    let integer = at;
    at = digits(bytes, at)?;
    if bytes[integer] == b'0' && at > integer + 1 {
        return Err(Fault::new(ReadErrorKind::LeadingZero, integer));
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    match bytes.get(at) {
        // What goes on like a number or a word is none: 1.2.3, 0x1F, 2020-01-01, 1_000.
        Some(b'.' | b'-' | b'+' | b'_') => Err(Fault::new(ReadErrorKind::InvalidNumber, at)),
        Some(byte) if byte.is_ascii_alphanumeric() => Err(Fault::new(ReadErrorKind::InvalidNumber, at)),
        _ => Ok(at),
    }
}

/// The end of the run of digits at `at`, which must not be empty.
fn digits(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at > start {
        return Ok(at);
    }
    let kind = if at == bytes.len() { ReadErrorKind::UnexpectedEnd } else { ReadErrorKind::InvalidNumber };
    Err(Fault::new(kind, at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        /// Eight bytes at a time or one, the answer is the same, wherever the special byte is.
        #[test]
        fn plain_stops_at_the_first_special_byte(
            bytes in prop::collection::vec(prop_oneof![8 => 0x20_u8.., 1 => 0_u8..0x30, 1 => Just(b'\\')], 0..40),
            at in 0_usize..40,
        ) {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..=0x1F);
            let at = at.min(bytes.len());
            let expected = bytes[at..].iter().position(special).map_or(bytes.len(), |found| at + found);
            prop_assert_eq!(super::plain(&bytes, at), expected);
        }
    }
}
