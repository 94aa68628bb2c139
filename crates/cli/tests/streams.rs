//! Readers that leave, and what an interruption leaves.

use std::fs::File;

use schemarouter_loopback::Reply;

use crate::support::{Ran, TOOLS, assert_requests, invocation, schemarouter, server};

/// The end of a pipe that nobody reads.
fn unread() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_reader_that_left_changes_no_exit_code_and_is_no_news() {
    let willing = server(Reply::json(200, r#"{"id":"7","name":"saw"}"#));
    let table: [(Vec<&str>, i32); 4] = [
        (vec!["compile", TOOLS, "--json"], 0),
        (vec!["compile", TOOLS, "--strict"], 1),
        (vec!["list", TOOLS], 0),
        (vec!["compile", "absent.json", "--json"], 2),
    ];
    for (words, code) in table {
        let output = schemarouter(&words).stdout(unread()).output().unwrap();
        let ran = Ran::of(output).ends_with(code);
        assert!(!ran.err.contains("ipe") && !ran.err.contains("panic"), "{}", ran.err);
    }
    let url = willing.url();
    let words = invocation(&url, &["getTool", "id=7", "--trace"]);
    let output = schemarouter(&words).stdout(unread()).stderr(unread()).output().unwrap();
    Ran::of(output).ends_with(0);
    assert_requests(&willing, 1);
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_told() {
    let output = schemarouter(&["list", TOOLS]).stdout(File::create("/dev/full").unwrap()).output().unwrap();
    let ran = Ran::of(output).ends_with(2);
    assert!(ran.err.starts_with("error: the output could not be written"), "{}", ran.err);
}
