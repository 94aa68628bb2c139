//! What is sent how often, and what is said about it.

use schemarouter_loopback::{Action, ClosedPort, Reply, Script};
use serde_json::Value;

use crate::support::{Ran, TOOLS, assert_requests, invoke, run, server};

const CREATE: [&str; 2] = ["createTool", r#"body={"name":"saw"}"#];
const THRICE: [&str; 5] = ["--max-attempts", "3", "--initial-backoff", "1ms", "--json"];

fn reported(ran: &Ran) -> Value {
    ran.json("error-report")
}

#[test]
fn a_write_that_a_silent_server_swallows_is_sent_once_and_told_as_indeterminate() {
    let silent = server(Action::stall());
    let words = [&CREATE[..], &THRICE, &["--timeout", "300ms", "--allow-mutations"]].concat();
    let ran = invoke(&silent.url(), &words).ends_with(12);
    assert_requests(&silent, 1);
    let report = reported(&ran);
    assert_eq!(report["disposition"], "indeterminate");
    assert_eq!(report["applied"], "maybe");
    assert_eq!(report["reached"], "maybe_sent");
    assert_eq!(report["reason"], "outcome_unknown");
    assert!(report["hint"].as_str().unwrap().contains("may have taken effect"), "{report}");
    assert!(ran.err.contains("It may have taken effect"), "{}", ran.err);
}

#[test]
fn a_write_that_is_judged_safe_to_repeat_is_sent_as_often_as_allowed() {
    let silent = server(Action::stall());
    let words = [&CREATE[..], &THRICE, &["--timeout", "200ms", "--allow-mutations", "--retry-non-read-only"]]
        .concat();
    let report = reported(&invoke(&silent.url(), &words).ends_with(11));
    assert_requests(&silent, 3);
    assert_eq!(report["attempts"].as_array().unwrap().len(), 3);
    assert_eq!(report["reason"], "last_attempt");
}

#[test]
fn a_read_is_repeated_without_further_ado() {
    let silent = server(Action::stall());
    let words = [&["getTool", "id=7"][..], &THRICE, &["--timeout", "200ms"]].concat();
    let report = reported(&invoke(&silent.url(), &words).ends_with(11));
    assert_requests(&silent, 3);
    assert_eq!(report["disposition"], "unavailable");
    assert_eq!(report["applied"], Value::Null);
}

#[test]
fn a_write_to_a_closed_port_is_tried_once_and_has_not_happened() {
    let closed = ClosedPort::new().unwrap();
    let words = [&CREATE[..], &THRICE, &["--allow-mutations"]].concat();
    let report = reported(&invoke(&closed.url(), &words).ends_with(11));
    assert_eq!(report["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(report["reached"], "not_sent");
    assert_eq!(report["applied"], "no");
}

#[test]
fn a_write_without_permission_is_not_sent() {
    let silent = server(Action::stall());
    let report = reported(&invoke(&silent.url(), &[&CREATE[..], &THRICE].concat()).ends_with(14));
    assert_eq!(silent.connections(), 0);
    assert_eq!(report["kind"], "policy_rejected");
    let delete =
        invoke(&silent.url(), &["delete-tools-id", "id=7", "--allow-mutations", "--json"]).ends_with(14);
    assert_eq!(reported(&delete)["kind"], "policy_rejected");
    assert_eq!(silent.connections(), 0);
}

#[test]
fn destructive_operations_run_with_both_permissions() {
    let willing = server(Reply::status(204));
    let words = ["delete-tools-id", "id=7", "--allow-mutations", "--allow-destructive"];
    let ran = invoke(&willing.url(), &words).ends_with(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "done: 204, no data\n"));
}

#[test]
fn a_success_prints_what_came() {
    let body = r#"{"id":"7","name":"saw","serial":12345678901234567890123}"#;
    let willing = server(Reply::json(200, body));
    let plain = invoke(&willing.url(), &["getTool", "id=7"]).ends_with(0);
    assert_eq!((plain.out, plain.err.as_str()), (format!("{body}\n"), ""));
    let told = invoke(&willing.url(), &["getTool", "id=7", "--json"]).ends_with(0);
    let report = told.json("outcome");
    assert_eq!((report["status"].as_u64(), report["spent"]["attempts"].as_u64()), (Some(200), Some(1)));
    assert!(told.out.contains("12345678901234567890123"), "digits are kept: {}", told.out);
}

#[test]
fn replies_that_break_their_schema_are_refused_told_or_let_through() {
    let sloppy = server(Reply::json(200, r#"{"id":7}"#));
    let call = |more: &[&str]| invoke(&sloppy.url(), &[&["getTool", "id=7"], more].concat());
    let report = reported(&call(&["--json"]).ends_with(13));
    assert_eq!(report["kind"], "contract_violation");
    let warned = call(&["--replies", "warn"]).ends_with(0);
    assert_eq!(warned.out, "{\"id\":7}\n");
    assert!(warned.err.starts_with("warning: the 200 reply breaks "), "{}", warned.err);
    assert_eq!(call(&["--replies", "off"]).ends_with(0).err, "");
}

#[test]
fn a_trace_tells_attempts_waits_and_why_it_ended() {
    let busy = || Reply::status(503);
    let flaky = server(Script::sequence([busy(), busy(), Reply::json(200, r#"{"id":"7","name":"saw"}"#)]));
    let words = ["getTool", "id=7", "--max-attempts", "3", "--initial-backoff", "10ms", "--trace", "--json"];
    let ran = invoke(&flaky.url(), &words).ends_with(0);
    ran.json("outcome");
    let told: Vec<&str> = ran.err.lines().map(|line| line.get(11..).unwrap_or_default()).collect();
    assert_eq!(told.len(), 6, "{}", ran.err);
    assert!(told[0].starts_with("attempt 1: 503, unavailable after "), "{}", ran.err);
    assert_eq!((told[1], told[3]), ("wait 10ms (backoff)", "wait 20ms (backoff)"));
    assert!(told[4].starts_with("attempt 3: 200, success after "), "{}", ran.err);
    assert_eq!(told[5], "done after 3 attempts");

    let ran = invoke(
        &server(busy().header("Retry-After", "30")).url(),
        &["getTool", "id=7", "--max-attempts", "2", "--max-elapsed", "5s", "--trace"],
    )
    .ends_with(15);
    assert!(
        ran.err.contains("Not repeated: the wait before the next attempt would reach the deadline."),
        "{}",
        ran.err
    );
    let ran =
        run(&["invoke", TOOLS, "getTool", "id=7", "--server", "http://127.0.0.1:9", "--trace"]).ends_with(14);
    assert!(ran.err.contains("Refused before any attempt."), "{}", ran.err);
}
