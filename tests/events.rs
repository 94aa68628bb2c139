//! What observers are told of a run, and what is in its spans.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use schemarouter::executor::{Event, Failure, VirtualTimer};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Contract, Fallback, Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

use crate::support::api::Api;
use crate::support::{Scripted, attempts, with};

/// One event on one line, times left out.
fn line(event: &Event) -> String {
    match event {
        Event::RunStarted { tags, .. } => format!("run started {tags:?}"),
        Event::Rejected { endpoint, kind, .. } => format!("rejected {endpoint} {kind}"),
        Event::CallStarted { call, endpoint, .. } => format!("call {call} started {endpoint}"),
        Event::AttemptStarted { id } => format!("attempt {}-{} started", id.call, id.number),
        Event::ExchangeStarted { id, kind } => format!("exchange {}-{} started {kind:?}", id.call, id.number),
        Event::ExchangeEnded { id, reached, .. } => {
            format!("exchange {}-{} ended {reached:?}", id.call, id.number)
        }
        Event::AttemptEnded { id, report } => {
            format!(
                "attempt {}-{} ended {:?}",
                id.call,
                id.number,
                report.failure.as_ref().map(|failure| failure.kind)
            )
        }
        Event::Waiting { .. } => "waiting".to_owned(),
        Event::CallEnded { call, failure, .. } => format!("call {call} ended {failure:?}"),
        Event::FellBack { from, to, .. } => format!("fell back from {from} to {to}"),
        Event::RunEnded { spent, .. } => {
            format!("run ended: {} calls, {} attempts", spent.calls, spent.attempts)
        }
        other => format!("{other:?}"),
    }
}

fn run_of(event: &Event) -> u64 {
    let id = match event {
        Event::RunStarted { run, .. }
        | Event::Rejected { run, .. }
        | Event::CallStarted { run, .. }
        | Event::Waiting { run, .. }
        | Event::CallEnded { run, .. }
        | Event::FellBack { run, .. }
        | Event::Dropped { run, .. }
        | Event::RunEnded { run, .. } => run,
        Event::AttemptStarted { id }
        | Event::ExchangeStarted { id, .. }
        | Event::ExchangeEnded { id, .. }
        | Event::AttemptEnded { id, .. }
        | Event::Heartbeat { id, .. } => &id.run,
        other => panic!("an event without a run: {other:?}"),
    };
    id.0
}

/// A configuration that writes down what happens.
fn watched(config: RunConfig) -> (RunConfig, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let config =
        config.with_observer(move |event: &Event| seen.lock().expect("not poisoned").push(event.clone()));
    (config, events)
}

fn lines(events: &Mutex<Vec<Event>>) -> Vec<String> {
    let events = events.lock().expect("not poisoned");
    let runs: std::collections::BTreeSet<u64> = events.iter().map(run_of).collect();
    assert_eq!(runs.len(), 1, "every event names its run");
    events.iter().map(line).collect()
}

#[tokio::test]
async fn a_run_is_told_from_its_start_to_its_end() {
    let script = Script::sequence([Reply::json(503, "{}"), Reply::json(200, "[]")]);
    let server = Server::start(script).await.expect("a server");
    let api = Api::at(&server.url());
    let (config, events) = watched(with(attempts(2)).with_tag("agent", "a7"));
    api.call("listJobs", json!({}), &config).await.expect("the second attempt succeeds");
    let expected = [
        r#"run started {"agent": "a7"}"#,
        "call 1 started jobs.listJobs",
        "attempt 1-1 started",
        "exchange 1-1 started Call",
        "exchange 1-1 ended Answered(503)",
        "attempt 1-1 ended Some(HttpStatus)",
        "waiting",
        "attempt 1-2 started",
        "exchange 1-2 started Call",
        "exchange 1-2 ended Answered(200)",
        "attempt 1-2 ended None",
        "call 1 ended None",
        "run ended: 1 calls, 2 attempts",
    ];
    assert_eq!(lines(&events), expected);
}

#[tokio::test]
async fn a_refused_call_is_told_and_says_that_nothing_was_spent() {
    let api = Api::at("http://127.0.0.1:9");
    for (operation, arguments, endpoint, kind) in [
        ("nope", json!({}), "nope", ErrorKind::UnknownEndpoint),
        ("listJobs", json!({"x": 1}), "jobs.listJobs", ErrorKind::InvalidArguments),
    ] {
        let (config, events) = watched(RunConfig::default());
        let error = api.call(operation, arguments, &config).await.expect_err("it is refused");
        assert_eq!(error.kind(), kind);
        assert_eq!(error.report().elapsed_seconds, Some(0.0));
        assert_eq!(error.report().spent.expect("it is told").attempts, 0);
        let rejected = format!("rejected {endpoint} {kind}");
        assert_eq!(lines(&events), ["run started {}", rejected.as_str(), "run ended: 0 calls, 0 attempts"]);
    }
}

#[tokio::test]
async fn a_fallback_is_told_between_the_two_calls() {
    let contract = |name| Contract::new("test", name, Effect::ReadOnly);
    let router = Router::builder()
        .timer(VirtualTimer::new())
        .seed(1)
        .register(contract("first"), Scripted::failing(9, || Failure::unavailable("down")))
        .register(contract("second"), Scripted::failing(0, || Failure::unavailable("down")))
        .fallback(Fallback::new("test.first", "test.second"))
        .build()
        .expect("valid");
    let (config, events) = watched(RunConfig::default());
    router.ainvoke(Request::new("test.first", json!({})), &config).await.expect("the second answers");
    let told = lines(&events);
    let told: Vec<&str> =
        told.iter().map(String::as_str).filter(|line| !line.starts_with("attempt")).collect();
    let expected = [
        "run started {}",
        "call 1 started test.first",
        "call 1 ended Some((InvocationFailed, Unavailable))",
        "fell back from test.first to test.second",
        "call 2 started test.second",
        "call 2 ended None",
        "run ended: 2 calls, 2 attempts",
    ];
    assert_eq!(told, expected);
}

/// Writes spans down as they are entered first: name, the one around it, and fields when they close.
#[derive(Default)]
struct Spans(Mutex<Vec<Span>>);

#[derive(Default)]
struct Span {
    name: &'static str,
    within: Option<usize>,
    fields: BTreeMap<&'static str, String>,
}

thread_local! {
    static ENTERED: std::cell::RefCell<Vec<usize>> = const { std::cell::RefCell::new(Vec::new()) };
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).expect("few spans") - 1
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("schemarouter")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let within = ENTERED.with_borrow(|entered| entered.last().copied());
        let mut span = Span { name: attributes.metadata().name(), within, ..Span::default() };
        attributes.record(&mut Fields(&mut span.fields));
        let mut spans = self.0.lock().expect("not poisoned");
        spans.push(span);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().expect("not poisoned")[index(span)].fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(index(span)));
    }

    fn exit(&self, span: &Id) {
        let left = ENTERED.with_borrow_mut(Vec::pop);
        assert_eq!(left, Some(index(span)), "spans are left in the order in which they were entered");
    }
}

impl Spans {
    fn told(&self) -> String {
        let spans = self.0.lock().expect("not poisoned");
        let mut text = String::new();
        for span in spans.iter() {
            let depth = std::iter::successors(span.within, |at| spans[*at].within).count();
            let fields = span.fields.iter().filter(|(name, _)| !matches!(**name, "run" | "attempt"));
            let fields: Vec<String> = fields.map(|(name, value)| format!("{name}={value}")).collect();
            let _ = writeln!(text, "{}{} {}", "  ".repeat(depth), span.name, fields.join(" "));
        }
        text
    }
}

#[tokio::test]
async fn spans_of_run_call_attempt_and_exchange_are_within_each_other() {
    let script = Script::sequence([Reply::json(503, "{}"), Reply::json(200, "[]")]);
    let server = Server::start(script).await.expect("a server");
    let api = Api::at(&server.url());
    let always = Server::start(Script::repeat(Reply::json(200, "[]"))).await.expect("a server");
    let warm = Api::at(&always.url());
    let spans = Arc::new(Spans::default());
    let guard = tracing::subscriber::set_default(Arc::clone(&spans));
    // A place in the code whose first span is made by another test at this moment goes without a subscriber; so all of them
    // are asked again until none does.
    for _ in 0..1_000 {
        tracing::callsite::rebuild_interest_cache();
        warm.call("listJobs", json!({}), &RunConfig::default()).await.expect("it succeeds");
        let told = spans.told();
        if ["run", "call", "attempt", "exchange"].iter().all(|name| told.contains(&format!("{name} "))) {
            break;
        }
    }
    spans.0.lock().expect("not poisoned").clear();
    api.call("listJobs", json!({}), &with(attempts(2)).with_tag("agent", "a7")).await.expect("it succeeds");
    api.call("addJob", json!({"body": 7}), &RunConfig::default()).await.expect_err("no such body");
    drop(guard);
    assert_eq!(
        spans.told(),
        r#"run tags={"agent": "a7"}
  call attempts=2 call=1 endpoint="jobs.listJobs"
    attempt disposition=unavailable error.type=http_status number=1
      exchange http.request.method="GET" http.response.status_code=503 server.address="127.0.0.1" url.template="/jobs"
    attempt number=2
      exchange http.request.method="GET" http.response.status_code=200 server.address="127.0.0.1" url.template="/jobs"
run 
"#
    );
}
