//! From lines to endpoints.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::error::SavedError;
use super::file::{SavedFile, unexpected};
use super::key::CatalogKey;
use super::read_at::ReadAt;
use super::schemas::SavedSchemas;
use super::shape::{
    Number, Part, SavedArgument, SavedContent, SavedEndpoint, SavedFingerprints, SavedFormat, SavedHttp,
    SavedListed, SavedParameter, SavedSecurity, SavedText,
};
use crate::catalog::source::{Entry, Listed};
use crate::catalog::{
    Absent, Argument, Binding, BodyFormat, BodyPlan, Content, DeclaredBy, Direction, Endpoint, Fingerprints,
    HttpPlan, Key, Parameter, PathPart, Replies, ReplySpec, Schema, SchemaId, Schemas, SchemeUse, Security,
    Source, SourceInfo, Style, Support,
};

/// An endpoint of a saved catalog.
#[derive(Debug)]
pub(in crate::catalog) struct Saved {
    key: Key,
    number: Number,
    library: Arc<Library>,
    loaded: OnceLock<Arc<Endpoint>>,
}

/// A saved catalog, and what its endpoints share in memory as they did before.
#[derive(Debug)]
struct Library {
    file: Arc<SavedFile>,
    listing: OnceLock<Vec<SavedListed>>,
    schemas: Arc<Schemas>,
    texts: Kept<str>,
    servers: Kept<[String]>,
    alternatives: Kept<[Vec<SchemeUse>]>,
    contents: Kept<[Content]>,
    forms: Kept<BTreeMap<String, Style>>,
}

/// Parts that are kept once they were read.
#[derive(Debug)]
struct Kept<T: ?Sized>(Mutex<HashMap<Number, Arc<T>>>);

impl Source {
    /// Opens a saved catalog, which [`Compiled::save`](crate::compile::Compiled::save) has written.
    ///
    /// Its endpoints and schemas are read when they are first used.
    ///
    /// # Errors
    /// Where it cannot be read, is damaged, of another version, or not of the document and the options of `key`.
    pub fn open(bytes: impl ReadAt + 'static, key: &CatalogKey) -> Result<Self, SavedError> {
        let (file, index) = SavedFile::open(Box::new(bytes), key)?;
        let file = Arc::new(file);
        let library = Arc::new(Library {
            schemas: Schemas::new(Arc::new(SavedSchemas::new(Arc::clone(&file)))),
            file,
            listing: OnceLock::new(),
            texts: Kept::default(),
            servers: Kept::default(),
            alternatives: Kept::default(),
            contents: Kept::default(),
            forms: Kept::default(),
        });
        let name = index.source;
        let entries: Vec<Entry> = (0..)
            .zip(&index.operations)
            .map(|(number, operation)| {
                let (key, library) = (Key::new(&name, operation), Arc::clone(&library));
                Entry::Saved(Saved { key, number, library, loaded: OnceLock::new() })
            })
            .collect();
        let absent = index.absent.into_iter();
        Ok(Self {
            absent: absent
                .map(|absent| Absent { key: Key::new(&name, &absent.operation), reason: absent.reason })
                .collect(),
            info: SourceInfo {
                name,
                format: index.format,
                operations_declared: index.operations_declared,
                endpoint_count: entries.len(),
            },
            entries,
            most_servers: index.most_servers,
        })
    }
}

impl Saved {
    pub(in crate::catalog) const fn key(&self) -> &Key {
        &self.key
    }

    pub(in crate::catalog) fn listed(&self) -> Result<Listed<'_>, SavedError> {
        let at = usize::try_from(self.number).ok();
        let Some(saved) = at.and_then(|at| self.library.listing().map(|all| all.get(at)).transpose()) else {
            return Err(SavedError::damaged("its listing is too short"));
        };
        let SavedListed { method, path, summary, tags, deprecated, effect, destructive } = saved?;
        Ok(Listed {
            key: &self.key,
            method: Some(method),
            path: Some(path),
            summary: summary.as_deref(),
            tags,
            deprecated: *deprecated,
            effect: *effect,
            destructive: *destructive,
        })
    }

    pub(in crate::catalog) fn endpoint(&self) -> Result<Arc<Endpoint>, SavedError> {
        if let Some(endpoint) = self.loaded.get() {
            return Ok(Arc::clone(endpoint));
        }
        let endpoint = match self.library.file.part(self.number)? {
            Part::Endpoint(saved) => self.library.endpoint(self.key.clone(), *saved)?,
            _ => return Err(unexpected(self.number)),
        };
        Ok(Arc::clone(self.loaded.get_or_init(|| Arc::new(endpoint))))
    }
}

impl Library {
    fn listing(&self) -> Result<&[SavedListed], SavedError> {
        match self.listing.get() {
            Some(listing) => Ok(listing),
            None => self.file.listing().map(|listing| &**self.listing.get_or_init(|| listing)),
        }
    }

    fn endpoint(&self, key: Key, saved: SavedEndpoint) -> Result<Endpoint, SavedError> {
        let SavedFingerprints { request, reply, security, destination, prose } = saved.fingerprints;
        let arguments =
            saved.arguments.into_iter().map(|argument| self.argument(argument)).collect::<Result<_, _>>()?;
        let replies = saved
            .replies
            .into_iter()
            .map(|reply| Ok(ReplySpec { status: reply.status, content: self.content(reply.content)? }));
        Ok(Endpoint {
            key,
            summary: saved.summary,
            description: saved.description,
            tags: saved.tags,
            deprecated: saved.deprecated,
            effect: saved.effect,
            destructive: saved.destructive,
            declared_by: DeclaredBy::Document,
            arguments,
            arguments_schema: None,
            replies: Replies::new(replies.collect::<Result<_, SavedError>>()?),
            next_page: None,
            binding: Binding::Http(Box::new(self.plan(saved.http)?)),
            fingerprints: Fingerprints { request, reply, security, destination, prose },
            pointer: saved.pointer,
        })
    }

    fn argument(&self, saved: SavedArgument) -> Result<Argument, SavedError> {
        let description = match saved.description {
            Some(SavedText::Here(text)) => Some(text.into()),
            Some(SavedText::Shared(number)) => {
                Some(self.texts.get(number, &self.file, |part| match part {
                    Part::Text(text) => Some(text.into()),
                    _ => None,
                })?)
            }
            None => None,
        };
        Ok(Argument {
            name: saved.name.into(),
            description,
            required: saved.required,
            schema: saved.schema.map(|number| self.schema(number, Direction::Request)),
            support: saved.unsupported.map_or(Support::Supported, Support::Unsupported),
        })
    }

    fn schema(&self, number: Number, direction: Direction) -> Schema {
        Schema::new(&self.schemas, SchemaId(number), direction)
    }

    fn content(&self, number: Number) -> Result<Arc<[Content]>, SavedError> {
        let made = |saved: SavedContent| Content {
            media_type: saved.media_type,
            schema: saved.schema.map(|number| self.schema(number, Direction::Reply)),
        };
        self.contents.get(number, &self.file, |part| match part {
            Part::Content(all) => Some(all.into_iter().map(made).collect()),
            _ => None,
        })
    }

    fn plan(&self, saved: SavedHttp) -> Result<HttpPlan, SavedError> {
        let missing =
            |part: &PathPart| matches!(part, PathPart::Parameter(at) if *at >= saved.parameters.len());
        if saved.path.iter().any(missing) {
            return Err(SavedError::damaged(format!("`{}` has a parameter that is missing", saved.template)));
        }
        let body = match saved.body {
            None => None,
            Some(body) => Some(BodyPlan {
                media_type: body.media_type,
                required: body.required,
                format: match body.format {
                    SavedFormat::Json => BodyFormat::Json,
                    SavedFormat::Text => BodyFormat::Text,
                    SavedFormat::Form(number) => {
                        BodyFormat::Form(self.forms.get(number, &self.file, |part| match part {
                            Part::Form(styles) => Some(Arc::new(styles)),
                            _ => None,
                        })?)
                    }
                },
            }),
        };
        Ok(HttpPlan {
            method: saved.method,
            template: saved.template,
            path: saved.path.into(),
            fixed_query: saved.fixed_query,
            parameters: saved.parameters.into_iter().map(parameter).collect(),
            body,
            servers: self.servers.get(saved.servers, &self.file, |part| match part {
                Part::Servers(all) => Some(all.into()),
                _ => None,
            })?,
            security: match saved.security {
                SavedSecurity::Undeclared => Security::Undeclared,
                SavedSecurity::Public => Security::Public,
                SavedSecurity::Alternatives(number) => {
                    Security::Alternatives(self.alternatives.get(number, &self.file, |part| match part {
                        Part::Security(all) => Some(all.into()),
                        _ => None,
                    })?)
                }
            },
            accept: saved.accept,
        })
    }
}

fn parameter(saved: SavedParameter) -> Parameter {
    let SavedParameter { name, argument, location, style, required } = saved;
    let name: Arc<str> = name.into();
    let argument = argument.map_or_else(|| Arc::clone(&name), Into::into);
    Parameter { name, argument, location, style, required }
}

impl<T: ?Sized> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: ?Sized> Kept<T> {
    fn lock(&self) -> MutexGuard<'_, HashMap<Number, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The part, as `made` makes it when it is read; nothing where it is another one.
    fn get(
        &self,
        number: Number,
        file: &SavedFile,
        made: impl FnOnce(Part) -> Option<Arc<T>>,
    ) -> Result<Arc<T>, SavedError> {
        if let Some(known) = self.lock().get(&number) {
            return Ok(Arc::clone(known));
        }
        // Read without the lock; whoever was first is kept, so that all share one.
        let new = made(file.part(number)?).ok_or_else(|| unexpected(number))?;
        Ok(Arc::clone(self.lock().entry(number).or_insert(new)))
    }
}
