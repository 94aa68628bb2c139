//! Listings, page by page: every rule over a real server, what ends them, and how they go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use proptest::prelude::*;
use schemarouter::catalog::NextPage;
use schemarouter::executor::{Credential, Credentials, Failure, Invocation, Reply as Answer, from_fn};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::secret::Secret;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{
    CancellationToken, Contract, Declaration, Fallback, NextPageHandle, Outcome, PageLimits, Pages, PagesEnd,
    Request, Router, RunConfig,
};
use schemarouter_loopback::{Action, Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::{Api, document, on_stall};
use crate::support::{CountingGate, attempts, with};

mod handles;
mod rules;

const LIST: &str = "jobs.listItems";

/// The API of the other tests, and a listing: `listItems` by GET, `searchItems` by POST.
fn api(url: &str) -> Api {
    let mut document = document();
    let ok = json!({"200": {"description": "ok", "content": {"application/json": {"schema": {}}}}});
    let query = |name: &str, kind: &str| json!({"name": name, "in": "query", "schema": {"type": kind}});
    document["paths"]["/shops/{shop}/items"] = json!({
        "get": {
            "operationId": "listItems",
            "parameters": [
                {"name": "shop", "in": "path", "required": true, "schema": {"type": "string"}},
                query("cursor", "string"), query("offset", "integer"), query("page", "integer"),
                {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
                query("q", "string")
            ],
            "responses": ok
        }
    });
    document["paths"]["/search"] = json!({
        "post": {
            "operationId": "searchItems",
            "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
            "responses": ok
        }
    });
    Api { document, ..Api::at(url) }
}

fn rule(text: Value) -> NextPage {
    serde_json::from_value(text).expect("a rule")
}

fn by_url() -> NextPage {
    rule(json!({"url": {"pointer": "/next", "items": "/data"}}))
}

fn declared(next_page: NextPage) -> Declaration {
    Declaration { next_page: Some(next_page), ..Declaration::default() }
}

fn router(api: &Api, next_page: NextPage) -> Router {
    api.builder().declare(LIST, declared(next_page)).build().expect("a valid router")
}

fn request() -> Request {
    Request::new(LIST, json!({"shop": "a b"}))
}

/// One page: its items, and what follows it.
fn page(items: &[u32], next: &Value) -> Reply {
    Reply::json(200, json!({"data": items, "next": next}).to_string())
}

/// What came of a listing: the items of each page, and the error at its end.
async fn all(pages: &mut Pages) -> (Vec<Vec<u64>>, Option<Error>) {
    let (mut got, mut failed) = (Vec::new(), None);
    while let Some(page) = pages.next().await {
        assert!(failed.is_none(), "nothing comes after an error");
        match page {
            Ok(outcome) => got.push(items(&outcome)),
            Err(error) => failed = Some(error),
        }
    }
    assert!(pages.ended().is_some() && pages.next().await.is_none(), "an end is an end");
    (got, failed)
}

fn items(outcome: &Outcome) -> Vec<u64> {
    let json = outcome.data.json().expect("JSON");
    let items = json.get("data").unwrap_or(json).as_array().expect("items");
    items.iter().map(|item| item.get("id").unwrap_or(item).as_u64().expect("a number")).collect()
}

fn targets(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.target).collect()
}

fn limits(limits: PageLimits) -> RunConfig {
    RunConfig::default().with_page_limits(limits)
}

#[tokio::test]
async fn pages_are_calls_of_one_run_with_one_account() {
    let replies = [page(&[1, 2], &json!("?cursor=b")), Reply::status(503), page(&[3], &Value::Null)];
    let server = Server::start(Script::sequence(replies)).await.expect("a server");
    let api = api(&server.url());
    let mut pages = router(&api, by_url()).pages(request(), &with(attempts(2)));
    let first = pages.next().await.expect("a page").expect("the first");
    assert_eq!((first.spent.calls, first.spent.exchanges), (1, 1));
    let second = pages.next().await.expect("a page").expect("the second, at the second attempt");
    assert_eq!((second.spent.calls, second.spent.attempts, second.spent.exchanges), (2, 3, 3));
    assert_ne!(first.attempts[0].id, second.attempts[0].id);
    assert!(pages.next().await.is_none());
    assert_eq!((pages.ended(), pages.delivered().items), (Some(PagesEnd::Exhausted), 3));
    assert!(pages.resume().is_none() && second.next_page.is_none());
}

#[tokio::test]
async fn a_later_page_that_fails_leaves_what_came_and_is_resumed_where_it_stopped() {
    let url = |cursor: &str| json!(format!("/shops/a%20b/items?cursor={cursor}&own=x%2Fy"));
    let script = Script::sequence([
        page(&[1, 2], &url("b")),
        page(&[3], &url("c")),
        Reply::status(503),
        Reply::status(503),
        page(&[4], &url("d")),
        page(&[5], &Value::Null),
    ]);
    let server = Server::start(script).await.expect("a server");
    let router = router(&api(&server.url()), by_url());
    let mut pages = router.pages(request(), &with(attempts(2)));
    let (got, error) = all(&mut pages).await;
    let error = error.expect("the third page fails");
    assert_eq!(got, [vec![1, 2], vec![3]]);
    assert_eq!((error.kind(), error.report().status), (ErrorKind::HttpStatus, Some(503)));
    assert_eq!((error.report().details["page"].as_str(), error.report().attempts.len()), ("3", 2));
    assert_eq!((pages.ended(), pages.delivered().pages), (Some(PagesEnd::Failed), 2));

    let handle = pages.resume().expect("a handle").to_string().parse().expect("its own text");
    let mut rest = router.resume(&handle, &RunConfig::default());
    assert_eq!(all(&mut rest).await.0, [[4], [5]]);
    let due =
        ["", "?cursor=b&own=x%2Fy", "?cursor=c&own=x%2Fy", "?cursor=c&own=x%2Fy", "?cursor=c&own=x%2Fy"];
    let due = due.iter().map(|query| format!("/shops/a%20b/items{query}"));
    assert_eq!(targets(&server)[..5], due.collect::<Vec<_>>(), "the URL is used to the letter");
}

#[tokio::test]
async fn a_first_page_that_fails_is_resumed_too_and_one_that_is_refused_is_not() {
    let script = Script::sequence([Reply::status(503), page(&[1], &Value::Null)]);
    let server = Server::start(script).await.expect("a server");
    let router = router(&api(&server.url()), by_url());
    let mut pages = router.pages(request(), &RunConfig::default());
    assert_eq!(all(&mut pages).await.1.expect("it fails").report().details["page"], "1");
    let mut rest = router.resume(pages.resume().expect("a handle"), &RunConfig::default());
    assert_eq!(all(&mut rest).await.0, [[1]]);

    let mut refused = router.pages(Request::new(LIST, json!({"shpo": "a"})), &RunConfig::default());
    assert_eq!(all(&mut refused).await.1.expect("refused").kind(), ErrorKind::InvalidArguments);
    assert!(refused.resume().is_none());
}

#[tokio::test]
async fn limits_end_a_listing_after_a_whole_page_with_a_handle() {
    for (most, due, pages_due) in [
        (PageLimits { max_pages: 0, ..PageLimits::default() }, PagesEnd::PageLimit, 0),
        (PageLimits { max_pages: 2, ..PageLimits::default() }, PagesEnd::PageLimit, 2),
        (PageLimits { max_items: Some(3), ..PageLimits::default() }, PagesEnd::ItemLimit, 1),
        (PageLimits { max_items: Some(4), ..PageLimits::default() }, PagesEnd::ItemLimit, 2),
        (PageLimits { max_bytes: Some(40), ..PageLimits::default() }, PagesEnd::ByteLimit, 2),
    ] {
        let seen = AtomicU32::new(0);
        let server = Server::start(Script::route(move |_| {
            let next = format!("?cursor={:03}", seen.fetch_add(1, Ordering::SeqCst));
            page(&[1, 2, 3], &json!(next))
        }));
        let server = server.await.expect("a server");
        let router = router(&api(&server.url()), by_url());
        let mut pages = router.pages(request(), &limits(most));
        let (got, error) = all(&mut pages).await;
        assert!(error.is_none(), "{most:?}: {error:?}");
        assert_eq!((pages.ended(), got.len()), (Some(due), pages_due), "{most:?}");
        assert!(got.iter().all(|page| *page == [1, 2, 3]));
        assert_eq!(server.requests().len(), pages_due, "{most:?}: no page is asked for and thrown away");
        assert_eq!(pages.resume().is_some(), pages_due > 0);
    }
}

#[tokio::test]
async fn without_a_limit_a_listing_ends_after_a_thousand_pages() {
    let calls = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&calls);
    let endless = from_fn(move |_: Invocation| {
        let next = seen.fetch_add(1, Ordering::SeqCst);
        async move { Ok(Answer::of_json(json!({"next": next}))) }
    });
    let contract = Contract::new("test", "list", Effect::ReadOnly)
        .with_arguments(json!({"type": "object", "properties": {"after": {"type": "integer"}}}))
        .with_next_page(rule(json!({"cursor": {"pointer": "/next", "argument": "after"}})));
    let router = Router::builder().register(contract, endless).build().expect("valid");
    let mut pages = router.pages(Request::new("test.list", json!({})), &RunConfig::default());
    while let Some(page) = pages.next().await {
        page.expect("a page");
    }
    assert_eq!((pages.ended(), calls.load(Ordering::SeqCst)), (Some(PagesEnd::PageLimit), 1000));
    assert_eq!(router.explain(&router.endpoint("test.list").expect("it is there"))[0].name, "next_page");
}

#[tokio::test]
async fn the_budget_and_the_deadline_hold_across_pages() {
    let budget = |budget| RunConfig::default().with_budget(budget);
    let cases = [
        ("max_tool_calls", ExecutionBudget { max_tool_calls: Some(2), ..ExecutionBudget::default() }),
        (
            "max_remote_attempts",
            ExecutionBudget { max_remote_attempts: Some(2), ..ExecutionBudget::default() },
        ),
        (
            "max_response_bytes",
            ExecutionBudget { max_response_bytes: Some(70), ..ExecutionBudget::default() },
        ),
    ];
    for (limit, most) in cases {
        let script = Script::sequence([
            page(&[1], &json!("?cursor=1")),
            page(&[2], &json!("?cursor=2")),
            page(&[3], &Value::Null),
        ]);
        let server = Server::start(script).await.expect("a server");
        let mut pages = router(&api(&server.url()), by_url()).pages(request(), &budget(most));
        let (got, error) = all(&mut pages).await;
        let error = error.expect("the third page is too much");
        assert_eq!((got.len(), error.kind()), (2, ErrorKind::BudgetExceeded), "{limit}");
        assert_eq!(error.report().limit.as_ref().expect("a limit").name, limit);
        assert_eq!(error.report().details["page"], "3");
        assert!(pages.resume().is_some(), "{limit}");
    }
}

#[tokio::test]
async fn the_deadline_counts_from_the_first_page() {
    let api = api("http://127.0.0.1");
    let script = Script::sequence([Action::from(page(&[1], &json!("?cursor=1"))), Action::stall()]);
    let server = Server::start(script.on_stall(on_stall(&api.time))).await.expect("a server");
    let api = Api { settings: self::api(&server.url()).settings, ..api };
    let config = RunConfig::default().with_budget(ExecutionBudget {
        max_elapsed: Some(Duration::from_secs(5)),
        ..ExecutionBudget::default()
    });
    let mut pages = router(&api, by_url()).pages(request(), &config);
    let (got, error) = all(&mut pages).await;
    assert_eq!((got.len(), error.expect("late").kind()), (1, ErrorKind::BudgetExceeded));
    assert_eq!(api.time.elapsed(), Duration::from_secs(5));
    assert!(pages.resume().is_some());
}

#[tokio::test]
async fn a_token_ends_a_listing_between_pages_and_in_one() {
    let server = Server::start(Script::repeat(page(&[1], &json!("?cursor=1")))).await.expect("a server");
    let token = CancellationToken::new();
    let config = RunConfig::default().with_cancellation(token.clone());
    let mut pages = router(&api(&server.url()), by_url()).pages(request(), &config);
    pages.next().await.expect("a page").expect("the first");
    token.cancel();
    let (got, error) = all(&mut pages).await;
    assert_eq!((got.len(), error.expect("cancelled").kind()), (0, ErrorKind::Cancelled));
    assert_eq!((server.requests().len(), pages.ended()), (1, Some(PagesEnd::Failed)));
    assert!(pages.resume().is_some(), "it can be gone on with");
}

#[tokio::test]
async fn a_page_that_is_waited_for_no_more_is_not_asked_for_twice() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let slow = page(&[2], &Value::Null).pieces(2).gate(Arc::clone(&gate));
    let script = Script::sequence([page(&[1], &json!("?cursor=1")), slow]);
    let server = Server::start(script).await.expect("a server");
    let mut pages = router(&api(&server.url()), by_url()).pages(request(), &RunConfig::default());
    pages.next().await.expect("a page").expect("the first");
    tokio::select! {
        _ = pages.next() => panic!("it cannot be whole"),
        _ = server.until(|progress| progress.requests == 2) => {}
    }
    assert_eq!(pages.ended(), None);
    gate.notify_one();
    assert_eq!(items(&pages.next().await.expect("a page").expect("the second")), [2]);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_single_call_says_how_its_listing_goes_on() {
    let script = Script::sequence([
        page(&[1], &json!("?cursor=1")),
        page(&[2], &Value::Null),
        page(&[1], &json!("https://evil.test/shops/a%20b/items?cursor=1")),
    ]);
    let server = Server::start(script).await.expect("a server");
    let router = router(&api(&server.url()), by_url());
    let outcome = router.ainvoke(request(), &RunConfig::default()).await.expect("a page");
    let report = serde_json::to_value(outcome.report()).expect("JSON");
    let handle: NextPageHandle = serde_json::from_value(report["next_page"].clone()).expect("a handle");
    assert_eq!((Some(&handle), handle.endpoint()), (outcome.next_page.as_ref(), LIST));
    assert_eq!(all(&mut router.resume(&handle, &RunConfig::default())).await.0, [[2]]);

    let lost = router.ainvoke(request(), &RunConfig::default()).await.expect("the call itself is good");
    assert!(lost.next_page.is_none());
    assert!(lost.warnings[0].starts_with("egress_denied: the next page would be at `https://evil.test/"));
}

#[tokio::test]
async fn the_wait_that_a_page_asks_for_is_kept_or_told() {
    let waiting = |seconds: Value| {
        Reply::json(200, json!({"data": [1], "next": "?cursor=1", "wait": seconds}).to_string())
    };
    let by = rule(json!({"url": {"pointer": "/next", "delay": "/wait"}}));
    let of_time = |seconds| ExecutionBudget {
        max_elapsed: Some(Duration::from_secs(seconds)),
        ..ExecutionBudget::default()
    };
    for (wait, budget, took, due) in [
        (json!(null), of_time(100), 0.0, None),
        (json!(2.5), of_time(100), 2.5, None),
        (json!(59), of_time(59), 0.0, Some(ErrorKind::BudgetExceeded)),
        (json!(61), of_time(100), 0.0, Some(ErrorKind::RateLimited)),
        (json!(-1), of_time(100), 0.0, Some(ErrorKind::ContractViolation)),
        (json!("2"), of_time(100), 0.0, Some(ErrorKind::ContractViolation)),
    ] {
        let script = Script::sequence([waiting(wait.clone()), page(&[2], &Value::Null)]);
        let server = Server::start(script).await.expect("a server");
        let api = api(&server.url());
        let config = RunConfig::default().with_budget(budget);
        let mut pages = router(&api, by.clone()).pages(request(), &config);
        let (got, error) = all(&mut pages).await;
        assert_eq!(error.as_ref().map(Error::kind), due, "{wait}");
        assert_eq!(
            (got.len(), api.time.elapsed().as_secs_f64()),
            (2 - usize::from(due.is_some()), took),
            "{wait}"
        );
        assert_eq!(error.and_then(|error| error.retry_after()).is_some(), pages.resume().is_some(), "{wait}");
    }
}

#[tokio::test]
async fn a_listing_that_is_dropped_at_any_poll_leaves_no_permit_open() {
    let list = from_fn(|call: Invocation| async move {
        tokio::task::yield_now().await;
        let skip = call.arguments.get("skip").and_then(Value::as_u64).unwrap_or(0);
        Ok(Answer::of_json(json!({"data": if skip < 3 { vec![skip] } else { Vec::new() }})))
    });
    let contract = Contract::new("test", "list", Effect::ReadOnly)
        .with_arguments(json!({"type": "object", "properties": {"skip": {"type": "integer"}}}))
        .with_next_page(rule(json!({"offset": {"argument": "skip", "items": "/data"}})));
    let mut most = 0;
    for polls in 0.. {
        let gate = CountingGate::default();
        let builder = Router::builder().gate(gate.clone()).register(contract.clone(), list);
        let mut pages = builder
            .build()
            .expect("valid")
            .pages(Request::new("test.list", json!({})), &RunConfig::default());
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            // A new future for every poll: nothing is lost between them.
            let _ = std::pin::pin!(pages.next()).poll(&mut context);
        }
        let ended = pages.ended();
        drop(pages);
        assert_eq!(gate.open(), 0, "after {polls} polls");
        most = most.max(gate.settled().len());
        if ended.is_some() {
            break;
        }
    }
    assert_eq!(most, 4, "it was gone through to its end");
}

#[tokio::test]
async fn what_is_selected_of_a_page_or_cut_from_it_changes_nothing_in_how_it_is_counted() {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let server = Server::start(Script::route(move |_| {
        let next = format!("?cursor={:03}", counter.fetch_add(1, Ordering::SeqCst));
        page(&[1, 2, 3], &json!(next))
    }));
    let server = server.await.expect("a server");
    let router = router(&api(&server.url()), by_url());
    let most = PageLimits { max_items: Some(4), ..PageLimits::default() };
    let mut pages = router.pages(request().with_fields(["next"]), &limits(most));
    let mut told = Vec::new();
    while let Some(page) = pages.next().await {
        told.push(page.expect("a page").data.json().cloned().expect("JSON"));
    }
    assert_eq!(told, [json!({"next": "?cursor=000"}), json!({"next": "?cursor=001"})]);
    assert_eq!((pages.ended(), pages.delivered().items), (Some(PagesEnd::ItemLimit), 6));

    // A listing that is gone on with keeps to the fields that were asked for.
    let handle = pages.resume().expect("there is more").clone();
    let mut pages = router.resume(&handle, &limits(PageLimits { max_pages: 1, ..PageLimits::default() }));
    let page = pages.next().await.expect("a page").expect("it comes");
    assert_eq!(page.data.json(), Some(&json!({"next": "?cursor=002"})));

    // The argument that counts is not heeded, and nobody looks at the items.
    let same = Server::start(Script::repeat(page_of_three())).await.expect("a server");
    let counting = rule(json!({"offset": {"argument": "offset", "items": "/data"}}));
    let router = crate::pages::router(&api(&same.url()), counting);
    let mut pages = router.pages(request().with_fields(["next"]), &RunConfig::default());
    pages.next().await.expect("a page").expect("the first");
    let error = pages.next().await.expect("a page").expect_err("the same again");
    assert_eq!(error.kind(), ErrorKind::PaginationLoop);
}

fn page_of_three() -> Reply {
    page(&[1, 2, 3], &json!(null))
}
