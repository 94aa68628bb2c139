//! Each document read and compiled once, and what is worth comparing: small facts, since the documents are large.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Instant;

use schemarouter::compile::{Compiled as Source, Options, Severity, compile};
use serde_json::Value;

use super::oracles::{self, Opinion};
use super::{Published, documents, read};

/// One document.
pub(super) struct Surveyed {
    pub(super) name: String,
    pub(super) files: usize,
    pub(super) version: String,
    /// Operations according to the table of documents.
    pub(super) indexed: usize,
    pub(super) outcome: Outcome,
}

pub(super) enum Outcome {
    Refused { code: &'static str, message: String },
    Compiled(Box<Compiled>),
}

/// What the compiler made of a document, and what others make of it.
pub(super) struct Compiled {
    /// Declared operations as the compiler counts them.
    pub(super) counted: usize,
    /// Declared operations as [`declared`] finds them.
    pub(super) declared: BTreeSet<String>,
    /// The parameters of each endpoint, by `METHOD path`.
    pub(super) endpoints: BTreeMap<String, BTreeSet<Parameter>>,
    /// The code of each error, and the operation that it costs.
    pub(super) errors: Vec<(&'static str, Option<String>)>,
    pub(super) warnings: BTreeMap<&'static str, usize>,
    /// What the reader of this version in another crate makes of the document.
    pub(super) opinion: Opinion,
}

/// Location and name of a parameter; header names have no case.
pub(super) type Parameter = (&'static str, String);

pub(super) fn parameter(location: &'static str, name: &str) -> Parameter {
    (location, if location == "header" { name.to_ascii_lowercase() } else { name.to_owned() })
}

/// All documents at hand, looked at once for all tests.
pub(super) fn survey() -> &'static [Surveyed] {
    static SURVEY: LazyLock<Vec<Surveyed>> =
        LazyLock::new(|| documents().into_iter().map(surveyed).collect());
    &SURVEY
}

fn surveyed(published: Published) -> Surveyed {
    let Published { name, files, version, operations, bytes } = published;
    let (size, start) = (bytes.len(), Instant::now());
    let document = read(&name, bytes);
    let parsed = start.elapsed();
    let root = document.root().to_value();
    let start = Instant::now();
    let outcome = match compile(document, &Options::new("source")) {
        Err(refused) => {
            Outcome::Refused { code: refused.kind().code(), message: refused.message().to_owned() }
        }
        Ok(source) => {
            let compiled = start.elapsed();
            let start = Instant::now();
            let outcome = Outcome::Compiled(Box::new(facts(&name, &version, root, &source)));
            eprintln!(
                "{name}\t{size} B\tread {parsed:.1?}, compiled {compiled:.1?}, compared {:.1?}",
                start.elapsed()
            );
            outcome
        }
    };
    Surveyed { name, files, version, indexed: operations, outcome }
}

fn facts(name: &str, version: &str, root: Value, source: &Source) -> Compiled {
    let keys: BTreeSet<&str> = source.endpoints.iter().map(|endpoint| endpoint.key.as_str()).collect();
    assert_eq!(keys.len(), source.endpoints.len(), "{name}: keys are unique");
    assert_eq!(source.info.endpoint_count, source.endpoints.len(), "{name}");
    let (mut errors, mut warnings) = (Vec::new(), BTreeMap::new());
    for diagnostic in &source.diagnostics {
        assert!(root.pointer(&diagnostic.pointer).is_some(), "{name}: {diagnostic}");
        assert!(!diagnostic.message.contains('\n'), "{name}: {diagnostic}");
        match diagnostic.severity {
            Severity::Error => errors.push((diagnostic.code.code(), diagnostic.operation.clone())),
            Severity::Warning => *warnings.entry(diagnostic.code.code()).or_default() += 1,
        }
    }
    let endpoints = source.endpoints.iter().map(|endpoint| {
        let plan = endpoint.http().expect("operations are reached over HTTP");
        let parameters = plan.parameters.iter().map(|used| parameter(used.location.word(), &used.name));
        (format!("{} {}", plan.method, plan.template), parameters.collect())
    });
    Compiled {
        counted: source.info.operations_declared,
        declared: declared(&root),
        endpoints: endpoints.collect(),
        errors,
        warnings,
        opinion: oracles::opinion(version, root),
    }
}

/// The operations that a document declares, found without the compiler: `METHOD path`.
fn declared(root: &Value) -> BTreeSet<String> {
    const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let mut found = BTreeSet::new();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        if path.starts_with("x-") {
            continue;
        }
        let referred = item["$ref"].as_str().and_then(|reference| at(root, reference));
        for item in [Some(item), referred].into_iter().flatten() {
            for key in item.as_object().into_iter().flatten().map(|(key, _)| key) {
                if METHODS.contains(&key.as_str()) {
                    found.insert(format!("{} {path}", key.to_uppercase()));
                }
            }
        }
    }
    found
}

/// Where a reference within the document leads.
pub(super) fn at<'d>(root: &'d Value, reference: &str) -> Option<&'d Value> {
    let pointer = percent_encoding::percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    root.pointer(&pointer)
}
