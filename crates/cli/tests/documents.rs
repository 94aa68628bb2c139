//! compile, list, describe and dry-run: what they print for the test document.

use std::path::Path;

use serde_json::json;

use crate::support::{TOOLS, run};

#[test]
fn compile_tells_what_a_document_holds_and_what_is_wrong() {
    let text = run(&["compile", TOOLS]).ends_with(0);
    insta::assert_snapshot!("compile", text.out);
    assert_eq!(text.err, "");
    let report = run(&["compile", TOOLS, "--json"]).ends_with(0);
    report.json("compile");
    insta::assert_snapshot!("compile_json", report.out);
}

#[test]
fn strict_makes_any_diagnostic_a_finding() {
    assert_eq!(run(&["compile", TOOLS, "--strict"]).code, 1);
    run(&["compile", TOOLS, "--strict", "--json"]).ends_with(1).json("compile");
    let clean = json!({
        "openapi": "3.0.3",
        "info": {"title": "Clean", "version": "1"},
        "servers": [{"url": "https://clean.test"}],
        "paths": {"/": {"get": {"operationId": "root", "responses": {"200": {"description": "ok"}}}}},
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clean.json");
    std::fs::write(&file, clean.to_string()).unwrap();
    run(&["compile", file.to_str().unwrap(), "--strict"]).ends_with(0);
}

#[test]
fn what_cannot_be_read_names_file_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let no_json = written("no-json.json", "{\n  \"openapi\": oops\n}");
    let no_yaml = written("no-yaml.yaml", "openapi: 3.1.0\r\n# \u{1F600}\r\ninfo: {title: \u{e9}}: x\r\n");
    let unclosed = written("unclosed.yml", "openapi: 3.1.0\ninfo: [a, b\n");
    let tagged = written("tagged.yaml", "openapi: 3.1.0\ninfo: !Info {}\n");
    let no_openapi = written("no-openapi.json", r#"{"hello": 1}"#);
    let old = written("old.json", r#"{"swagger": "2.0"}"#);
    let absent = folder.path().join("absent.json").to_str().unwrap().to_owned();
    let expected = [
        (&no_json, "no-json.json:2:14: a value is "),
        (&no_yaml, "no-yaml.yaml:3:17: "),
        (&unclosed, "unclosed.yml:2:7: every quote and bracket is closed"),
        (&tagged, "tagged.yaml:2:13: the tag is not known: `!Info`"),
        (&no_openapi, "no-openapi.json: the document is of no known format"),
        (&old, "old.json: "),
        (&absent, "absent.json` cannot be read: "),
    ];
    for (file, message) in expected {
        for command in [
            vec!["compile", file],
            vec!["list", file],
            vec!["describe", file, "x"],
            vec!["invoke", file, "x"],
        ] {
            let plain = run(&command).ends_with(2);
            assert_eq!(plain.out, "", "{command:?}");
            assert!(
                plain.err.starts_with("error: compile_error: ") && plain.err.contains(message),
                "{}",
                plain.err
            );
            let told = run(&[command.as_slice(), &["--json"]].concat()).ends_with(2);
            let report = told.json("error-report");
            assert_eq!(report["kind"], "compile_error");
            assert!(report["message"].as_str().unwrap().contains(message), "{report}");
        }
    }
}

/// The fixture is written twice; the name of the file says nothing, its content does.
#[test]
fn yaml_and_json_are_told_apart_by_content() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/documents");
    let folder = tempfile::tempdir().unwrap();
    let report = |from: &str, to: &str| {
        let file = folder.path().join(to);
        std::fs::copy(fixtures.join(from), &file).unwrap();
        let ran = run(&["compile", file.to_str().unwrap(), "--name", "pets", "--json"]).ends_with(0);
        let mut report = ran.json("compile");
        // The same remarks, each with its place in the file at hand.
        for remark in report["diagnostics"].as_array_mut().unwrap() {
            assert!(remark["line"].take().as_u64() > Some(1) && remark["column"].take().is_u64());
        }
        report
    };
    let json = report("pets-3.0.json", "pets.json");
    assert_eq!(json["sources"][0]["format"], "openapi 3.0.3");
    for name in ["pets.yaml", "pets.yml", "pets.json", "pets"] {
        assert_eq!(report("pets-3.0.yaml", name), json, "{name}");
    }
}

#[test]
fn list_finds_by_key_tag_and_effect() {
    let all = run(&["list", TOOLS]).ends_with(0);
    insta::assert_snapshot!("list", all.out);
    let report = run(&["list", TOOLS, "--json", "--tag", "tools", "--effect", "read_only"]).ends_with(0);
    report.json("list");
    insta::assert_snapshot!("list_json", report.out);
    let keys = |words: &[&str]| -> Vec<String> {
        let ran = run(&[&["list", TOOLS, "--json"], words].concat()).ends_with(0);
        let endpoints = ran.json("list")["endpoints"].as_array().unwrap().clone();
        endpoints.iter().map(|endpoint| endpoint["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&["*Tools"]), ["tools.listTools"]);
    assert_eq!(keys(&["tools.with*", "--effect", "mutating"]), Vec::<String>::new());
    assert_eq!(keys(&["*id", "--name", "shop"]), ["shop.delete-tools-id"]);
    assert_eq!(keys(&["getTool"]), Vec::<String>::new(), "a pattern is for the whole key");
    assert!(
        run(&["list", TOOLS, "getTool"])
            .err
            .contains("patterns are for the whole key, such as `tools.listTools`")
    );
}

#[test]
fn describe_tells_how_to_call() {
    for (key, name) in [("tools.replaceTool", "describe"), ("listTools", "describe_list")] {
        insta::assert_snapshot!(name, run(&["describe", TOOLS, key]).ends_with(0).out);
    }
    let report = run(&["describe", TOOLS, "createTool", "--json"]).ends_with(0);
    let described = report.json("describe");
    insta::assert_snapshot!("describe_json", report.out);
    // The arguments are a schema of their own, recursion included.
    let arguments = jsonschema::validator_for(&described["arguments"]).expect("a schema");
    assert!(arguments.is_valid(&json!({"body": {"name": "saw", "parts": [{"name": "blade"}]}})));
    for broken in
        [json!({}), json!({"body": {"name": "saw", "parts": [{}]}}), json!({"body": {"name": ""}, "x": 1})]
    {
        assert!(!arguments.is_valid(&broken), "{broken}");
    }
}

#[test]
fn properties_of_arguments_keep_the_order_of_the_endpoint() {
    let out = run(&["describe", TOOLS, "listTools", "--json"]).ends_with(0).out;
    let place = |name: &str| out.find(&format!("\"{name}\": {{")).unwrap();
    assert!(place("kind") < place("tags") && place("tags") < place("limit"), "{out}");
}

#[test]
fn every_described_command_is_a_call() {
    let listed = run(&["list", TOOLS, "--json"]).json("list");
    for endpoint in listed["endpoints"].as_array().unwrap() {
        let key = endpoint["key"].as_str().unwrap();
        let command =
            run(&["describe", TOOLS, key, "--json"]).json("describe")["command"].as_str().unwrap().to_owned();
        let binary = Path::new(env!("CARGO_BIN_EXE_schemarouter"));
        let shell = format!("PATH={}:$PATH; {command} --dry-run", binary.parent().unwrap().display());
        let ran = std::process::Command::new("sh")
            .args(["-c", &shell])
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents"))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn dry_run_shows_the_request_without_permission_or_credentials() {
    let words =
        ["invoke", TOOLS, "createTool", r#"body={"name": "saw", "grams": 12345678901234567}"#, "--dry-run"];
    let shown = run(&words).ends_with(0);
    assert_eq!(shown.json("dry-run")["method"], "POST");
    insta::assert_snapshot!("dry_run", shown.out);
    let words =
        ["invoke", TOOLS, "withQueryKey", "--dry-run", "--json", "--credential-env", "queryKey=ABSENT"];
    let shown = run(&words).ends_with(0);
    assert_eq!(shown.json("dry-run")["url"], "https://tools.test/v1/secret/query");
    let refused = run(&["invoke", TOOLS, "createTool", "--dry-run"]).ends_with(14);
    assert_eq!(refused.json("error-report")["kind"], "invalid_arguments");
}
