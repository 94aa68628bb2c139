//! Ctrl-C in the middle of a call.
#![cfg(unix)]

use std::process::{Command, Stdio};

use schemarouter_loopback::{Action, Reply, Server};

use crate::support::{Ran, invocation, schemarouter, server, wait};

/// Starts a call, interrupts it once the server has its request, and returns what it left.
fn interrupted(server: &Server, words: &[&str]) -> Ran {
    let url = server.url();
    let child = schemarouter(&invocation(&url, words))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    wait(server, |progress| progress.bodies > 0);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    Ran::of(child.wait_with_output().expect("the process ends"))
}

#[test]
fn an_interrupted_write_says_that_it_may_have_happened() {
    let silent = server(Action::stall());
    let words = ["createTool", r#"body={"name":"saw"}"#, "--allow-mutations", "--json"];
    let ran = interrupted(&silent, &words).ends_with(130);
    assert!(ran.err.contains("may have been sent and may have taken effect"), "{}", ran.err);
    let report = ran.json("error-report");
    assert_eq!((report["kind"].as_str(), report["applied"].as_str()), (Some("cancelled"), Some("maybe")));
    assert_eq!(report["disposition"], "indeterminate");
}

#[test]
fn an_interrupted_wait_remembers_what_was_sent_before() {
    let busy = server(Reply::status(503));
    let words = ["getTool", "id=7", "--max-attempts", "2", "--initial-backoff", "1h"];
    let ran = interrupted(&busy, &words).ends_with(130);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("may have been sent; it is read-only"), "{}", ran.err);
}
