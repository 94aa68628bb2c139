//! Cookies, and what stays with its origin.

use super::*;

#[test]
fn cookies_of_arguments_and_of_credentials_share_one_field() {
    let mut plan = plan("GET /w", &["cookie lang", "cookie sid!", "cookie ids"]);
    plan.parameters[2].style = Style::Form { explode: false, reserved: false };
    plan.security = key_in(Location::Cookie, "sid");
    let credentials = token("S3CR3T");
    let build = |arguments| call_at("https://api.test", &plan, arguments, Auth::With(&credentials));
    let alone = build(json!({})).expect("the credential fills `sid`");
    assert_eq!(header(&alone, "cookie"), Some("sid=S3CR3T"));
    let request = build(json!({"lang": "a b;c", "ids": ["x,y", 2]})).expect("a request");
    assert_eq!(header(&request, "cookie"), Some("lang=a%20b%3Bc; ids=x%2Cy,2; sid=S3CR3T"));
    assert!(request.shown_headers().all(|(_, value)| !value.contains("S3CR3T")));
    assert_eq!(line(&build(json!({"sid": "evil"}))), "!invalid_arguments sid");
    assert_eq!(line(&build(json!({"lang": ["a", "b"]}))), "!unsupported_serialization lang");

    let without = call(&plan, json!({"lang": "no", "sid": "mine"})).expect("a request");
    assert_eq!(header(&without, "cookie"), Some("lang=no; sid=mine"));
    let elsewhere = without.redirected_to("https://other.test/".parse().expect("a URL"));
    assert_eq!(header(&elsewhere, "cookie"), None, "cookies stay with their origin");
    assert_eq!(line(&call(&plan, json!({"lang": "no"}))), "!invalid_arguments sid");
}

#[test]
fn a_cookie_of_plain_text_goes_out_as_it_is() {
    let mut plan = plan("GET /w", &["cookie c", "header Cookie"]);
    plan.parameters[0].style = Style::Text;
    let sent = |value: Value| {
        let request = call(&plan, json!({"c": value}));
        let line = line(&request);
        request.map_or(line, |request| header(&request, "cookie").unwrap_or_default().to_owned())
    };
    assert_eq!(sent(json!("a=b/c+d==")), "c=a=b/c+d==");
    assert_eq!(sent(json!(true)), "c=true");
    for value in ["a;b", "a b", "a,b", "\"a\"", "a\\b", "é", "a\r\nb"] {
        assert_eq!(sent(json!(value)), "!invalid_arguments c", "{value}");
    }
    assert_eq!(sent(json!([1])), "!unsupported_serialization c");
    assert_eq!(line(&call(&plan, json!({"c": "1", "Cookie": "d=2"}))), "!invalid_arguments c");
}

#[test]
fn case_039_credentials_stay_with_their_origin() {
    let mut plan = plan("GET /go", &["header X-Req"]);
    let scheme = |name: &str, scheme| SchemeUse { name: name.to_owned(), scheme };
    let key = |location, name: &str| Scheme::ApiKey { location, name: name.to_owned() };
    plan.security = Security::Alternatives(
        [vec![
            scheme("b", Scheme::Bearer),
            scheme("k", key(Location::Header, "X-Key")),
            scheme("c", key(Location::Cookie, "SID")),
        ]]
        .into(),
    );
    let secret = |text: &str| Credential::Token(Secret::new(text.to_owned()));
    let credentials = Credentials::default()
        .with_scheme("b", secret("tok"))
        .with_scheme("k", secret("kk"))
        .with_scheme("c", secret("cc"));
    let request = call_at("https://api.test", &plan, json!({"X-Req": "1"}), Auth::With(&credentials));
    let request = request.expect("a request");
    let names = ["authorization", "x-key", "cookie", "x-req"];
    let all = [Some("Bearer tok"), Some("kk"), Some("SID=cc"), Some("1")];
    let table = [
        ("https://api.test/go2", all),
        ("https://api.test:443/go2", all),
        ("https://cdn.test/f", [None, None, None, Some("1")]),
        ("https://api.test:8443/f", [None, None, None, Some("1")]),
        ("http://api.test/f", [None, None, None, Some("1")]),
    ];
    for (target, expected) in table {
        let next = request.redirected_to(target.parse().expect("a URL"));
        assert_eq!(names.map(|name| header(&next, name)), expected, "{target}");
    }
}
