//! A marker for a secret goes into every call; it must come out of none.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use schemarouter::catalog::Schema;
use schemarouter::executor::{Credential, Credentials, Event};
use schemarouter::invokers::http::WireRequest;
use schemarouter::kernel::base::secret::Secret;
use schemarouter::router::{Request, RunConfig};
use schemarouter_loopback::{Action, ClosedPort, Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::{Api, on_stall};
use crate::support::{attempts, with};

/// With characters that every spelling treats differently.
const SECRET: &str = "S3CR3T/+=key";

/// The spellings in which it may turn up: plain, percent-encoded, base64 of its beginning.
const SPELLINGS: [&str; 4] = ["S3CR3T", "S3CR3T%2F%2B%3Dkey", "UzNDUjNU", "s3cr3t"];

type Behaviour = fn() -> Script;

fn document(mut document: Value) -> Value {
    document["components"] = json!({"securitySchemes": {
        "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        "session": {"type": "apiKey", "in": "cookie", "name": "SID"},
        "token": {"type": "http", "scheme": "bearer"},
        "login": {"type": "http", "scheme": "basic"}
    }});
    document["security"] = json!([{"key": [], "session": [], "token": []}]);
    document
}

fn credentials() -> Credentials {
    let secret = || Secret::new(SECRET.to_owned());
    Credentials::default()
        .with_scheme("key", Credential::Token(secret()))
        .with_scheme("session", Credential::Token(Secret::new("S3CR3T-cookie".to_owned())))
        .with_bearer(secret())
        .with_header("X-Extra", secret())
}

/// What the server says back, with the secret in it wherever a server might put it.
fn echo(status: u16, content_type: &str) -> Reply {
    let body = format!(
        r#"{{"title": "no {SECRET}", "detail": "S3CR3T%2F%2B%3Dkey", "message": "key {SECRET}", "type": "https://e.test/{SECRET}"}}"#
    );
    Reply::status(status)
        .header("Content-Type", content_type)
        .header("Location", format!("https://elsewhere.test/?api_key={SECRET}"))
        .header("X-Request-Id", format!("id-{SECRET}"))
        .header("Set-Cookie", format!("SID={SECRET}"))
        .body(body)
}

#[tokio::test]
async fn case_096_no_output_of_any_failure_holds_a_secret() {
    let scripts: [(&str, Option<Behaviour>); 12] = [
        ("refused", None),
        ("closed", Some(|| Script::repeat(Action::close()))),
        ("stalled", Some(|| Script::repeat(Action::stall()))),
        ("302", Some(|| echo(302, "text/html").into())),
        ("401", Some(|| echo(401, "application/problem+json").into())),
        ("403", Some(|| echo(403, "application/json").into())),
        ("404", Some(|| echo(404, "text/plain").into())),
        ("504", Some(|| echo(504, "text/html").into())),
        ("wrong media type", Some(|| echo(200, "text/html").into())),
        ("malformed", Some(|| Reply::json(200, format!("[\"{SECRET}\"")).into())),
        ("contract", Some(|| Reply::json(200, format!("\"{SECRET}\"")).into())),
        ("unknown member", Some(|| Reply::json(200, format!("{{\"{SECRET}\": 1}}")).into())),
    ];
    for (name, script) in scripts {
        for server_name in ["http", "dns"] {
            let (mut api, _server, _port) = match script {
                Some(script) => {
                    let api = Api::at("http://127.0.0.1");
                    let server =
                        Server::start(script().on_stall(on_stall(&api.time))).await.expect("a server");
                    let mut at = Api::at(&server.url());
                    at.time = api.time;
                    (at, Some(server), None)
                }
                None if server_name == "dns" => (Api::at("https://no-such-host.invalid"), None, None),
                None => {
                    let port = ClosedPort::new().expect("a port");
                    (Api::at(&port.url()), None, Some(port))
                }
            };
            api.document = document(api.document);
            let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
            let events = Arc::clone(&heard);
            let config = with(attempts(2))
                .with_credentials("jobs", credentials())
                .with_observer(move |event: &Event| events.lock().expect("not poisoned").push(event.clone()));
            let router = api.builder().build().expect("a valid router");
            let request = Request::new("jobs.listJobs", json!({}));
            let shown = serde_json::to_string(&router.dry_run(&request).expect("a request")).expect("JSON");
            let error = router.ainvoke(request, &config).await.expect_err(name);
            let mut sources = String::new();
            let mut source = std::error::Error::source(&error);
            while let Some(error) = source {
                let _ = writeln!(sources, "{error} {error:?}");
                source = error.source();
            }
            let outputs = [
                error.to_string(),
                format!("{error:?}"),
                serde_json::to_string(error.report()).expect("JSON"),
                sources,
                format!("{:?}", heard.lock().expect("not poisoned")),
                format!("{:?} {config:?} {router:?}", credentials()),
                shown,
            ];
            for output in outputs {
                for spelling in SPELLINGS {
                    assert!(!output.contains(spelling), "{name}: {spelling} in {output}");
                }
            }
        }
    }
}

#[test]
fn case_096_no_violation_repeats_a_name_or_a_value() {
    let table = [
        json!({"properties": {"id": {}}, "additionalProperties": false}),
        json!({"properties": {"id": {}}, "unevaluatedProperties": false}),
        json!({"propertyNames": {"maxLength": 2}}),
        json!({"propertyNames": {"additionalProperties": false, "enum": ["id"]}}),
        json!({"properties": {"id": {}}, "additionalProperties": {"not": {}}, "maxProperties": 0}),
        json!({"const": 1}),
        json!({"enum": [1, 2]}),
        json!({"not": {"type": "object"}}),
        json!({"dependentRequired": {"id": ["other"]}}),
        json!({"type": "string"}),
        json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
        json!(false),
    ];
    for schema in table {
        let broken = Schema::alone(schema.clone());
        let value = json!({"id": SECRET, SECRET: SECRET});
        let violations = broken.violations(&value).expect("a schema");
        assert!(!violations.is_empty(), "{schema}");
        for violation in violations {
            assert!(!violation.message.contains("S3CR3T"), "{schema}: {}", violation.message);
        }
    }
}

#[test]
fn case_096_what_a_wire_gets_can_be_debugged() {
    let mut headers = http::HeaderMap::new();
    let mut value = http::HeaderValue::from_static("S3CR3T");
    value.set_sensitive(true);
    headers.insert("authorization", value);
    let request = WireRequest {
        method: http::Method::POST,
        url: "https://me:S3CR3T@api.test/jobs?api_key=S3CR3T".parse().expect("a URL"),
        headers,
        body: Some("S3CR3T".into()),
        own_connection: true,
    };
    let shown = format!("{request:?}");
    assert!(shown.contains("https://api.test/jobs") && !shown.contains("S3CR3T"), "{shown}");
}

#[tokio::test]
async fn case_096_the_secret_goes_on_the_wire_and_nowhere_else() {
    let server = Server::start(Script::repeat(Reply::json(200, "[]"))).await.expect("a server");
    let mut api = Api::at(&server.url());
    api.document = document(api.document);
    let config = RunConfig::default().with_credentials("jobs", credentials());
    let outcome = api.call("jobs.listJobs", json!({}), &config).await.expect("a success");
    let sent = &server.requests()[0];
    assert_eq!(sent.target, "/jobs?api_key=S3CR3T%2F%2B%3Dkey");
    assert_eq!(sent.header("Authorization"), Some("Bearer S3CR3T/+=key"));
    assert_eq!(sent.header("Cookie"), Some("SID=S3CR3T-cookie"));
    assert!(!format!("{outcome:?}").contains("S3CR3T"));
}
