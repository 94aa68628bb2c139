mod cookies;

use proptest::prelude::*;
use schemarouter_kernel::base::secret::Secret;
use serde_json::json;

use super::*;
use crate::catalog::{BodyFormat, BodyPlan, PathPart, Scheme, SchemeUse, Security, Style};
use crate::executor::Credential;

/// A plan from a template such as `GET /a/{id}?fixed` and parameters such as `query id`.
fn plan(line: &str, parameters: &[&str]) -> HttpPlan {
    let (method, template) = line.split_once(' ').expect("method and template");
    let (template, fixed_query) = match template.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (template, None),
    };
    let parameters: Vec<Parameter> = parameters.iter().map(|text| parameter(text)).collect();
    let mut path = Vec::new();
    for (at, piece) in template.split(['{', '}']).enumerate() {
        if at % 2 == 1 {
            let found = parameters.iter().position(|p| p.location == Location::Path && &*p.name == piece);
            path.push(PathPart::Parameter(found.expect("a path parameter")));
        } else if !piece.is_empty() {
            path.push(PathPart::Literal(piece.to_owned()));
        }
    }
    HttpPlan {
        method: method.to_owned(),
        template: template.to_owned(),
        path: path.into(),
        fixed_query,
        parameters,
        body: None,
        servers: [].into(),
        security: Security::Undeclared,
        accept: None,
    }
}

/// `location name`, with `!` for required and `*` for exploded behind the name.
fn parameter(text: &str) -> Parameter {
    let (location, name) = text.split_once(' ').expect("location and name");
    let (required, explode) = (name.contains('!'), name.contains('*'));
    let name = name.trim_end_matches(['!', '*']);
    let location = match location {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" => Location::Header,
        _ => Location::Cookie,
    };
    let style = match location {
        Location::Query | Location::Cookie => Style::Form { explode: true, reserved: false },
        Location::Path | Location::Header => Style::Simple { explode },
    };
    Parameter {
        name: name.into(),
        argument: name.into(),
        location,
        style,
        required: required || location == Location::Path,
    }
}

fn with_body(mut plan: HttpPlan, media_type: &str, required: bool) -> HttpPlan {
    plan.body = Some(BodyPlan { media_type: media_type.to_owned(), required, format: BodyFormat::Json });
    plan
}

fn call_at(server: &str, plan: &HttpPlan, arguments: Value, auth: Auth<'_>) -> Result<Prepared, Refusal> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    build(plan, &server.parse().expect("a URL"), &arguments, auth)
}

fn call(plan: &HttpPlan, arguments: Value) -> Result<Prepared, Refusal> {
    call_at("https://api.test", plan, arguments, Auth::Without)
}

/// The request line, or `!` with the kind and the argument.
fn line(result: &Result<Prepared, Refusal>) -> String {
    match result {
        Ok(request) => format!("{} {}", request.method, &request.url[url::Position::BeforePath..]),
        Err(refusal) => format!("!{} {}", refusal.kind, refusal.argument.as_deref().unwrap_or("-")),
    }
}

fn header<'a>(request: &'a Prepared, name: &str) -> Option<&'a str> {
    request.headers.get(name).map(|value| value.to_str().expect("text"))
}

fn key_in(location: Location, name: &str) -> Security {
    Security::Alternatives(
        [vec![SchemeUse {
            name: "k".to_owned(),
            scheme: Scheme::ApiKey { location, name: name.to_owned() },
        }]]
        .into(),
    )
}

fn token(text: &str) -> Credentials {
    Credentials::default().with_scheme("k", Credential::Token(Secret::new(text.to_owned())))
}

#[test]
fn case_018_array_in_a_path() {
    let plan = plan("PUT /pick/{slots}", &["path slots"]);
    assert_eq!(line(&call(&plan, json!({"slots": ["am", "p/m", "a,b"]}))), "PUT /pick/am,p%2Fm,a%2Cb");
    for (value, argument) in [(json!([]), "slots"), (json!([""]), "slots"), (json!({}), "slots")] {
        let refusal = line(&call(&plan, json!({"slots": value})));
        assert_eq!(refusal, format!("!invalid_arguments {argument}"));
    }
    assert_eq!(line(&call(&plan, json!({"slots": [["a"]]}))), "!unsupported_serialization slots");
}

#[test]
fn case_020_header_scalars_and_arrays() {
    let plan = plan("GET /report", &["header X-Dry-Run", "header X-Ids", "header X-Opts*", "header X-Page"]);
    let arguments = json!({"X-Dry-Run": true, "X-Ids": [11, 12], "X-Opts": {"r": 1, "g": 2}, "X-Page": 7});
    let request = call(&plan, arguments).expect("a request");
    assert_eq!(line(&Ok(request.clone())), "GET /report");
    let sent: Vec<_> = ["x-dry-run", "x-ids", "x-opts", "x-page"].map(|name| header(&request, name)).to_vec();
    assert_eq!(sent, [Some("true"), Some("11,12"), Some("r=1,g=2"), Some("7")]);
    assert_eq!(request.headers.get_all("x-ids").iter().count(), 1);
}

#[test]
fn a_header_item_that_would_be_split_is_refused() {
    let plan = plan("GET /r", &["header L", "header O*", "header P"]);
    let table = [
        (json!({"L": ["a,b"]}), "!invalid_arguments L"),
        (json!({"O": {"a=b": 1}}), "!invalid_arguments O"),
        (json!({"O": {"a": "b,c"}}), "!invalid_arguments O"),
        (json!({"O": {"a": "b=c"}}), "GET /r"),
        (json!({"P": {"a=b": 1}}), "GET /r"),
        (json!({"L": "a,b"}), "GET /r"),
        (json!({"L": []}), "GET /r"),
        (json!({"L": [[1]]}), "!unsupported_serialization L"),
        (json!({"L": "é"}), "!invalid_arguments L"),
    ];
    for (arguments, expected) in table {
        assert_eq!(line(&call(&plan, arguments.clone())), expected, "{arguments}");
    }
}

#[test]
fn case_024_and_025_nothing_is_left_of_undefined_values() {
    let search = plan("GET /search", &["query q", "query cats", "query limit"]);
    let items = plan("GET /items", &["query status", "query owner", "query page!"]);
    let table = [
        (&search, json!({"q": "iron", "cats": [], "limit": 7}), "GET /search?q=iron&limit=7"),
        (&search, json!({"cats": []}), "GET /search"),
        (&search, json!({"q": "", "limit": 0}), "GET /search?q=&limit=0"),
        (&search, json!({"cats": [""]}), "GET /search?cats="),
        (&search, json!({"cats": ["a", "b c"]}), "GET /search?cats=a&cats=b%20c"),
        (&search, json!({"cats": {"a": 1, "b": [2]}}), "!unsupported_serialization cats"),
        (&search, json!({"cats": {"z": 1, "a b": "&="}}), "GET /search?z=1&a%20b=%26%3D"),
        (&search, json!({}), "GET /search"),
        (&items, json!({"status": null, "owner": null, "page": 1}), "GET /items?page=1"),
        (&items, json!({"status": "x", "page": null}), "!invalid_arguments page"),
        (&items, json!({"status": "x"}), "!invalid_arguments page"),
        (&items, json!({"page": []}), "!invalid_arguments page"),
    ];
    for (plan, arguments, expected) in table {
        assert_eq!(line(&call(plan, arguments.clone())), expected, "{arguments}");
    }
}

#[test]
fn a_fixed_query_goes_first() {
    let table = [
        ("GET /r?beta=true", "GET /r?beta=true", "GET /r?beta=true&q=1"),
        ("GET /r?", "GET /r", "GET /r?q=1"),
        ("GET /r?a=b c&d='e'&", "GET /r?a=b%20c&d=%27e%27", "GET /r?a=b%20c&d=%27e%27&q=1"),
    ];
    for (template, alone, together) in table {
        let plan = plan(template, &["query q"]);
        assert_eq!(line(&call(&plan, json!({}))), alone);
        assert_eq!(line(&call(&plan, json!({"q": 1}))), together);
    }
}

#[test]
fn case_031_one_name_in_three_places() {
    let mut plan = with_body(plan("PUT /users/{id}", &["path id", "query id"]), "application/json", true);
    plan.parameters[0].argument = "path_id".into();
    plan.parameters[1].argument = "query_id".into();
    let arguments = json!({"path_id": "u-1", "query_id": "q-1", "body": {"id": 7, "name": "Jo"}});
    let request = call(&plan, arguments).expect("a request");
    assert_eq!(line(&Ok(request.clone())), "PUT /users/u-1?id=q-1");
    assert_eq!(request.body.as_deref(), Some(br#"{"id":7,"name":"Jo"}"#.as_slice()));
    assert_eq!(header(&request, "content-type"), Some("application/json"));
    assert_eq!(line(&call(&plan, json!({"id": "u-1", "body": {}}))), "!invalid_arguments id");
}

#[test]
fn case_033_null_and_absence_in_bodies() {
    let media_type = "application/merge-patch+json";
    let optional = with_body(plan("PATCH /p", &[]), media_type, false);
    let required = with_body(plan("PATCH /p", &[]), media_type, true);
    let table = [
        (&required, json!({"body": {"nick": null}}), Some(r#"{"nick":null}"#)),
        (&required, json!({"body": {}}), Some("{}")),
        (&required, json!({"body": null}), Some("null")),
        (&optional, json!({"body": null}), Some("null")),
        (&optional, json!({}), None),
    ];
    for (plan, arguments, expected) in table {
        let request = call(plan, arguments).expect("a request");
        assert_eq!(request.body.as_deref(), expected.map(str::as_bytes));
        assert_eq!(header(&request, "content-type"), expected.map(|_| media_type));
    }
    assert_eq!(line(&call(&required, json!({}))), "!invalid_arguments body");
    assert_eq!(line(&call(&plan("PATCH /p", &[]), json!({"body": 1}))), "!invalid_arguments body");
}

#[test]
fn case_038_arguments_do_not_set_what_the_request_owns() {
    let mut plan =
        with_body(plan("POST /h", &["header X-Req", "header User-Agent"]), "application/json", true);
    plan.accept = Some("application/json".to_owned());
    plan.security =
        Security::Alternatives([vec![SchemeUse { name: "k".to_owned(), scheme: Scheme::Bearer }]].into());
    let (credentials, server) = (token("tok"), "https://api.test");
    let arguments = json!({"X-Req": "1", "body": {}});
    let request = call_at(server, &plan, arguments, Auth::With(&credentials)).expect("a request");
    let names = ["authorization", "accept", "content-type", "x-req"];
    let sent = names.map(|name| header(&request, name).unwrap_or_default());
    assert_eq!(sent, ["Bearer tok", "application/json", "application/json", "1"]);
    assert!(header(&request, "user-agent").expect("present").starts_with("schemarouter/"));

    let refusal =
        call_at(server, &plan, json!({"authorization": "Bearer evil", "body": {}}), Auth::With(&credentials))
            .expect_err("unknown");
    assert_eq!(refusal.argument.as_deref(), Some("authorization"));
    assert!(refusal.message.contains("authorization") && !format!("{refusal:?}").contains("evil"));

    let chosen = call_at(server, &plan, json!({"User-Agent": "mine", "body": {}}), Auth::With(&credentials));
    assert_eq!(header(&chosen.expect("a request"), "user-agent"), Some("mine"));
    for name in ["Authorization", "Host", "CONTENT-LENGTH", "transfer-encoding", "Connection", "Accept"] {
        let plan = self::plan("GET /h", &[&format!("header {name}")]);
        assert_eq!(line(&call(&plan, json!({name: "x"}))), format!("!invalid_arguments {name}"));
        assert_eq!(line(&call(&plan, json!({}))), "GET /h");
    }
}

#[test]
fn case_048_digits_survive() {
    let plan = with_body(plan("POST /r/{id}", &["path id"]), "application/json", true);
    let text = r#"{"id": 9007199254740993, "body": {"n": -9223372036854775808, "d": 0.1, "u": 18446744073709551615}}"#;
    let request = call(&plan, serde_json::from_str(text).expect("JSON")).expect("a request");
    assert_eq!(line(&Ok(request.clone())), "POST /r/9007199254740993");
    let body = br#"{"n":-9223372036854775808,"d":0.1,"u":18446744073709551615}"#;
    assert_eq!(request.body.as_deref(), Some(body.as_slice()));
}

#[test]
fn case_054_no_value_leads_out_of_its_segment() {
    let files = plan("GET /v1/files/{id}", &["path id"]);
    let two = plan("GET /v1/{a}{b}/x", &["path a", "path b"]);
    let dotted = plan("GET /v1/.{a}/x", &["path a"]);
    let encoded = plan("GET /v1/%2e{a}", &["path a"]);
    let table = [
        (&files, json!({"id": "../../admin/keys?x=1#f"}), "GET /v1/files/..%2F..%2Fadmin%2Fkeys%3Fx%3D1%23f"),
        (&files, json!({"id": ".."}), "!invalid_arguments id"),
        (&files, json!({"id": "."}), "!invalid_arguments id"),
        (&files, json!({"id": ["."]}), "!invalid_arguments id"),
        (&files, json!({"id": "%2e%2e"}), "GET /v1/files/%252e%252e"),
        (&files, json!({"id": ""}), "!invalid_arguments id"),
        (&files, json!({"id": null}), "!invalid_arguments id"),
        (&files, json!({}), "!invalid_arguments id"),
        (&files, json!({"id": "..."}), "GET /v1/files/..."),
        (&files, json!({"id": "..\\..\\a"}), "GET /v1/files/..%5C..%5Ca"),
        (&files, json!({"id": "..;/"}), "GET /v1/files/..%3B%2F"),
        (&files, json!({"id": " .."}), "GET /v1/files/%20.."),
        (&files, json!({"id": "\t..\n"}), "GET /v1/files/%09..%0A"),
        (&two, json!({"a": ".", "b": "."}), "!invalid_arguments a"),
        (&two, json!({"a": ".", "b": "a"}), "GET /v1/.a/x"),
        (&dotted, json!({"a": "."}), "!invalid_arguments a"),
        (&dotted, json!({"a": "a"}), "GET /v1/.a/x"),
        (&encoded, json!({"a": "."}), "!invalid_arguments a"),
        (&encoded, json!({"a": "a"}), "GET /v1/%2ea"),
    ];
    for (plan, arguments, expected) in table {
        assert_eq!(line(&call(plan, arguments.clone())), expected, "{arguments}");
    }
    for template in ["GET /a/../b", "GET /a/%2E", "GET /."] {
        assert_eq!(line(&call(&plan(template, &[]), json!({}))), "!compile_error -", "{template}");
    }
}

#[test]
fn case_055_056_057_one_slash_at_the_join() {
    let table = [
        ("https://api.test/tenant/v2", "GET /users", "GET /tenant/v2/users"),
        ("https://api.test/api/", "GET /notes", "GET /api/notes"),
        ("https://api.test/api/", "GET /a//b/", "GET /api/a//b/"),
        ("https://api.test/api", "GET /", "GET /api/"),
        ("https://api.test", "GET /ping", "GET /ping"),
        ("https://api.test/", "GET /ping", "GET /ping"),
        ("https://api.test//", "GET /ping", "GET /ping"),
        ("https://api.test", "GET //evil.test/ping", "GET //evil.test/ping"),
        ("https://api.test/a%20b/%2F", "GET /ping", "GET /a%20b/%2F/ping"),
        ("https://api.test/x", "GET ping", "GET /x/ping"),
        ("https://api.test/x", "GET /a b/é?", "GET /x/a%20b/%C3%A9"),
    ];
    for (server, template, expected) in table {
        let request = call_at(server, &plan(template, &[]), json!({}), Auth::Without);
        assert_eq!(line(&request), expected, "{server} {template}");
        assert_eq!(request.expect("a request").url.host_str(), Some("api.test"));
    }
}

#[test]
fn a_server_url_with_more_than_a_path_is_refused() {
    let table = [
        ("https://api.test/x?v=1", "!missing_server -"),
        ("https://api.test/x#f", "!missing_server -"),
        ("https://user:S3CR3T@api.test/", "!egress_denied -"),
        ("https://S3CR3T@api.test/", "!egress_denied -"),
        ("ftp://api.test/", "!egress_denied -"),
        ("file:///etc", "!egress_denied -"),
        ("data:S3CR3T", "!egress_denied -"),
    ];
    for (server, expected) in table {
        let result = call_at(server, &plan("GET /p", &[]), json!({}), Auth::Without);
        assert_eq!(line(&result), expected, "{server}");
        assert!(!format!("{result:?}").contains("S3CR3T"));
    }
}

#[test]
fn case_067_a_request_is_sent_twice_with_the_same_bytes() {
    let plan = with_body(plan("PUT /u", &["header X-Req"]), "application/json", true);
    let one = call(&plan, json!({"X-Req": "1", "body": {"a": "é"}})).expect("a request");
    let two = one.clone();
    assert_eq!(one.body.as_deref(), Some(r#"{"a":"é"}"#.as_bytes()));
    let at = |request: &Prepared| request.body.as_ref().map(|body| body.as_ptr());
    assert_eq!(at(&one), at(&two), "the body is shared, not written again");
    assert_eq!(one.headers, two.headers);
}

#[test]
fn case_096_a_query_key_is_sent_and_never_shown() {
    let mut plan = plan("GET /w/{city}", &["path city", "query lang", "query free"]);
    plan.security = key_in(Location::Query, "api_key");
    let credentials = token("S3CR3T/+=key");
    let server = "https://api.test";
    let auth = Auth::With(&credentials);
    let request = call_at(server, &plan, json!({"city": "Oslo"}), auth).expect("a request");
    assert_eq!(line(&Ok(request.clone())), "GET /w/Oslo?api_key=S3CR3T%2F%2B%3Dkey");
    assert_eq!(request.shown_url(), "https://api.test/w/Oslo?api_key=***");
    assert_eq!(request.safe_url().as_str(), "https://api.test/w/Oslo");
    assert!(!format!("{request:?}").contains("S3CR3T"));
    let echoed = "https://elsewhere.test/?api_key=S3CR3T%2F%2B%3Dkey";
    assert_eq!(request.redactor().apply(echoed), "https://elsewhere.test/?api_key=***");
    let moved = request.redirected_to(echoed.parse().expect("a URL"));
    assert_eq!(moved.shown_url(), "https://elsewhere.test/");

    let both = call_at(server, &plan, json!({"city": "Oslo", "lang": "no"}), auth).expect("a request");
    assert_eq!(both.shown_url(), "https://api.test/w/Oslo?lang=no&api_key=***");
    // The name of a member is the caller's choice, and must not be that of the key.
    let free = call_at(server, &plan, json!({"city": "Oslo", "free": {"api_key": "evil"}}), auth);
    assert_eq!(line(&free), "!invalid_arguments free");
    assert!(!format!("{free:?}").contains("evil"));
}

#[test]
fn what_a_dry_run_shows_holds_no_credential() {
    let mut plan = plan("GET /w", &["header X-Req"]);
    plan.security = key_in(Location::Header, "X-Key");
    let credentials = token("S3CR3T").with_header("X-Tenant", Secret::new("S3CR3T-2".to_owned()));
    let request = call_at("https://api.test", &plan, json!({"X-Req": "1"}), Auth::With(&credentials));
    let request = request.expect("a request");
    let shown: Vec<_> = request.shown_headers().filter(|(name, _)| *name != "user-agent").collect();
    assert_eq!(shown, [("x-req", "1"), ("x-key", "***"), ("x-tenant", "***")]);
    let without = call(&plan, json!({"X-Req": "1"})).expect("no credential is needed");
    assert_eq!(header(&without, "x-key"), None);
}

#[test]
fn a_parameter_that_is_a_credential_is_filled_by_it() {
    for (location, text) in [(Location::Query, "query key!"), (Location::Header, "header key!")] {
        let mut plan = plan("GET /w", &[text]);
        plan.security = key_in(location, "key");
        let credentials = token("k1");
        let build = |arguments| call_at("https://api.test", &plan, arguments, Auth::With(&credentials));
        assert!(build(json!({})).is_ok(), "{text}");
        assert_eq!(line(&build(json!({"key": "evil"}))), "!invalid_arguments key");
    }
}

#[test]
fn case_101_line_breaks_stay_data() {
    let plan = plan("GET /t/{p}", &["path p", "header X-Trace", "query q"]);
    for value in ["1\r\nX-Admin: true", "1\n2", "\0", "a\r", "\n", "a\u{1}", "a\u{7f}"] {
        let refusal = call(&plan, json!({"p": "a", "X-Trace": value})).expect_err("refused");
        assert_eq!(refusal.argument.as_deref(), Some("X-Trace"));
        assert_eq!(refusal.kind, ErrorKind::InvalidArguments);
        assert!(refusal.message.contains("X-Trace") && !refusal.message.contains("Admin"));
    }
    let encoded = call(&plan, json!({"p": "a\r\nHost: evil", "q": "x\r\ny"}));
    assert_eq!(line(&encoded), "GET /t/a%0D%0AHost%3A%20evil?q=x%0D%0Ay");
    let padded = call(&plan, json!({"p": "a", "X-Trace": "  pad\tded  "})).expect("a request");
    assert_eq!(header(&padded, "x-trace"), Some("pad\tded"));
}

#[test]
fn case_118_names_and_values_outside_ascii() {
    let plan = plan("GET /stadt/{größe}/{v}", &["path größe", "path v", "query ✈️", "query a b"]);
    let arguments = json!({"größe": "東京/駅", "v": "e\u{301}", "✈️": "go!", "a b": ["😀", "ß"]});
    assert_eq!(
        line(&call(&plan, arguments)),
        "GET /stadt/%E6%9D%B1%E4%BA%AC%2F%E9%A7%85/e%CC%81?%E2%9C%88%EF%B8%8F=go%21&a%20b=%F0%9F%98%80&a%20b=%C3%9F"
    );
}

#[test]
fn the_longest_url_is_sent_and_a_longer_one_refused() {
    let plan = plan("GET /s", &["query q"]);
    let rest = "https://api.test/s?q=".len();
    let longest = call(&plan, json!({"q": "x".repeat(MAX_URL_BYTES - rest)})).expect("a request");
    assert_eq!(longest.url.as_str().len(), MAX_URL_BYTES);
    assert!(http::Uri::try_from(longest.url.as_str()).is_ok());
    let refusal = call(&plan, json!({"q": "x".repeat(MAX_URL_BYTES - rest + 1)})).expect_err("too long");
    assert_eq!(refusal.kind, ErrorKind::InvalidArguments);
    assert!(refusal.message.contains("65535") && refusal.message.len() < 200);
}

#[test]
fn what_has_no_wire_form_is_refused_where_it_is_used() {
    let mut plan = plan("GET /s", &["query q", "cookie c", "header h"]);
    plan.parameters[0].style = Style::Unsupported;
    plan.parameters[1].style = Style::Json;
    plan.parameters[2].style = Style::Label { explode: false };
    for name in ["q", "c", "h"] {
        assert_eq!(line(&call(&plan, json!({name: 1}))), format!("!unsupported_serialization {name}"));
        assert_eq!(line(&call(&plan, json!({name: null}))), "GET /s");
    }
}

proptest! {
    /// Whatever the values are: the path has the template's segments and decodes to what was given.
    #[test]
    fn case_054_any_value_stays_in_its_place(a in "\\PC*|[./%\\\\\\x00-\\x20]*|(%2e|\\.|/){0,4}", q in "\\PC*") {
        let plan = plan("GET /v1/{a}/x", &["path a", "query q"]);
        if let Ok(request) = call(&plan, json!({"a": a, "q": q})) {
            let segments: Vec<_> = request.url.path_segments().expect("a path").collect();
            prop_assert_eq!(segments.len(), 3);
            prop_assert_eq!(percent_encoding::percent_decode_str(segments[1]).decode_utf8().expect("UTF-8"), a);
            let pairs: Vec<_> = request.url.query_pairs().into_owned().collect();
            prop_assert_eq!(pairs, [("q".to_owned(), q)]);
        } else {
            prop_assert!(matches!(a.as_str(), "" | "." | ".."));
        }
    }

    /// Any header value is sent whole as one field, or refused without being told.
    #[test]
    fn case_101_any_header_value_is_one_field(value in "\\PC*|[\\x00-\\x7f]*") {
        let plan = plan("GET /t", &["header X"]);
        match call(&plan, json!({"X": value})) {
            Ok(request) => {
                prop_assert_eq!(header(&request, "x"), Some(value.trim_matches([' ', '\t'])));
            }
            Err(refusal) => prop_assert_eq!(refusal.argument.as_deref(), Some("X")),
        }
    }
}
