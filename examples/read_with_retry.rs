//! A read that survives an overloaded server, and the attempts that it took.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use std::time::Duration;

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::policy::RetryPolicy;
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::json;

const DOCUMENT: &str = r#"{
    "openapi": "3.1.0",
    "info": {"title": "Tea", "version": "1"},
    "paths": {"/teas/{id}": {"get": {
        "operationId": "getTea",
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {
            "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}
        }}}}}
    }}}
}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server on this machine that is overloaded twice and then answers.
    let overloaded = || Reply::status(503);
    let answer = Reply::json(200, r#"{"name": "Assam"}"#);
    let server = Server::start(Script::sequence([overloaded(), overloaded(), answer])).await?;

    let compiled = compile(Document::from_json(DOCUMENT, &Limits::default())?, &Options::new("tea"))?;
    // Reaching this machine needs leave; by default nothing private is reached.
    let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
    let settings = HttpSettings::default().with_egress(egress).with_base_url("tea", server.url().parse()?);
    let router = Router::builder().source(compiled).http(settings).build()?;

    let policy = RetryPolicy::builder().max_attempts(3).initial_backoff(Duration::from_millis(20)).build()?;
    let config = RunConfig::default().with_retry(policy);
    let outcome = router.ainvoke(Request::new("tea.getTea", json!({"id": 7})), &config).await?;

    for attempt in &outcome.attempts {
        let status = attempt.status.map_or_else(|| "no reply".to_owned(), |status| status.to_string());
        println!("attempt {}: {status}, after a wait of {} s", attempt.number, attempt.wait_seconds);
    }
    println!("data: {}", outcome.data.json().ok_or("JSON is declared")?);
    Ok(())
}
