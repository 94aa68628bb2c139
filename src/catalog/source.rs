//! What one document gives to a catalog.

use std::sync::Arc;

use schemarouter_kernel::base::disposition::Effect;

use super::endpoint::Endpoint;
use super::key::Key;
use super::saved::{Saved, SavedError};

/// What a source is and how much of it can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceInfo {
    /// Its name, the first part of every key.
    pub name: String,
    /// What it was read from, such as `openapi 3.0.3`, or `registered`.
    pub format: String,
    /// How many operations the document declares (ruling 24).
    pub operations_declared: usize,
    /// How many of them are endpoints.
    pub endpoint_count: usize,
}

/// An operation that a document declares and that cannot be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// The key that it would have.
    pub key: Key,
    /// Why, in one line.
    pub reason: String,
}

/// The endpoints of one document, at hand or in a saved catalog.
#[derive(Debug)]
pub struct Source {
    pub(super) info: SourceInfo,
    pub(super) entries: Vec<Entry>,
    pub(super) absent: Vec<Absent>,
    pub(super) most_servers: usize,
}

/// What a list shows of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed<'a> {
    /// Its name.
    pub key: &'a Key,
    /// The HTTP method; `None` where it is not reached over HTTP.
    pub method: Option<&'a str>,
    /// The path template as published; `None` where it is not reached over HTTP.
    pub path: Option<&'a str>,
    /// One line, as the document says.
    pub summary: Option<&'a str>,
    /// The groups that the document puts it in.
    pub tags: &'a [String],
    /// Whether the document calls it deprecated.
    pub deprecated: bool,
    /// What it does to the world.
    pub effect: Effect,
    /// Whether it destroys something.
    pub destructive: bool,
}

/// An endpoint, which may have to be read first.
#[derive(Debug)]
pub(super) enum Entry {
    Here(Arc<Endpoint>),
    Saved(Saved),
}

impl Source {
    /// Endpoints that are at hand; `absent` is what is declared and cannot be called.
    pub fn new(info: SourceInfo, endpoints: Vec<Endpoint>, absent: Vec<Absent>) -> Self {
        let most_servers = most_servers(&endpoints);
        let entries = endpoints.into_iter().map(|endpoint| Entry::Here(Arc::new(endpoint))).collect();
        Self { info, entries, absent, most_servers }
    }

    /// What it is and how much of it can be called.
    pub const fn info(&self) -> &SourceInfo {
        &self.info
    }

    /// What a list shows of the endpoints, in document order; no endpoint has to be read for it.
    ///
    /// # Errors
    /// Where a saved list cannot be read.
    pub fn listing(&self) -> Result<Vec<Listed<'_>>, SavedError> {
        self.entries.iter().map(Entry::listed).collect()
    }

    /// The endpoints in document order; what is saved is read now, and kept.
    ///
    /// # Errors
    /// Each that cannot be read.
    pub fn endpoints(&self) -> impl Iterator<Item = Result<Arc<Endpoint>, SavedError>> {
        self.entries.iter().map(Entry::endpoint)
    }

    /// What is declared and cannot be called.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// How many servers the endpoint has that has most of them.
    pub const fn most_servers(&self) -> usize {
        self.most_servers
    }
}

pub(super) fn most_servers(endpoints: &[Endpoint]) -> usize {
    endpoints.iter().filter_map(Endpoint::http).map(|plan| plan.servers.len()).max().unwrap_or(0)
}

impl Entry {
    pub(super) fn key(&self) -> &Key {
        match self {
            Self::Here(endpoint) => &endpoint.key,
            Self::Saved(saved) => saved.key(),
        }
    }

    pub(super) fn listed(&self) -> Result<Listed<'_>, SavedError> {
        let endpoint = match self {
            Self::Here(endpoint) => endpoint,
            Self::Saved(saved) => return saved.listed(),
        };
        let plan = endpoint.http();
        Ok(Listed {
            key: &endpoint.key,
            method: plan.map(|plan| plan.method.as_str()),
            path: plan.map(|plan| plan.template.as_str()),
            summary: endpoint.summary.as_deref(),
            tags: &endpoint.tags,
            deprecated: endpoint.deprecated,
            effect: endpoint.effect,
            destructive: endpoint.destructive,
        })
    }

    pub(super) fn endpoint(&self) -> Result<Arc<Endpoint>, SavedError> {
        match self {
            Self::Here(endpoint) => Ok(Arc::clone(endpoint)),
            Self::Saved(saved) => saved.endpoint(),
        }
    }
}
