//! Handles are text that anybody can write.

use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemarouter::kernel::policy::{ExecutionPolicy, Rule, RuleAction};
use schemarouter::router::{Approval, ApprovalRequest, Approver};

use super::*;

fn opened(handle: &NextPageHandle) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(handle.to_string()).expect("base64url")).expect("JSON")
}

fn written(handle: &Value) -> String {
    URL_SAFE_NO_PAD.encode(handle.to_string())
}

async fn handle(router: &Router) -> NextPageHandle {
    let page = router.ainvoke(request(), &RunConfig::default()).await.expect("a page");
    page.next_page.expect("a handle")
}

#[tokio::test]
async fn whatever_is_changed_in_a_handle_is_checked_as_a_request_is() {
    let server = Server::start(Script::repeat(page(&[1], &json!("?cursor=1")))).await.expect("a server");
    let elsewhere = Server::start(Script::repeat(page(&[1], &Value::Null))).await.expect("a server");
    let router = router(&api(&server.url()), by_url());
    let good = opened(&handle(&router).await);
    let url = |rest: &str| json!(format!("{}{rest}", server.url()));
    let write = router.endpoint("jobs.addJob").expect("there").fingerprints.pin().to_string();
    let asked = server.requests().len();
    for (name, changes, kind) in [
        ("another endpoint", json!({"endpoint": "jobs.nothing"}), ErrorKind::UnknownEndpoint),
        ("another contract", json!({"endpoint": "jobs.listJobs"}), ErrorKind::StaleFingerprint),
        ("a write", json!({"endpoint": "jobs.addJob", "fingerprint": write}), ErrorKind::PolicyRejected),
        (
            "an unknown argument",
            json!({"arguments": {"shop": "a b", "admin": true}}),
            ErrorKind::InvalidArguments,
        ),
        ("a missing argument", json!({"arguments": {}}), ErrorKind::InvalidArguments),
        (
            "a wrong argument",
            json!({"arguments": {"shop": "a b", "limit": 1000}}),
            ErrorKind::InvalidArguments,
        ),
        ("another shop", json!({"arguments": {"shop": "other"}}), ErrorKind::EgressDenied),
        ("another origin", json!({"url": elsewhere.url() + "/shops/a%20b/items"}), ErrorKind::EgressDenied),
        ("another path", json!({"url": url("/jobs")}), ErrorKind::EgressDenied),
        (
            "a wrong parameter",
            json!({"url": url("/shops/a%20b/items?limit=1000")}),
            ErrorKind::InvalidArguments,
        ),
        ("a relative URL", json!({"url": "?limit=1000"}), ErrorKind::InvalidArguments),
        ("no host", json!({"url": "http:items?limit=1000"}), ErrorKind::InvalidArguments),
        (
            "a list for one",
            json!({"url": url("/shops/a%20b/items?limit=5&limit=6")}),
            ErrorKind::InvalidArguments,
        ),
        (
            "a text for a number",
            json!({"url": url("/shops/a%20b/items?offset=x")}),
            ErrorKind::InvalidArguments,
        ),
    ] {
        let mut changed = good.clone();
        for (member, value) in changes.as_object().expect("an object") {
            changed[member] = value.clone();
        }
        let handle: NextPageHandle = written(&changed).parse().expect("a handle");
        let mut pages = router.resume(&handle, &RunConfig::default());
        let error = all(&mut pages).await.1.expect("refused");
        assert_eq!(error.kind(), kind, "{name}: {error}");
    }
    assert_eq!((server.requests().len(), elsewhere.requests().len()), (asked, 0));

    let mut fitting = good.clone();
    fitting["url"] = url("/shops/a%20b/items?limit=5&cursor=7&own=x");
    let handle: NextPageHandle = written(&fitting).parse().expect("a handle");
    let mut pages = router.resume(&handle, &RunConfig::default());
    pages.next().await.expect("a page").expect("it fits");
    assert_eq!(targets(&server).last().expect("one"), "/shops/a%20b/items?limit=5&cursor=7&own=x");
}

#[tokio::test]
async fn what_is_no_handle_is_refused_when_it_is_read() {
    let server = Server::start(Script::repeat(page(&[1], &json!("?cursor=1")))).await.expect("a server");
    let good = opened(&handle(&router(&api(&server.url()), by_url())).await);
    let with = |member: &str, value: Value| {
        let mut changed = good.clone();
        changed[member] = value;
        written(&changed)
    };
    for (text, due) in [
        (String::new(), "it cannot be read"),
        ("?".to_owned(), "it is not in base64url"),
        (written(&good)[..40].to_owned(), "it cannot be read at byte"),
        (with("version", json!(2)), "its version is 2, and 1 is known"),
        (with("fingerprint", json!("00")), "it cannot be read"),
        (with("arguments", json!([])), "it cannot be read"),
        (with("retry_non_read_only", json!(true)), "it cannot be read"),
        ("A".repeat(2_000_000), "it is too long"),
    ] {
        let error = text.parse::<NextPageHandle>().expect_err("no handle");
        assert!(error.message().contains(due), "{error}");
    }
}

#[tokio::test]
async fn a_handle_of_another_rule_or_another_contract_is_refused() {
    let server = Server::start(Script::repeat(page(&[1], &json!("?cursor=1")))).await.expect("a server");
    let api = api(&server.url());
    let handle = handle(&router(&api, by_url())).await;
    let counting = router(&api, rule(json!({"offset": {"argument": "offset", "items": "/data"}})));
    let error = all(&mut counting.resume(&handle, &RunConfig::default())).await.1.expect("refused");
    assert!(error.message().contains("another rule"), "{error}");

    let mut changed = api.clone();
    changed.document["paths"]["/shops/{shop}/items"]["get"]["parameters"][0]["schema"]["maxLength"] =
        json!(9);
    let error = all(&mut router(&changed, by_url()).resume(&handle, &RunConfig::default())).await.1;
    assert_eq!(error.expect("stale").kind(), ErrorKind::StaleFingerprint);
}

const SECRET: &str = "S3CR3T/+=key";
const ENCODED: &str = "S3CR3T%2F%2B%3Dkey";

/// With a key in the query, which the server writes into its links.
fn keyed(url: &str) -> Api {
    let mut api = api(url);
    api.document["components"] =
        json!({"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api key"}}});
    api.document["security"] = json!([{"key": []}]);
    api
}

fn identified(api: &Api, next_page: NextPage) -> Router {
    let key = Credentials::default().with_scheme("key", Credential::Token(Secret::new(SECRET.to_owned())));
    let builder = api.builder().credentials("jobs", key);
    builder.declare(LIST, declared(next_page)).build().expect("valid")
}

#[tokio::test]
async fn case_096_no_handle_holds_a_credential_and_each_page_is_asked_for_with_it() {
    let by_link = rule(json!({"link": {"items": "/data"}}));
    for by in [by_url(), by_link] {
        let next = format!("?api+key={ENCODED}&cursor=1&api%20key=another");
        let first = page(&[1], &json!(next)).header("Link", format!("<{next}>; rel=next"));
        let script =
            Script::sequence([first.clone(), page(&[2], &Value::Null), first, page(&[2], &Value::Null)]);
        let server = Server::start(script).await.expect("a server");
        let router = identified(&keyed(&server.url()), by);
        let mut pages = router.pages(request(), &RunConfig::default());
        let page = pages.next().await.expect("a page").expect("the first");
        let handle = page.next_page.expect("a handle");
        let text = opened(&handle).to_string();
        assert!(!text.contains("S3CR3T") && !text.contains("***") && !text.contains("another"), "{text}");
        assert_eq!(pages.resume(), Some(&handle));
        assert_eq!(all(&mut pages).await.0, [[2]]);

        // A key that somebody writes into a handle is not sent.
        let mut forged = opened(&handle);
        forged["url"] = json!(forged["url"].as_str().expect("a URL").to_owned() + "&api%20key=mine");
        router.ainvoke(request(), &RunConfig::default()).await.expect("a page");
        let mut pages = router.resume(&written(&forged).parse().expect("a handle"), &RunConfig::default());
        assert_eq!(all(&mut pages).await.0, [[2]]);
        let due = format!("/shops/a%20b/items?cursor=1&api%20key={ENCODED}");
        assert_eq!([&targets(&server)[1], &targets(&server)[3]], [&due, &due]);
    }
}

#[tokio::test]
async fn case_096_a_credential_elsewhere_in_the_url_of_a_page_makes_no_handle() {
    let next = format!("?session={ENCODED}");
    let script = Script::sequence([page(&[1], &json!(next)), page(&[2], &Value::Null)]);
    let server = Server::start(script).await.expect("a server");
    let mut pages = identified(&keyed(&server.url()), by_url()).pages(request(), &RunConfig::default());
    let first = pages.next().await.expect("a page").expect("the first");
    assert!(first.next_page.is_none() && pages.resume().is_none());
    assert_eq!(all(&mut pages).await.0, [[2]], "the server is told what it has written itself");

    let linked = page(&[1], &Value::Null).header("Link", format!("<{next}>; rel=next"));
    let server = Server::start(Script::repeat(linked)).await.expect("a server");
    let by_link = rule(json!({"link": {}}));
    let mut pages = identified(&keyed(&server.url()), by_link).pages(request(), &RunConfig::default());
    let error = all(&mut pages).await.1.expect("it was taken out of the field");
    assert_eq!((error.kind(), server.requests().len()), (ErrorKind::EgressDenied, 1));
    assert!(!format!("{error:?}").contains("S3CR3T"));
}

/// Says yes, and knows about which pages.
#[derive(Clone, Default)]
struct Yes(Arc<Mutex<Vec<Option<String>>>>);

impl Approver for Yes {
    async fn approve(
        &self,
        request: ApprovalRequest<'_>,
    ) -> Result<Approval, Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().expect("not poisoned").push(request.page.map(str::to_owned));
        Ok(Approval::Granted)
    }
}

#[tokio::test]
async fn a_listing_is_approved_once_and_a_handle_anew() {
    let script = Script::sequence([
        page(&[1], &json!("?cursor=1")),
        page(&[2], &json!("?cursor=2")),
        page(&[3], &json!("?cursor=3")),
    ]);
    let server = Server::start(script).await.expect("a server");
    let mut api = api(&server.url());
    let ask = Rule::new("jobs.*", RuleAction::RequireApproval);
    api.policy = ExecutionPolicy { rules: vec![ask], ..ExecutionPolicy::default() };
    let yes = Yes::default();
    let router =
        api.builder().approver(yes.clone()).declare(LIST, declared(by_url())).build().expect("valid");
    let two = limits(PageLimits { max_pages: 2, ..PageLimits::default() });
    let mut pages = router.pages(request(), &two);
    assert_eq!(all(&mut pages).await.0, [[1], [2]]);
    let asked = || yes.0.lock().expect("not poisoned").clone();
    assert_eq!(asked(), [None]);
    let mut pages = router.resume(pages.resume().expect("a handle"), &RunConfig::default());
    pages.next().await.expect("a page").expect("the third");
    assert_eq!(asked(), [None, Some(format!("{}/shops/a%20b/items?cursor=2", server.url()))]);
}
