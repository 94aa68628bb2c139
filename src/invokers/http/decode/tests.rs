use serde_json::json;

use super::*;
use crate::catalog::{Schema, StatusMatch};

/// Form, value, and whether it is to be validated.
type Got = (Form, Option<Value>, bool);

type Matched<'a> = (&'a str, &'a [u8], Form, Option<Value>, &'a str);
type Parsed<'a> = (&'a str, &'a [u8], Result<Got, &'a str>);

/// A reply with these media types; a null schema is an absent one.
fn spec(content: &[(&str, Value)]) -> ReplySpec {
    let content = content.iter().map(|(media_type, schema)| {
        let schema = (!schema.is_null()).then(|| Schema::alone(schema.clone()));
        Content { media_type: (*media_type).to_owned(), schema }
    });
    ReplySpec { status: StatusMatch::Exact(200), content: content.collect() }
}

fn get(spec: &ReplySpec, content_type: &str, body: &[u8]) -> Result<Got, String> {
    decode(body, Some(content_type), Some(spec), 200, &Method::GET)
        .map(|decoded| (decoded.form, decoded.json, decoded.schema.is_some()))
        .map_err(|error| error.to_string())
}

#[test]
fn case_046_media_types_and_which_declaration_counts() {
    let spec = spec(&[
        ("application/vnd.acme.item+json", json!({"type": "object", "required": ["v"]})),
        ("application/json", json!({"type": "object", "required": ["j"]})),
        ("text/*", json!({"type": "string"})),
        ("*/*", json!({"type": "string", "format": "binary"})),
    ]);
    let table: &[Matched] = &[
        (
            "application/vnd.acme.item+json; version=2",
            br#"{"v":1}"#,
            Form::Json,
            Some(json!({"v": 1})),
            "application/vnd.acme.item+json",
        ),
        (
            "Application/JSON;charset=UTF-8",
            br#"{"j":1}"#,
            Form::Json,
            Some(json!({"j": 1})),
            "application/json",
        ),
        (
            "application/json; charset=\"utf-8\"",
            br#"{"v":1}"#,
            Form::Json,
            Some(json!({"v": 1})),
            "application/json",
        ),
        ("text/plain", b"hello", Form::Text, Some(json!("hello")), "text/*"),
        ("application/notjson", br#"{"j":1}"#, Form::Raw, None, "*/*"),
        ("application/hal+json", br#"{"j":1}"#, Form::Raw, None, "*/*"),
    ];
    for (content_type, body, form, json, matched) in table {
        let decoded = decode(body, Some(content_type), Some(&spec), 200, &Method::GET).expect("decodable");
        assert_eq!(decoded.form, *form, "{content_type}");
        assert_eq!(decoded.json, *json, "{content_type}");
        assert_eq!(decoded.content.map(|content| content.media_type.as_str()), Some(*matched));
        assert_eq!(decoded.schema.is_some(), json.is_some(), "what is raw is not validated");
        assert_eq!(decoded.warnings, [""; 0]);
    }
    let third =
        decode(br#"{"v":1}"#, Some("application/json"), Some(&spec), 200, &Method::GET).expect("decodable");
    let violations =
        third.schema.expect("a schema").violations(&third.json.expect("a value")).expect("usable");
    assert!(violations[0].message.contains("\"j\""), "{violations:?}");
}

#[test]
fn case_044_no_content_whatever_is_declared() {
    let spec = spec(&[("application/json", json!({"type": "object"}))]);
    for (status, method) in [
        (204, Method::DELETE),
        (205, Method::POST),
        (304, Method::GET),
        (200, Method::HEAD),
        (404, Method::HEAD),
    ] {
        for body in [&b""[..], b"{}", b"<"] {
            let decoded =
                decode(body, Some("application/json"), Some(&spec), status, &method).expect("no content");
            assert_eq!((decoded.form, &decoded.json), (Form::Absent, &None), "{status} {method}");
            assert!(decoded.schema.is_none());
            assert_eq!(decoded.warnings.len(), usize::from(!body.is_empty()));
        }
    }
    let error = get(&spec, "application/json", b"").expect_err("empty");
    assert_eq!(error, "status 200 with `application/json`: the body is empty, which is no JSON");
    let unlabelled = decode(b"", None, Some(&spec), 200, &Method::GET).expect_err("empty");
    assert_eq!(unlabelled.to_string(), error);
}

#[test]
fn case_051_a_media_type_that_is_not_declared() {
    let spec = spec(&[("application/json", json!({"type": "object"})), ("text/csv", json!(null))]);
    let table = [
        (
            Some("text/html; charset=utf-8"),
            "status 200 with `text/html`: declared is `application/json`, `text/csv`",
        ),
        (Some("nonsense"), "status 200 with `nonsense`: declared is `application/json`, `text/csv`"),
        (
            Some("application/problem+json"),
            "status 200 with `application/problem+json`: declared is `application/json`, `text/csv`",
        ),
        (None, "status 200 with `application/json`: the body is no JSON: expected value at line 1 column 1"),
    ];
    for (content_type, expected) in table {
        let error = decode(b"<!doctype html>", content_type, Some(&spec), 200, &Method::GET)
            .expect_err("not declared");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn case_051_a_label_that_is_no_media_type_is_not_looked_behind() {
    let spec = spec(&[("application/json", json!(null))]);
    let error = get(&spec, "nonsense", b"{}").expect_err("not declared");
    assert_eq!(error, "status 200 with `nonsense`: declared is `application/json`");
}

#[test]
fn declared_json_parses_or_fails() {
    let spec = spec(&[("application/json", json!(null))]);
    let ok = |value: Value| Ok((Form::Json, Some(value), false));
    let table: &[Parsed] = &[
        ("application/json", b"\xef\xbb\xbf{\"a\":1}", ok(json!({"a": 1}))),
        ("application/json", b" [1] \n", ok(json!([1]))),
        ("application/json", b"null", ok(json!(null))),
        ("application/json; charset=latin1", b"\"\xe9\"", ok(json!("é"))),
        ("application/json", b"\xff\xfe1\x000\x00", ok(json!(10))),
        ("application/json", b"{\"id\":9007199254740993}", ok(json!({"id": 9_007_199_254_740_993_u64}))),
        ("application/json", b"\"\xe9\"", Err("the body is not UTF-8 from byte 1 on")),
        ("application/json", b"{\"S3CR3T\":", Err("the body is no JSON: EOF while parsing a value")),
        ("application/json", b"{} {}", Err("the body is no JSON: trailing characters")),
        ("application/json; charset=ebcdic", b"{}", Err("the body is in a charset that is not supported")),
    ];
    for (content_type, body, expected) in table {
        match (get(&spec, content_type, body), expected) {
            (Err(error), Err(expected)) => {
                assert!(error.starts_with("status 200 with `application/json`: "), "{error}");
                assert!(error.contains(expected) && !error.contains("S3CR3T"), "{error}");
            }
            (got, expected) => assert_eq!(got.as_ref().ok(), expected.as_ref().ok(), "{body:?}"),
        }
    }
    let deep = "[".repeat(100_000);
    assert!(
        get(&spec, "application/json", deep.as_bytes()).expect_err("too deep").contains("recursion limit")
    );
}

#[test]
fn the_shape_of_the_schema_says_what_other_bodies_are() {
    let string = json!({"type": "string"});
    let nullable = json!({"type": ["null", "string"]});
    let reference =
        json!({"$ref": "#/$defs/s", "$defs": {"s": {"$ref": "#/$defs/t"}, "t": {"type": "string"}}});
    let binary = json!({"type": "string", "format": "binary"});
    let object = json!({"type": "object"});
    let (none, any) = (json!(null), json!({}));
    let text = |validated| (Form::Text, Some(json!("abc")), validated);
    let raw = (Form::Raw, None, false);
    let table = [
        ("text/plain", "text/plain", &string, "abc", text(true)),
        ("text/plain", "text/plain", &nullable, "abc", text(true)),
        ("text/plain", "text/plain", &reference, "abc", text(true)),
        ("text/plain", "text/plain", &none, "abc", text(false)),
        ("text/plain", "text/plain", &any, "abc", text(true)),
        ("text/plain", "text/plain", &binary, "abc", raw.clone()),
        ("text/csv", "text/csv", &object, "abc", raw.clone()),
        ("image/png", "image/*", &string, "abc", raw.clone()),
        ("image/png", "image/png", &none, "abc", raw.clone()),
        ("application/json", "*/*", &object, r#"{"a":1}"#, (Form::Json, Some(json!({"a": 1})), true)),
        ("application/json", "*/*", &none, r#"{"a":1}"#, (Form::Json, Some(json!({"a": 1})), false)),
        ("application/json", "*/*", &string, r#""abc""#, text_as(Form::Json)),
        ("application/json", "*/*", &string, "abc", text(true)),
        ("application/json", "application/*", &binary, r#"{"a":1}"#, raw.clone()),
        ("text/plain", "text/plain", &string, "", (Form::Text, Some(json!("")), true)),
    ];
    for (content_type, declared, schema, body, expected) in table {
        let spec = spec(&[(declared, schema.clone())]);
        assert_eq!(
            get(&spec, content_type, body.as_bytes()),
            Ok(expected),
            "{content_type} {declared} {schema}"
        );
    }
    let not_utf8 = spec(&[("text/plain", string)]);
    assert_eq!(get(&not_utf8, "text/plain", b"\xff"), Ok(raw));
}

fn text_as(form: Form) -> Got {
    (form, Some(json!("abc")), true)
}

#[test]
fn what_is_not_declared_is_read_as_far_as_it_goes() {
    let bare = ReplySpec { status: StatusMatch::Exact(201), content: [].into() };
    let table: &[(Option<&str>, &[u8], Form, usize)] = &[
        (Some("application/json"), b"{}", Form::Json, 0),
        (Some("application/json"), b"{", Form::Raw, 1),
        (Some("text/plain"), b"a", Form::Text, 0),
        (Some("text/plain"), b"\xff", Form::Raw, 1),
        (Some("image/png"), b"a", Form::Raw, 0),
        (Some("nonsense"), b"a", Form::Raw, 0),
        (None, b"{}", Form::Raw, 0),
        (Some("application/json"), b"", Form::Absent, 0),
    ];
    for (content_type, body, form, warnings) in table {
        let declared = decode(body, *content_type, Some(&bare), 201, &Method::POST).expect("lenient");
        assert_eq!((declared.form, declared.warnings.len()), (*form, *warnings), "{content_type:?}");
        assert!(declared.schema.is_none());
        let undeclared = decode(body, *content_type, None, 201, &Method::POST).expect("lenient");
        assert_eq!((undeclared.form, undeclared.warnings.len()), (*form, warnings + 1));
        assert_eq!(undeclared.warnings[0], "status 201 is not declared; nothing was validated");
    }
}

#[test]
fn a_reply_without_content_type_is_what_was_declared_or_bytes() {
    let json = spec(&[("text/csv", json!(null)), ("application/json", json!({"type": "object"}))]);
    let decoded = decode(b"{}", None, Some(&json), 200, &Method::GET).expect("JSON");
    assert_eq!((decoded.form, decoded.schema.is_some()), (Form::Json, true));
    assert_eq!(decoded.warnings, ["the reply has no Content-Type"]);
    let any = spec(&[("*/*", json!(null))]);
    assert_eq!(decode(b"{}", None, Some(&any), 200, &Method::GET).expect("bytes").form, Form::Raw);
    let csv = spec(&[("text/csv", json!(null))]);
    let error = decode(b"a", None, Some(&csv), 200, &Method::GET).expect_err("not declared");
    assert_eq!(error.to_string(), "status 200 with no Content-Type: declared is `text/csv`");
}

#[test]
fn members_that_come_twice_are_reported() {
    let spec = spec(&[("application/json", json!(null))]);
    let body = br#"{"a":{"b":1,"b":2}}"#;
    let decoded = decode(body, Some("application/json"), Some(&spec), 200, &Method::GET).expect("JSON");
    assert_eq!(decoded.json, Some(json!({"a": {"b": 2}})));
    assert_eq!(decoded.warnings, ["the member at `/a/b` comes twice; the last one counts"]);
}
