//! Fingerprints of whole documents stay the same however they are written: our documents always, published ones where
//! they are at hand.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemarouter::catalog::Fingerprints;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use schemarouter::kernel::base::fingerprint::Fingerprint;

use crate::support::shuffle::{Rewrite, rewritten};

/// Fingerprints by key.
pub(super) type Prints = BTreeMap<String, Fingerprints>;

/// A document, and what it comes to.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) document: Document,
    pub(super) prints: Prints,
    /// Keys by method and path.
    pub(super) keys: BTreeMap<(String, String), String>,
}

/// All documents of a version that is supported, the largest first: none is left for the end that takes long alone.
pub(super) fn subjects() -> &'static [Subject] {
    static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
        let ours = [
            ("pets", include_str!("../../fixtures/documents/pets-3.0.json")),
            ("orders", include_str!("../../fixtures/documents/orders-3.1.json")),
        ];
        let ours = ours.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
        let published = super::documents().into_iter().map(|published| (published.name, published.bytes));
        let mut all: Vec<_> = ours.chain(published).collect();
        all.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
        in_parallel(&all, |(name, bytes)| subject(name, bytes)).into_iter().flatten().collect()
    });
    &SUBJECTS
}

/// Documents of which we know that there is something to shuffle and to edit.
fn ours() -> impl Iterator<Item = &'static Subject> {
    subjects().iter().filter(|subject| ["pets", "orders"].contains(&subject.name.as_str()))
}

fn subject(name: &str, bytes: &[u8]) -> Option<Subject> {
    let document = super::read(name, bytes.to_vec());
    let compiled = compile(document.clone(), &Options::new("source")).ok()?;
    let keys = compiled.endpoints.iter().map(|endpoint| {
        let plan = endpoint.http().expect("operations are reached over HTTP");
        ((plan.method.clone(), plan.template.clone()), endpoint.key.to_string())
    });
    Some(Subject { name: name.to_owned(), document, keys: keys.collect(), prints: prints(&compiled) })
}

fn prints(compiled: &Compiled) -> Prints {
    compiled.endpoints.iter().map(|endpoint| (endpoint.key.to_string(), endpoint.fingerprints)).collect()
}

/// The fingerprints of the document in a text.
pub(super) fn prints_of(json: Vec<u8>) -> Prints {
    let document = Document::from_json(json, &Limits::default()).expect("this is JSON");
    prints(&compile(document, &Options::new("source")).expect("the version is the same"))
}

/// What comes of each item, on all processors.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(work(item));
        }
        done
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("the work is done")).collect()
    })
}

/// The parts that differ, as `key: part`.
pub(super) fn differences(before: &Prints, after: &Prints) -> Vec<String> {
    let parts = before.iter().flat_map(|(key, before)| {
        let after = after.get(key);
        let differs = |part: fn(&Fingerprints) -> Fingerprint| Some(part(before)) != after.map(part);
        let parts = [
            ("request", differs(|prints| prints.request)),
            ("reply", differs(|prints| prints.reply)),
            ("security", differs(|prints| prints.security)),
            ("destination", differs(|prints| prints.destination)),
            ("prose", differs(|prints| prints.prose)),
        ];
        parts.into_iter().filter(|(_, differs)| *differs).map(move |(part, _)| format!("{key}: {part}"))
    });
    parts.collect()
}

/// What a rewriting changes.
fn changed(rewrite: Rewrite) -> Vec<String> {
    let found = in_parallel(subjects(), |subject| {
        let after = prints_of(rewritten(&subject.document, rewrite, 7));
        let is_new = |key: &&String| !subject.prints.contains_key(*key);
        let new = after.keys().filter(is_new).map(|key| format!("{key}: new"));
        let changed = differences(&subject.prints, &after).into_iter().chain(new);
        changed.map(|part| format!("{}: {part}", subject.name)).collect::<Vec<_>>()
    });
    found.concat()
}

#[test]
fn case_065_the_form_of_a_document_does_not_matter() {
    for subject in ours() {
        let [plain, other] =
            [Rewrite::Nothing, Rewrite::Form].map(|how| rewritten(&subject.document, how, 7));
        assert_ne!(plain, other, "{}: nothing is shuffled", subject.name);
    }
    assert_eq!(changed(Rewrite::Form), Vec::<String>::new());
}

#[test]
fn prose_is_no_contract() {
    let (prose, contract): (Vec<_>, Vec<_>) =
        changed(Rewrite::Prose).into_iter().partition(|part| part.ends_with(": prose"));
    assert_eq!(contract, Vec::<String>::new());
    for subject in ours() {
        let mut parts = subject.prints.keys().map(|key| format!("{}: {key}: prose", subject.name));
        assert!(parts.all(|part| prose.contains(&part)), "{}: all endpoints have texts", subject.name);
    }
}
