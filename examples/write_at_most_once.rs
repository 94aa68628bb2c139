//! A payment whose answer never comes: sent once, and reported as what it is.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use std::time::Duration;

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::policy::{ExecutionPolicy, RetryPolicy};
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Action, Script, Server};
use serde_json::json;

const DOCUMENT: &str = r#"{
    "openapi": "3.1.0",
    "info": {"title": "Payments", "version": "1"},
    "paths": {"/payments": {"post": {
        "operationId": "pay",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["cents"], "properties": {"cents": {"type": "integer", "minimum": 1}}
        }}}},
        "responses": {"201": {"description": "paid"}}
    }}}
}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server that takes the payment and says nothing.
    let server = Server::start(Script::repeat(Action::stall())).await?;

    let compiled = compile(Document::from_json(DOCUMENT, &Limits::default())?, &Options::new("bank"))?;
    let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
    let settings = HttpSettings::default()
        .with_egress(egress)
        .with_base_url("bank", server.url().parse()?)
        .with_reply_timeout(Duration::from_millis(200));
    let allowed = ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() };
    let router = Router::builder().source(compiled).http(settings).allow(allowed).build()?;

    // Three attempts are allowed, and one is made: nobody said that paying twice is fine.
    let config = RunConfig::default().with_retry(RetryPolicy::builder().max_attempts(3).build()?);
    let request = Request::new("bank.pay", json!({"body": {"cents": 1900}}));
    let Err(error) = router.ainvoke(request, &config).await else { return Err("no answer can come".into()) };

    println!("{error}");
    println!("disposition: {}, applied: {:?}", error.disposition(), error.report().applied);
    println!("requests that the server saw: {}", server.requests().len());
    Ok(())
}
