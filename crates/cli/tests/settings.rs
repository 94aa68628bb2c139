//! What the operator says about a document: server variables, a server, wire forms that nobody defines.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Ran, schemarouter};

/// A folder with `shop.json`, served at two places, and `bank.json`, served at one.
fn folder() -> TempDir {
    let document = |servers| {
        json!({
            "openapi": "3.1.0",
            "info": {"title": "Shop", "version": "1"},
            "servers": servers,
            "paths": {"/ping": {"get": {"operationId": "ping", "responses": {"200": {"description": "ok"}}}}},
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let zone = json!({"zone": {"default": "n1", "enum": ["n1", "s1"]}, "base": {"default": "v2"}});
    let shop = json!([{"url": "https://{zone}.shop.test/{base}", "variables": zone}, {"url": "https://sandbox.test"}]);
    fs::write(folder.path().join("shop.json"), document(shop).to_string()).unwrap();
    let bank = json!([{"url": "https://bank.test/{base}", "variables": {"base": {"default": "v1"}}}]);
    fs::write(folder.path().join("bank.json"), document(bank).to_string()).unwrap();
    folder
}

fn run(folder: &TempDir, words: &str) -> Ran {
    let words: Vec<&str> = words.split(' ').collect();
    Ran::of(schemarouter(&words).current_dir(folder.path()).output().unwrap())
}

#[test]
fn case_059_server_variables_on_the_command_line() {
    let folder = folder();
    let dry = |flags: &str| run(&folder, &format!("invoke shop.json ping --dry-run{flags}"));
    let url = |flags: &str| dry(flags).ends_with(0).json("dry-run")["url"].as_str().unwrap().to_owned();
    assert_eq!(url(""), "https://n1.shop.test/v2/ping");
    assert_eq!(
        url(" --server-variable zone=s1 --server-variable base=v3=x"),
        "https://s1.shop.test/v3=x/ping"
    );
    assert_eq!(url(" --server-variable base="), "https://n1.shop.test/ping");
    assert_eq!(url(" --server 2"), "https://sandbox.test/ping");
    assert_eq!(url(" --server https://other.test/x"), "https://other.test/x/ping");
    for (flags, code, due) in [
        (
            "--server-variable zone=evil.test/#",
            2,
            "shop.json: server variable `zone` has to be one of `n1`, `s1`",
        ),
        ("--server-variable zon=n1", 2, "shop.json: the document has no server variable `zon`"),
        ("--server-variable zone=n1 --server-variable zone=s1", 2, "server variable `zone` is given twice"),
        ("--server 3", 14, "server 3 of `shop` is chosen, and its endpoints have 2"),
    ] {
        let report = dry(&format!(" --json {flags}")).ends_with(code).json("error-report");
        assert!(report["message"].as_str().unwrap().starts_with(due), "{flags}: {report}");
    }
    assert!(dry(" --server-variable zon=n1").err.contains("hint: its servers have `base`, `zone`"));
    for (flags, due) in [
        ("--server 0", "servers are counted from 1"),
        ("--server nowhere", "neither a number nor a URL"),
        ("--server-variable zone", "the name of a server variable, `=`, and its value"),
    ] {
        assert!(dry(&format!(" {flags}")).ends_with(2).err.contains(due), "{flags}");
    }
}

#[test]
fn described_commands_keep_what_the_document_was_compiled_with() {
    let folder = folder();
    let words = "describe shop.json ping --json --server-variable zone=s1 --undefined-styles brackets";
    let described = run(&folder, words).ends_with(0).json("describe");
    assert_eq!(described["servers"], json!(["https://s1.shop.test/v2", "https://sandbox.test"]));
    assert_eq!(
        described["command"],
        "schemarouter invoke shop.json shop.ping --server-variable zone=s1 --undefined-styles brackets"
    );
}

#[test]
fn nested_values_are_sent_where_a_convention_is_chosen() {
    let folder = folder();
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://shop.test"}],
        "paths": {"/rows": {"get": {"operationId": "rows", "responses": {"200": {"description": "ok"}}, "parameters": [
            {"name": "ids", "in": "query", "required": true, "style": "deepObject", "explode": true,
            "schema": {"type": "array"}}]}}},
    });
    fs::write(folder.path().join("rows.json"), document.to_string()).unwrap();
    let ran = run(&folder, "compile rows.json").ends_with(0);
    assert!(ran.out.contains("the operator may choose a convention (`undefined_styles`)"), "{}", ran.out);
    let chosen = "rows.json --undefined-styles brackets";
    run(&folder, &format!("compile {chosen} --strict")).ends_with(0);
    let shown = run(&folder, &format!(r#"invoke {chosen} rows ids=["a",{{"b":1}}] --dry-run"#)).ends_with(0);
    assert_eq!(shown.json("dry-run")["url"], "https://shop.test/rows?ids%5B0%5D=a&ids%5B1%5D%5Bb%5D=1");
}

#[test]
fn a_lock_is_of_the_servers_that_the_variables_make() {
    let folder = folder();
    let both = "compile shop.json bank.json --server-variable zone=s1";
    // Each variable is one of every document, unless its source is named.
    let refused = run(&folder, both).ends_with(2);
    assert!(refused.err.contains("bank.json: the document has no server variable `zone`"), "{}", refused.err);
    let both = both.replace("zone", "shop.zone");
    run(&folder, &format!("{both} --server-variable base=v9 --lock")).ends_with(0);
    run(&folder, &format!("{both} --server-variable base=v9 --locked")).ends_with(0);
    let ran = run(&folder, &format!("{both} --server-variable shop.base=v9 --locked")).ends_with(1);
    assert!(ran.out.ends_with("1 changed\n  bank.ping: changed: destination\n"), "{}", ran.out);

    let call = "invoke shop.json ping --dry-run --locked";
    run(&folder, call).ends_with(14);
    let call = format!("{call} --server-variable zone=s1 --server-variable base=v9");
    for server in ["", " --server 2", " --server https://staging.test"] {
        run(&folder, &format!("{call}{server}")).ends_with(0);
    }
}
