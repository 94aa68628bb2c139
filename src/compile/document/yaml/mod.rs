//! Reads YAML 1.2 into the tree: a composer of ours on the events of a parser.
//!
//! The parser knows the grammar; what the events mean is decided here: the core schema, keys as they are written, tags,
//! aliases and merge keys, one document. `ARCHITECTURE.md` says why no library's own values would do.

mod fault;
mod scalar;
mod tag;

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, Span, Tag, options};

use super::builder::{Builder, Container, MergeRefused, Text};
use super::error::{Fault, ReadErrorKind};
use super::limits::Limits;
use super::tree::{Slot, Tree};
use super::{DuplicateKey, NodeId};
use scalar::Meaning;

/// The key that gives the members of another object (<https://yaml.org/type/merge.html>): YAML 1.1, widely used.
const MERGE_KEY: &str = "<<";

/// Reads one YAML document, with an optional byte order mark before it.
pub(super) fn read(text: &str, limits: &Limits) -> Result<(Tree, Vec<DuplicateKey>), Fault> {
    let depth = limits.max_depth() as usize;
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: depth,
        block_nesting_limit: depth,
        // A block scalar that ends with the text and not with a line feed has none (YAML 1.2.2, section 8.1.1.2).
        block_scalar_eof_without_line_feed: true,
    };
    let mut composer = Composer {
        text,
        builder: Builder::new(text, *limits),
        anchors: HashMap::new(),
        open: Vec::new(),
        documents: 0,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| fault::refusal(&error, limits))?;
        composer.event(event, span)?;
    }
    if composer.documents == 0 {
        return Err(Fault::new(ReadErrorKind::Empty, text.len()));
    }
    Ok(composer.builder.finish())
}

struct Composer<'t> {
    text: &'t str,
    builder: Builder<'t>,
    anchors: HashMap<usize, Target<'t>>,
    open: Vec<Open>,
    documents: usize,
}

/// What an alias repeats.
#[derive(Clone)]
enum Target<'t> {
    /// A container that has not ended yet.
    Unfinished,
    Finished(NodeId),
    /// Read again, because it means other things as a key and as a value.
    Scalar(Scalar<'t>),
}

/// A container that has not ended yet.
struct Open {
    value: NodeId,
    anchor: usize,
    next: Next,
}

/// What comes next in a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Item,
    Key,
    Value,
}

#[derive(Clone)]
struct Scalar<'t> {
    /// Where it begins, its quote included.
    offset: usize,
    text: Cow<'t, str>,
    is_plain: bool,
    tag: Option<Cow<'t, Tag>>,
}

impl<'t> Composer<'t> {
    fn event(&mut self, event: Event<'t>, span: Span) -> Result<(), Fault> {
        let offset = span.start.byte_offset().unwrap_or_default();
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                let is_second = self.documents > 1;
                if is_second { Err(Fault::new(ReadErrorKind::SeveralDocuments, offset)) } else { Ok(()) }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                // The parser writes `~` for what is not written at all.
                let is_absent = is_plain && span.is_empty();
                let text = if is_absent { Cow::Borrowed("") } else { text };
                let scalar = Scalar { offset, text, is_plain, tag };
                if anchor != 0 {
                    self.anchors.insert(anchor, Target::Scalar(scalar.clone()));
                }
                self.scalar(&scalar)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(Container::Array, "seq", offset, anchor, tag.as_deref())
            }
            Event::MappingStart(_, anchor, tag) => {
                self.start(Container::Object, "map", offset, anchor, tag.as_deref())
            }
            Event::SequenceEnd => {
                self.end();
                Ok(())
            }
            Event::MappingEnd => {
                self.builder.merge().map_err(|refused| match refused {
                    MergeRefused::NoObject { offset } => Fault::new(ReadErrorKind::InvalidMerge, offset),
                    MergeRefused::Limit { exceeded, offset } => Fault::new(exceeded, offset),
                })?;
                self.end();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor, offset),
            // Stream and document ends, and metadata that the options turn off.
            _ => Ok(()),
        }
    }

    fn start(
        &mut self,
        container: Container,
        type_name: &str,
        offset: usize,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), Fault> {
        if self.take_place() == Next::Key {
            return Err(Fault::new(ReadErrorKind::ComplexKey, offset));
        }
        if let Some(tag) = tag.filter(|tag| !tag::is_non_specific(tag))
            && tag::core_type(tag, offset)? != type_name
        {
            return Err(tag::mismatch(tag, offset));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, Target::Unfinished);
        }
        let value = self.builder.next_value();
        let next = if container == Container::Object { Next::Key } else { Next::Item };
        self.open.push(Open { value, anchor, next });
        self.builder.start(container, offset).map_err(|limit| Fault::new(limit, offset))
    }

    fn end(&mut self) {
        self.builder.end();
        if let Some(Open { value, anchor, .. }) = self.open.pop()
            && anchor != 0
        {
            self.anchors.insert(anchor, Target::Finished(value));
        }
    }

    fn alias(&mut self, anchor: usize, offset: usize) -> Result<(), Fault> {
        let repeated = match self.anchors.get(&anchor) {
            None => return Err(Fault::new(ReadErrorKind::UnknownAnchor, offset)),
            Some(Target::Unfinished) => return Err(Fault::new(ReadErrorKind::RecursiveAlias, offset)),
            Some(Target::Finished(_)) if self.next() == Next::Key => {
                return Err(Fault::new(ReadErrorKind::ComplexKey, offset));
            }
            Some(&Target::Finished(value)) => {
                self.take_place();
                self.builder.repeat(value)
            }
            Some(Target::Scalar(scalar)) => {
                let scalar = scalar.clone();
                // A text that differs from its spelling is copied, at a cost in slots.
                let copied = if self.is_written(&scalar) { 0 } else { scalar.text.len() / size_of::<Slot>() };
                self.builder.charge_alias(1 + copied).map_err(|limit| Fault::new(limit, offset))?;
                return self.scalar(&scalar);
            }
        };
        repeated.map_err(|limit| Fault::new(limit, offset))
    }

    fn scalar(&mut self, scalar: &Scalar<'t>) -> Result<(), Fault> {
        match self.take_place() {
            Next::Key => self.key(scalar),
            Next::Item | Next::Value => self.value(scalar),
        }
    }

    /// Any scalar is a key, as it is written: `200`, `1.10`, `null`, `on`.
    fn key(&mut self, scalar: &Scalar<'t>) -> Result<(), Fault> {
        let Scalar { offset, text, is_plain, tag } = scalar;
        let may_merge = match tag.as_deref() {
            None => true,
            Some(tag) if tag::is_non_specific(tag) => false,
            Some(tag) => {
                tag::meaning(tag, text, *offset)?;
                tag::core_type(tag, *offset)? == "merge"
            }
        };
        let pushed = if may_merge && *is_plain && text == MERGE_KEY {
            self.builder.merge_key(*offset, text.len())
        } else {
            self.builder.key(*offset, self.place(scalar))
        };
        pushed.map_err(|limit| Fault::new(limit, *offset))
    }

    fn value(&mut self, scalar: &Scalar<'t>) -> Result<(), Fault> {
        let Scalar { offset, text, is_plain, tag } = scalar;
        let offset = *offset;
        let meaning = match tag.as_deref() {
            Some(tag) if tag::is_non_specific(tag) => Meaning::Text,
            Some(tag) => tag::meaning(tag, text, offset)?,
            None if *is_plain => scalar::plain(text),
            None => Meaning::Text,
        };
        let place = self.place(scalar);
        let builder = &mut self.builder;
        let pushed = match meaning {
            Meaning::Null => builder.null(offset),
            // With a tag it may stand in quotes.
            Meaning::Bool(value) => builder.bool(place.start().unwrap_or(offset), value),
            Meaning::Number(Cow::Borrowed(_)) => builder.number(offset, place),
            Meaning::Number(Cow::Owned(number)) => builder.respelled_number(offset, &number, text),
            Meaning::Text => builder.string(offset, place),
            Meaning::NotFinite => return Err(Fault::new(ReadErrorKind::NotFinite, offset)),
            Meaning::TooLong => return Err(Fault::new(ReadErrorKind::IntegerTooLong, offset)),
        };
        pushed.map_err(|limit| Fault::new(limit, offset))
    }

    /// Where the characters of a scalar are: in the text where they stand there as they are.
    fn place<'s>(&self, scalar: &'s Scalar<'t>) -> Text<'s> {
        if self.is_written(scalar) {
            let start = scalar.offset + usize::from(!scalar.is_plain);
            Text::Written { start, len: scalar.text.len() }
        } else {
            Text::Decoded(&scalar.text)
        }
    }

    fn is_written(&self, scalar: &Scalar<'t>) -> bool {
        let Scalar { offset, text, is_plain, .. } = scalar;
        let start = offset + usize::from(!is_plain);
        let there = self.text.as_bytes().get(start..start + text.len());
        matches!(text, Cow::Borrowed(_)) && there == Some(text.as_bytes())
    }

    /// What comes next in the innermost container.
    fn next(&self) -> Next {
        self.open.last().map_or(Next::Item, |open| open.next)
    }

    /// What comes next in the innermost container, which is now here.
    fn take_place(&mut self) -> Next {
        let Some(open) = self.open.last_mut() else { return Next::Item };
        let here = open.next;
        open.next = match here {
            Next::Item => Next::Item,
            Next::Key => Next::Value,
            Next::Value => Next::Key,
        };
        here
    }
}
