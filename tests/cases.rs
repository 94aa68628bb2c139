//! Reports about other tools, end to end: a whole document of ours in YAML, calls, and what is due for each.
//!
//! `cases.txt` lists every case and whether it is shown.

mod documents;
mod effects;
mod gaps;
mod references;
mod replies;
mod values;

use schemarouter::catalog::Endpoint;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, Severity, compile};
use schemarouter::executor::VirtualTimer;
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::policy::ExecutionPolicy;
use schemarouter::router::{Outcome, Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};

/// A document of this version with these lines below `paths`, and what else the lines say.
fn document(version: &str, paths: &str) -> String {
    format!(
        "openapi: {version}\ninfo: {{title: Demo, version: '1.0.0'}}\nservers: [{{url: 'https://api.test'}}]\npaths:\n{paths}"
    )
}

fn compiled(document: &str) -> Compiled {
    let document = Document::from_text(document, &Limits::default()).expect("JSON or YAML");
    compile(document, &Options::new("demo")).expect("OpenAPI")
}

/// Severity and code of each remark.
fn remarks(compiled: &Compiled) -> Vec<String> {
    let told = compiled.diagnostics.iter().map(|remark| format!("{} {}", remark.severity, remark.code));
    told.collect()
}

fn endpoint<'c>(compiled: &'c Compiled, operation: &str) -> &'c Endpoint {
    let mut endpoints = compiled.endpoints.iter();
    endpoints.find(|endpoint| endpoint.key.operation() == operation).expect("the operation is an endpoint")
}

/// The schema of an argument, as a caller sees it.
fn argument_schema(compiled: &Compiled, operation: &str, argument: &str) -> Value {
    let argument = endpoint(compiled, operation).argument(argument).expect("the argument is there");
    argument.schema.as_ref().expect("the argument has a schema").to_value().expect("the document is at hand")
}

/// A call that was made, and the requests that the server saw.
struct Called {
    result: Result<Outcome, Error>,
    requests: Vec<schemarouter_loopback::Request>,
}

/// Calls an operation at a server that answers so, with all effects allowed.
async fn call(document: &str, operation: &str, arguments: &Value, reply: Reply) -> Called {
    let server = Server::start(Script::repeat(reply)).await.expect("a server");
    let egress = EgressPolicy { allow_loopback: true, ..EgressPolicy::default() };
    let settings = HttpSettings::default()
        .with_egress(egress)
        .with_base_url("demo", server.url().parse().expect("a URL"));
    let policy =
        ExecutionPolicy { allow_mutations: true, allow_destructive: true, ..ExecutionPolicy::default() };
    let router = Router::builder()
        .source(compiled(document))
        .http(settings)
        .allow(policy)
        .timer(VirtualTimer::new())
        .seed(1)
        .build()
        .expect("a valid router");
    let result = router.ainvoke(Request::new(operation, arguments.clone()), &RunConfig::default()).await;
    Called { result, requests: server.requests() }
}

/// A reply without content.
fn ok() -> Reply {
    Reply::status(200)
}

impl Called {
    /// Method and target of each request.
    fn lines(&self) -> Vec<String> {
        self.requests.iter().map(|request| format!("{} {}", request.method, request.target)).collect()
    }

    #[track_caller]
    fn succeeds(&self) -> &Outcome {
        self.result.as_ref().expect("the call succeeds")
    }

    /// One request of this line, and success.
    #[track_caller]
    fn sends(&self, line: &str) {
        self.succeeds();
        assert_eq!(self.lines(), [line]);
    }

    /// Fails for good after so many requests, and the report names these.
    #[track_caller]
    fn fails(&self, requests: usize, kind: &str, names: &[&str]) -> &Error {
        let error = self.result.as_ref().expect_err("the call fails");
        assert_eq!((error.kind().code(), error.disposition()), (kind, Disposition::NonRetryable), "{error}");
        assert_eq!(self.requests.len(), requests, "requests sent");
        let report = serde_json::to_value(error.report()).expect("a report is JSON");
        let fields = ["pointer", "keyword", "problem"].map(|field| report[field].to_string());
        for name in names {
            let named = error.to_string().contains(name) || fields.iter().any(|field| field.contains(name));
            assert!(named, "`{name}` is named: {report}");
        }
        error
    }

    /// Nothing was sent, because the arguments are refused.
    #[track_caller]
    fn refused(&self, names: &[&str]) -> &Error {
        self.fails(0, "invalid_arguments", names)
    }
}
