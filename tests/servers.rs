//! Where requests go: server variables and the choice among servers.

use std::num::NonZeroUsize;

use schemarouter::catalog::Lock;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use schemarouter::invokers::http::HttpSettings;
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::router::{Request, Router, RouterBuilder};
use serde_json::{Value, json};

/// A variable and its value.
type Given = (&'static str, &'static str);

/// Compiles `ping` and `upload`, which has servers of its own, with values for variables.
fn compiled(servers: &Value, values: &[Given]) -> Result<Compiled, Error> {
    let operation = |id: &str| json!({"operationId": id, "responses": {"200": {"description": "ok"}}});
    let mut upload = operation("upload");
    upload["servers"] =
        json!([{"url": "https://{zone}.files.test", "variables": {"zone": {"default": "n1"}}}]);
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": servers,
        "paths": {"/ping": {"get": operation("ping")}, "/files": {"get": upload}},
    });
    let document = Document::from_json(document.to_string(), &Limits::default()).expect("JSON");
    let options = values
        .iter()
        .fold(Options::new("demo"), |options, (name, value)| options.with_server_variable(*name, *value));
    compile(document, &options)
}

fn zones() -> Value {
    json!([{"url": "https://{zone}.api.test:{port}/{base}", "variables": {
        "zone": {"default": "n1", "enum": ["n1", "s1"]}, "port": {"default": "8443"}, "base": {"default": "v2"}}}])
}

fn url(builder: RouterBuilder, operation: &str) -> Result<String, Error> {
    let request = builder.build()?.dry_run(&Request::new(operation, json!({})))?;
    Ok(request.url)
}

fn ping(values: &[Given]) -> Result<String, Error> {
    url(Router::builder().source(compiled(&zones(), values)?), "ping")
}

#[test]
fn case_059_server_variables_take_the_operators_values_or_nothing_is_sent() {
    assert_eq!(ping(&[]).expect("defaults"), "https://n1.api.test:8443/v2/ping");
    assert_eq!(ping(&[("zone", "s1"), ("base", "v3")]).expect("both"), "https://s1.api.test:8443/v3/ping");
    assert_eq!(ping(&[("base", "")]).expect("nothing"), "https://n1.api.test:8443/ping");
    let table: [(&[Given], &[&str]); 9] = [
        (&[("zone", "evil.test/#")], &["`zone`", "`n1`", "`s1`", "`evil.test/#`"]),
        (&[("zone", "N1")], &["`zone`", "`n1`", "`s1`", "`N1`"]),
        (&[("port", "1@x")], &["`port`", "`@`"]),
        (&[("port", "443/x")], &["`port`", "`/`"]),
        (&[("port", "https")], &["`port`", "no URL"]),
        (&[("port", "99999"), ("base", "v3")], &["`base`, `port`", "no URL"]),
        (&[("base", "v3?admin=1")], &["`base`", "`?`"]),
        (&[("base", "a b")], &["`base`", "` `"]),
        (&[("Zone", "n1")], &["no server variable `Zone`", "`base`, `port`, `zone`"]),
    ];
    for (values, named) in table {
        let error = ping(values).expect_err("the value is not allowed");
        assert_eq!(
            (error.kind(), error.disposition(), error.phase()),
            (ErrorKind::CompileError, Disposition::NonRetryable, Phase::BeforeSending),
            "{values:?}"
        );
        let told = error.to_string();
        assert!(named.iter().all(|word| told.contains(word)), "{values:?}: {told}");
    }
}

#[test]
fn a_value_goes_to_every_server_that_has_the_variable() {
    let values = [("zone", "s1")];
    let demo = || Router::builder().source(compiled(&zones(), &values).expect("OpenAPI"));
    assert_eq!(url(demo(), "ping").expect("a URL"), "https://s1.api.test:8443/v2/ping");
    assert_eq!(url(demo(), "upload").expect("a URL"), "https://s1.files.test/files");

    // A server that cannot be used anyway is left out, as ever; a value may be what it lacks.
    let servers =
        json!([{"url": "ftp://{zone}.test"}, {"url": "https://{zone}.test", "variables": {"zone": {}}}]);
    let cured = compiled(&servers, &values).expect("one is usable");
    assert_eq!(*cured.endpoints[0].http().expect("HTTP").servers, ["https://s1.test"]);
    assert_eq!(cured.diagnostics.len(), 1);

    // Whoever gives a value to the document's own servers need not know which operations are served there.
    let own = json!([{"url": "{scheme}://api.test", "variables": {"scheme": {"default": "https"}}}]);
    assert!(compiled(&own, &[("scheme", "http")]).is_ok());
    let error = compiled(&own, &[("scheme", "https://evil.test/")]).expect_err("no scheme");
    assert!(error.message().contains("`scheme` holds `:`"), "{error}");
    let error =
        compiled(&json!([{"url": "https://api.test"}]), &[("version", "2")]).expect_err("no variable");
    assert!(
        error.to_string().contains("no server variable `version`") && error.to_string().contains("`zone`")
    );
}

#[test]
fn a_value_is_a_part_of_the_destination_and_a_choice_is_not() {
    let compiled = |values: &[Given]| {
        compiled(
            &json!([{"url": "https://a.test"}, {"url": "https://{zone}.b.test",
        "variables": {"zone": {"default": "n1"}}}]),
            values,
        )
        .expect("OpenAPI")
    };
    let lock = |compiled: &Compiled| Lock::of([(&compiled.info, compiled.endpoints.as_slice())]);
    let kept = lock(&compiled(&[]));
    let drift = kept.compare(&lock(&compiled(&[("zone", "s1")])));
    let told: Vec<String> = drift.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["demo.ping: changed: destination", "demo.upload: changed: destination"]);

    let second = NonZeroUsize::new(2).expect("not 0");
    let chosen = || Router::builder().source(compiled(&[])).locked(kept.clone()).server("demo", second);
    assert_eq!(url(chosen(), "ping").expect("a URL"), "https://n1.b.test/ping");
}

#[test]
fn a_server_that_an_endpoint_does_not_have_is_not_replaced_by_another() {
    let number = |number| NonZeroUsize::new(number).expect("not 0");
    let servers = json!([{"url": "https://a.test"}, {"url": "https://b.test"}]);
    let demo = || Router::builder().source(compiled(&servers, &[]).expect("OpenAPI"));
    assert_eq!(url(demo(), "ping").expect("a URL"), "https://a.test/ping");
    assert_eq!(
        url(demo().server("demo", number(1)), "upload").expect("a URL"),
        "https://n1.files.test/files"
    );
    assert_eq!(url(demo().server("demo", number(2)), "ping").expect("a URL"), "https://b.test/ping");
    let base = HttpSettings::default().with_base_url("demo", "https://own.test/x".parse().expect("a URL"));
    let based = demo().server("demo", number(2)).http(base);
    assert_eq!(url(based, "upload").expect("a URL"), "https://own.test/x/files");

    for (builder, due) in [
        (demo().server("demo", number(2)), "`demo.upload` has no server"),
        (demo().server("demo", number(3)), "server 3 of `demo` is chosen, and its endpoints have 2"),
        (demo().server("dem", number(1)), "a server of `dem` is chosen, and no document has that name"),
    ] {
        let error = url(builder, "upload").expect_err(due);
        assert_eq!((error.kind(), error.phase()), (ErrorKind::MissingServer, Phase::BeforeSending));
        assert!(error.message().contains(due), "{error}");
    }
}
