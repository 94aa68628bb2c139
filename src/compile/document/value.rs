//! From nodes to `serde_json` values.

use std::convert::Infallible;

use serde_json::{Map, Value};

use super::node::{Kind, Node};

/// A number that a [`serde_json::Value`] cannot hold without changing it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the number {text} at `{pointer}` (byte {offset}) does not fit 64 bits exactly; \
     write it with fewer digits, or as a string"
)]
pub struct InexactNumber {
    /// The number as it is written.
    pub text: String,
    /// Its RFC 6901 pointer.
    pub pointer: String,
    /// Its byte offset in the document's text.
    pub offset: u32,
}

/// Every number as near as `serde_json` allows.
pub(super) fn nearest(node: Node<'_>) -> Value {
    let Ok(value) = build(node, |_, text| Ok::<_, Infallible>(nearest_number(text)));
    value
}

/// Every number unchanged.
pub(super) fn exact(node: Node<'_>) -> Result<Value, InexactNumber> {
    build(node, |node, text| {
        let value = nearest_number(text);
        // Compared with what `serde_json` prints, the only digits that a consumer sees: where two shortest spellings of
        // one float tie, printers differ.
        let kept = !value.is_f64() || Decimal::parse(text) == Decimal::parse(&value.to_string());
        kept.then_some(value).ok_or_else(|| InexactNumber {
            text: text.to_owned(),
            pointer: node.pointer(),
            offset: node.offset(),
        })
    })
}

/// Recurses once per level, which [`Limits::DEPTH_CEILING`](super::Limits::DEPTH_CEILING) bounds. Plain loops, because
/// each adapter around the recursion would be a frame more per level.
fn build<'d, E>(
    node: Node<'d>,
    number: impl Fn(Node<'d>, &str) -> Result<Value, E> + Copy,
) -> Result<Value, E> {
    Ok(match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::from(node.as_bool()),
        Kind::Number => number(node, node.number_text().unwrap_or_default())?,
        Kind::String => Value::from(node.as_str()),
        Kind::Array => {
            let mut items = Vec::new();
            for item in node.items() {
                items.push(build(item, number)?);
            }
            Value::Array(items)
        }
        Kind::Object => {
            let mut members = Map::new();
            for (key, value) in node.entries() {
                members.insert(key.to_owned(), build(value, number)?);
            }
            Value::Object(members)
        }
    })
}

fn nearest_number(text: &str) -> Value {
    if let Ok(unsigned) = text.parse::<u64>() {
        return Value::from(unsigned);
    }
    // -0 keeps its sign, which only a float has.
    if let Some(signed) = text.parse::<i64>().ok().filter(|signed| *signed != 0) {
        return Value::from(signed);
    }
    let float: f64 = text.parse().unwrap_or_default();
    Value::from(float.clamp(f64::MIN, f64::MAX))
}

/// A number's value apart from its spelling: `digits` x 10^`exponent`, no zero at either end of the digits.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Takes the grammar of RFC 8259, section 6. Exponents beyond `i64` saturate: no `f64` is anywhere near.
    fn parse(text: &str) -> Self {
        let (negative, magnitude) =
            text.strip_prefix('-').map_or((false, text), |magnitude| (true, magnitude));
        let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [integer, fraction].concat();
        let leading = all.trim_start_matches('0');
        let digits = leading.trim_end_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let saturated = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let written: i64 = exponent.parse().unwrap_or(saturated);
        let shift = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let exponent =
            written.saturating_sub(shift(fraction.len())).saturating_add(shift(leading.len() - digits.len()));
        Self { negative, digits: digits.to_owned(), exponent }
    }
}
