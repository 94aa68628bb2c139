//! Every published `OpenAPI` 3.0 and 3.1 document at hand: nothing declared is lost without a word.
//!
//! The documents are not part of the repository. `SCHEMAROUTER_CORPUS` names a folder with `openapi/*.json` and
//! `openapi/*.yaml`; without it these tests do nothing.

#![allow(
    clippy::print_stderr,
    reason = "a test that does nothing has to say so, and the table is its result"
)]

mod fingerprints;
mod github;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use schemarouter::catalog::{Direction, Endpoint, Schema, SchemaId, Schemas};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, Severity, compile};
use serde_json::Value;

/// The documents at hand, by file name; empty without the variable.
fn documents() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("SCHEMAROUTER_CORPUS") else {
        eprintln!("SCHEMAROUTER_CORPUS is not set: no published documents to look at");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(folder).join("openapi"))
        .expect("the corpus has a folder `openapi`")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json" || extension == "yaml" || extension == "yml")
        })
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("the file can be read"))
        })
        .collect()
}

/// The document in a file, JSON or YAML.
fn read(name: &str, bytes: Vec<u8>) -> Document {
    Document::from_text(bytes, &Limits::default()).unwrap_or_else(|refused| panic!("{name}: {refused}"))
}

/// The operations that a document declares, found without the compiler: `METHOD path`.
fn declared(root: &Value) -> BTreeSet<String> {
    const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let mut found = BTreeSet::new();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        if path.starts_with("x-") {
            continue;
        }
        let referred = item["$ref"].as_str().and_then(|reference| {
            let pointer: String = percent_encoding::percent_decode_str(reference.strip_prefix('#')?)
                .decode_utf8()
                .ok()?
                .into_owned();
            root.pointer(&pointer)
        });
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

/// The schemas of an endpoint.
fn schemas(endpoint: &Endpoint) -> impl Iterator<Item = &Schema> {
    let arguments = endpoint.arguments.iter().filter_map(|argument| argument.schema.as_ref());
    let replies = endpoint.replies.all().iter().flat_map(|reply| reply.content.iter());
    arguments.chain(replies.filter_map(|content| content.schema.as_ref()))
}

/// Every declared operation is an endpoint or has an error that names it (ruling 24).
fn assert_nothing_is_lost(name: &str, root: &Value, compiled: &Compiled) {
    let endpoints: BTreeSet<String> = compiled
        .endpoints
        .iter()
        .map(|endpoint| {
            let plan = endpoint.http().expect("operations are reached over HTTP");
            format!("{} {}", plan.method, plan.template)
        })
        .collect();
    let errors: BTreeSet<&str> = compiled
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .filter_map(|diagnostic| diagnostic.operation.as_deref())
        .collect();
    let declared = declared(root);
    assert_eq!(compiled.info.operations_declared, declared.len(), "{name}: declared operations");
    assert_eq!(compiled.info.endpoint_count, compiled.endpoints.len(), "{name}");
    for operation in &declared {
        let (is_endpoint, has_error) = (endpoints.contains(operation), errors.contains(operation.as_str()));
        assert!(is_endpoint != has_error, "{name}: {operation}: endpoint {is_endpoint}, error {has_error}");
    }
    let keys: BTreeSet<&str> = compiled.endpoints.iter().map(|endpoint| endpoint.key.as_str()).collect();
    assert_eq!(keys.len(), compiled.endpoints.len(), "{name}: keys are unique");
}

#[test]
fn every_published_operation_is_an_endpoint_or_told() {
    for (name, bytes) in documents() {
        let size = bytes.len();
        let start = Instant::now();
        let document = read(&name, bytes);
        let parsed = start.elapsed();
        let root = document.root().to_value();
        if root["openapi"]
            .as_str()
            .is_none_or(|version| !version.starts_with("3.0") && !version.starts_with("3.1"))
        {
            let refused = compile(document, &Options::new("source")).expect_err("other versions are refused");
            assert!(refused.message().contains("not supported"), "{name}: {refused}");
            continue;
        }
        let start = Instant::now();
        let compiled = compile(document, &Options::new("source")).expect("the version is supported");
        let took = start.elapsed();
        assert_nothing_is_lost(&name, &root, &compiled);
        for diagnostic in &compiled.diagnostics {
            assert!(root.pointer(&diagnostic.pointer).is_some(), "{name}: {diagnostic}");
            assert!(!diagnostic.message.contains('\n'), "{name}: {diagnostic}");
        }
        let mut codes: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
        for diagnostic in &compiled.diagnostics {
            *codes.entry((diagnostic.severity, diagnostic.code.code())).or_default() += 1;
        }
        let told: Vec<String> =
            codes.iter().map(|((severity, code), count)| format!("{severity} {code} {count}")).collect();
        eprintln!(
            "{name}\t{size} B\tread {parsed:.1?}, compiled {took:.1?}\t{} declared, {} endpoints\t{}",
            compiled.info.operations_declared,
            compiled.info.endpoint_count,
            told.join(", ")
        );
    }
}

/// The schemas that a written schema refers to.
fn references(schema: &Value, found: &mut Vec<SchemaId>) {
    match schema {
        Value::Object(members) => {
            let referred = members.get("$ref").and_then(Value::as_str);
            let id = referred.and_then(|to| to.strip_prefix("#/$defs/")).and_then(|id| id.parse().ok());
            found.extend(id.map(SchemaId));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Not only what operations name: what is compiled when a value first meets it must not be the first to fail.
#[test]
fn published_schemas_become_validators() {
    for (name, bytes) in documents() {
        let document = read(&name, bytes);
        let Ok(compiled) = compile(document, &Options::new("source")) else { continue };
        let all = || compiled.endpoints.iter().flat_map(schemas);
        let Some(source) = all().find_map(Schema::source) else { continue };
        for schema in all() {
            assert_eq!(schema.prepare(), Ok(()), "{name}: {schema:?}");
        }
        let handles = Schemas::new(Arc::clone(source));
        let mut pending: Vec<SchemaId> = all().filter_map(Schema::id).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                let schema = Schema::new(&handles, id, Direction::Reply);
                assert_eq!(schema.prepare(), Ok(()), "{name}: {schema:?}");
                references(&source.write(id, Direction::Reply), &mut pending);
            }
        }
    }
}
