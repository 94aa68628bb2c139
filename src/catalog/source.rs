//! What one document gives to a catalog.

use std::sync::Arc;

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

    /// The endpoints in document order; what is saved is read now, and kept.
    ///
    /// # Errors
    /// Each that cannot be read.
    pub fn endpoints(&self) -> impl Iterator<Item = Result<Arc<Endpoint>, SavedError>> {
        self.entries.iter().map(Entry::endpoint)
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

    pub(super) fn endpoint(&self) -> Result<Arc<Endpoint>, SavedError> {
        match self {
            Self::Here(endpoint) => Ok(Arc::clone(endpoint)),
            Self::Saved(saved) => saved.endpoint(),
        }
    }
}
