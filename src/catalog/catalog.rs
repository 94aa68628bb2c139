//! All endpoints, found by key.

use std::collections::HashMap;
use std::sync::Arc;

use super::endpoint::Endpoint;
use super::key::Key;

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

/// All endpoints of a router: immutable, shared, cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    sources: Vec<SourceInfo>,
    endpoints: Vec<Arc<Endpoint>>,
    by_key: HashMap<String, usize>,
    /// Operation to endpoint, where only one source has it.
    by_operation: HashMap<String, Option<usize>>,
    absent: Vec<Absent>,
}

/// The answer to a look-up.
#[derive(Debug, Clone)]
pub enum Found {
    /// There it is.
    One(Arc<Endpoint>),
    /// Several sources have an operation of this name; the keys.
    Ambiguous(Vec<String>),
    /// It is declared and cannot be called.
    Absent(Absent),
    /// Nothing has this name; the nearest keys.
    None(Vec<String>),
}

/// Collects sources into a [`Catalog`].
#[derive(Debug, Default)]
pub struct CatalogBuilder {
    inner: Inner,
}

impl CatalogBuilder {
    /// Adds a source with its endpoints; keys must be unique in the catalog.
    ///
    /// # Errors
    /// The key that is taken already.
    pub fn add(&mut self, info: SourceInfo, endpoints: Vec<Endpoint>) -> Result<(), String> {
        for endpoint in endpoints {
            let at = self.inner.endpoints.len();
            if self.inner.by_key.insert(endpoint.key.as_str().to_owned(), at).is_some() {
                return Err(endpoint.key.as_str().to_owned());
            }
            self.inner
                .by_operation
                .entry(endpoint.key.operation().to_owned())
                .and_modify(|only| *only = None)
                .or_insert(Some(at));
            self.inner.endpoints.push(Arc::new(endpoint));
        }
        self.inner.sources.push(info);
        Ok(())
    }

    /// Adds what cannot be called, so that a call of it is told why.
    pub fn add_absent(&mut self, absent: Vec<Absent>) {
        self.inner.absent.extend(absent);
    }

    /// The finished catalog.
    pub fn build(self) -> Catalog {
        Catalog { inner: Arc::new(self.inner) }
    }
}

impl Catalog {
    /// An empty builder.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    /// The sources, in the order in which they were added.
    pub fn sources(&self) -> &[SourceInfo] {
        &self.inner.sources
    }

    /// The endpoints, source by source, in document order.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.inner.endpoints
    }

    /// Finds an endpoint by key, or by operation alone where only one source has it (ruling 20).
    pub fn find(&self, name: &str) -> Found {
        if let Some(&at) = self.inner.by_key.get(name) {
            return Found::One(Arc::clone(&self.inner.endpoints[at]));
        }
        match self.inner.by_operation.get(name) {
            Some(Some(at)) => Found::One(Arc::clone(&self.inner.endpoints[*at])),
            Some(None) => Found::Ambiguous(
                self.inner
                    .endpoints
                    .iter()
                    .filter(|endpoint| endpoint.key.operation() == name)
                    .map(|endpoint| endpoint.key.as_str().to_owned())
                    .collect(),
            ),
            None => self.missing(name),
        }
    }

    fn missing(&self, name: &str) -> Found {
        let is_named = |absent: &&Absent| absent.key.as_str() == name || absent.key.operation() == name;
        match self.inner.absent.iter().find(is_named) {
            Some(absent) => Found::Absent(absent.clone()),
            None => {
                let keys = self.inner.endpoints.iter().map(|endpoint| endpoint.key.as_str());
                Found::None(nearest(name, keys, 3))
            }
        }
    }
}

/// The candidates nearest to `name` by edit distance on lower-cased text, at most `count`, best first.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
    count: usize,
) -> Vec<String> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let furthest = wanted.len() / 2 + 1;
    let mut scored: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| {
            // A key is also near when its operation alone is.
            let bare = candidate.split_once('.').map_or(candidate, |(_, operation)| operation);
            let distance = edit_distance(&wanted, candidate).min(edit_distance(&wanted, bare));
            (distance <= furthest).then_some((distance, candidate))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(count).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// Levenshtein distance, one row at a time.
fn edit_distance(wanted: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, c) in candidate.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, w) in wanted.iter().enumerate() {
            let substituted = diagonal + usize::from(*w != c);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[wanted.len()]
}
