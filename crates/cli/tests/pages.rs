//! Listings: a page to a line, and a handle to go on by.

use schemarouter_loopback::{Reply, Script};
use serde_json::Value;

use crate::support::{Ran, assert_requests, assert_valid, invoke, run, server};

const RULES: [&str; 2] = ["--overlay", "pages.yaml"];

fn page(id: u32, is_last: bool) -> Reply {
    let reply = Reply::json(200, format!("[{{\"id\": \"{id}\", \"name\": \"saw\"}}]"));
    if is_last { reply } else { reply.header("Link", format!("<?page={}>; rel=\"next\"", id + 1)) }
}

fn listing(url: &str, words: &[&str]) -> Ran {
    invoke(url, &[&["listTools"], words, &RULES].concat())
}

/// The words after `--next-page` in what was said.
fn handle(ran: &Ran) -> String {
    let (_, rest) = ran.err.split_once("--next-page ").expect("a handle is told");
    rest.split([',', '\n']).next().expect("a word").to_owned()
}

#[test]
fn each_page_is_a_line_as_it_was_received() {
    let willing = server(Script::sequence([page(1, false), page(2, false), page(3, true)]));
    let ran = listing(&willing.url(), &["limit=1", "--all-pages"]).ends_with(0);
    assert_eq!(ran.out.lines().count(), 3);
    assert_eq!(ran.out.lines().next(), Some(r#"[{"id": "1", "name": "saw"}]"#));
    assert_eq!(ran.err, "pages: 3, 3 items; that is all\n");
    let targets: Vec<_> = willing.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(targets, ["/tools?limit=1", "/tools?page=2", "/tools?page=3"]);
}

#[test]
fn a_listing_stops_after_so_many_pages_and_goes_on_by_its_handle() {
    let willing = server(Script::sequence([page(1, false), page(2, false), page(3, true)]));
    let ran = listing(&willing.url(), &["--all-pages", "--max-pages", "1", "--json"]).ends_with(0);
    let outcome: Value = serde_json::from_str(&ran.out).expect("one line of JSON");
    assert_valid("outcome", &outcome);
    assert_eq!((outcome["next_page"].as_str(), ran.out.lines().count()), (Some(&*handle(&ran)), 1));
    assert!(ran.err.starts_with("pages: 1, 1 items; there is more: --next-page "), "{}", ran.err);

    let ran = listing(&willing.url(), &["--next-page", &handle(&ran)]).ends_with(0);
    assert_eq!(ran.out, "[{\"id\": \"2\", \"name\": \"saw\"}]\n");
    let ran = listing(&willing.url(), &["--next-page", &handle(&ran), "--all-pages", "--max-items", "9"]);
    assert_eq!(ran.ends_with(0).out, "[{\"id\": \"3\", \"name\": \"saw\"}]\n");
}

#[test]
fn a_page_that_fails_ends_the_listing_with_its_code_and_a_handle() {
    let failing = server(Script::sequence([page(1, false), Reply::status(503), page(2, true)]));
    let ran = listing(&failing.url(), &["--all-pages", "--json"]).ends_with(11);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_valid("outcome", &lines[0]);
    assert_valid("error-report", &lines[1]);
    assert_eq!((lines.len(), &lines[1]["details"]["page"]), (2, &Value::from("2")));
    listing(&failing.url(), &["--next-page", &handle(&ran)]).ends_with(0);
}

#[test]
fn one_call_says_how_it_goes_on() {
    let willing = server(page(1, false));
    let ran = listing(&willing.url(), &[]).ends_with(0);
    assert_eq!(ran.err, format!("there is more: --next-page {}, or --all-pages\n", handle(&ran)));
}

#[test]
fn a_handle_of_something_else_is_refused() {
    let willing = server(page(1, false));
    let of_tools = handle(&listing(&willing.url(), &[]).ends_with(0));
    let other = invoke(&willing.url(), &[&["getTool", "--next-page", &of_tools][..], &RULES].concat());
    assert!(
        other.ends_with(14).err.contains("the handle is of `tools.listTools`, and not of `tools.getTool`")
    );
    let none = listing(&willing.url(), &["--next-page", "x"]).ends_with(2);
    assert!(none.err.contains("this is no handle of a next page"), "{}", none.err);
    let undeclared = invoke(&willing.url(), &["listTools", "--all-pages"]).ends_with(14);
    assert!(undeclared.err.contains("nobody says how the next page"), "{}", undeclared.err);
    assert!(!undeclared.err.contains("pages:"), "{}", undeclared.err);
    assert_requests(&willing, 1);
}

#[test]
fn describe_shows_the_rule_and_where_it_was_said() {
    let ran = run(&[&["describe", "tools.json", "listTools"][..], &RULES].concat()).ends_with(0);
    assert!(ran.out.contains("next_page") && ran.out.contains("pages.yaml"), "{}", ran.out);
}
