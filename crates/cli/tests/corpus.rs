//! A large published API by the command line; nothing where `SCHEMAROUTER_CORPUS` does not lead to it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::support::run;

fn github() -> Option<String> {
    let folder = PathBuf::from(std::env::var_os("SCHEMAROUTER_CORPUS")?);
    Some(folder.join("openapi/github-api.github.com.json").to_str().expect("the path is text").to_owned())
}

#[test]
fn all_operations_are_listed() {
    let Some(document) = github() else { return };
    let ran = run(&["list", &document, "--name", "github", "--json"]).ends_with(0);
    let listed = ran.json("list");
    assert_eq!(listed["endpoints"].as_array().map(Vec::len), Some(1223));
}

#[test]
fn ten_dry_runs() {
    let Some(document) = github() else { return };
    let chosen: Vec<Value> =
        serde_json::from_str(include_str!("../../../fixtures/github-keys.json")).expect("a list");
    let requests: Map<String, Value> = chosen
        .iter()
        .map(|chosen| {
            let (key, arguments) = (chosen["key"].as_str().expect("a key"), chosen["arguments"].to_string());
            let words =
                ["invoke", &document, key, "--name", "github", "--args", &arguments, "--dry-run", "--json"];
            (key.to_owned(), run(&words).ends_with(0).json("dry-run"))
        })
        .collect();
    insta::assert_json_snapshot!(requests);
}
