//! Schemas: checked once when the document is compiled, written out as JSON Schema 2020-12 when they are used.
//!
//! One table says what each keyword is ([`keywords`]), one set of functions how its value is read, by intent where
//! it is not as it should be ([`read`]). The check tells what the reading had to say, the writer writes what it
//! gave; so nothing can be written that was not checked.

mod check;
mod identity;
mod keywords;
mod name;
mod read;
mod source;
mod write;

#[cfg(test)]
mod tests;

pub(super) use check::{Broken, Check};
pub(super) use identity::{Identity, Member};
pub(super) use keywords::is_known_dialect;
pub(super) use source::{DocumentSchemas, root};
