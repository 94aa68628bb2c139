//! Fingerprints of whole documents stay the same however they are written: our documents always, published ones where
//! they are at hand.

use std::collections::BTreeMap;

use schemarouter::catalog::Fingerprints;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::kernel::base::fingerprint::Fingerprint;
use serde_json::Value;

use crate::support::shuffle::{Rewrite, rewritten};

pub(super) fn all_documents() -> impl Iterator<Item = (String, Value)> {
    let ours = [
        ("pets", include_str!("../../fixtures/documents/pets-3.0.json")),
        ("orders", include_str!("../../fixtures/documents/orders-3.1.json")),
    ];
    let ours = ours.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let published = super::documents().into_iter().map(|published| (published.name, published.bytes));
    ours.chain(published).map(|(name, bytes)| {
        let value = super::read(&name, bytes).root().to_value();
        (name, value)
    })
}

/// The fingerprints by method and path; nothing for a version that is not supported.
pub(super) fn prints(document: &Value) -> Option<BTreeMap<String, Fingerprints>> {
    let document = Document::from_json(document.to_string(), &Limits::default()).expect("this is JSON");
    let compiled = compile(document, &Options::new("source")).ok()?;
    let prints = compiled.endpoints.iter().map(|endpoint| {
        let plan = endpoint.http().expect("HTTP");
        (format!("{} {}", plan.method, plan.template), endpoint.fingerprints)
    });
    Some(prints.collect())
}

/// The parts that differ, by key.
fn differences(
    before: &BTreeMap<String, Fingerprints>,
    after: &BTreeMap<String, Fingerprints>,
) -> Vec<String> {
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

#[test]
fn case_065_the_form_of_a_document_does_not_matter() {
    let mut found = Vec::new();
    for (name, document) in all_documents() {
        let Some(before) = prints(&document) else { continue };
        let after = prints(&rewritten(&document, Rewrite::Form, 7)).expect("the version is the same");
        assert_eq!(before.len(), after.len(), "{name}");
        found.extend(
            differences(&before, &after).into_iter().map(|difference| format!("{name}: {difference}")),
        );
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn prose_is_no_contract() {
    let mut found = Vec::new();
    for (name, document) in all_documents() {
        let Some(before) = prints(&document) else { continue };
        let after = prints(&rewritten(&document, Rewrite::Prose, 7)).expect("the version is the same");
        let contract = differences(&before, &after).into_iter().filter(|part| !part.ends_with(": prose"));
        found.extend(contract.map(|difference| format!("{name}: {difference}")));
    }
    assert_eq!(found, Vec::<String>::new());
}
