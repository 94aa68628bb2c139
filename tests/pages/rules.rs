//! Each rule for the next page, and what a server may do to it.

use futures_util::StreamExt as _;

use super::*;

/// The rules, and where they are written in a reply of [`Shop`].
fn every_rule() -> Vec<(&'static str, Value)> {
    let items = "/data";
    vec![
        ("link", json!({"link": {"items": items}})),
        ("url", json!({"url": {"pointer": "/next", "items": items}})),
        ("href", json!({"url": {"pointer": "/links/next", "items": items, "more": "/meta/more"}})),
        ("cursor", json!({"cursor": {"pointer": "/meta/cursor", "argument": "cursor", "items": items}})),
        (
            "more",
            json!({"cursor": {"pointer": "/meta/cursor", "argument": "cursor", "more": "/meta/more", "items": items}}),
        ),
        ("last", json!({"last_item": {"items": items, "pointer": "/id", "argument": "cursor"}})),
        ("offset", json!({"offset": {"argument": "offset", "items": items}})),
        ("total", json!({"offset": {"argument": "offset", "items": items, "total": "/meta/total"}})),
        ("short", json!({"offset": {"argument": "offset", "items": items, "limit": "limit"}})),
        ("page", json!({"page_number": {"argument": "page", "items": items}})),
        ("pages", json!({"page_number": {"argument": "page", "items": items, "pages": "/meta/pages"}})),
        ("page 0", json!({"page_number": {"argument": "page", "items": items, "first": 0}})),
    ]
}

/// A server of items 1 to `most`, `size` to a page, that can be paged by every rule.
#[derive(Clone, Copy, Debug)]
struct Shop {
    rule: &'static str,
    most: u32,
    size: u32,
}

impl Shop {
    fn reply(self, request: &schemarouter_loopback::Request) -> Reply {
        let host = request.header("host").expect("a host");
        let url: url::Url = format!("http://{host}{}", request.target).parse().expect("a URL");
        let given = |name: &str| {
            let value = url.query_pairs().find(|(mine, _)| mine == name).map(|(_, value)| value.into_owned());
            value.map(|value| value.trim_start_matches("c/").parse::<u32>().expect("a number"))
        };
        let from = match self.rule {
            "offset" | "total" | "short" => given("offset").unwrap_or(0),
            "page" | "pages" => (given("page").unwrap_or(1) - 1) * self.size,
            "page 0" => given("page").unwrap_or(0) * self.size,
            _ => given("cursor").unwrap_or(0),
        };
        let to = (from + self.size).min(self.most);
        let (items, is_last) = (from + 1..to + 1, to == self.most);
        let items: Vec<Value> = items.map(|id| json!({"id": id})).collect();
        let mut next = url.clone();
        next.set_query(Some(&format!("cursor={to}")));
        let next = (!is_last).then_some(next);
        let relative = next.as_ref().map(|next| &next[url::Position::BeforePath..]);
        let body = json!({
            "data": items,
            "next": relative,
            "links": {"next": {"href": next, "meta": {}}},
            "meta": {
                // A server that always has a cursor says otherwise when it is over.
                "cursor": (!is_last || self.rule == "more").then(|| format!("c/{to}")),
                "more": !is_last,
                "total": self.most,
                "pages": self.most.div_ceil(self.size)
            }
        });
        let reply = Reply::json(200, body.to_string());
        let link = |next| format!("</first>; rel=\"first prev\"; title=\"a, <b>\" , <{next}>; rel=next");
        next.iter().fold(reply, |reply, next| reply.header("Link", link(next)))
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn all_items_come_exactly_once_and_in_order(
        at in 0..every_rule().len(), most in 0_u32..12, size in 1_u32..5, stop in 1_u32..4,
    ) {
        let (name, text) = every_rule().swap_remove(at);
        let got = run(async {
            let shop = Shop { rule: name, most, size };
            let server = Server::start(Script::route(move |request| shop.reply(request))).await.expect("a server");
            let router = router(&api(&server.url()), rule(text));
            let config = limits(PageLimits { max_pages: stop, ..PageLimits::default() });
            let request = Request::new(LIST, json!({"shop": "a b", "limit": size}));
            let mut pages = router.pages(request, &config);
            let mut got = Vec::new();
            // Stopped and gone on with, as often as it takes.
            loop {
                let (items, error) = all(&mut pages).await;
                assert!(error.is_none(), "{error:?}");
                got.extend(items.concat());
                let Some(handle) = pages.resume().map(ToString::to_string) else { break };
                assert_eq!(pages.ended(), Some(PagesEnd::PageLimit));
                pages = router.resume(&handle.parse().expect("its own text"), &config);
            }
            assert_eq!(pages.ended(), Some(PagesEnd::Exhausted));
            got
        });
        prop_assert_eq!(got, (1..=u64::from(most)).collect::<Vec<_>>(), "{}", name);
    }
}

#[tokio::test]
async fn every_shape_of_a_last_page_ends_a_listing() {
    let bodies = ["null", "\"\"", "{\"href\": null}", "{}"];
    let bodies = bodies.map(|next| format!("{{\"data\": [1], \"next\": {next}}}"));
    for body in bodies.into_iter().chain(["{\"data\": [1]}".to_owned()]) {
        let server = Server::start(Script::repeat(Reply::json(200, body.clone()))).await.expect("a server");
        let mut pages = router(&api(&server.url()), by_url()).pages(request(), &RunConfig::default());
        let (got, error) = all(&mut pages).await;
        assert!(error.is_none(), "{body}: {error:?}");
        assert_eq!(
            (got.len(), pages.ended(), server.requests().len()),
            (1, Some(PagesEnd::Exhausted), 1),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_listing_that_breaks_off_is_told_as_incomplete() {
    let body = json!({"data": [1], "links": {"next_page": "?x"}, "meta": {"more_data_available": true}});
    let server = Server::start(Script::repeat(Reply::json(200, body.to_string()))).await.expect("a server");
    let rule = rule(json!({"url": {"pointer": "/links/next", "more": "/meta/more_data_available"}}));
    let mut pages = router(&api(&server.url()), rule).pages(request(), &RunConfig::default());
    let page = pages.next().await.expect("a page").expect("the first");
    let due = "the listing is incomplete: the reply says at `/meta/more_data_available` that there is more, and at \
               `/links/next` not where";
    assert_eq!(page.warnings, [due]);
    assert!(pages.next().await.is_none());
    assert_eq!(pages.ended(), Some(PagesEnd::Incomplete));
}

#[tokio::test]
async fn a_next_page_elsewhere_is_refused_and_the_pages_before_it_are_kept() {
    let elsewhere = Server::start(Script::repeat(page(&[9], &Value::Null))).await.expect("a server");
    let own_path = "/shops/a%20b/items";
    for (target, due) in [
        (format!("{}{own_path}?cursor=1", elsewhere.url()), "this call goes to `http://127.0.0.1:"),
        (format!("https://evil.test{own_path}"), "this call goes to `"),
        (format!("//evil.test{own_path}"), "this call goes to `"),
        ("javascript:alert(1)".to_owned(), "this call goes to `"),
        ("/jobs".to_owned(), "the path of this call is `/shops/a%20b/items`"),
        ("/shops/other/items?cursor=1".to_owned(), "the path of this call is "),
        ("/shops/a%20b/items/../../x/items".to_owned(), "the path of this call is "),
        ("/shops/a%20b/items/".to_owned(), "the path of this call is "),
        ("http://[".to_owned(), "is no URL that can be read"),
    ] {
        let script = Script::sequence([page(&[1], &json!("?cursor=1")), page(&[2], &json!(target))]);
        let server = Server::start(script).await.expect("a server");
        let mut pages = router(&api(&server.url()), by_url()).pages(request(), &RunConfig::default());
        let (got, error) = all(&mut pages).await;
        let error = error.expect("it leads elsewhere");
        assert_eq!((got.concat(), error.kind()), (vec![1, 2], ErrorKind::EgressDenied), "{target}");
        assert!(error.message().contains(due), "{target}: {error}");
        assert_eq!((error.report().details["page"].as_str(), pages.resume()), ("3", None), "{target}");
        assert_eq!((server.requests().len(), elsewhere.requests().len()), (2, 0), "{target}");
    }
    let user = Script::sequence([page(&[1], &json!("http://user:pass@127.0.0.1/"))]);
    let server = Server::start(user).await.expect("a server");
    let mut pages = router(&api(&server.url()), by_url()).pages(request(), &RunConfig::default());
    assert_eq!(all(&mut pages).await.1.expect("refused").kind(), ErrorKind::EgressDenied);
}

#[tokio::test]
async fn another_path_is_followed_where_the_operator_says_so() {
    let next = |page: u32| format!("</stores/77/items?page={page}>; rel=\"next\"");
    let script = Script::sequence([
        Reply::json(200, "[1]").header("Link", next(2)),
        Reply::json(200, "[2]").header("Link", next(3)),
        Reply::json(200, "[3]").header("Link", "</admin/77/items?page=4>; rel=\"next\""),
    ]);
    let server = Server::start(script).await.expect("a server");
    let rule = rule(json!({"link": {"items": "", "path": "/stores/*/items"}}));
    let mut pages = router(&api(&server.url()), rule).pages(request(), &RunConfig::default());
    let (got, error) = all(&mut pages).await;
    assert_eq!((got.concat(), error.expect("refused").kind()), (vec![1, 2, 3], ErrorKind::EgressDenied));
    assert_eq!(targets(&server)[1..], ["/stores/77/items?page=2", "/stores/77/items?page=3"]);
}

#[tokio::test]
async fn loops_end_with_an_error_before_the_page_is_asked_for_again() {
    let url = |replies: &[&str]| {
        let pages = replies.iter().zip(1_u32..).map(|(next, id)| page(&[id], &json!(next)));
        (json!({"url": {"pointer": "/next"}}), Script::sequence(pages.collect::<Vec<_>>()))
    };
    let unheeded = || Script::repeat(page(&[1, 2], &Value::Null));
    let cursor =
        Script::sequence([page(&[1], &json!("a")), page(&[2], &json!("b")), page(&[3], &json!("a"))]);
    let cursor_rule = json!({"cursor": {"pointer": "/next", "argument": "cursor"}});
    for (name, (text, script), requests, delivered) in [
        ("itself", url(&["/shops/a%20b/items#top"]), 1, 1),
        ("the second", url(&["?cursor=1", "?cursor=2", "?cursor=1"]), 3, 3),
        ("the first", url(&["?cursor=1", "/shops/a b/items"]), 2, 2),
        ("a cursor", (cursor_rule, cursor), 3, 3),
        ("an offset", (json!({"offset": {"argument": "offset", "items": "/data"}}), unheeded()), 2, 1),
        ("a number", (json!({"page_number": {"argument": "page", "items": "/data"}}), unheeded()), 2, 1),
    ] {
        let server = Server::start(script).await.expect("a server");
        let mut pages = router(&api(&server.url()), rule(text)).pages(request(), &RunConfig::default());
        let (got, error) = all(&mut pages).await;
        assert_eq!(error.expect("a loop").kind(), ErrorKind::PaginationLoop, "{name}");
        assert_eq!((server.requests().len(), got.len()), (requests, delivered), "{name}");
        assert_eq!((pages.ended(), pages.resume()), (Some(PagesEnd::Failed), None), "{name}");
    }
}

#[tokio::test]
async fn a_reply_that_is_not_as_the_rule_says_is_no_end() {
    let next = |pointer: &str| json!({"url": {"pointer": pointer}});
    for (text, reply, due) in [
        (next("/next"), page(&[1], &json!(7)), "neither text nor an object with `href`: `/next`"),
        (next("/next"), page(&[1], &json!({"href": [1]})), "neither text nor an object with `href`: `/next`"),
        (
            json!({"link": {}}),
            Reply::json(200, "[]").header("Link", "next.html"),
            "field `Link` cannot be read",
        ),
    ] {
        let server = Server::start(Script::repeat(reply)).await.expect("a server");
        let mut pages = router(&api(&server.url()), rule(text)).pages(request(), &RunConfig::default());
        let (got, error) = all(&mut pages).await;
        let error = error.expect("the rest is lost");
        assert_eq!((got.len(), error.kind()), (1, ErrorKind::ContractViolation));
        assert!(error.message().contains(due), "{error}");
    }
}

#[tokio::test]
async fn a_cursor_that_its_argument_cannot_be_is_not_sent() {
    let server = Server::start(Script::repeat(page(&[1], &json!("x")))).await.expect("a server");
    let rule = rule(json!({"cursor": {"pointer": "/next", "argument": "offset"}}));
    let mut pages = router(&api(&server.url()), rule).pages(request(), &RunConfig::default());
    let (got, error) = all(&mut pages).await;
    let error = error.expect("an offset is a number");
    assert_eq!((got.len(), error.kind()), (1, ErrorKind::InvalidArguments));
    assert_eq!((error.report().details["page"].as_str(), server.requests().len()), ("2", 1));
}

#[tokio::test]
async fn a_page_has_no_fallback() {
    let script = Script::sequence([page(&[1], &json!("?cursor=1")), Reply::status(503)]);
    let server = Server::start(script.then_repeat(Reply::json(200, "[]"))).await.expect("a server");
    let fallback = Fallback::new(LIST, "jobs.listJobs");
    let mut api = api(&server.url());
    api.document["paths"]["/jobs"]["get"]["parameters"] = json!([{"name": "q", "in": "query", "schema": {}}]);
    let fallback = ["shop", "cursor", "offset", "page", "limit", "q"]
        .iter()
        .fold(fallback, |fallback, name| fallback.with_argument(*name, "q"));
    let builder = api.builder().declare(LIST, declared(by_url())).fallback(fallback);
    let mut pages = builder.build().expect("valid").pages(request(), &RunConfig::default());
    let (got, error) = all(&mut pages).await;
    assert_eq!((got.len(), error.expect("the second fails").report().status), (1, Some(503)));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_search_by_post_is_paged_by_a_member_of_its_body() {
    let reply = |items: &[u32], next: Value| page(items, &next);
    let script = Script::sequence([reply(&[1], json!("b")), reply(&[2], Value::Null)]);
    let server = Server::start(script).await.expect("a server");
    let rule = rule(json!({"cursor": {"pointer": "/next", "argument": "/body/page/after"}}));
    let declaration = Declaration { effect: Some(Effect::ReadOnly), ..declared(rule) };
    let router =
        api(&server.url()).builder().declare("jobs.searchItems", declaration).build().expect("valid");
    let request = Request::new("jobs.searchItems", json!({"body": {"text": "milk"}}));
    assert_eq!(all(&mut router.pages(request, &RunConfig::default())).await.0, [[1], [2]]);
    let bodies: Vec<Value> = server
        .requests()
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"))
        .collect();
    assert_eq!(bodies, [json!({"text": "milk"}), json!({"text": "milk", "page": {"after": "b"}})]);
}

#[tokio::test]
async fn registered_code_is_paged_and_retried_as_documents_are() {
    let calls = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&calls);
    let list = from_fn(move |call: Invocation| {
        let is_busy = seen.fetch_add(1, Ordering::SeqCst) == 1;
        let page = call.arguments.get("page").and_then(Value::as_u64).unwrap_or(1);
        async move {
            if is_busy {
                Err(Failure::transient("busy"))
            } else {
                Ok(Answer::of_json(json!({"data": [page], "pages": 3})))
            }
        }
    });
    let contract = Contract::new("test", "list", Effect::ReadOnly)
        .with_arguments(json!({"type": "object", "properties": {"page": {"type": "integer"}}}))
        .with_next_page(rule(
            json!({"page_number": {"argument": "page", "items": "/data", "pages": "/pages"}}),
        ));
    let time = schemarouter::executor::VirtualTimer::new();
    let router = Router::builder().timer(time).register(contract, list).build().expect("valid");
    let pages = router.pages(Request::new("test.list", json!({})), &with(attempts(2)));
    // As any stream, in a task of its own.
    let got = tokio::spawn(pages.map(|page| items(&page.expect("a page"))).collect::<Vec<_>>());
    assert_eq!(got.await.expect("the task ends"), [[1], [2], [3]]);
    assert_eq!(calls.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn what_cannot_be_paged_is_refused_before_anything_is_sent() {
    let server = Server::start(Script::repeat(page(&[1], &Value::Null))).await.expect("a server");
    let no_items = rule(json!({"url": {"pointer": "/next"}}));
    let router = router(&api(&server.url()), no_items);
    let most = PageLimits { max_items: Some(1), ..PageLimits::default() };
    for (request, config, kind, due) in [
        (
            Request::new("jobs.listJobs", json!({})),
            RunConfig::default(),
            ErrorKind::PolicyRejected,
            "nobody says how",
        ),
        (
            request().with_idempotency_key("k"),
            RunConfig::default(),
            ErrorKind::InvalidArguments,
            "all pages would be the first",
        ),
        (request(), RunConfig::default().with_streams(), ErrorKind::InvalidSettings, "looked at whole"),
        (request(), limits(most), ErrorKind::InvalidSettings, "`max_items` needs the rule"),
    ] {
        let (got, error) = all(&mut router.pages(request, &config)).await;
        let error = error.expect("refused");
        assert_eq!((got.len(), error.kind()), (0, kind), "{error}");
        assert!(error.message().contains(due), "{error}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_rule_that_cannot_be_meant_is_told_when_the_router_is_built() {
    let cursor = |argument: &str| json!({"cursor": {"pointer": "/next", "argument": argument}});
    for (selector, text, due) in [
        ("jobs", cursor("cursor"), "is said of one endpoint, by its key"),
        (LIST, cursor("after"), "`jobs.listItems` has no argument `after`"),
        (LIST, cursor("/body/x"), "`jobs.listItems` has no argument `body`"),
        (LIST, json!({"cursor": {"pointer": "next", "argument": "cursor"}}), "`next` is no JSON pointer"),
        (LIST, json!({"url": {"pointer": "/a~2b"}}), "`/a~2b` is no JSON pointer"),
        (LIST, json!({"link": {"path": "items"}}), "`items` does not begin with a slash"),
        (
            "jobs.addJob",
            json!({"link": {}}),
            "`jobs.addJob` is mutating, and only what is read-only has pages",
        ),
        ("jobs.headJobs", json!({"link": {}}), "asked for by GET, and `jobs.headJobs` is HEAD"),
    ] {
        let built = api("http://127.0.0.1").builder().declare(selector, declared(rule(text))).build();
        let error = built.expect_err("it cannot be meant");
        assert_eq!(error.kind(), ErrorKind::InvalidSettings);
        assert!(error.message().contains(due), "{error}");
        assert!(error.message().contains("`next_page`"), "{error}");
    }
    let contract = Contract::new("a", "b", Effect::ReadOnly).with_next_page(rule(json!({"link": {}})));
    let built =
        Router::builder().register(contract, from_fn(|_: Invocation| async { Err(Failure::transient("x")) }));
    assert!(built.build().expect_err("no URL").message().contains("registered code has no URL"));
}
