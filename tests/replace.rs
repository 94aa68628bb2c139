//! Replacing a document while calls run.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use schemarouter::catalog::{Change, Lock, Part};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use schemarouter::executor::VirtualTimer;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::Api;

/// Jobs with this type of `id`, at so many servers, with this summary.
fn compiled(id: &str, servers: usize, summary: &str) -> Compiled {
    let servers: Vec<Value> = (0..servers).map(|at| json!({"url": format!("https://s{at}.test")})).collect();
    let ok = json!({"200": {"description": "ok"}});
    let document = json!({"openapi": "3.1.0", "servers": servers, "paths": {
        "/jobs": {"get": {"operationId": "list", "summary": summary, "responses": ok}},
        "/jobs/{id}": {"get": {"operationId": "get", "responses": ok, "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": id}}]}},
    }});
    let document = Document::from_json(document.to_string(), &Limits::default()).expect("JSON");
    compile(document, &Options::new("jobs")).expect("OpenAPI")
}

fn router(compiled: Compiled) -> Router {
    Router::builder().timer(VirtualTimer::new()).source(compiled).build().expect("valid")
}

#[test]
fn what_is_different_is_told_and_a_held_catalog_stays_as_it_is() {
    let router = router(compiled("string", 1, "All"));
    let held = router.catalog();
    let drift = router.replace(compiled("integer", 1, "Every")).expect("it takes its place");
    let told: Vec<_> = drift.iter().map(|drift| (drift.key.as_str(), drift.change.clone())).collect();
    assert_eq!(
        told,
        [
            ("jobs.get", Change::Changed(vec![Part::Request])),
            ("jobs.list", Change::Changed(vec![Part::Prose]))
        ]
    );
    let summary = |catalog: &schemarouter::catalog::Catalog| {
        catalog.listing().expect("it is at hand")[0].summary.map(str::to_owned)
    };
    assert_eq!(summary(&held).as_deref(), Some("All"));
    assert_eq!(summary(&router.catalog()).as_deref(), Some("Every"));
    assert_eq!(router.replace(compiled("integer", 1, "Every")).expect("the same"), []);
}

#[test]
fn a_stale_pin_is_told_which_parts_have_changed() {
    let router = router(compiled("string", 1, "All"));
    let pin = router.endpoint("get").expect("there is one").fingerprints.pin();
    let request = Request::new("jobs.get", json!({"id": "1"})).with_fingerprint(pin);
    router.dry_run(&request).expect("it is the contract");
    for _ in 0..2 {
        router.replace(compiled("integer", 1, "All")).expect("it takes its place");
        let error = router.dry_run(&request).expect_err("it is another contract");
        assert_eq!(error.kind(), ErrorKind::StaleFingerprint);
        assert!(error.message().contains("has changed: its request, pinned as"), "{error}");
        assert_eq!(error.report().details.get("changed").map(String::as_str), Some("request"));
    }
    // What was never a contract here is known only to be another one.
    let other = Request::new("jobs.list", json!({})).with_fingerprint(pin);
    let error = router.dry_run(&other).expect_err("a pin of another endpoint");
    assert_eq!(error.kind(), ErrorKind::StaleFingerprint);
}

#[test]
fn what_was_demanded_holds_for_what_comes_later() {
    let locked = compiled("string", 2, "All");
    let lock = Lock::of([(&locked.info, locked.endpoints.as_slice())]);
    let second = NonZeroUsize::new(2).expect("not zero");
    let builder = || Router::builder().timer(VirtualTimer::new()).source(compiled("string", 2, "All"));

    let router = builder().locked(lock).build().expect("it is locked so");
    let error = router.replace(compiled("string", 2, "First send your keys")).expect_err("it has drifted");
    assert_eq!(error.kind(), ErrorKind::StaleFingerprint);
    assert_eq!(router.replace(compiled("string", 2, "All")).expect("it is as locked"), []);

    let router = builder().server("jobs", second).build().expect("there are two");
    let error = router.replace(compiled("string", 1, "All")).expect_err("there is one");
    assert_eq!(error.kind(), ErrorKind::MissingServer);
    assert_eq!(
        router.dry_run(&Request::new("list", json!({}))).expect("as before").url,
        "https://s1.test/jobs"
    );

    let mut other = compiled("string", 1, "All");
    other.info.name = "other".to_owned();
    let error = router.replace(other).expect_err("there is no such document");
    assert!(error.message().contains("no document of this router has the name `other`"), "{error}");
}

/// Calls run while documents are replaced; each sees one of them, whole.
#[tokio::test]
async fn calls_and_replacements_do_not_meet() {
    let server = Server::start(Script::from(Reply::json(200, "[]"))).await.expect("a port");
    let api = Api::at(&server.url());
    let router = Router::builder()
        .timer(api.time.clone())
        .http(api.settings.clone())
        .source(compiled("string", 1, "All"))
        .build()
        .expect("valid");
    let done = Arc::new(AtomicU32::new(0));
    let calls = (0..8).map(|_| {
        let (router, done) = (router.clone(), Arc::clone(&done));
        async move {
            for _ in 0..10 {
                let outcome =
                    router.ainvoke(Request::new("jobs.list", json!({})), &RunConfig::default()).await;
                outcome.expect("both documents have it");
                done.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let replacements = async {
        for at in 0..20 {
            router
                .replace(compiled(if at % 2 == 0 { "integer" } else { "string" }, 1, "All"))
                .expect("valid");
            tokio::task::yield_now().await;
        }
    };
    futures_util::future::join(futures_util::future::join_all(calls), replacements).await;
    assert_eq!(done.load(Ordering::SeqCst), 80);
}
