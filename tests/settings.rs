//! Settings in layers: which value holds, and where it was said.

use std::time::Duration;

use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Layers, Origin, Settings};

use crate::support::api::Api;

const FILE: &str = "
version: 1
retry: {max_attempts: 3, initial_backoff_seconds: 1}
retry_ceiling: {max_attempts: 4}
budget: {max_elapsed_seconds: 30, per_tool_calls: {jobs: 5}}
permission:
  allow_mutations: true
  rules: [{endpoints: '*.delete*', action: deny}]
http: {reply_timeout_seconds: 7, allow_loopback: true}
sources: {jobs: {base_url: 'https://staging.test/v1'}}
endpoints:
  jobs: {cost: 2, idempotency_key: {header: Idempotency-Key}}
  jobs.addJob: {timeout_seconds: 20}
";

const OVERLAY: &str = "
version: 1
endpoints:
  jobs: {idempotency_key: {body: /id}}
  jobs.addJob: {cost: 9}
  '*': {cost: 1, unavailable_proves_rejection: true}
";

fn all() -> Settings {
    let variables = [
        ("SCHEMAROUTER_RETRY__MAX_ATTEMPTS", "2"),
        ("SCHEMAROUTER_REPLIES", "warn"),
        ("SCHEMAROUTER_PERMISSION__ALLOW_MUTATIONS", "false"),
        ("SCHEMAROUTER_CACHE", "elsewhere"),
        ("PATH", "/bin"),
    ];
    // The order in which they are given does not matter.
    let layers =
        Layers::default().overlay("shop.yaml", OVERLAY).and_then(|layers| layers.environment(variables));
    layers.and_then(|layers| layers.file("router.yaml", FILE)).and_then(Layers::resolve).expect("valid")
}

#[test]
fn every_value_is_told_with_where_it_was_said() {
    let explained = all().explain();
    let lines: Vec<String> =
        explained.iter().map(|set| format!("{} = {} ({})", set.name, set.value, set.origin)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    retry.max_attempts = 2 (SCHEMAROUTER_RETRY__MAX_ATTEMPTS)
    retry.initial_backoff_seconds = 1.0 (router.yaml)
    retry.backoff_multiplier = 2.0 (default)
    retry.max_backoff_seconds = 5.0 (default)
    retry.max_retry_after_seconds = 60.0 (default)
    retry.retry_non_read_only = false (default)
    retry.full_jitter = false (default)
    retry.deadline_fit = "decline" (default)
    retry_ceiling.max_attempts = 4 (router.yaml)
    budget.per_tool_calls = {"jobs":5} (router.yaml)
    budget.max_elapsed_seconds = 30.0 (router.yaml)
    permission.allow_mutations = false (SCHEMAROUTER_PERMISSION__ALLOW_MUTATIONS)
    permission.allow_destructive = false (default)
    permission.allow_unclassified = false (default)
    permission.rules = [{"endpoints":"*.delete*","action":"deny"}] (router.yaml)
    repeat_idempotent = false (default)
    replies = "warn" (SCHEMAROUTER_REPLIES)
    http.connect_timeout_seconds = 10.0 (default)
    http.reply_timeout_seconds = 7.0 (router.yaml)
    http.max_reply_bytes = 16777216 (default)
    http.allow_private = false (default)
    http.allow_loopback = true (router.yaml)
    http.allow_plain_http = false (default)
    sources.jobs.base_url = "https://staging.test/v1" (router.yaml)
    endpoints.*.cost = 1 (shop.yaml)
    endpoints.*.unavailable_proves_rejection = true (shop.yaml)
    endpoints.jobs.idempotency_key = {"body":"/id"} (shop.yaml)
    endpoints.jobs.cost = 2 (router.yaml)
    endpoints.jobs.addJob.timeout_seconds = 20.0 (router.yaml)
    endpoints.jobs.addJob.cost = 9 (shop.yaml)
    "#);
}

#[test]
fn a_value_that_is_an_object_is_replaced_and_not_mixed() {
    let settings = all();
    let key = serde_json::to_value(&settings.values.endpoints["jobs"].idempotency_key).expect("JSON");
    assert_eq!(key, serde_json::json!({"body": "/id"}));
    assert_eq!(settings.values.http.reply_timeout, Duration::from_secs(7));
}

#[test]
fn the_most_specific_holds_and_then_the_later_layer() {
    let api = Api::at("http://127.0.0.1:9");
    let router = api.builder().settings(all()).build().expect("valid");
    let shown = |key: &str| {
        let explained = router.explain(&router.endpoint(key).expect("it is there"));
        explained.into_iter().map(|set| (set.name, set.value.to_string(), set.origin)).collect::<Vec<_>>()
    };
    let overlay = || Origin::Overlay("shop.yaml".to_owned());
    let set = |name: &str, value: &str, origin| (name.to_owned(), value.to_owned(), origin);
    let for_all = || set("unavailable_proves_rejection", "true", overlay());
    let key = || set("idempotency_key", r#"{"body":"/id"}"#, overlay());
    let file = || Origin::File("router.yaml".to_owned());
    assert_eq!(
        shown("jobs.addJob"),
        [set("cost", "9", overlay()), key(), set("timeout_seconds", "20.0", file()), for_all()]
    );
    assert_eq!(shown("jobs.listJobs"), [set("cost", "2", file()), key(), for_all()]);
}

#[test]
fn mistakes_name_the_file_the_place_and_the_rule() {
    let file = |text: &str| Layers::default().file("router.yaml", text).and_then(Layers::resolve);
    let overlay = |text: &str| Layers::default().overlay("o.yaml", text).and_then(Layers::resolve);
    let variable =
        |name: &str, value: &str| Layers::default().environment([(name, value)]).and_then(Layers::resolve);
    let table = [
        (
            file("version: 1\nretry:\n  max_attempts: 0\n"),
            "router.yaml:3:3: `/retry`: `max_attempts` must be at least 1",
        ),
        (file("version: 1\nretyr: {}\n"), "router.yaml:2:8: `/retyr`: unknown field `retyr`"),
        (
            file("version: 1\nhttp: {reply_timeout_seconds: -1}\n"),
            "`/http/reply_timeout_seconds`: must be a number of seconds",
        ),
        (file("version: 2\n"), "router.yaml:1:10: `/version`: is 2, and 1 is what is read here"),
        (file("retry: {}\n"), "router.yaml:1:1: a `version` is missing"),
        (file("[]"), "router.yaml:1:1: it is no object"),
        (file("version: 1\nhttp: {}\nhttp: {}\n"), "router.yaml:3:7: `/http`: stands twice"),
        (file("version: 1\nretry: {max_attempts: 1\n"), "router.yaml:"),
        (overlay("version: 1\nretry: {}\n"), "unknown field `retry`, expected `endpoints`"),
        (overlay("version: 1\nendpoints: {a.b: {effect: none}}\n"), "o.yaml:2:27: `/endpoints/a.b/effect`"),
        (overlay("version: 1\nendpoints: {a.b: {idempotency_key: {query: x}}}\n"), "unknown variant `query`"),
        (
            variable("SCHEMAROUTER_RETRY__MAX_ATTEMPT", "2"),
            "`SCHEMAROUTER_RETRY__MAX_ATTEMPT`: unknown field `max_attempt`",
        ),
        (variable("SCHEMAROUTER_RETRY__MAX_ATTEMPTS", "many"), "`SCHEMAROUTER_RETRY__MAX_ATTEMPTS`: "),
        (variable("SCHEMAROUTER_ENDPOINTS__A", "1"), "`endpoints` is set in files only"),
        (variable("SCHEMAROUTER_RETYR__MAX_ATTEMPTS", "1"), "unknown field `retyr`"),
    ];
    for (settings, told) in table {
        let error = settings.expect_err(told);
        assert_eq!(error.kind(), ErrorKind::InvalidSettings);
        assert!(error.to_string().contains(told), "{told}\n{error}");
    }
}

#[test]
fn what_is_said_of_other_sources_can_be_left_out() {
    let settings = all().only(["pets"]);
    assert!(settings.values.sources.is_empty());
    assert_eq!(settings.values.endpoints.keys().collect::<Vec<_>>(), ["*"]);
    let kept = all().only(["jobs"]);
    assert_eq!(kept.values, all().values);
}
