//! The sources of a router, and replacing one while calls run.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use schemarouter_kernel::base::kind::ErrorKind;

use crate::catalog::{Catalog, Drift, Fingerprints, Found, Lock, Source};

/// How many contracts that were replaced are remembered, so that a stale pin can be told what has changed.
const MOST_RETIRED: usize = 100_000;

/// What can be called, and what the operator demands of it, now and of whatever takes its place.
#[derive(Debug)]
pub(super) struct Sources {
    catalog: ArcSwap<Catalog>,
    lock: Option<Lock>,
    servers: BTreeMap<String, NonZeroUsize>,
    /// Contracts that were replaced, by pin. Its lock is held while a source is replaced: one after another.
    retired: Mutex<HashMap<Fingerprint, Fingerprints>>,
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
        for key in drift.iter().map(|drift| drift.key.as_str()) {
            if retired.len() < MOST_RETIRED
                && let Found::One(endpoint) = current.find(key)
            {
                retired.insert(endpoint.fingerprints.pin(), endpoint.fingerprints);
            }
        }
        let catalog = current.with(source).map_err(|key| twice(key.as_str()))?;
        self.catalog.store(Arc::new(catalog));
        Ok(drift)
    }

    /// The contract that had this pin before it was replaced.
    pub(super) fn retired(&self, pin: Fingerprint) -> Option<Fingerprints> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).get(&pin).copied()
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
