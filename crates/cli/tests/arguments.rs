//! How arguments are given, and what is said when they cannot be meant.

use std::io::Write as _;
use std::process::Stdio;

use schemarouter_loopback::{Reply, Request};
use serde_json::Value;

use crate::support::{Ran, TOOLS, invoke, run, schemarouter, server};

fn dry(words: &[&str]) -> Ran {
    run(&[&["invoke", TOOLS], words, &["--dry-run"]].concat())
}

fn url(words: &[&str]) -> String {
    dry(words).ends_with(0).json("dry-run")["url"].as_str().unwrap().to_owned()
}

#[test]
fn values_are_read_by_their_schemas() {
    assert_eq!(url(&["listTools", "kind=7", "limit=7"]), "https://tools.test/v1/tools?kind=7&limit=7");
    assert_eq!(url(&["listTools", r#"tags=["a","b c"]"#]), "https://tools.test/v1/tools?tags=a&tags=b%20c");
    let report = dry(&["listTools", "limit=many"]).ends_with(14).json("error-report");
    assert_eq!(report["message"], "argument `limit` is no JSON; expected is number");
    assert_eq!(report["pointer"], "/limit");
    let report = dry(&["listTools", "limit=101"]).ends_with(14).json("error-report");
    assert_eq!(report["keyword"], "maximum");
}

#[test]
fn all_arguments_come_as_text_as_a_file_or_by_standard_input() {
    let all = r#"{"kind": "hand", "limit": 3}"#;
    let expected = "https://tools.test/v1/tools?kind=hand&limit=3";
    assert_eq!(url(&["listTools", "--args", all]), expected);
    assert_eq!(url(&["listTools", "limit=3", "--args", r#"{"kind": "hand"}"#]), expected);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("args.json");
    std::fs::write(&file, all).unwrap();
    assert_eq!(url(&["listTools", "--args", &format!("@{}", file.display())]), expected);
    let mut child = schemarouter(&["invoke", TOOLS, "listTools", "--args", "-", "--dry-run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(all.as_bytes()).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap()).ends_with(0);
    assert_eq!(ran.json("dry-run")["url"], expected);
}

#[test]
fn arguments_that_cannot_be_meant_are_refused_with_the_reason() {
    let table = [
        (vec!["kind=a", "--args", r#"{"kind": "b"}"#], "argument `kind` is given twice"),
        (vec!["--args", r#"{"limit": 18446744073709551617}"#], "a number at `/limit` that would lose digits"),
        (vec!["--args", "{"], "the arguments are no JSON: line 1, column 2"),
        (vec!["--args", "[1]"], "the arguments are no JSON object"),
    ];
    for (words, message) in table {
        let report = dry(&[&["listTools"], words.as_slice()].concat()).ends_with(14).json("error-report");
        assert_eq!(report["kind"], "invalid_arguments");
        assert!(report["message"].as_str().unwrap().contains(message), "{report}");
    }
}

#[test]
fn a_file_of_arguments_that_cannot_be_read_has_code_2() {
    let report = dry(&["listTools", "--args", "@absent.json"]).ends_with(2).json("error-report");
    assert!(report["message"].as_str().unwrap().starts_with("the arguments in absent.json cannot be read"));
}

#[test]
fn values_never_stand_in_errors() {
    for words in [
        ["listTools", "limit=canary"],
        ["listTools", "--args={\"limit\":\"canary\"}"],
        ["listTools", "canar=canary"],
    ] {
        let ran = dry(&words).ends_with(14);
        assert!(!ran.out.contains("canary") && !ran.err.contains("canary"), "{}", ran.err);
    }
}

#[test]
fn unknown_names_are_met_with_near_ones() {
    let near = |words: &[&str]| -> Value { dry(words).ends_with(14).json("error-report")["hint"].clone() };
    assert!(near(&["listTool"]).as_str().unwrap().contains("`tools.listTools`"));
    assert!(near(&["tools.lisTools"]).as_str().unwrap().contains("`tools.listTools`"));
    assert_eq!(near(&["listTools", "kid=a"]), "did you mean `kind`?");
    assert_eq!(near(&["zzz"]), "`schemarouter list FILE` shows all keys");
    let described = run(&["describe", TOOLS, "listTool", "--json"]).ends_with(14).json("error-report");
    assert_eq!(described["kind"], "unknown_endpoint");
}

#[test]
fn usage_errors_have_code_2_and_say_nothing_on_stdout() {
    for words in [
        vec![],
        vec!["invoke", TOOLS],
        vec!["invoke", TOOLS, "listTools", "kind"],
        vec!["invoke", TOOLS, "listTools", "--max-attempts", "0"],
        vec!["invoke", TOOLS, "listTools", "--timeout", "soon"],
        vec!["invoke", TOOLS, "listTools", "--server", "nowhere"],
        vec!["invoke", TOOLS, "listTools", "--header-env", "X-Key"],
        vec!["list", TOOLS, "--name", "a.b"],
    ] {
        let ran = run(&words).ends_with(2);
        assert_eq!(ran.out, "", "{words:?}");
        assert!(!ran.err.is_empty(), "{words:?}");
    }
}

#[test]
fn the_version_is_told() {
    assert_eq!(run(&["--version"]).ends_with(0).out, format!("schemarouter {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_reply_in_no_text_is_printed_byte_for_byte() {
    let bytes = b"\x00\xff\x10".to_vec();
    let sent = bytes.clone();
    let raw = server(schemarouter_loopback::Script::route(move |_: &Request| {
        Reply::status(200).header("Content-Type", "application/octet-stream").body(sent.clone())
    }));
    let words = crate::support::invocation(&raw.url(), &["withBearer", "--bearer-env", "T"]).join("\u{1}");
    let words: Vec<&str> = words.split('\u{1}').collect();
    let output = schemarouter(&words).env("T", "t").output().unwrap();
    assert_eq!(output.stdout, bytes, "{}", String::from_utf8_lossy(&output.stderr));
    let text = server(Reply::text(200, "hello"));
    assert_eq!(invoke(&text.url(), &["delete-tools-id", "id=1", "--dry-run"]).code, 0);
}
