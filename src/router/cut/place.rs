//! Where a result was cut.

use serde::Serialize;

/// A value that is not all there: the pieces from `from` to before `to` are, of `of`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutPlace {
    /// Where it is in the full result: a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// What is counted.
    pub unit: Unit,
    /// The first piece that is there, counted from 0.
    pub from: usize,
    /// The first piece after those that are there.
    pub to: usize,
    /// How many there are in the full result.
    pub of: usize,
}

/// What a value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A list, of elements.
    Elements,
    /// An object, of members, in their order.
    Members,
    /// A string, of characters (Unicode scalar values); or a number too long to be there, of digits.
    Characters,
}

impl std::fmt::Display for CutPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pointer, unit, from, to, of } = self;
        let pointer = if pointer.is_empty() { "the top" } else { pointer };
        let unit = match unit {
            Unit::Elements => "elements",
            Unit::Members => "members",
            Unit::Characters => "characters",
        };
        let kept = to.saturating_sub(*from);
        match from {
            0 => write!(f, "{pointer} has the first {kept} of {of} {unit}"),
            from => write!(f, "{pointer} has {kept} of {of} {unit}, from number {from}"),
        }
    }
}
