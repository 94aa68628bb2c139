//! What a value can do to the path and to headers: nothing.

use schemarouter_loopback::Reply;

use crate::support::{invoke, server};

#[test]
fn a_value_stays_one_segment_of_the_path() {
    let target = server(Reply::json(200, r#"{"id":"7","name":"saw"}"#));
    let table = [
        ("id=../../admin", "/tools/..%2F..%2Fadmin"),
        ("id=%2e%2e", "/tools/%252e%252e"),
        ("id=//host/x", "/tools/%2F%2Fhost%2Fx"),
        ("id=a\r\nb", "/tools/a%0D%0Ab"),
    ];
    for (value, _) in table {
        invoke(&target.url(), &["getTool", value]).ends_with(0);
    }
    let seen: Vec<String> = target.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(seen, table.map(|(_, path)| path.to_owned()));
}

#[test]
fn dot_segments_are_refused_before_anything_is_sent() {
    let target = server(Reply::status(200));
    for value in ["id=..", "id=."] {
        let report = invoke(&target.url(), &["getTool", value, "--json"]).ends_with(14).json("error-report");
        assert_eq!(report["kind"], "invalid_arguments", "{report}");
    }
    assert_eq!(target.connections(), 0);
}

#[test]
fn line_breaks_in_a_header_are_refused_before_anything_is_sent() {
    let target = server(Reply::status(200));
    let words = ["getTool", "id=7", "X-Trace=a\r\nX-Admin: yes", "--json"];
    let report = invoke(&target.url(), &words).ends_with(14).json("error-report");
    assert_eq!(report["kind"], "invalid_arguments", "{report}");
    assert_eq!(target.connections(), 0);
}
