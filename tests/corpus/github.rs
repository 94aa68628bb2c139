//! Ten operations of a large published API, end to end: the request as it would be sent, then sent to a server that
//! records it and answers with a reply that its schema allows.
//!
//! Without `SCHEMAROUTER_CORPUS` these tests do nothing, since the document is not part of the repository.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use schemarouter::catalog::{Catalog, Found, Replies};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::policy::ExecutionPolicy;
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::sample::sample;

#[derive(Deserialize)]
struct Chosen {
    key: String,
    tag: String,
    arguments: Map<String, Value>,
}

fn chosen() -> Vec<Chosen> {
    let list: Vec<Chosen> =
        serde_json::from_str(include_str!("../../fixtures/github-keys.json")).expect("a list");
    let tags: BTreeSet<&str> = list.iter().map(|chosen| chosen.tag.as_str()).collect();
    assert_eq!((list.len(), tags.len()), (10, 10), "ten keys from ten tags");
    list
}

/// A builder with GitHub's document; nothing where it is not at hand.
fn router(base_url: &str) -> Option<Router> {
    let folder = PathBuf::from(std::env::var_os("SCHEMAROUTER_CORPUS")?);
    let text =
        std::fs::read(folder.join("openapi/github-api.github.com.json")).expect("the document is there");
    let document = Document::from_json(text, &Limits::default()).expect("JSON");
    let compiled = compile(document, &Options::new("github")).expect("OpenAPI");
    let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
    let settings = HttpSettings::default().with_egress(egress);
    let settings = if base_url.is_empty() {
        settings
    } else {
        settings.with_base_url("github", base_url.parse().expect("a URL"))
    };
    let policy = ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() };
    Some(Router::builder().source(compiled).http(settings).allow(policy).build().expect("a valid router"))
}

#[test]
fn ten_requests_as_they_would_be_sent() {
    let Some(router) = router("") else { return };
    let requests: Map<String, Value> = chosen()
        .into_iter()
        .map(|chosen| {
            let request = Request::new(chosen.key.clone(), Value::Object(chosen.arguments));
            let shown = router.dry_run(&request).expect("a request");
            (chosen.key, serde_json::to_value(shown).expect("JSON"))
        })
        .collect();
    insta::assert_json_snapshot!(requests);
}

/// The status, media type and body of a success that the document allows.
fn valid_reply(catalog: &Catalog, key: &str) -> (u16, String, Vec<u8>) {
    let Found::One(endpoint) = catalog.find(key) else { panic!("`{key}` is an endpoint") };
    let replies: &Replies = &endpoint.replies;
    let status = (200..300).find(|status| replies.matching(*status).is_some()).expect("a declared success");
    let declared = &replies.matching(status).expect("a declared success").content;
    let content =
        declared.iter().find(|content| content.media_type.ends_with("json")).unwrap_or(&declared[0]);
    let schema = content.schema.as_ref().expect("a declared schema");
    let value = sample(&schema.to_value().expect("the document is at hand"));
    if content.media_type.ends_with("json") {
        assert_eq!(schema.violations(&value).expect("a usable schema"), [], "the reply to `{key}` is valid");
        return (status, content.media_type.clone(), value.to_string().into_bytes());
    }
    (status, content.media_type.clone(), b"<p>text</p>".to_vec())
}

#[tokio::test]
async fn ten_calls_are_sent_as_shown_and_their_replies_accepted() {
    let answer = Arc::new(Mutex::new(Reply::status(500)));
    let next = Arc::clone(&answer);
    let script = Script::route(move |_| next.lock().expect("not poisoned").clone());
    let server = Server::start(script).await.expect("a server");
    let Some(router) = router(&server.url()) else { return };
    for (number, Chosen { key, arguments, .. }) in chosen().into_iter().enumerate() {
        let (status, media_type, body) = valid_reply(&router.catalog(), &key);
        *answer.lock().expect("not poisoned") =
            Reply::status(status).header("Content-Type", media_type).body(body);

        let request = Request::new(key.clone(), Value::Object(arguments));
        let shown = router.dry_run(&request).expect("a request");
        let outcome = router.ainvoke(request, &RunConfig::default()).await.expect(&key);
        assert_eq!((outcome.status, outcome.attempts.len()), (Some(status), 1), "{key}");
        assert_eq!(outcome.warnings, Vec::<String>::new(), "{key}");

        let requests = server.requests();
        assert_eq!(requests.len(), number + 1, "one request for each call");
        let sent = &requests[number];
        assert_eq!(format!("{}{}", server.url(), sent.target), shown.url, "{key}");
        assert_eq!(sent.method, shown.method, "{key}");
        assert_eq!(
            sent.body,
            shown.body.map(|body| body.get().as_bytes().to_vec()).unwrap_or_default(),
            "{key}"
        );
    }
}
