//! Settings from files and the environment.

use std::path::PathBuf;

use schemarouter_loopback::{Action, Reply, Script};
use serde_json::json;

use crate::support::{Ran, assert_valid, run, schemarouter, server};

/// Files of a test, gone when it ends.
struct Files(PathBuf);

impl Files {
    fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("schemarouter-config-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const CONFIG: &str = "version: 1\nretry: {max_attempts: 3, initial_backoff_seconds: 0}\nhttp: {allow_loopback: true}\nendpoints: {other.thing: {cost: 1}}\n";
const OVERLAY: &str =
    "version: 1\nendpoints:\n  tools.createTool: {idempotency_key: {header: Idempotency-Key}}\n";

#[test]
fn show_says_what_holds_and_where_it_was_said() {
    let files = Files::new("show", &[("c.yaml", CONFIG), ("o.yaml", OVERLAY)]);
    let (config, overlay) = (files.path("c.yaml"), files.path("o.yaml"));
    let shown = Ran::of(
        schemarouter(&["config", "show", "--overlay", &overlay])
            .env("SCHEMAROUTER_CONFIG", &config)
            .env("SCHEMAROUTER_RETRY__MAX_ATTEMPTS", "2")
            .output()
            .expect("the binary runs"),
    )
    .ends_with(0);
    let line = |name: &str| {
        shown
            .out
            .lines()
            .find(|line| line.starts_with(name))
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        line("retry.max_attempts").as_deref(),
        Some("retry.max_attempts 2 (SCHEMAROUTER_RETRY__MAX_ATTEMPTS)")
    );
    assert_eq!(line("http.allow_loopback"), Some(format!("http.allow_loopback true ({config})")));
    assert_eq!(line("replies").as_deref(), Some("replies \"strict\" (default)"));
    assert!(
        line("endpoints.tools.createTool.idempotency_key")
            .is_some_and(|line| line.ends_with(&format!("({overlay})")))
    );

    let json = run(&["config", "show", "--json", "--config", &config]).ends_with(0).json("settings");
    let settings = json["settings"].as_array().expect("a list");
    let set = settings.iter().find(|set| set["name"] == "retry.max_attempts").expect("it is shown");
    assert_eq!((&set["value"], &set["origin"]), (&json!(3), &json!({"file": config})));
}

#[test]
fn check_finds_what_cannot_be_meant() {
    let files = Files::new(
        "check",
        &[
            ("good.yaml", OVERLAY),
            ("bad.yaml", "version: 1\nendpoints:\n  tools.createTol: {effect: read_only}\n"),
            ("worse.yaml", "version: 1\nretry: {max_attempts: 0}\n"),
        ],
    );
    let check = |words: &[&str]| run(&[&["config", "check"], words].concat());
    check(&["--overlay", &files.path("good.yaml"), "tools.json"]).ends_with(0);
    let bad = check(&["--overlay", &files.path("bad.yaml"), "tools.json"]).ends_with(2);
    assert!(
        bad.err.contains("there is no endpoint `tools.createTol`")
            && bad.err.contains("did you mean `tools.createTool`"),
        "{}",
        bad.err
    );
    check(&["--overlay", &files.path("bad.yaml")]).ends_with(0);
    let worse = check(&["--config", &files.path("worse.yaml"), "--json"]).ends_with(2);
    assert_eq!(worse.json("error-report")["kind"], "invalid_settings");
    assert!(worse.err.contains("worse.yaml:2:8"), "{}", worse.err);
    check(&["--config", "no-such.yaml"]).ends_with(2);
}

#[test]
fn a_call_goes_by_the_files_and_flags_go_over_them() {
    let files = Files::new("call", &[("c.yaml", CONFIG), ("o.yaml", OVERLAY)]);
    let (config, overlay) = (files.path("c.yaml"), files.path("o.yaml"));
    let script =
        || Script::sequence([Reply::status(503).into(), Action::close()]).then_repeat(Reply::json(201, "{}"));
    let server = server(script());
    let url = server.url();
    let words = [
        "invoke",
        "tools.json",
        "createTool",
        "--args",
        r#"{"body": {"name": "n"}}"#,
        "--server",
        &url,
        "--allow-mutations",
        "--replies",
        "off",
        "--config",
        &config,
        "--overlay",
        &overlay,
    ];
    let called = run(&[&words[..], &["--json", "--idempotency-key", "k1"]].concat()).ends_with(0);
    let outcome = called.json("outcome");
    assert_eq!(
        (outcome["attempts"].as_array().map(Vec::len), &outcome["idempotency_key"]),
        (Some(3), &json!("k1"))
    );
    assert!(server.requests().iter().all(|sent| sent.header("idempotency-key") == Some("k1")));

    let once = run(&[&words[..], &["--max-attempts", "1", "--json"]].concat()).ends_with(0);
    assert_eq!(once.json("outcome")["attempts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn describe_shows_what_is_declared() {
    let files = Files::new(
        "describe",
        &[("o.yaml", "version: 1\nendpoints:\n  tools.createTool: {effect: read_only, cost: 4}\n")],
    );
    let overlay = files.path("o.yaml");
    let text = run(&["describe", "tools.json", "createTool", "--overlay", &overlay]).ends_with(0);
    assert!(text.out.contains("effect:    read_only"), "{}", text.out);
    assert!(text.out.contains(&format!("declared:  cost = 4 ({overlay})")), "{}", text.out);
    let json = run(&["describe", "tools.json", "createTool", "--overlay", &overlay, "--json"])
        .ends_with(0)
        .json("describe");
    assert_eq!(
        json["declared"][1],
        json!({"name": "effect", "value": "read_only", "origin": {"overlay": overlay}})
    );
    let broken = Files::new("describe-broken", &[("o.yaml", "version: 1\nendpoints: 7\n")]);
    run(&["describe", "tools.json", "createTool", "--overlay", &broken.path("o.yaml")]).ends_with(2);
}

#[test]
fn the_schemas_of_the_files_take_what_is_read() {
    let value = |text: &str| {
        use schemarouter::compile::document::{Document, Limits};
        Document::from_text(text, &Limits::default()).expect("YAML").root().to_value()
    };
    assert_valid("config", &value(CONFIG));
    assert_valid("overlay", &value(OVERLAY));
}

#[test]
fn a_reply_goes_into_a_file() {
    let files = Files::new("output", &[]);
    let (file, server) =
        (files.path("tools.json"), server(Script::repeat(Reply::json(200, r#"[{"id": "1"}]"#))));
    let url = server.url();
    let words = ["invoke", "tools.json", "listTools", "--server", &url, "--allow-private", "--output", &file];
    let ran = run(&words).ends_with(0);
    assert!(ran.out.is_empty() && ran.err.contains(&file), "{}", ran.err);
    assert_eq!(
        std::fs::read_to_string(&file).expect("a file"),
        r#"[{"id": "1"}]"#,
        "though it breaks its schema"
    );
}

#[test]
fn a_list_shows_the_effects_that_are_declared() {
    let overlay = "version: 1\nendpoints:\n  tools.createTool: {effect: read_only}\n";
    let files = Files::new(
        "list",
        &[("o.yaml", overlay), ("bad.yaml", "version: 1\nendpoints: {tools.creatTool: {cost: 1}}\n")],
    );
    let listed = run(&["list", "tools.json", "--overlay", &files.path("o.yaml"), "--effect", "read_only"])
        .ends_with(0);
    assert!(listed.out.lines().any(|line| line.starts_with("tools.createTool")), "{}", listed.out);
    let listed = run(&["list", "tools.json", "--effect", "read_only"]).ends_with(0);
    assert!(!listed.out.contains("tools.createTool"), "{}", listed.out);
    let refused = run(&["list", "tools.json", "--overlay", &files.path("bad.yaml")]).ends_with(2);
    assert!(refused.err.contains("tools.creatTool"), "{}", refused.err);
}

#[test]
fn case_096_a_file_names_the_variables_of_credentials_and_never_their_values() {
    let named = "version: 1\nhttp: {allow_loopback: true}\nsources:\n  tools:\n    credentials: {bearer_env: TOOLS_TOKEN, header_env: {X-Tenant: TOOLS_TENANT}}\n";
    let held = "version: 1\nsources: {tools: {credentials: {bearer: canary-1234}}}\n";
    let files = Files::new("credentials", &[("c.yaml", named), ("held.yaml", held)]);
    let server = server(Script::repeat(Reply::status(200)));
    let config = files.path("c.yaml");
    let invoke = |variables: &[(&str, &str)], flags: &[&str]| {
        let url = server.url();
        let mut all = vec!["invoke", "tools.json", "withBearer", "--server", &url, "--config", &config];
        all.extend(flags);
        Ran::of(schemarouter(&all).envs(variables.iter().copied()).output().expect("the binary runs"))
    };
    let variables = [("TOOLS_TOKEN", "canary-1234"), ("TOOLS_TENANT", "t1"), ("OTHER", "canary-5678")];
    invoke(&variables, &[]).ends_with(0);
    invoke(&variables, &["--bearer-env", "OTHER"]).ends_with(0);
    let sent = server.requests();
    assert_eq!(sent[0].header("authorization"), Some("Bearer canary-1234"));
    assert_eq!(sent[0].header("x-tenant"), Some("t1"));
    assert_eq!(sent[1].header("authorization"), Some("Bearer canary-5678"), "flags go over the file");

    let unset = invoke(&[("TOOLS_TENANT", "t1")], &[]).ends_with(14);
    assert!(unset.err.contains("`TOOLS_TOKEN` is not set"), "{}", unset.err);
    let shown = run(&["config", "show", "--config", &config]).ends_with(0);
    assert!(shown.out.contains("TOOLS_TOKEN"), "{}", shown.out);
    let refused = run(&["config", "check", "--config", &files.path("held.yaml")]).ends_with(2);
    assert!(
        refused.err.contains("unknown field `bearer`") && !refused.err.contains("canary"),
        "{}",
        refused.err
    );
}
