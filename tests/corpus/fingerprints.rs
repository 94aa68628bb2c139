//! What does not change a contract does not change its fingerprint, on every published document at hand.

use std::collections::BTreeMap;

use schemarouter::catalog::Fingerprints;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use serde_json::{Map, Value};

/// Larger documents take minutes in an unoptimised build, and say nothing that these do not.
const MOST_BYTES: usize = 4_000_000;

/// The same document with the members of every object in the opposite order.
fn reversed(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members.into_iter().rev().map(|(name, value)| (name, reversed(value))).collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(reversed).collect()),
        scalar => scalar,
    }
}

fn fingerprints(text: String) -> Option<BTreeMap<String, Fingerprints>> {
    let document = Document::from_json(text, &Limits::default()).expect("published documents are JSON");
    let compiled = compile(document, &Options::new("source")).ok()?;
    Some(
        compiled.endpoints.iter().map(|endpoint| (endpoint.key.to_string(), endpoint.fingerprints)).collect(),
    )
}

#[test]
fn the_order_of_members_changes_nothing() {
    for (name, bytes) in super::documents() {
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { continue };
        if bytes.len() > MOST_BYTES {
            continue;
        }
        let (there, back) = (fingerprints(value.to_string()), fingerprints(reversed(value).to_string()));
        assert_eq!(there.is_some(), back.is_some(), "{name}");
        let (Some(there), Some(back)) = (there, back) else { continue };
        assert_eq!(there.len(), back.len(), "{name}");
        for (key, prints) in &there {
            assert_eq!(Some(prints), back.get(key), "{name}: {key}");
        }
    }
}
