//! The rule by which a value is cut: a function of the value and of how long its text may be.
//!
//! What fits stays whole. A list keeps its first elements whole, and its first in any case, cut itself. A string keeps its
//! first characters. An object keeps the names of all members, or of as many as fit: small values stay whole, and the
//! large ones share what is left equally. A number of more than [`LONG_NUMBER`] digits that does not fit is null.

use super::place::{CutPlace, Unit};
use crate::router::tree::{Kind, Node, said};

/// A number is not cut; one that is longer than this gives way.
const LONG_NUMBER: usize = 32;
const NULL: &str = "null";

/// The text of a value, cut, and where.
#[derive(Default)]
pub(super) struct Fitting {
    pub(super) text: String,
    pub(super) places: Vec<CutPlace>,
    /// Where the value is that is being written.
    pub(super) pointer: String,
}

/// The pieces of a value that are asked for; all of them where it is not said.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) from: usize,
    pub(super) to: usize,
}

const ALL: Asked = Asked { from: 0, to: usize::MAX };

/// The least that a value can be cut to.
fn least(node: &Node<'_>) -> usize {
    match &node.kind {
        Kind::Atom(text) if text.len() > LONG_NUMBER => NULL.len(),
        Kind::Atom(text) => text.len(),
        Kind::String(_) | Kind::List(_) | Kind::Object(_) => 2,
    }
}

impl Fitting {
    /// Writes a value in at most `most` bytes, which are no fewer than its least.
    pub(super) fn write(&mut self, node: &Node<'_>, most: usize) {
        if node.len <= most {
            node.write(&mut self.text);
            return;
        }
        match &node.kind {
            Kind::Atom(text) => {
                self.told(Unit::Characters, Asked { from: 0, to: 0 }, text.len());
                self.text.push_str(NULL);
            }
            Kind::String(text) => _ = self.string(&said(text), ALL, most),
            Kind::List(items) => _ = self.list(items, ALL, most),
            Kind::Object(members) => _ = self.object(members, ALL, most),
        }
    }

    /// Writes elements; returns where they end.
    pub(super) fn list(&mut self, items: &[Node<'_>], asked: Asked, most: usize) -> usize {
        let asked = asked.within(items.len());
        let (mut end, mut used) = (asked.from, 2);
        for item in &items[asked.from..asked.to] {
            used += item.len + usize::from(end > asked.from);
            if used > most {
                break;
            }
            end += 1;
        }
        let first = items[asked.from..asked.to].first();
        if end == asked.from && first.is_some_and(|first| least(first) + 2 <= most) {
            end += 1;
        }
        self.told(Unit::Elements, Asked { from: asked.from, to: end }, items.len());
        self.text.push('[');
        for (number, item) in items.iter().enumerate().take(end).skip(asked.from) {
            if number > asked.from {
                self.text.push(',');
            }
            self.below(&number.to_string(), item, most - 2);
        }
        self.text.push(']');
        end
    }

    /// Writes members; returns where they end.
    pub(super) fn object(&mut self, members: &[(&str, Node<'_>)], asked: Asked, most: usize) -> usize {
        let asked = asked.within(members.len());
        let (mut end, mut used, mut values) = (asked.from, 2, 0);
        for (name, value) in &members[asked.from..asked.to] {
            let with = name.len() + 1 + usize::from(end > asked.from);
            if used + with + values + least(value) > most {
                break;
            }
            (end, used, values) = (end + 1, used + with, values + least(value));
        }
        let kept = &members[asked.from..end];
        let level = level(kept, most - used);
        self.told(Unit::Members, Asked { from: asked.from, to: end }, members.len());
        self.text.push('{');
        for (at, (name, value)) in kept.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.text.push_str(name);
            self.text.push(':');
            self.below(&said(name).replace('~', "~0").replace('/', "~1"), value, share(value, level));
        }
        self.text.push('}');
        end
    }

    /// Writes characters as a string; returns where they end.
    pub(super) fn string(&mut self, text: &str, asked: Asked, most: usize) -> usize {
        let (mut end, mut used) = (asked.from, 2);
        let mut kept = String::new();
        for character in text.chars().take(asked.to).skip(asked.from) {
            used += written_len(character);
            if used > most {
                break;
            }
            kept.push(character);
            end += 1;
        }
        let of = text.chars().count();
        let from = asked.from.min(of);
        self.told(Unit::Characters, Asked { from, to: end.min(of) }, of);
        // Text is always written.
        self.text.push_str(&serde_json::to_string(&kept).unwrap_or_default());
        end.min(of)
    }

    fn below(&mut self, token: &str, node: &Node<'_>, most: usize) {
        let here = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(token);
        self.write(node, most);
        self.pointer.truncate(here);
    }

    /// Says what of a value is there, where it is not all.
    fn told(&mut self, unit: Unit, kept: Asked, of: usize) {
        if kept.from > 0 || kept.to < of {
            let pointer = self.pointer.clone();
            self.places.push(CutPlace { pointer, unit, from: kept.from, to: kept.to, of });
        }
    }
}

impl Asked {
    fn within(self, len: usize) -> Self {
        let to = self.to.min(len);
        Self { from: self.from.min(to), to }
    }
}

/// What a value gets where the large ones get this much.
fn share(value: &Node<'_>, level: usize) -> usize {
    value.len.min(level.max(least(value)))
}

/// The most that large values can get, so that all together stay within the budget.
fn level(members: &[(&str, Node<'_>)], budget: usize) -> usize {
    let fits = |level: usize| members.iter().map(|(_, value)| share(value, level)).sum::<usize>() <= budget;
    let (mut fitting, mut too_much) = (0, budget + 1);
    while too_much - fitting > 1 {
        let middle = fitting + (too_much - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_much = middle }
    }
    fitting
}

/// How long a character is within a JSON string (RFC 8259 section 7).
const fn written_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '\0'..'\u{20}' => 6,
        other => other.len_utf8(),
    }
}
