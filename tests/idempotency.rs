//! Idempotency keys: which endpoints honour one, where it goes, and what that is worth.

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::executor::{Failure, Invocation, Reply as Answer, VirtualTimer, from_fn};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Contract, Declaration, KeyCarrier, Outcome, Request, Router, RunConfig};
use schemarouter_loopback::{Action, Reply, Request as Sent, Script, Server};
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::{attempts, with};

const CHARGES: &str = "
openapi: 3.0.3
info: {title: Demo, version: '1.0.0'}
servers: [{url: 'https://api.test'}]
paths:
  /charges:
    post:
      operationId: charge
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {'201': {description: ok}}
    get: {operationId: list, responses: {'200': {description: ok}}}
";

/// Charges, called at a server of ours.
struct Charges {
    server: Server,
    router: Router,
}

impl Charges {
    async fn new(script: impl Into<Script>, key: Option<KeyCarrier>) -> Self {
        let server = Server::start(script).await.expect("a socket");
        let api = Api::at(&server.url());
        let document = Document::from_yaml(CHARGES, &Limits::default()).expect("YAML");
        let builder = Router::builder()
            .source(compile(document, &Options::new("jobs")).expect("OpenAPI"))
            .http(api.settings.clone())
            .allow(api.policy.clone())
            .timer(api.time.clone())
            .seed(1);
        let declaration = Declaration { idempotency_key: key, ..Declaration::default() };
        let router = builder.declare("jobs.charge", declaration).build().expect("valid");
        Self { server, router }
    }

    async fn charge(&self, arguments: Value) -> Result<Outcome, Error> {
        self.make(Request::new("charge", arguments)).await
    }

    async fn make(&self, request: Request) -> Result<Outcome, Error> {
        self.router.ainvoke(request, &with(attempts(3))).await
    }

    fn keys(&self) -> Vec<String> {
        let key = |sent: &Sent| sent.header("idempotency-key").unwrap_or("(none)").to_owned();
        self.server.requests().iter().map(key).collect()
    }
}

fn amount() -> Value {
    json!({"body": {"amt": 1}})
}

fn created() -> Action {
    Reply::status(201).into()
}

#[tokio::test]
async fn case_090_one_key_for_all_attempts_and_another_for_each_call() {
    let honoured = || Some(KeyCarrier::Header("Idempotency-Key".to_owned()));
    let script = [Reply::status(503).into(), Action::close(), created(), created()];
    let charges = Charges::new(Script::sequence(script), honoured()).await;
    let outcome = charges.charge(amount()).await.expect("the third attempt succeeds");
    assert_eq!(outcome.attempts.len(), 3);
    charges.charge(amount()).await.expect("it succeeds");
    let keys = charges.keys();
    assert_eq!((&keys[0], &keys[1]), (&keys[2], &keys[2]), "one key for all attempts of a call");
    assert_ne!(keys[2], keys[3], "the same body is another charge");
    assert_eq!(outcome.idempotency_key.as_ref(), Some(&keys[0]));
    assert!(
        keys.iter().all(|key| key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "{keys:?}"
    );
    let sent = charges.server.requests();
    assert!(
        sent[..3].iter().all(|request| request.body == sent[0].body && request.headers == sent[0].headers)
    );

    let script = [Reply::status(503).into(), created()];
    let charges = Charges::new(Script::sequence::<Action>(script), honoured()).await;
    let arguments = json!({"Idempotency-Key": "order-77", "body": {"amt": 1}});
    charges.charge(arguments).await.expect("the second attempt succeeds");
    assert_eq!(charges.keys(), ["order-77", "order-77"], "as it was given");
}

#[tokio::test]
async fn case_090_without_a_declaration_it_runs_once_and_a_key_is_refused() {
    let charges = Charges::new(Script::repeat(Action::close()), Some(KeyCarrier::None)).await;
    let error = charges.charge(amount()).await.expect_err("it fails");
    assert_eq!(
        (error.kind(), error.disposition()),
        (ErrorKind::ConnectionClosed, Disposition::Indeterminate)
    );
    assert_eq!((error.report().attempts.len(), error.report().endpoint.as_deref()), (1, Some("jobs.charge")));

    let request = Request::new("charge", amount()).with_idempotency_key("order-77");
    let error = charges.make(request).await.expect_err("it is refused");
    assert_eq!((error.kind(), error.disposition()), (ErrorKind::InvalidArguments, Disposition::NonRetryable));
    assert!(error.to_string().contains("idempotency") && error.to_string().contains("charge"), "{error}");
    assert_eq!(charges.server.requests().len(), 1, "that of the first call");

    // An argument of that name is sent as any other, and makes nothing safe.
    let arguments = json!({"Idempotency-Key": "order-77", "body": {"amt": 1}});
    let error = charges.charge(arguments).await.expect_err("it fails");
    assert_eq!(error.disposition(), Disposition::Indeterminate);
    assert_eq!(charges.keys()[1..], ["order-77"]);
}

#[tokio::test]
async fn the_standard_header_of_a_document_is_a_declaration() {
    let charges = Charges::new(Script::repeat(Reply::status(503)), None).await;
    let error = charges.charge(amount()).await.expect_err("it fails");
    assert_eq!((error.disposition(), error.report().attempts.len()), (Disposition::Unavailable, 3));
    assert_eq!(error.report().details["idempotency_key"], charges.keys()[0], "so that it can be resumed");
    assert!(error.to_string().contains("under the same idempotency key it is done once"), "{error}");
    let explained = charges.router.explain(&charges.router.endpoint("charge").expect("it is there"));
    let shown: Vec<String> =
        explained.iter().map(|set| format!("{} {} {}", set.name, set.value, set.origin)).collect();
    assert_eq!(shown, [r#"idempotency_key {"argument":"Idempotency-Key"} document"#]);
}

#[tokio::test]
async fn a_key_of_the_request_goes_where_the_endpoint_takes_it() {
    let table = [
        KeyCarrier::Header("X-Request-Id".to_owned()),
        KeyCarrier::Argument("Idempotency-Key".to_owned()),
        KeyCarrier::Body("/meta~1id".to_owned()),
    ];
    for carrier in table {
        let charges = Charges::new(Script::repeat(created()), Some(carrier.clone())).await;
        let request = || Request::new("charge", amount()).with_idempotency_key("order-77");
        let outcome = charges.make(request()).await.expect("it succeeds");
        assert_eq!(outcome.idempotency_key.as_deref(), Some("order-77"));
        let sent = &charges.server.requests()[0];
        let body: Value = serde_json::from_slice(&sent.body).expect("JSON");
        let found = match &carrier {
            KeyCarrier::Header(name) => sent.header(name).map(str::to_owned),
            KeyCarrier::Body(_) => body["meta/id"].as_str().map(str::to_owned),
            _ => sent.header("idempotency-key").map(str::to_owned),
        };
        assert_eq!(found.as_deref(), Some("order-77"), "{carrier:?}");
        assert_eq!(body["amt"], 1, "{carrier:?}");
        // A dry run shows where it goes.
        let shown =
            serde_json::to_string(&charges.router.dry_run(&request()).expect("a request")).expect("JSON");
        assert!(shown.contains("order-77"), "{shown}");
    }
}

#[tokio::test]
async fn keys_that_cannot_be_meant_are_refused_before_anything_is_sent() {
    let charges = Charges::new(Script::repeat(created()), None).await;
    let with_argument = |key: Value| json!({"Idempotency-Key": key, "body": {"amt": 1}});
    let table = [
        (amount(), Some(String::new()), "1 to 255 visible"),
        (amount(), Some("k".repeat(256)), "1 to 255 visible"),
        (amount(), Some("a b".to_owned()), "1 to 255 visible"),
        (amount(), Some("a\r\nHost: x".to_owned()), "1 to 255 visible"),
        (with_argument(json!("one")), Some("two".to_owned()), "another one"),
        (with_argument(json!(7)), None, "no text"),
    ];
    for (arguments, key, rule) in table {
        let request = Request { idempotency_key: key.clone(), ..Request::new("charge", arguments) };
        let error = charges.make(request).await.expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::InvalidArguments, "{key:?}");
        assert!(error.message().contains(rule), "{error}");
        assert!(key.is_none_or(|key| key.len() < 2 || !error.message().contains(&key)), "{error}");
    }
    let error =
        charges.make(Request::new("list", json!({})).with_idempotency_key("k")).await.expect_err("no key");
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert!(charges.server.requests().is_empty());
}

#[test]
fn a_carrier_that_the_endpoint_does_not_have_is_told_when_the_router_is_built() {
    let api = Api::at("http://127.0.0.1:9");
    let table = [
        ("jobs.addJob", KeyCarrier::Argument("key".to_owned()), "has no argument `key`"),
        ("jobs.addJob", KeyCarrier::Header("Authorization".to_owned()), "the request itself owns"),
        ("jobs.addJob", KeyCarrier::Header("a b".to_owned()), "no header field name"),
        ("jobs.addJob", KeyCarrier::Body("id".to_owned()), "begins with a slash"),
        ("jobs.listJobs", KeyCarrier::Body("/id".to_owned()), "has no body"),
        ("jobs.addJob", KeyCarrier::Invoker, "for registered code"),
        ("jobs", KeyCarrier::Header("Host".to_owned()), "the request itself owns"),
    ];
    for (selector, carrier, rule) in table {
        let declaration = Declaration { idempotency_key: Some(carrier), ..Declaration::default() };
        let error = api.builder().declare(selector, declaration).build().expect_err("it does not fit");
        assert_eq!(error.kind(), ErrorKind::InvalidSettings);
        assert!(error.message().contains(rule) && error.message().contains(selector), "{error}");
    }
}

#[tokio::test]
async fn r_213_a_key_restores_the_attempts_and_each_of_them_carries_it() {
    let keys: std::sync::Arc<std::sync::Mutex<Vec<Option<String>>>> = std::sync::Arc::default();
    let seen = std::sync::Arc::clone(&keys);
    let pay = from_fn(move |call: Invocation| {
        let mut seen = seen.lock().expect("not poisoned");
        seen.push(call.idempotency_key.as_deref().map(str::to_owned));
        let done =
            if seen.len() < 3 { Err(Failure::transient("busy")) } else { Ok(Answer::of_json(json!({}))) };
        async move { done }
    });
    let declaration = Declaration { idempotency_key: Some(KeyCarrier::Invoker), ..Declaration::default() };
    let router = Router::builder()
        .register(Contract::new("bank", "pay", Effect::Mutating), pay)
        .declare("bank.pay", declaration)
        .timer(VirtualTimer::new())
        .build()
        .expect("valid");
    let config: RunConfig = with(attempts(5));
    let outcome = router.ainvoke(Request::new("bank.pay", json!({})), &config).await.expect("it succeeds");
    let keys = keys.lock().expect("not poisoned");
    assert_eq!(keys.len(), 3);
    assert!(
        outcome.idempotency_key.is_some() && keys.iter().all(|key| *key == outcome.idempotency_key),
        "{keys:?}"
    );
}
