//! The same documents read by two other crates: what they can read, they read as we do.
//!
//! `openapiv3` reads 3.0, `oas3` reads 3.1; both into types, so that a document with one odd member is none at all for
//! them. Compared are the operations, and for each the location and name of its parameters.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::survey::{Compiled, Outcome, Parameter, at, parameter, survey};

/// What another reader makes of a document.
pub(super) enum Opinion {
    /// None: it cannot read the document.
    Unread(String),
    /// The parameters of each operation, by `METHOD path`; `None` where a reference leads nowhere.
    Read(Operations),
}

type Operations = BTreeMap<String, Option<BTreeSet<Parameter>>>;

/// The name of the crate that reads documents of this version.
pub(super) fn reader(version: &str) -> &'static str {
    if version.starts_with("3.0") { "openapiv3" } else { "oas3" }
}

pub(super) fn opinion(version: &str, mut root: Value) -> Opinion {
    // Nothing is compared that they could say. Without them more documents can be read, and in a third of the time.
    if let Some(components) = root.get_mut("components").and_then(Value::as_object_mut) {
        components.remove("schemas");
    }
    let read = match reader(version) {
        "openapiv3" => catch_unwind(|| of_openapiv3(&root)),
        _ => catch_unwind(|| of_oas3(&root)),
    };
    match read {
        Ok(Ok(operations)) => Opinion::Read(operations),
        Ok(Err(error)) => Opinion::Unread(error.to_string()),
        Err(_) => Opinion::Unread("it panics".to_owned()),
    }
}

fn of_openapiv3(root: &Value) -> Result<Operations, serde_json::Error> {
    use openapiv3::{OpenAPI, Parameter, PathItem, ReferenceOr};

    let resolve = |listed: &ReferenceOr<Parameter>| match listed {
        ReferenceOr::Item(own) => Some(own.clone()),
        ReferenceOr::Reference { reference } => resolved(root, reference),
    };
    let identity = |declared: &Parameter| {
        let location = match declared {
            Parameter::Query { .. } => "query",
            Parameter::Header { .. } => "header",
            Parameter::Path { .. } => "path",
            Parameter::Cookie { .. } => "cookie",
        };
        parameter(location, &declared.parameter_data_ref().name)
    };
    let mut operations = Operations::new();
    for (path, item) in root_of::<OpenAPI>(root)?.paths.paths {
        let item: Option<PathItem> = match item {
            ReferenceOr::Item(own) => Some(own),
            ReferenceOr::Reference { reference } => resolved(root, &reference),
        };
        for (method, operation) in item.iter().flat_map(PathItem::iter) {
            let shared = item.iter().flat_map(|item| &item.parameters);
            let parameters = shared.chain(&operation.parameters);
            let parameters = parameters.map(|listed| Some(identity(&resolve(listed)?))).collect();
            operations.insert(format!("{} {path}", method.to_uppercase()), parameters);
        }
    }
    Ok(operations)
}

fn of_oas3(root: &Value) -> Result<Operations, serde_json::Error> {
    use oas3::spec::{ObjectOrReference, Parameter, ParameterIn, PathItem, Spec};

    let resolve = |listed: &ObjectOrReference<Parameter>| match listed {
        ObjectOrReference::Object(own) => Some(own.clone()),
        ObjectOrReference::Ref { ref_path, .. } => resolved(root, ref_path),
    };
    let identity = |declared: &Parameter| {
        let location = match declared.location {
            ParameterIn::Query => "query",
            ParameterIn::Header => "header",
            ParameterIn::Path => "path",
            ParameterIn::Cookie => "cookie",
        };
        parameter(location, &declared.name)
    };
    let mut operations = Operations::new();
    for (path, item) in root_of::<Spec>(root)?.paths.into_iter().flatten() {
        let referred: Option<PathItem> = item.reference.as_deref().and_then(|place| resolved(root, place));
        for item in referred.iter().chain([&item]) {
            for (method, operation) in item.methods() {
                let parameters = item.parameters.iter().chain(&operation.parameters);
                let parameters = parameters.map(|listed| Some(identity(&resolve(listed)?))).collect();
                operations.insert(format!("{method} {path}"), parameters);
            }
        }
    }
    Ok(operations)
}

fn root_of<T: DeserializeOwned>(root: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(root)
}

/// What a chain of references within the document leads to; the crates follow none that leaves `components`.
fn resolved<T: DeserializeOwned>(root: &Value, reference: &str) -> Option<T> {
    let mut place = at(root, reference)?;
    for _ in 0..16 {
        match place["$ref"].as_str() {
            Some(further) => place = at(root, further)?,
            None => return T::deserialize(place).ok(),
        }
    }
    None
}

/// Header parameters that the specification says to ignore (Parameter Object, `name`).
fn is_ignored((location, name): &Parameter) -> bool {
    *location == "header" && ["accept", "content-type", "authorization"].contains(&name.as_str())
}

/// Where the two readers of one document differ, one line each.
fn differences(ours: &Compiled, theirs: &Operations) -> Vec<String> {
    let all: BTreeSet<&String> = ours.declared.iter().chain(theirs.keys()).collect();
    let mut found = Vec::new();
    for operation in all {
        match (ours.declared.contains(operation), theirs.get(operation), ours.endpoints.get(operation)) {
            (false, ..) => found.push(format!("{operation}: only theirs")),
            (true, None, _) => found.push(format!("{operation}: only ours")),
            // It is lost, with an error.
            (true, Some(_), None) => {}
            (true, Some(None), Some(_)) => {
                found.push(format!("{operation}: a reference of theirs leads nowhere"));
            }
            (true, Some(Some(theirs)), Some(ours)) => {
                let theirs: BTreeSet<Parameter> =
                    theirs.iter().filter(|parameter| !is_ignored(parameter)).cloned().collect();
                let mut tell = |whose: &str, (location, name): &Parameter| {
                    found.push(format!("{operation}: {location} `{name}` only {whose}"));
                };
                ours.difference(&theirs).for_each(|parameter| tell("ours", parameter));
                theirs.difference(ours).for_each(|parameter| tell("theirs", parameter));
            }
        }
    }
    found
}

/// All disagreements: the crate, the document, and what differs.
pub(super) fn disagreements() -> Vec<[String; 3]> {
    let mut found = Vec::new();
    for document in survey() {
        let Outcome::Compiled(compiled) = &document.outcome else { continue };
        let Opinion::Read(theirs) = &compiled.opinion else { continue };
        let about = |what| [reader(&document.version).to_owned(), document.name.clone(), what];
        found.extend(differences(compiled, theirs).into_iter().map(about));
    }
    found
}

/// What the others cannot read, and why: a document that they lose says nothing about us.
#[test]
fn most_documents_are_read_by_another_crate_too() {
    if survey().is_empty() {
        return;
    }
    let (mut table, mut counts) = (Vec::new(), BTreeMap::<&str, (usize, usize)>::new());
    for document in survey() {
        let Outcome::Compiled(compiled) = &document.outcome else { continue };
        let reader = reader(&document.version);
        let (read, of) = counts.entry(reader).or_default();
        *of += 1;
        match &compiled.opinion {
            Opinion::Read(_) => *read += 1,
            Opinion::Unread(why) => table.push(format!("{reader}\t{}\t{why}", document.name)),
        }
    }
    table.push(String::new());
    table
        .extend(counts.iter().map(|(reader, (read, of))| format!("{reader} reads {read} of {of} documents")));
    eprintln!("{}", table.join("\n"));
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn a_difference_of_each_kind_is_found() {
    let parameters = |all: &[(&'static str, &str)]| {
        all.iter().map(|(location, name)| parameter(location, name)).collect::<BTreeSet<_>>()
    };
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let ours = Compiled {
        counted: 5,
        declared: names(&["GET /a", "GET /b", "GET /lost", "GET /ours", "GET /same"]),
        endpoints: [
            ("GET /a".to_owned(), parameters(&[("query", "x"), ("header", "X-One")])),
            ("GET /b".to_owned(), BTreeSet::new()),
            ("GET /ours".to_owned(), BTreeSet::new()),
            ("GET /same".to_owned(), parameters(&[("header", "X-One"), ("path", "id")])),
        ]
        .into(),
        errors: Vec::new(),
        warnings: BTreeMap::new(),
        opinion: Opinion::Unread(String::new()),
    };
    let theirs: Operations = [
        ("GET /a".to_owned(), Some(parameters(&[("query", "X"), ("header", "x-one")]))),
        ("GET /b".to_owned(), None),
        ("GET /lost".to_owned(), Some(parameters(&[("query", "x")]))),
        (
            "GET /same".to_owned(),
            Some(parameters(&[("header", "x-ONE"), ("header", "Accept"), ("path", "id")])),
        ),
        ("GET /theirs".to_owned(), None),
    ]
    .into();
    let due = [
        "GET /a: query `x` only ours",
        "GET /a: query `X` only theirs",
        "GET /b: a reference of theirs leads nowhere",
        "GET /ours: only ours",
        "GET /theirs: only theirs",
    ];
    assert_eq!(differences(&ours, &theirs), due);
}

/// Both crates find what a document of ours says: references, shared and overridden parameters.
#[test]
fn both_readers_merge_and_resolve() {
    let document = |version: &str| {
        json!({
            "openapi": version,
            "info": {"title": "Demo", "version": "1"},
            "paths": {
                "/a/{id}": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                        {"$ref": "#/components/parameters/again"}
                    ],
                    "get": {
                        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
                        "responses": {"200": {"description": "ok"}}
                    },
                    "post": {
                        "parameters": [{"$ref": "#/components/parameters/nowhere"}],
                        "responses": {"200": {"description": "ok"}}
                    }
                },
                "/b": {"$ref": "#/paths/~1a~1%7Bid%7D"}
            },
            "components": {"parameters": {
                "again": {"$ref": "#/components/parameters/page"},
                "page": {"name": "X-Page", "in": "header", "schema": {"type": "integer"}}
            }}
        })
    };
    for version in ["3.0.3", "3.1.1"] {
        let Opinion::Read(read) = opinion(version, document(version)) else { panic!("{version} is read") };
        let parameters: BTreeSet<Parameter> =
            [("path", "id".to_owned()), ("header", "x-page".to_owned())].into();
        let due: Operations = ["/a/{id}", "/b"]
            .iter()
            .flat_map(|path| {
                [(format!("GET {path}"), Some(parameters.clone())), (format!("POST {path}"), None)]
            })
            .collect();
        assert_eq!(read, due, "{version}");
    }
}
