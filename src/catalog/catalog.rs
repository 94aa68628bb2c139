//! All endpoints, found by key.

use std::collections::HashMap;
use std::sync::Arc;

use super::endpoint::Endpoint;
use super::key::{ByOperation, Key};
use super::saved::SavedError;
use super::source::{Absent, Entry, Listed, Source};

/// All endpoints of a router: immutable, shared, cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    sources: Vec<Arc<Source>>,
    by_key: HashMap<Key, Place>,
    /// Operation to endpoint, where only one source has it.
    by_operation: HashMap<ByOperation, Option<Place>>,
}

/// An endpoint, by source and by its place there.
type Place = (usize, usize);

/// The answer to a look-up.
#[derive(Debug, Clone)]
pub enum Found {
    /// There it is.
    One(Arc<Endpoint>),
    /// Several sources have an operation of this name; the keys.
    Ambiguous(Vec<String>),
    /// It is declared and cannot be called.
    Absent(Absent),
    /// It is in a saved catalog, which cannot be read.
    Unreadable(SavedError),
    /// Nothing has this name; the nearest keys.
    None(Vec<String>),
}

/// Collects sources into a [`Catalog`].
#[derive(Debug, Default)]
pub struct CatalogBuilder {
    sources: Vec<Arc<Source>>,
}

impl CatalogBuilder {
    /// Adds a source with its endpoints.
    pub fn add(&mut self, source: Source) {
        self.sources.push(Arc::new(source));
    }

    /// The finished catalog.
    ///
    /// # Errors
    /// The first key that two endpoints have.
    pub fn build(self) -> Result<Catalog, Key> {
        let Self { sources } = self;
        let count = sources.iter().map(|source| source.entries.len()).sum();
        let mut by_key = HashMap::with_capacity(count);
        let mut by_operation: HashMap<ByOperation, Option<Place>> = HashMap::with_capacity(count);
        for (of, source) in sources.iter().enumerate() {
            for (at, entry) in source.entries.iter().enumerate() {
                let (key, place) = (entry.key().clone(), (of, at));
                if by_key.insert(key.clone(), place).is_some() {
                    return Err(key);
                }
                by_operation.entry(ByOperation(key)).and_modify(|only| *only = None).or_insert(Some(place));
            }
        }
        Ok(Catalog { inner: Arc::new(Inner { sources, by_key, by_operation }) })
    }
}

impl Catalog {
    /// An empty builder.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    /// The same catalog with this source in the place of the one of its name, or beside the others where there is none.
    ///
    /// # Errors
    /// The first key that two endpoints have.
    pub fn with(&self, source: Source) -> Result<Self, Key> {
        let source = Arc::new(source);
        let mut sources = self.inner.sources.clone();
        match sources.iter_mut().find(|before| before.info.name == source.info.name) {
            Some(before) => *before = source,
            None => sources.push(source),
        }
        CatalogBuilder { sources }.build()
    }

    /// The sources, in the order in which they were added.
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.inner.sources
    }

    /// The source of this name.
    pub fn source(&self, name: &str) -> Option<&Arc<Source>> {
        self.inner.sources.iter().find(|source| source.info.name == name)
    }

    /// How many endpoints there are.
    pub fn len(&self) -> usize {
        self.inner.by_key.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.inner.by_key.is_empty()
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.inner.sources.iter().flat_map(|source| &source.entries)
    }

    /// The keys, source by source, in document order.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries().map(Entry::key)
    }

    /// What a list shows of the endpoints, source by source, in document order; no endpoint has to be read for it.
    ///
    /// # Errors
    /// Where a saved list cannot be read.
    pub fn listing(&self) -> Result<Vec<Listed<'_>>, SavedError> {
        self.entries().map(Entry::listed).collect()
    }

    /// The endpoints, source by source, in document order; what is saved is read now, and kept.
    ///
    /// # Errors
    /// Each that cannot be read.
    pub fn endpoints(&self) -> impl Iterator<Item = Result<Arc<Endpoint>, SavedError>> {
        self.entries().map(Entry::endpoint)
    }

    /// Finds an endpoint by key, or by operation alone where only one source has it (ruling 20).
    pub fn find(&self, name: &str) -> Found {
        let inner = &*self.inner;
        match inner.by_key.get(name).map(|at| Some(*at)).or_else(|| inner.by_operation.get(name).copied()) {
            Some(Some((of, at))) => match inner.sources[of].entries[at].endpoint() {
                Ok(endpoint) => Found::One(endpoint),
                Err(error) => Found::Unreadable(error),
            },
            Some(None) => {
                let same = self.keys().filter(|key| key.operation() == name);
                Found::Ambiguous(same.map(Key::to_string).collect())
            }
            None => self.missing(name),
        }
    }

    fn missing(&self, name: &str) -> Found {
        let is_named = |absent: &&Absent| absent.key.as_str() == name || absent.key.operation() == name;
        match self.inner.sources.iter().flat_map(|source| &source.absent).find(is_named) {
            Some(absent) => Found::Absent(absent.clone()),
            None => Found::None(nearest(name, self.keys().map(Key::as_str), 3)),
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
