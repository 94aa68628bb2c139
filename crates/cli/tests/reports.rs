//! What `invoke --json` prints, whole, for a success and for a failure.

use schemarouter_loopback::{Action, Reply, Script};
use serde_json::{Value, json};

use crate::support::{invoke, server};

/// Without what differs from run to run: names of attempts, times, the port.
fn normalised(value: Value, port: u16) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| {
                    let value = match name.as_str() {
                        "id" if value.as_str().is_some_and(|id| id.contains('-')) => {
                            json!("RUN-CALL-ATTEMPT")
                        }
                        name if name.ends_with("_seconds") && name != "retry_after_seconds" => json!("TIME"),
                        _ => normalised(value, port),
                    };
                    (name, value)
                })
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(|item| normalised(item, port)).collect(),
        Value::String(text) => text.replace(&format!(":{port}"), ":PORT").into(),
        other => other,
    }
}

#[test]
fn an_outcome_is_told_whole() {
    let busy = Reply::status(503).header("Retry-After", "0");
    let fine = Reply::json(200, r#"{"id":"7","name":"saw"}"#).header("ETag", "\"1\"");
    let server = server(Script::sequence([busy, fine]));
    let words = ["getTool", "id=7", "--max-attempts", "2", "--initial-backoff", "1ms", "--json"];
    let report = invoke(&server.url(), &words).ends_with(0).json("outcome");
    insta::assert_json_snapshot!("outcome", normalised(report, server.address().port()));
}

#[test]
fn a_failure_is_told_whole() {
    let server = server(Action::reset());
    let words =
        ["createTool", r#"body={"name":"saw"}"#, "--allow-mutations", "--max-attempts", "2", "--json"];
    let report = invoke(&server.url(), &words).ends_with(12).json("error-report");
    insta::assert_json_snapshot!("error_report", normalised(report, server.address().port()));
}

#[test]
fn a_spent_budget_is_told_whole() {
    let server = server(Reply::status(429).header("Retry-After", "30"));
    let words = ["getTool", "id=7", "--max-attempts", "2", "--max-elapsed", "20s", "--json"];
    let report = invoke(&server.url(), &words).ends_with(15).json("error-report");
    let limit = report["limit"].clone();
    assert_eq!((limit["name"].as_str(), limit["limit"].as_f64()), (Some("max_elapsed"), Some(20.0)));
    let mut report = normalised(report, server.address().port());
    report["limit"]["spent"] = json!("TIME");
    insta::assert_json_snapshot!("budget_report", report);
}
