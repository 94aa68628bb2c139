use schemarouter_kernel::base::secret::Secret;

use super::*;
use crate::catalog::{PathPart, SchemeUse};
use crate::executor::{Credential, Credentials};
use crate::invokers::http::request::{Auth, build};

fn plan(path: &str, security: Security) -> HttpPlan {
    HttpPlan {
        method: "GET".to_owned(),
        template: path.to_owned(),
        path: [PathPart::Literal(path.to_owned())].into(),
        fixed_query: Some("v=1".to_owned()),
        parameters: Vec::new(),
        body: None,
        servers: [].into(),
        security,
        accept: None,
    }
}

fn next(path: &str, target: &str, pattern: Option<&str>) -> Result<String, String> {
    let key = Scheme::ApiKey { location: Location::Query, name: "key".to_owned() };
    let security = Security::Alternatives([vec![SchemeUse { name: "k".to_owned(), scheme: key }]].into());
    let plan = plan(path, security);
    let token = Credential::Token(Secret::new("sec".to_owned()));
    let credentials = Credentials::default().with_scheme("k", token);
    let server = "https://api.test/v1".parse().expect("a URL");
    let request =
        build(&plan, &server, &serde_json::Map::new(), Auth::With(&credentials)).expect("a request");
    assert!(request.url.as_str().ends_with("?v=1&key=sec"));
    next_url(&request, &plan, target, pattern).map(String::from).map_err(|refusal| refusal.message)
}

#[test]
fn what_is_followed_is_followed_to_the_letter_without_the_credential() {
    for (target, due) in [
        ("", "https://api.test/v1/items?v=1"),
        ("?a=%41+b&c", "https://api.test/v1/items?a=%41+b&c"),
        ("items?a=1#top", "https://api.test/v1/items?a=1"),
        ("/v1/items", "https://api.test/v1/items"),
        ("/v1/%69tems?x", "https://api.test/v1/%69tems?x"),
        ("//API.test:443/v1/items?x", "https://api.test/v1/items?x"),
        ("https://api.test/v1/items?x", "https://api.test/v1/items?x"),
        ("?key=sec", "https://api.test/v1/items"),
        ("?a=1&key=sec&b=2&k%65y=x&key", "https://api.test/v1/items?a=1&b=2"),
        ("?keys=1&KEY=2", "https://api.test/v1/items?keys=1&KEY=2"),
    ] {
        assert_eq!(next("/items", target, None).as_deref(), Ok(due), "{target}");
    }
    assert_eq!(next("/a:b", "/v1/a%3Ab", None).as_deref(), Ok("https://api.test/v1/a%3Ab"));
}

#[test]
fn what_leads_elsewhere_is_denied() {
    for target in [
        "http://api.test/v1/items",
        "https://api.test:444/v1/items",
        "https://api.test.evil.test/v1/items",
        "https://api.test@evil.test/v1/items",
        "https://user@api.test/v1/items",
        "https://:p@api.test/v1/items",
        "\\\\evil.test/v1/items",
        "data:text/plain,x",
        "/items",
        "/v1/items/",
        "/v1/items/7",
        "/v1/items%2F7",
        "/v1/x/../../items",
        "/v1//items",
        "/v1/Items",
        &format!("?{}", "x".repeat(70_000)),
    ] {
        assert!(next("/items", target, None).is_err(), "{target}");
    }
    let message = next("/items", "https://evil.test/v1/items?token=abc", None).expect_err("another origin");
    assert_eq!(
        message,
        "the next page would be at `https://evil.test/v1/items`: this call goes to `https://api.test/v1/items`"
    );
}

#[test]
fn a_pattern_names_whole_segments() {
    for (target, fits) in [
        ("/v1/stores/7/items?x", true),
        ("/v1/stores/a%2Fb/items", true),
        ("/v1/items", true),
        ("/v1/stores//items", false),
        ("/v1/stores/7/8/items", false),
        ("/v1/stores/7/items/", false),
        ("/v1/admin/7/items", false),
        ("/v1/stores/7/../../admin/7/items", false),
    ] {
        assert_eq!(next("/items", target, Some("/v1/stores/*/items")).is_ok(), fits, "{target}");
    }
}
