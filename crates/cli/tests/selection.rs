//! Fields that are selected, and results that are cut.

use schemarouter_loopback::Reply;
use serde_json::json;

use crate::support::{assert_requests, invoke, server};

const TOOL: &str = r#"{"id": "7", "name": "saw", "price": 1.10}"#;

#[test]
fn select_prints_these_fields_as_received() {
    let server = server(Reply::json(200, format!("[{TOOL}, {TOOL}]")));
    let ran = invoke(&server.url(), &["listTools", "--select", "id,price", "--select", "nmae"]).ends_with(0);
    assert_eq!(ran.out.trim_end(), r#"[{"id":"7","price":1.10},{"id":"7","price":1.10}]"#);
    assert!(ran.err.contains("did you mean `name`?"), "{}", ran.err);
    let words = ["listTools", "--select", "/0/name", "--json"];
    let report = invoke(&server.url(), &words).ends_with(0).json("outcome");
    assert_eq!(report["data"], json!([{"name": "saw"}]));
    assert_requests(&server, 2);
}

#[test]
fn a_selection_that_is_none_sends_nothing() {
    let server = server(Reply::json(200, "[]"));
    for dry in [&["--select", "a..b"][..], &["--select", "a..b", "--dry-run"]] {
        let ran = invoke(&server.url(), &[&["listTools"], dry].concat()).ends_with(14);
        assert!(format!("{}{}", ran.out, ran.err).contains("`a..b` in `fields` is no path"), "{}", ran.err);
    }
    assert_requests(&server, 0);
}

#[test]
fn a_result_that_is_too_large_is_cut_and_told() {
    let server = server(Reply::json(200, format!("[{}]", [TOOL; 50].join(","))));
    let ran = invoke(&server.url(), &["listTools", "--max-result-bytes", "256"]).ends_with(0);
    assert!(ran.out.trim_end().len() <= 256 && ran.out.ends_with("}]\n"), "{}", ran.out);
    assert!(ran.err.contains("cut: the top has the first 6 of 50 elements"), "{}", ran.err);
    let words = ["listTools", "--max-result-bytes", "256", "--select", "name", "--json"];
    let report = invoke(&server.url(), &words).ends_with(0).json("outcome");
    let kept = report["data"].as_array().map(Vec::len);
    assert_eq!(kept, Some(17));
    assert_eq!(
        report["cut"],
        json!({"full_bytes": 751, "places": [{"pointer": "", "unit": "elements", "from": 0, "to": 17, "of": 50}]})
    );
    invoke(&server.url(), &["listTools", "--max-result-bytes", "255"]).ends_with(2);
    assert_requests(&server, 2);
}
