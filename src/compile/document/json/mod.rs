//! Reads JSON (RFC 8259, strictly) into the tree.
//!
//! A scanner of our own, because the tree needs what the established readers do not give together: the byte offset of
//! every key and value, numbers as they are written, repeated keys, and strings borrowed from the text. It keeps its
//! nesting in the builder, so no input can exhaust the stack.

mod scan;
mod string;

use super::DuplicateKey;
use super::builder::{Builder, Container, Text};
use super::error::{Fault, ReadErrorKind};
use super::limits::{LimitExceeded, Limits};
use super::position::BYTE_ORDER_MARK;
use super::tree::Tree;

/// Reads one JSON value, with an optional byte order mark before it.
pub(super) fn read(text: &str, limits: &Limits) -> Result<(Tree, Vec<DuplicateKey>), Fault> {
    let at = if text.as_bytes().starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at,
        builder: Builder::new(text, *limits),
        scratch: String::new(),
    };
    reader.document()?;
    Ok(reader.builder.finish())
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    builder: Builder<'t>,
    /// The escaped string being decoded.
    scratch: String,
}

/// What stands at the reader after a value or an opening bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    ValueEnded,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        match self.skip_space() {
            None => return self.fault(ReadErrorKind::Empty),
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'/') => {}
            Some(_) => return self.fault(ReadErrorKind::NotJson),
        }
        loop {
            let mut next = self.value()?;
            while next == Next::ValueEnded {
                next = match self.builder.innermost() {
                    Some(Container::Array) => self.after_item()?,
                    Some(Container::Object) => self.after_member()?,
                    None => return self.end_of_text(),
                };
            }
        }
    }

    /// Reads a scalar or an opening bracket; the reader stands at its first byte.
    fn value(&mut self) -> Result<Next, Fault> {
        let offset = self.at;
        match self.peek() {
            Some(b'"') => {
                let text = string::read(self.text, &mut self.at, &mut self.scratch)?;
                self.builder.string(offset, text).map_err(|limit| Fault::new(limit, offset))?;
            }
            Some(b'{') => return self.open(Container::Object),
            Some(b'[') => return self.open(Container::Array),
            Some(b'-' | b'0'..=b'9') => {
                let end = scan::number(self.bytes, offset)?;
                self.at = end;
                let text = Text::Written { start: offset, len: end - offset };
                self.builder.number(offset, text).map_err(|limit| Fault::new(limit, offset))?;
            }
            Some(b't') => self.word(b"true", |builder| builder.bool(offset, true))?,
            Some(b'f') => self.word(b"false", |builder| builder.bool(offset, false))?,
            Some(b'n') => self.word(b"null", |builder| builder.null(offset))?,
            Some(b'\'') => return self.fault(ReadErrorKind::SingleQuote),
            Some(b'+' | b'.') => return self.fault(ReadErrorKind::InvalidNumber),
            Some(byte) if byte.is_ascii_alphabetic() => return self.fault(ReadErrorKind::UnknownWord),
            _ => return self.fault(ReadErrorKind::ExpectedValue),
        }
        Ok(Next::ValueEnded)
    }

    fn word(
        &mut self,
        word: &[u8],
        push: impl FnOnce(&mut Builder<'_>) -> Result<(), LimitExceeded>,
    ) -> Result<(), Fault> {
        let offset = self.at;
        let end = offset + word.len();
        let rest = &self.bytes[offset..];
        let goes_on = rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric);
        if rest.starts_with(word) && !goes_on {
            self.at = end;
            return push(&mut self.builder).map_err(|limit| Fault::new(limit, offset));
        }
        let kind =
            if word.starts_with(rest) { ReadErrorKind::UnexpectedEnd } else { ReadErrorKind::UnknownWord };
        self.at = if kind == ReadErrorKind::UnexpectedEnd { self.bytes.len() } else { offset };
        self.fault(kind)
    }

    fn open(&mut self, container: Container) -> Result<Next, Fault> {
        let offset = self.at;
        self.builder.start(container, offset).map_err(|limit| Fault::new(limit, offset))?;
        self.at += 1;
        match (self.skip_space(), container) {
            (Some(b'}'), Container::Object) | (Some(b']'), Container::Array) => Ok(self.close()),
            (_, Container::Object) => self.key(),
            (_, Container::Array) => Ok(Next::Value),
        }
    }

    fn close(&mut self) -> Next {
        self.at += 1;
        self.builder.end();
        Next::ValueEnded
    }

    fn after_item(&mut self) -> Result<Next, Fault> {
        match self.skip_space() {
            Some(b',') => {
                self.at += 1;
                if self.skip_space() == Some(b']') {
                    return self.fault(ReadErrorKind::TrailingComma);
                }
                Ok(Next::Value)
            }
            Some(b']') => Ok(self.close()),
            _ => self.fault(ReadErrorKind::ExpectedCommaOrBracket),
        }
    }

    fn after_member(&mut self) -> Result<Next, Fault> {
        match self.skip_space() {
            Some(b',') => {
                self.at += 1;
                if self.skip_space() == Some(b'}') {
                    return self.fault(ReadErrorKind::TrailingComma);
                }
                self.key()
            }
            Some(b'}') => Ok(self.close()),
            _ => self.fault(ReadErrorKind::ExpectedCommaOrBrace),
        }
    }

    /// Reads a key and its colon, and stops at its value.
    fn key(&mut self) -> Result<Next, Fault> {
        let offset = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'\'') => return self.fault(ReadErrorKind::SingleQuote),
            _ => return self.fault(ReadErrorKind::ExpectedKey),
        }
        let text = string::read(self.text, &mut self.at, &mut self.scratch)?;
        self.builder.key(offset, text).map_err(|limit| Fault::new(limit, offset))?;
        if self.skip_space() != Some(b':') {
            return self.fault(ReadErrorKind::ExpectedColon);
        }
        self.at += 1;
        self.skip_space();
        Ok(Next::Value)
    }

    fn end_of_text(&mut self) -> Result<(), Fault> {
        match self.skip_space() {
            None => Ok(()),
            Some(_) => self.fault(ReadErrorKind::TrailingData),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and returns the byte after it.
    fn skip_space(&mut self) -> Option<u8> {
        self.at = scan::space(self.bytes, self.at);
        self.peek()
    }

    /// The rule `kind` is broken here; at the end of the text, and at a comment, that is what is wrong.
    fn fault<T>(&self, kind: ReadErrorKind) -> Result<T, Fault> {
        let kind = match self.peek() {
            None if kind != ReadErrorKind::Empty => ReadErrorKind::UnexpectedEnd,
            Some(b'/') if matches!(self.bytes.get(self.at + 1), Some(b'/' | b'*')) => ReadErrorKind::Comment,
            _ => kind,
        };
        Err(Fault::new(kind, self.at))
    }
}
