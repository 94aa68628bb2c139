//! Which format a text is in, by its content.

use super::error::{Fault, ReadErrorKind};
use super::position::BYTE_ORDER_MARK;

/// Whether the text begins as JSON documents do. YAML in flow style does, too.
pub(super) fn begins_as_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Whether a text that is no JSON was meant as YAML: by a key without double quotes, a comma at the end, a `#`.
///
/// Not by a value without quotes. YAML would read `[1 2]` as one string and `NaN` as another, where the likely truth is
/// a mistake in a JSON document.
pub(super) fn is_meant_as_yaml(refused: &Fault, text: &[u8]) -> bool {
    let by_rule = matches!(
        refused.kind,
        ReadErrorKind::ExpectedKey | ReadErrorKind::SingleQuote | ReadErrorKind::TrailingComma
    );
    by_rule || text.get(refused.offset) == Some(&b'#')
}
