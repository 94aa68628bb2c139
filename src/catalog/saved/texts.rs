//! The schemas that are reached, as parts.

use std::collections::HashMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use serde_json::Value;

use super::error::SavedError;
use super::shape::{Names, Number, Part};
use super::write::Parts;
use crate::catalog::schema::walk;
use crate::catalog::{Direction, Schema, SchemaError, SchemaId, SchemaSource};

/// The schemas that are reached; each is written once, and those that say the same and have no name are one.
#[derive(Debug, Default)]
pub(super) struct SchemaTexts {
    source: Option<Arc<dyn SchemaSource>>,
    /// Those that somebody refers to, or that have names.
    known: HashMap<SchemaId, Number>,
    /// The others.
    nameless: HashMap<SchemaId, Number>,
    /// Those of which the part is not yet set.
    pending: Vec<(Number, Texts)>,
    names: Names,
}

/// A schema for both directions, as its source writes it.
#[derive(Debug)]
struct Texts {
    request: Value,
    reply: Value,
}

impl From<SchemaError> for SavedError {
    fn from(error: SchemaError) -> Self {
        Self::unsupported(format!("cannot be written: {error}"))
    }
}

impl SchemaTexts {
    /// The part of a schema that an argument or a reply has.
    pub(super) fn number(&mut self, schema: &Schema, parts: &mut Parts) -> Result<Number, SavedError> {
        let (Some(id), Some(source)) = (schema.id(), schema.source()) else {
            return Err(SavedError::unsupported("is for documents, and here is a schema that stands alone"));
        };
        let source = Arc::clone(self.source.get_or_insert_with(|| Arc::clone(source)));
        if !schema.source().is_some_and(|own| Arc::ptr_eq(own, &source)) {
            return Err(SavedError::unsupported("is for one document, and here are the schemas of several"));
        }
        if let Some(known) = self.known.get(&id).or_else(|| self.nameless.get(&id)) {
            return Ok(*known);
        }
        let mut texts = Texts::of(&*source, id)?;
        let number = if texts.refers() || source.owner(&source.name(id)?)? == Some(id) {
            self.named(id, texts, parts)?
        } else {
            let number = parts.add(&texts.part())?;
            self.nameless.insert(id, number);
            number
        };
        self.settle(&*source, parts)?;
        Ok(number)
    }

    fn named(&mut self, id: SchemaId, texts: Texts, parts: &mut Parts) -> Result<Number, SavedError> {
        let number = parts.reserve()?;
        self.known.insert(id, number);
        self.pending.push((number, texts));
        Ok(number)
    }

    /// Writes what is pending, with everything that it reaches.
    fn settle(&mut self, source: &dyn SchemaSource, parts: &mut Parts) -> Result<(), SavedError> {
        while let Some((number, mut texts)) = self.pending.pop() {
            let mut failed = None;
            texts.each_reference(&mut |id| {
                let referred = self.referred(id, source, parts);
                referred.map_or_else(
                    |error| {
                        failed = Some(error);
                        id
                    },
                    SchemaId,
                )
            });
            if let Some(error) = failed {
                return Err(error);
            }
            parts.set(number, &texts.part())?;
        }
        Ok(())
    }

    fn referred(
        &mut self,
        id: SchemaId,
        source: &dyn SchemaSource,
        parts: &mut Parts,
    ) -> Result<Number, SavedError> {
        let number = match self.known.get(&id) {
            Some(known) => *known,
            None => self.named(id, Texts::of(source, id)?, parts)?,
        };
        if let Entry::Vacant(unnamed) = self.names.wanted.entry(number) {
            unnamed.insert(source.name(id)?);
        }
        Ok(number)
    }

    /// The names and the regular expressions.
    pub(super) fn finish(self) -> Result<(Names, Vec<String>), SavedError> {
        let Self { source, known, mut names, .. } = self;
        let Some(source) = source else { return Ok(Default::default()) };
        for name in source.own_names()? {
            let number = source.owner(&name)?.and_then(|id| known.get(&id).copied());
            names.owners.insert(name, number);
        }
        Ok((names, source.patterns()?))
    }
}

impl Texts {
    fn of(source: &dyn SchemaSource, id: SchemaId) -> Result<Self, SchemaError> {
        Ok(Self {
            request: source.write(id, Direction::Request)?,
            reply: source.write(id, Direction::Reply)?,
        })
    }

    fn refers(&mut self) -> bool {
        let mut refers = false;
        self.each_reference(&mut |id| {
            refers = true;
            id
        });
        refers
    }

    /// Puts another id in the place of each that is referred to.
    fn each_reference(&mut self, other: &mut dyn FnMut(SchemaId) -> SchemaId) {
        for text in [&mut self.request, &mut self.reply] {
            walk(text, &mut |keywords, _| {
                if let Some(referred) = SchemaId::referred(keywords) {
                    keywords.insert("$ref".to_owned(), other(referred).reference().into());
                }
            });
        }
    }

    fn part(self) -> Part {
        let Self { request, reply } = self;
        if request == reply { Part::Schema(request) } else { Part::SchemaByDirection { request, reply } }
    }
}
