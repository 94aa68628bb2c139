//! What arguments look like on the wire: whole documents, and the request that a call would send, to its last byte.

use std::fmt::Write as _;

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, UndefinedStyles, compile};
use schemarouter::invokers::http::DryRun;
use schemarouter::kernel::base::error::Error;
use schemarouter::router::{Request, Router};
use serde_json::{Value, json};

/// The router over one operation, `op`, at `https://api.test`.
fn router(version: &str, method: &str, path: &str, operation: &Value) -> Router {
    router_with(UndefinedStyles::Refuse, version, method, path, operation)
}

fn router_with(
    styles: UndefinedStyles,
    version: &str,
    method: &str,
    path: &str,
    operation: &Value,
) -> Router {
    let mut operation = operation.clone();
    operation["operationId"] = json!("op");
    operation["responses"] = json!({"200": {"description": "ok"}});
    let document = json!({
        "openapi": version,
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": [{"url": "https://api.test"}],
        "paths": {path: {method: operation}},
    });
    let document = Document::from_json(document.to_string(), &Limits::default()).expect("JSON");
    let compiled = compile(document, &Options::new("demo").with_undefined_styles(styles)).expect("OpenAPI");
    Router::builder().source(compiled).build().expect("a valid router")
}

fn get(path: &str, parameters: &Value) -> Router {
    router("3.1.1", "get", path, &json!({"parameters": parameters}))
}

fn run(router: &Router, arguments: Value) -> Result<DryRun, Error> {
    router.dry_run(&Request::new("op", arguments))
}

/// The request line without the version, or `!` with the kind of the refusal.
fn line(router: &Router, arguments: Value) -> String {
    match run(router, arguments) {
        Ok(request) => {
            let target = request.url.strip_prefix("https://api.test").expect("the server's own URL");
            format!("{} {target}", request.method)
        }
        Err(error) => format!("!{}", error.kind()),
    }
}

fn strings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

/// The table "Style Examples" of `OpenAPI` 3.1.1, with the empty string for its column about nothing.
#[test]
fn style_examples_of_the_specification() {
    let places = [
        ("path", "/p{color}", &["matrix", "label", "simple"][..]),
        ("query", "/p", &["form", "spaceDelimited", "pipeDelimited", "deepObject"]),
        ("header", "/p", &["simple"]),
        ("cookie", "/p", &["form"]),
    ];
    let values = [
        ("string", json!("")),
        ("string", json!("blue")),
        ("array", json!(["blue", "black", "brown"])),
        ("object", json!({"R": 100, "G": 200, "B": 150})),
    ];
    let mut table = String::new();
    for (place, path, styles) in places {
        for style in styles {
            for explode in [false, true] {
                write!(table, "{place:6} {style:14} {explode:5}").expect("a string");
                for (kind, value) in &values {
                    let parameters = json!([{"name": "color", "in": place, "required": place == "path",
                        "style": style, "explode": explode, "schema": {"type": kind}}]);
                    let router = get(path, &parameters);
                    let shown = match run_if_callable(&router, json!({"color": value})) {
                        None => "n/a".to_owned(),
                        Some(Err(error)) => format!("!{}", error.kind()),
                        Some(Ok(request)) => match place {
                            "path" => request.url.replace("https://api.test/p", ""),
                            "query" => request.url.replace("https://api.test/p?", ""),
                            "header" => format!("{:?}", request.headers["color"]),
                            _ => request.headers["cookie"].clone(),
                        },
                    };
                    write!(table, " | {shown}").expect("a string");
                }
                table.push('\n');
            }
        }
    }
    insta::assert_snapshot!(table);
}

/// `None` where the argument has no wire form whatever its value.
fn run_if_callable(router: &Router, arguments: Value) -> Option<Result<DryRun, Error>> {
    let result = run(router, arguments);
    let undefined =
        result.as_ref().is_err_and(|error| error.message().contains("specification does not say"));
    (!undefined).then_some(result)
}

#[test]
fn case_014_a_form_list_that_is_not_exploded() {
    let parameter = json!([{"name": "labels", "in": "query", "explode": false, "schema": strings()}]);
    let router = router("3.0.3", "get", "/albums", &json!({"parameters": parameter}));
    let arguments = json!({"labels": ["x1", "a,b", "c & d"]});
    assert_eq!(line(&router, arguments), "GET /albums?labels=x1,a%2Cb,c%20%26%20d");
}

#[test]
fn case_015_delimited_styles_are_not_exploded_by_default() {
    let router = get(
        "/lookup",
        &json!([{"name": "refs", "in": "query", "style": "pipeDelimited", "schema": strings()},
            {"name": "terms", "in": "query", "style": "spaceDelimited", "schema": strings()}]),
    );
    let arguments = json!({"refs": ["k1", "k2"], "terms": ["m", "n"]});
    assert_eq!(line(&router, arguments), "GET /lookup?refs=k1%7Ck2&terms=m%20n");
    // Items that hold the delimiter would arrive as more items.
    assert_eq!(line(&router, json!({"refs": ["a|b"]})), "!invalid_arguments");
}

#[test]
fn case_017_matrix_objects_lists_and_the_empty_string() {
    let plots = |explode: bool, schema: Value, value: Value| {
        let parameter = json!([{"name": "pt", "in": "path", "required": true, "style": "matrix", "explode": explode,
            "schema": schema}]);
        line(&router("3.0.3", "get", "/plots{pt}", &json!({"parameters": parameter})), json!({"pt": value}))
    };
    let object = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    assert_eq!(plots(true, object.clone(), json!({"x": 12, "y": 34})), "GET /plots;x=12;y=34");
    assert_eq!(plots(false, object.clone(), json!({"x": 12, "y": 34})), "GET /plots;pt=x,12,y,34");
    assert_eq!(plots(true, strings(), json!(["a", "b"])), "GET /plots;pt=a;pt=b");
    assert_eq!(plots(false, json!({"type": "string"}), json!("")), "GET /plots;pt");
    assert_eq!(plots(false, json!({"type": "string"}), json!("a;b=c/d")), "GET /plots;pt=a%3Bb%3Dc%2Fd");
    assert_eq!(plots(false, object, json!({})), "!invalid_arguments");
}

#[test]
fn case_018_a_list_in_a_path_segment() {
    let slots = json!([{"name": "slots", "in": "path", "required": true, "schema": strings()}]);
    let router = router("3.0.3", "put", "/pick/{slots}", &json!({"parameters": slots}));
    assert_eq!(line(&router, json!({"slots": ["am", "p/m", "a,b"]})), "PUT /pick/am,p%2Fm,a%2Cb");
}

#[test]
fn case_020_scalars_lists_and_objects_in_headers() {
    let header = |name: &str, explode: bool, schema: Value| json!({"name": name, "in": "header", "explode": explode, "schema": schema});
    let router = get(
        "/report",
        &json!([
            header("X-Dry-Run", false, json!({"type": "boolean"})),
            header("X-Ids", false, json!({"type": "array", "items": {"type": "integer"}})),
            header("X-Opts", true, json!({"type": "object", "additionalProperties": {"type": "integer"}})),
            header("X-Page", false, json!({"type": "integer"})),
        ]),
    );
    let arguments = json!({"X-Dry-Run": true, "X-Ids": [11, 12], "X-Opts": {"r": 1, "g": 2}, "X-Page": 7});
    let headers = run(&router, arguments).expect("a request").headers;
    let sent = ["x-dry-run", "x-ids", "x-opts", "x-page"].map(|name| headers[name].as_str());
    assert_eq!(sent, ["true", "11,12", "r=1,g=2", "7"]);
}

#[test]
fn case_021_deep_object_keeps_the_parent_and_encodes_the_brackets() {
    let with = |members: Value| {
        let filter = json!([{"name": "filter", "in": "query", "style": "deepObject", "explode": true,
            "schema": {"type": "object", "properties": members}}]);
        router("3.0.3", "get", "/orders", &json!({"parameters": filter}))
    };
    let flat = with(json!({"state": {"type": "string"}, "min": {"type": "integer"}}));
    let arguments = json!({"filter": {"state": "open now", "min": 3}});
    assert_eq!(line(&flat, arguments), "GET /orders?filter%5Bstate%5D=open%20now&filter%5Bmin%5D=3");
    let nested = with(json!({"state": {"type": "string"}, "ids": {"type": "array"}}));
    assert_eq!(line(&nested, json!({"filter": {"state": "a"}})), "GET /orders?filter%5Bstate%5D=a");
    assert_eq!(line(&nested, json!({"filter": {"ids": [1]}})), "!unsupported_serialization");
}

#[test]
fn nested_values_are_refused_unless_a_convention_is_chosen() {
    let objects = json!({"type": "array", "items": {"type": "object"}});
    let operation = json!({"parameters": [
        {"name": "filter", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
        {"name": "expand", "in": "query", "style": "deepObject", "schema": strings()},
        {"name": "rows", "in": "query", "schema": objects},
        {"name": "tags", "in": "query", "schema": strings()},
        {"name": "list", "in": "query", "explode": false, "schema": objects},
    ]});
    let table = [
        (json!({"filter": {"a": {"b": 1}}}), "?filter%5Ba%5D%5Bb%5D=1"),
        (json!({"filter": {"ids": [7, 8]}}), "?filter%5Bids%5D%5B0%5D=7&filter%5Bids%5D%5B1%5D=8"),
        (json!({"expand": ["x", "y"]}), "?expand%5B0%5D=x&expand%5B1%5D=y"),
        (json!({"rows": [{"b": 1}, {"b": 2}]}), "?rows%5B0%5D%5Bb%5D=1&rows%5B1%5D%5Bb%5D=2"),
    ];
    let (refuse, brackets) = ([UndefinedStyles::Refuse, UndefinedStyles::Brackets])
        .map(|styles| router_with(styles, "3.1.1", "get", "/orders", &operation))
        .into();
    for (arguments, due) in table {
        assert_eq!(line(&refuse, arguments.clone()), "!unsupported_serialization", "{arguments}");
        assert_eq!(line(&brackets, arguments.clone()), format!("GET /orders{due}"), "{arguments}");
    }
    // What is defined stays as it is, and what no bracket helps stays refused.
    for router in [&refuse, &brackets] {
        assert_eq!(line(router, json!({"filter": {"a": 1}})), "GET /orders?filter%5Ba%5D=1");
        assert_eq!(line(router, json!({"tags": ["x", "y"]})), "GET /orders?tags=x&tags=y");
        assert_eq!(line(router, json!({"list": [{"b": 1}]})), "!unsupported_serialization");
    }
}

#[test]
fn a_form_that_requires_nested_members_is_written_under_a_convention() {
    let objects = json!({"type": "array", "items": {"type": "object"}});
    let media_type = json!({
        "schema": {"type": "object", "required": ["items"], "properties": {"items": objects, "note": {"type": "object"}}},
        "encoding": {"items": {"style": "deepObject", "explode": true}},
    });
    let operation = json!({"requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": media_type}}});
    let call = |styles| {
        let router = router_with(styles, "3.0.3", "post", "/carts", &operation);
        run(&router, json!({"body": {"items": [{"id": "a&b", "n": 2}], "note": {"k": "v"}}}))
    };
    let absent = call(UndefinedStyles::Refuse).expect_err("it has no form");
    assert_eq!(absent.kind().code(), "compile_error");
    assert!(absent.message().contains("undefined_serialization"), "{absent}");
    let body = call(UndefinedStyles::Brackets).expect("a request").body.expect("a body");
    // A member without an encoding is JSON, as the specification says.
    assert_eq!(
        body.get(),
        r#""items%5B0%5D%5Bid%5D=a%26b&items%5B0%5D%5Bn%5D=2&note=%7B%22k%22%3A%22v%22%7D""#
    );
}

#[test]
fn case_024_an_empty_list_leaves_no_trace() {
    let query = |name: &str, schema: Value| json!({"name": name, "in": "query", "schema": schema});
    let mut ids = query("ids", strings());
    ids["explode"] = json!(false);
    let router = get(
        "/search",
        &json!([
            query("q", json!({"type": "string"})),
            query("cats", strings()),
            ids,
            query("limit", json!({"type": "integer"}))
        ]),
    );
    let table = [
        (json!({"q": "iron", "cats": [], "ids": [], "limit": 7}), "GET /search?q=iron&limit=7"),
        (json!({"cats": [], "ids": []}), "GET /search"),
        (json!({"q": "", "limit": 0}), "GET /search?q=&limit=0"),
        (json!({"cats": [""]}), "GET /search?cats="),
    ];
    for (arguments, due) in table {
        assert_eq!(line(&router, arguments.clone()), due, "{arguments}");
    }
}

#[test]
fn case_025_null_is_left_out() {
    let parameters = json!([
        {"name": "status", "in": "query", "schema": {"type": "string"}},
        {"name": "owner", "in": "query", "schema": {"type": "string", "nullable": true}},
        {"name": "page", "in": "query", "required": true, "schema": {"type": "integer"}}]);
    let router = router("3.0.3", "get", "/items", &json!({"parameters": parameters}));
    assert_eq!(line(&router, json!({"status": null, "owner": null, "page": 1})), "GET /items?page=1");
    let error = run(&router, json!({"status": "x", "page": null})).expect_err("`page` is required");
    assert_eq!(error.kind().code(), "invalid_arguments");
    assert!(error.message().contains("`page`"), "{error}");
}

#[test]
fn case_026_a_parameter_that_content_describes_is_json() {
    let content = |kind: &str| json!({"application/json": {"schema": {"type": kind}}});
    let router = get(
        "/people",
        &json!([{"name": "nick", "in": "query", "content": content("string")},
            {"name": "where", "in": "query", "content": content("object")}]),
    );
    let arguments = json!({"nick": "zoe", "where": {"age": {"gt": 2}, "tag": "a&b"}});
    assert_eq!(
        line(&router, arguments),
        "GET /people?nick=%22zoe%22&where=%7B%22age%22%3A%7B%22gt%22%3A2%7D%2C%22tag%22%3A%22a%26b%22%7D"
    );
    let elsewhere = get(
        "/at/{p}",
        &json!([{"name": "p", "in": "path", "required": true, "content": content("array")},
            {"name": "X-H", "in": "header", "content": content("object")}]),
    );
    let request = run(&elsewhere, json!({"p": [], "X-H": {"a": "b, c"}})).expect("a request");
    assert_eq!(
        (request.url.as_str(), request.headers["x-h"].as_str()),
        ("https://api.test/at/%5B%5D", r#"{"a":"b, c"}"#)
    );
}

/// A call of `POST /members` with this body: content type and body, or `!` with the kind of the refusal.
fn form(version: &str, media_type: &Value, body: &Value) -> Result<String, String> {
    let body_object = json!({"required": true, "content": {"application/x-www-form-urlencoded": media_type}});
    let router = router(version, "post", "/members", &json!({"requestBody": body_object}));
    match run(&router, json!({"body": body})) {
        Ok(request) => {
            assert_eq!(request.headers["content-type"], "application/x-www-form-urlencoded");
            let text = request.body.expect("a body");
            Ok(serde_json::from_str(text.get()).expect("text is shown as a string"))
        }
        Err(error) => Err(format!("{}: {}", error.kind(), error.message())),
    }
}

#[test]
fn case_034_form_bodies_by_default_and_by_encoding() {
    let media_type = json!({
        "schema": {"type": "object", "properties": {"name": {"type": "string"}, "addr": {"type": "object"},
            "labels": {"type": "object"}, "tags": strings()}},
        "encoding": {"labels": {"style": "deepObject", "explode": true}, "tags": {"style": "form", "explode": false}}});
    let body =
        json!({"name": "A & B+C", "addr": {"zip": "X"}, "labels": {"ref": "A 12"}, "tags": ["p", "q"]});
    for version in ["3.0.3", "3.1.1"] {
        assert_eq!(
            form(version, &media_type, &body).as_deref(),
            Ok("name=A%20%26%20B%2BC&addr=%7B%22zip%22%3A%22X%22%7D&labels%5Bref%5D=A%2012&tags=p,q")
        );
    }
    let nested = form("3.1.1", &media_type, &json!({"labels": {"a": {"b": 1}}})).expect_err("undefined");
    assert!(nested.starts_with("unsupported_serialization") && nested.contains("`labels`"), "{nested}");
}

#[test]
fn form_members_by_kind_of_value() {
    let encoding = json!({
        "joined": {"explode": false}, "raw": {"allowReserved": true}, "pairs": {"style": "form"},
        "json": {"contentType": "application/json"}, "text": {"contentType": "text/plain"},
        "deep_list": {"style": "deepObject"}});
    let media_type = json!({"schema": {"type": "object", "properties": {"deep_list": {"type": "array"}}},
        "encoding": encoding});
    let table = [
        (json!({}), Ok("")),
        (json!({"a": 1, "b": true, "c": null, "d": "", "é": "ü"}), Ok("a=1&b=true&d=&%C3%A9=%C3%BC")),
        (
            json!({"list": ["a", 1, null], "none": [], "objects": [{"a": 1}, [2]]}),
            Ok("list=a&list=1&objects=%7B%22a%22%3A1%7D&objects=%5B2%5D"),
        ),
        (
            json!({"joined": ["a", "b,c"], "raw": "a/b&c", "pairs": {"x": 1, "y": 2}}),
            Ok("joined=a,b%2Cc&raw=a/b%26c&x=1&y=2"),
        ),
        (json!({"json": "a", "text": 5}), Ok("json=%22a%22&text=5")),
        (json!({"json": ["a", {"b": 1}]}), Ok("json=%22a%22&json=%7B%22b%22%3A1%7D")),
        (json!({"text": {"a": 1}}), Err("unsupported_serialization")),
        (json!({"deep_list": ["a"]}), Err("unsupported_serialization")),
    ];
    for (body, due) in table {
        let got = form("3.1.1", &media_type, &body);
        let got = got.as_deref().map_err(|error| error.split(':').next().unwrap_or_default());
        assert_eq!(got, due, "{body}");
    }
    let any = form("3.1.1", &json!({}), &json!([1])).expect_err("a form is an object");
    assert!(any.starts_with("unsupported_serialization"), "{any}");
}

#[test]
fn bodies_of_plain_text() {
    let body = json!({"content": {"text/plain": {"schema": {}}}});
    let router = router("3.1.1", "post", "/notes", &json!({"requestBody": body}));
    let text = |value: Value| {
        run(&router, json!({"body": value})).map(|request| request.body.expect("a body").to_string())
    };
    assert_eq!(text(json!("a & é\n")).expect("text"), "\"a & é\\n\"");
    assert_eq!(text(json!(12.5)).expect("a number"), "12.5");
    for value in [json!(null), json!([1]), json!({})] {
        assert_eq!(text(value).expect_err("no text").kind().code(), "unsupported_serialization");
    }
}

#[test]
fn json_comes_first_where_several_media_types_are_declared() {
    let content = json!({"text/plain": {}, "application/x-www-form-urlencoded": {}, "application/vnd.a+json": {},
        "application/json": {}});
    let router = router("3.1.1", "post", "/notes", &json!({"requestBody": {"content": content}}));
    let request = run(&router, json!({"body": {"a": 1}})).expect("a request");
    assert_eq!(request.headers["content-type"], "application/json");
}

#[test]
fn case_041_read_only_members_are_not_demanded_of_a_request() {
    let pet = json!({"type": "object", "required": ["id", "name", "secret"], "properties": {
        "id": {"type": "integer", "readOnly": true}, "name": {"type": "string"},
        "secret": {"type": "string", "writeOnly": true}}});
    let body = json!({"required": true, "content": {"application/json": {"schema": pet}}});
    for version in ["3.0.3", "3.1.0"] {
        let router = router(version, "post", "/pets", &json!({"requestBody": body}));
        assert_eq!(line(&router, json!({"body": {"name": "n", "secret": "s"}})), "POST /pets");
        let error = run(&router, json!({"body": {"name": "n"}})).expect_err("`secret` is required");
        assert_eq!(error.kind().code(), "invalid_arguments");
        assert!(error.message().contains("secret"), "{error}");
    }
}

/// `allowEmptyValue` lets an empty string be sent, which `form` does in any case; it makes no value of none.
#[test]
fn reserved_characters_and_empty_values() {
    let router = get(
        "/s",
        &json!([{"name": "q", "in": "query", "allowReserved": true, "schema": {"type": "string"}},
            {"name": "e", "in": "query", "allowEmptyValue": true, "schema": {"type": "string"}}]),
    );
    let table = [
        (json!({"q": "a/b?c:d@e,f%2Fg"}), "GET /s?q=a/b?c:d@e,f%2Fg"),
        (json!({"q": "x&e=evil#f[0]=1+1"}), "GET /s?q=x%26e%3Devil%23f%5B0%5D%3D1%2B1"),
        (json!({"q": "it's 100%"}), "GET /s?q=it%27s%20100%25"),
        (json!({"e": ""}), "GET /s?e="),
        (json!({"e": null}), "GET /s"),
    ];
    for (arguments, due) in table {
        assert_eq!(line(&router, arguments.clone()), due, "{arguments}");
    }
}
