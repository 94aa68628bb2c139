//! Every published `OpenAPI` document at hand: nothing declared is lost without a word, and other readers agree.
//!
//! The documents are not part of the repository. `SCHEMAROUTER_CORPUS` names a folder with a table of documents,
//! `index.tsv`, and the documents that it lists; without it these tests do nothing. What came of each document is a
//! committed table, and every disagreement stands with its argument in `corpus/known-gaps.txt`.

#![allow(
    clippy::print_stderr,
    reason = "a test that does nothing has to say so, and times are part of the result"
)]

mod fingerprints;
mod gaps;
mod github;
mod mutations;
mod oracles;
mod reach;
mod survey;
mod table;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use schemarouter::catalog::{Direction, Endpoint, Schema, SchemaId, Schemas};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};

use serde_json::Value;
use survey::{Outcome, survey};

/// A document and what the table of documents says about it.
struct Published {
    /// Its path below the folder of documents.
    name: String,
    /// The files that it consists of; only the first is read.
    files: usize,
    /// `openapi` or `swagger`.
    version: String,
    /// Methods of path items under `paths`.
    operations: usize,
    bytes: Vec<u8>,
}

/// The documents at hand, in the order of the table; empty without the variable.
fn documents() -> Vec<Published> {
    let Some(folder) = std::env::var_os("SCHEMAROUTER_CORPUS").map(PathBuf::from) else {
        eprintln!("SCHEMAROUTER_CORPUS is not set: no published documents to look at");
        return Vec::new();
    };
    let index = std::fs::read_to_string(folder.join("index.tsv")).expect("the corpus has an `index.tsv`");
    let mut lines = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let titles = lines.next().expect("the index has a line of titles");
    let column = |title: &str| {
        titles.iter().position(|written| *written == title).unwrap_or_else(|| panic!("no column `{title}`"))
    };
    let [file, files, version, operations] = ["file", "n_files", "openapi", "operations"].map(column);
    lines
        .filter_map(|row| {
            let number = |at: usize| row[at].parse().unwrap_or_else(|_| panic!("no number: {row:?}"));
            Some(Published {
                name: row[file].strip_prefix("openapi/")?.to_owned(),
                files: number(files),
                version: row[version].to_owned(),
                operations: number(operations),
                bytes: std::fs::read(folder.join(row[file])).expect("the index names files that are there"),
            })
        })
        .collect()
}

/// The document in a file, JSON or YAML.
fn read(name: &str, bytes: Vec<u8>) -> Document {
    Document::from_text(bytes, &Limits::default()).unwrap_or_else(|refused| panic!("{name}: {refused}"))
}

/// Every declared operation is an endpoint or has an error that names it (ruling 24).
#[test]
fn every_published_operation_is_an_endpoint_or_told() {
    for document in survey() {
        let name = &document.name;
        let compiled = match &document.outcome {
            Outcome::Compiled(compiled) => compiled,
            Outcome::Refused { message, .. } => {
                assert!(message.contains("is not supported"), "{name}: {message}");
                assert!(["2.", "3.2."].iter().any(|other| document.version.starts_with(other)), "{name}");
                continue;
            }
        };
        assert_eq!(compiled.counted, compiled.declared.len(), "{name}: declared operations");
        let endpoints: BTreeSet<&String> = compiled.endpoints.keys().collect();
        let errors: BTreeSet<&String> =
            compiled.errors.iter().filter_map(|(_, about)| about.as_ref()).collect();
        assert!(endpoints.is_disjoint(&errors), "{name}: endpoints with an error");
        let found: BTreeSet<&String> = endpoints.union(&errors).copied().collect();
        assert_eq!(
            found,
            compiled.declared.iter().collect(),
            "{name}: endpoints and operations with an error"
        );
    }
}

/// The schemas of an endpoint.
fn schemas(endpoint: &Endpoint) -> impl Iterator<Item = &Schema> {
    let arguments = endpoint.arguments.iter().filter_map(|argument| argument.schema.as_ref());
    let replies = endpoint.replies.all().iter().flat_map(|reply| reply.content.iter());
    arguments.chain(replies.filter_map(|content| content.schema.as_ref()))
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
    for Published { name, bytes, .. } in documents() {
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
                let text = source.write(id, Direction::Reply).expect("the document is at hand");
                references(&text, &mut pending);
            }
        }
    }
}
