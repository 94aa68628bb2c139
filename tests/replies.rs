//! Which declaration a reply is held against, through the whole router.

use schemarouter::router::RunConfig;
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::Api;

/// A reply that demands this member.
fn demands(member: &str) -> Value {
    json!({"description": member,
        "content": {"application/json": {"schema": {"type": "object", "required": [member]}}}})
}

/// Calls `getIt` of an API with these replies: `ok` with the value, or the words of the error.
async fn told(responses: &Value, reply: Reply) -> String {
    let server = Server::start(Script::repeat(reply)).await.expect("a server");
    let mut api = Api::at(&server.url());
    api.document["paths"] = json!({"/it": {"get": {"operationId": "getIt", "responses": responses}}});
    match api.call("getIt", json!({}), &RunConfig::default()).await {
        Ok(outcome) => format!("ok {}", outcome.data.json().unwrap_or(&json!("(bytes)"))),
        Err(error) => {
            let message = error.message().replace(&server.url(), "https://api.test");
            format!("{} {}: {message}", error.disposition(), error.kind())
        }
    }
}

#[tokio::test]
async fn case_043_exact_then_range_then_default() {
    let responses = json!({"200": demands("ok"), "2XX": demands("range2"), "404": demands("nf"),
        "4XX": demands("client"), "default": demands("any")});
    let replies = [
        (200, r#"{"ok": 1}"#),
        (200, r#"{"range2": 1}"#),
        (201, r#"{"range2": 1}"#),
        (201, r#"{"ok": 1}"#),
        (404, r#"{"nf": 1}"#),
        (418, r#"{"client": 1}"#),
        (500, r#"{"any": 1}"#),
    ];
    let mut table = Vec::new();
    for (status, body) in replies {
        table.push(format!("{status} {body} -> {}", told(&responses, Reply::json(status, body)).await));
    }
    table.push(format!("304 -> {}", told(&responses, Reply::status(304)).await));
    insta::assert_snapshot!(table.join("\n"));
}

#[tokio::test]
async fn case_046_types_with_suffixes_and_parameters() {
    let content = json!({
        "application/vnd.acme.item+json": {"schema": {"type": "object", "required": ["v"]}},
        "application/json": {"schema": {"type": "object", "required": ["j"]}},
        "text/*": {"schema": {"type": "string"}},
        "*/*": {"schema": {"type": "string", "format": "binary"}}});
    let responses = json!({"200": {"description": "ok", "content": content}});
    let replies = [
        ("application/vnd.acme.item+json; version=2", r#"{"v":1}"#),
        ("Application/JSON;charset=UTF-8", r#"{"j":1}"#),
        ("application/json; charset=\"utf-8\"", r#"{"v":1}"#),
        ("text/plain", "hello"),
        ("application/notjson", r#"{"j":1}"#),
    ];
    let mut table = Vec::new();
    for (content_type, body) in replies {
        let reply = Reply::status(200).header("Content-Type", content_type).body(body);
        table.push(format!("{content_type} {body} -> {}", told(&responses, reply).await));
    }
    insta::assert_snapshot!(table.join("\n"));
}
