//! The schemas of a saved catalog.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::error::SavedError;
use super::file::{SavedFile, unexpected};
use super::shape::{Names, Part};
use crate::catalog::{Direction, SchemaError, SchemaId, SchemaSource};

/// A schema's id is the number of its part.
#[derive(Debug)]
pub(super) struct SavedSchemas {
    file: Arc<SavedFile>,
    names: OnceLock<Names>,
}

impl SavedSchemas {
    pub(super) const fn new(file: Arc<SavedFile>) -> Self {
        Self { file, names: OnceLock::new() }
    }

    fn names(&self) -> Result<&Names, SavedError> {
        match self.names.get() {
            Some(names) => Ok(names),
            None => self.file.names().map(|names| self.names.get_or_init(|| names)),
        }
    }
}

impl From<SavedError> for SchemaError {
    fn from(error: SavedError) -> Self {
        Self::unreadable(error.to_string())
    }
}

impl SchemaSource for SavedSchemas {
    fn hold(&self) -> Result<(), SchemaError> {
        Ok(self.file.hold()?)
    }

    fn write(&self, id: SchemaId, direction: Direction) -> Result<Value, SchemaError> {
        match (self.file.part(id.0)?, direction) {
            (Part::Schema(schema), _)
            | (Part::SchemaByDirection { request: schema, .. }, Direction::Request)
            | (Part::SchemaByDirection { reply: schema, .. }, Direction::Reply) => Ok(schema),
            _ => Err(unexpected(id.0).into()),
        }
    }

    fn name(&self, id: SchemaId) -> Result<String, SchemaError> {
        Ok(self.names()?.wanted.get(&id.0).cloned().unwrap_or_else(|| "schema".to_owned()))
    }

    fn patterns(&self) -> Result<Vec<String>, SchemaError> {
        Ok(self.file.patterns()?)
    }

    fn owner(&self, name: &str) -> Result<Option<SchemaId>, SchemaError> {
        // A schema that is not in here keeps its name all the same.
        let owner = self.names()?.owners.get(name);
        Ok(owner.map(|number| SchemaId(number.unwrap_or(u32::MAX))))
    }

    fn own_names(&self) -> Result<Vec<String>, SchemaError> {
        Ok(self.names()?.owners.keys().cloned().collect())
    }
}
