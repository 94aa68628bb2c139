//! An API that reads by POST and changes by GET: an overlay says what its operations do, and only reads get through.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::router::{Layers, Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::json;

const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Notes, version: '1'}
paths:
  /search:
    post:
      operationId: search
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: array}}}}}
  /purge: {get: {operationId: purge, responses: {'200': {description: ok}}}}
  /notes:
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'201': {description: ok}}
";

const OVERLAY: &str = "
version: 1
endpoints:
  notes.search: {effect: read_only, timeout_seconds: 5}
  notes.purge: {effect: mutating, destructive: true}
  notes.addNote: {idempotency_key: {header: Idempotency-Key}}
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // It is busy at first: only what may be repeated comes through.
    let server =
        Server::start(Script::sequence([Reply::status(503)]).then_repeat(Reply::json(200, "[]"))).await?;
    let config = format!(
        "version: 1\nretry: {{max_attempts: 3}}\nhttp: {{allow_loopback: true}}\nsources: {{notes: {{base_url: '{}'}}}}\n",
        server.url()
    );
    let settings =
        Layers::default().file("router.yaml", config)?.overlay("notes.yaml", OVERLAY)?.resolve()?;
    let document = Document::from_yaml(DOCUMENT, &Limits::default())?;
    let router =
        Router::builder().source(compile(document, &Options::new("notes"))?).settings(settings).build()?;

    for (operation, arguments) in [
        ("notes.search", json!({"body": {"text": "milk"}})),
        ("notes.purge", json!({})),
        ("notes.addNote", json!({})),
    ] {
        let endpoint = router.endpoint(operation)?;
        for said in router.explain(&endpoint) {
            println!("{operation}: {} = {} ({})", said.name, said.value, said.origin);
        }
        match router.ainvoke(Request::new(operation, arguments), &RunConfig::default()).await {
            Ok(outcome) => println!("{operation}: done in {} attempts", outcome.attempts.len()),
            Err(error) => println!("{operation}: {error}"),
        }
    }
    println!("requests that the server saw: {}", server.requests().len());
    Ok(())
}
