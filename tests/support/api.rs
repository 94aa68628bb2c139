//! A small API of ours behind the scripted loopback server, on virtual time.

use std::time::Duration;

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use schemarouter::executor::VirtualTimer;
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::policy::ExecutionPolicy;
use schemarouter::router::{Outcome, Request, Router, RouterBuilder, RunConfig};
use serde_json::{Value, json};

/// `jobs.listJobs` (GET), `jobs.addJob` (POST), `jobs.putJobs` (PUT), `jobs.getJob` (GET with a path argument).
pub(crate) fn document() -> Value {
    let reply =
        |schema: Value| json!({"description": "ok", "content": {"application/json": {"schema": schema}}});
    let body = json!({"content": {"application/json": {"schema": {"type": "object"}}}});
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Jobs", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "paths": {
            "/jobs": {
                "head": {"operationId": "headJobs", "responses": {"200": {"description": "ok"}}},
                "get": {"operationId": "listJobs", "responses": {"200": reply(json!({"type": "array"}))}},
                "post": {
                    "operationId": "addJob",
                    "requestBody": body,
                    "responses": {"201": reply(json!({"type": "object", "required": ["id"]}))}
                },
                "put": {"operationId": "putJobs", "requestBody": body, "responses": {"200": {"description": "ok"}}}
            },
            "/jobs/{id}": {
                "get": {
                    "operationId": "getJob",
                    "parameters": [
                        {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}
                    ],
                    "responses": {"200": {"description": "ok"}}
                }
            }
        }
    })
}

/// What the tests vary.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) time: VirtualTimer,
    pub(crate) settings: HttpSettings,
    pub(crate) policy: ExecutionPolicy,
    pub(crate) document: Value,
}

impl Api {
    /// The API at this URL; loopback and writes allowed.
    pub(crate) fn at(url: &str) -> Self {
        let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
        Self {
            time: VirtualTimer::new(),
            settings: HttpSettings::default()
                .with_egress(egress)
                .with_base_url("jobs", url.parse().expect("a URL"))
                .with_connect_timeout(Duration::from_secs(10))
                .with_reply_timeout(Duration::from_secs(30)),
            policy: ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() },
            document: document(),
        }
    }

    pub(crate) fn compiled(&self) -> Compiled {
        let document = Document::from_json(self.document.to_string(), &Limits::default()).expect("JSON");
        compile(document, &Options::new("jobs")).expect("OpenAPI")
    }

    pub(crate) fn builder(&self) -> RouterBuilder {
        Router::builder()
            .source(self.compiled())
            .http(self.settings.clone())
            .allow(self.policy.clone())
            .timer(self.time.clone())
            .seed(1)
    }

    pub(crate) async fn call(
        &self,
        operation: &str,
        arguments: Value,
        config: &RunConfig,
    ) -> Result<Outcome, Error> {
        let router = self.builder().build().expect("a valid router");
        router.ainvoke(Request::new(operation, arguments), config).await
    }
}

/// What a scripted server does when it stalls: time moves to the next limit, once what was sent before has been
/// read. Yielding lets the runtime poll its sockets, and the tasks that they wake.
pub(crate) fn on_stall(time: &VirtualTimer) -> impl Fn() + Send + Sync + 'static {
    let time = time.clone();
    move || {
        let time = time.clone();
        tokio::spawn(async move {
            for _ in 0..32 {
                tokio::task::yield_now().await;
            }
            time.stalled();
        });
    }
}
