//! What operations do to the world, and what that means for repeats.

use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::policy::ExecutionPolicy;
use schemarouter::router::{Declaration, Request, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::{attempts, with};

fn effects() -> Value {
    let ok = json!({"200": {"description": "ok"}});
    let id = json!([{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]);
    let body = json!({"content": {"application/json": {"schema": {"type": "object"}}}});
    json!({
        "openapi": "3.0.3", "info": {"title": "Demo", "version": "1.0.0"}, "servers": [{"url": "https://api.test"}],
        "paths": {
            "/items": {
                "get": {"operationId": "listItems", "responses": ok},
                "head": {"operationId": "headItems", "responses": ok},
                "post": {"operationId": "addItem", "responses": {"201": {"description": "ok"}}}
            },
            "/items/search": {"post": {"operationId": "searchItems", "requestBody": body, "responses": ok}},
            "/items/{id}": {
                "put": {"operationId": "putItem", "parameters": id, "responses": ok},
                "delete": {"operationId": "delItem", "parameters": id, "responses": {"204": {"description": "ok"}}}
            },
            "/unsubscribe": {"get": {"operationId": "unsubscribe", "responses": ok}}
        }
    })
}

#[tokio::test]
async fn case_062_effects_come_from_methods_and_the_operator_says_otherwise() {
    let server = Server::start(Script::repeat(Reply::status(200))).await.expect("a port");
    let mut api = Api::at(&server.url());
    api.document = effects();
    api.policy = ExecutionPolicy::default();
    let is = |effect| Declaration { effect: Some(effect), ..Declaration::default() };
    let router = api
        .builder()
        .declare("jobs.searchItems", is(Effect::ReadOnly))
        .declare("jobs.unsubscribe", is(Effect::Mutating))
        .build()
        .expect("valid");
    let table = [
        ("listItems", Effect::ReadOnly, false),
        ("headItems", Effect::ReadOnly, false),
        ("searchItems", Effect::ReadOnly, false),
        ("addItem", Effect::Mutating, false),
        ("putItem", Effect::Idempotent, false),
        ("delItem", Effect::Idempotent, true),
        ("unsubscribe", Effect::Mutating, false),
    ];
    for (operation, effect, is_destructive) in table {
        let endpoint = router.endpoint(operation).expect("it is declared");
        assert_eq!((endpoint.effect, endpoint.destructive), (effect, is_destructive), "{operation}");
        let before = server.requests().len();
        let arguments = if endpoint.argument("id").is_some() { json!({"id": "1"}) } else { json!({}) };
        let called = router.ainvoke(Request::new(operation, arguments), &RunConfig::default()).await;
        let sent = server.requests().len() - before;
        match called {
            Ok(_) => assert_eq!((effect, sent), (Effect::ReadOnly, 1), "{operation}"),
            Err(error) => {
                assert!(effect != Effect::ReadOnly, "{operation}: {error}");
                let told = (error.kind(), error.disposition(), sent);
                assert_eq!(told, (ErrorKind::PolicyRejected, Disposition::NonRetryable, 0), "{operation}");
                assert!(error.message().contains(operation), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn case_068_a_write_without_a_key_is_made_once_whatever_the_status() {
    use Disposition::{Indeterminate, NonRetryable, Transient, Unavailable};
    let always = |status: u16| Script::repeat(Reply::status(status));
    let later = || {
        Script::sequence([Reply::status(429).header("Retry-After", "1"), Reply::json(201, r#"{"id": "1"}"#)])
    };
    let (read, write) = ("listJobs", "addJob");
    // What is called, whether the run judges a repeat safe, whether a 503 is declared to prove a rejection, what the server
    // does; how often it is called, and the failure if it is one.
    let table = [
        (write, false, false, always(502), 1, Some((Indeterminate, 502))),
        (write, false, false, always(504), 1, Some((Indeterminate, 504))),
        (write, false, false, always(500), 1, Some((Indeterminate, 500))),
        (write, false, false, later(), 1, Some((Unavailable, 429))),
        (read, false, false, always(502), 4, Some((Unavailable, 502))),
        (read, false, false, always(400), 1, Some((NonRetryable, 400))),
        (read, false, false, always(501), 1, Some((NonRetryable, 501))),
        (write, true, false, later(), 2, None),
        (write, true, false, always(502), 4, Some((Unavailable, 502))),
        (write, false, false, always(503), 1, Some((Indeterminate, 503))),
        (write, false, true, always(503), 1, Some((Unavailable, 503))),
        (read, false, false, always(500), 4, Some((Transient, 500))),
        (write, false, false, always(425), 1, Some((Unavailable, 425))),
    ];
    for (number, (operation, is_judged, proves, script, calls, failure)) in (1..).zip(table) {
        let server = Server::start(script).await.expect("a port");
        let declaration =
            Declaration { unavailable_proves_rejection: proves.then_some(true), ..Declaration::default() };
        let router =
            Api::at(&server.url()).builder().declare("jobs.addJob", declaration).build().expect("valid");
        let config = with(attempts(4).retry_non_read_only(is_judged));
        let arguments = if operation == write { json!({"body": {}}) } else { json!({}) };
        let called = router.ainvoke(Request::new(operation, arguments), &config).await;
        assert_eq!(server.requests().len(), calls, "variant {number}");
        match (called, failure) {
            (Ok(outcome), None) => assert!(outcome.attempts[1].wait_seconds >= 1.0, "variant {number}"),
            (Err(error), Some((disposition, status))) => {
                let told = (error.kind(), error.disposition(), error.report().status);
                assert_eq!(told, (ErrorKind::HttpStatus, disposition, Some(status)), "variant {number}");
                assert!(error.message().contains(&status.to_string()), "variant {number}: {error}");
                assert_eq!(error.report().endpoint.as_deref(), Some(format!("jobs.{operation}").as_str()));
                let waits = (status == 429).then_some(1.0);
                assert_eq!(error.report().retry_after_seconds, waits, "variant {number}");
            }
            (called, _) => panic!("variant {number}: {called:?}"),
        }
    }
}
