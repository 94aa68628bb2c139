//! The sources of a router, and replacing one while calls run.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use schemarouter_kernel::base::kind::ErrorKind;

use crate::catalog::{Catalog, Drift, Endpoint, Fingerprints, Found, Lock, Source};

/// How many contracts that were replaced are remembered, so that a stale pin can be told what has changed.
const MOST_RETIRED: usize = 100_000;
/// Of how many replacements what was replaced is kept whole, so that what has changed can be told in full; a document is
/// kept with its endpoints.
const MOST_KEPT: usize = 4;

/// What can be called, and what the operator demands of it, now and of whatever takes its place.
#[derive(Debug)]
pub(super) struct Sources {
    catalog: ArcSwap<Catalog>,
    lock: Option<Lock>,
    servers: BTreeMap<String, NonZeroUsize>,
    /// Contracts that were replaced. Its lock is held while a source is replaced: one after another.
    retired: Mutex<Retired>,
}

/// Contracts that were replaced, by pin.
#[derive(Debug, Default)]
struct Retired {
    known: HashMap<Fingerprint, Fingerprints>,
    /// Those of the last replacements, whole.
    kept: VecDeque<HashMap<Fingerprint, Arc<Endpoint>>>,
}

/// What is known of a contract that was replaced.
pub(super) enum Before {
    Whole(Arc<Endpoint>),
    Parts(Fingerprints),
}

impl Sources {
    /// The documents and the registered code of a router.
    pub(super) fn new(
        documents: Vec<Source>,
        registered: Vec<Source>,
        lock: Option<Lock>,
        servers: BTreeMap<String, NonZeroUsize>,
    ) -> Result<Self, Error> {
        if let Some(lock) = &lock {
            undrifted(lock, &documents)?;
        }
        for (name, number) in &servers {
            let Some(source) = documents.iter().find(|source| source.info().name == *name) else {
                let message = format!("a server of `{name}` is chosen, and no document has that name");
                return Err(Error::rejected(ErrorKind::MissingServer, message)
                    .with_hint("name the source as its document was named"));
            };
            chosen(source, *number)?;
        }
        let mut catalog = Catalog::builder();
        for source in documents.into_iter().chain(registered) {
            named(&source)?;
            catalog.add(source);
        }
        let catalog = ArcSwap::from_pointee(catalog.build().map_err(|key| twice(key.as_str()))?);
        Ok(Self { catalog, lock, servers, retired: Mutex::default() })
    }

    /// What can be called now; whoever holds it keeps it.
    pub(super) fn current(&self) -> Catalog {
        Catalog::clone(&self.catalog.load())
    }

    /// Puts a document in the place of the one of the same name; what has changed.
    pub(super) fn replace(&self, source: Source) -> Result<Vec<Drift>, Error> {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, current) = (source.info().name.clone(), self.current());
        let Some(before) = current.source(&name).filter(|before| before.info().format != "registered") else {
            let message = format!("no document of this router has the name `{name}`");
            return Err(Error::rejected(ErrorKind::CompileError, message).with_hint(
                "a source takes the place of the one of its name; add others when the router is built",
            ));
        };
        if let Some(lock) = &self.lock {
            undrifted(&lock.clone().only([name.as_str()]), std::slice::from_ref(&source))?;
        }
        if let Some(number) = self.servers.get(&name) {
            chosen(&source, *number)?;
        }
        let drift = Lock::of_sources([&**before])?.compare(&Lock::of_sources([&source])?);
        let catalog = current.with(source).map_err(|key| twice(key.as_str()))?;
        let mut replaced = HashMap::new();
        for key in drift.iter().map(|drift| drift.key.as_str()) {
            let Found::One(endpoint) = current.find(key) else { continue };
            let pin = endpoint.fingerprints.pin();
            if retired.known.len() < MOST_RETIRED {
                retired.known.insert(pin, endpoint.fingerprints);
            }
            replaced.insert(pin, endpoint);
        }
        if !replaced.is_empty() {
            retired.kept.push_back(replaced);
        }
        if retired.kept.len() > MOST_KEPT {
            retired.kept.pop_front();
        }
        self.catalog.store(Arc::new(catalog));
        Ok(drift)
    }

    /// The contract that had this pin before it was replaced.
    pub(super) fn retired(&self, pin: Fingerprint) -> Option<Before> {
        let retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = retired.kept.iter().rev().find_map(|kept| kept.get(&pin));
        let whole = whole.map(|endpoint| Before::Whole(Arc::clone(endpoint)));
        whole.or_else(|| retired.known.get(&pin).copied().map(Before::Parts))
    }
}

/// The first dot of a key separates, so a source's name has none (ruling 20).
fn named(source: &Source) -> Result<(), Error> {
    let name = &source.info().name;
    if name.is_empty() || name.contains('.') {
        let message = format!("the source name `{name}` must not be empty or hold a dot");
        return Err(Error::rejected(ErrorKind::CompileError, message).with_hint("name the source otherwise"));
    }
    Ok(())
}

fn twice(key: &str) -> Error {
    Error::rejected(ErrorKind::CompileError, format!("two endpoints have the key `{key}`"))
        .with_hint("give the sources different names")
}

/// Whether an endpoint of the source has a server of this number.
fn chosen(source: &Source, number: NonZeroUsize) -> Result<(), Error> {
    let (name, most) = (&source.info().name, source.most_servers());
    if source.info().endpoint_count == 0 || number.get() <= most {
        return Ok(());
    }
    let message = format!("server {number} of `{name}` is chosen, and its endpoints have {most}");
    Err(Error::rejected(ErrorKind::MissingServer, message)
        .with_hint("`schemarouter describe` lists the servers of an endpoint, the first one is number 1"))
}

/// Refuses documents that are not those of the lock: what was planned, permitted or read was about others.
fn undrifted(lock: &Lock, sources: &[Source]) -> Result<(), Error> {
    const NAMED: usize = 5;
    let drift = lock.compare(&Lock::of_sources(sources)?);
    if drift.is_empty() {
        return Ok(());
    }
    let mut named: Vec<String> = drift.iter().take(NAMED).map(Drift::to_string).collect();
    if drift.len() > NAMED {
        named.push(format!("and {} more", drift.len() - NAMED));
    }
    let message = format!("{} ({})", Drift::summary(&drift), named.join("; "));
    Err(Error::rejected(ErrorKind::StaleFingerprint, message)
        .with_hint("`compile ... --locked` lists all; review them, then write the lock anew with `--lock`"))
}
