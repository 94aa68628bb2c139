//! What a change of a document means for whoever planned with it before.

use std::sync::Arc;

use schemarouter::catalog::{ContractChange, Endpoint, compare};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Request, Router};
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://api.test"}],
        "security": [{"key": []}],
        "paths": {"/things/{id}": {"post": {
            "operationId": "op",
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
                {"name": "sort", "in": "query", "schema": {"enum": ["up", "down"]}},
                {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
            ],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "type": "object", "required": ["name"], "additionalProperties": false,
                "properties": {"name": {"type": "string", "maxLength": 10}, "note": {"type": "string"}}
            }}}},
            "responses": {
                "200": {"description": "It.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}},
                "404": {"description": "None."}
            }
        }}},
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "token": {"type": "http", "scheme": "bearer"}
            },
            "schemas": {"Item": {
                "type": "object", "required": ["id"],
                "properties": {
                    "id": {"type": "string"},
                    "size": {"type": "integer", "minimum": 0, "maximum": 10},
                    "kind": {"enum": ["a", "b"]},
                    "shape": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                    "parent": {"$ref": "#/components/schemas/Item"}
                }
            }}
        }
    })
}

fn compiled(document: &Value) -> Compiled {
    let document = Document::from_json(document.to_string(), &Limits::default()).expect("JSON");
    compile(document, &Options::new("api")).expect("OpenAPI")
}

fn endpoint(document: &Value) -> Arc<Endpoint> {
    let router = Router::builder().source(compiled(document)).build().expect("valid");
    router.endpoint("op").expect("it is declared")
}

/// One edit: a place and what stands there then; `null` takes it away.
type Edit = (&'static str, Value);

fn edited(edits: &[Edit]) -> Value {
    let mut document = document();
    for (place, value) in edits {
        let (parent, last) = place.rsplit_once('/').expect("a pointer");
        match document.pointer_mut(parent).expect(place) {
            Value::Object(members) if value.is_null() => drop(members.remove(&last.replace("~1", "/"))),
            Value::Object(members) => drop(members.insert(last.replace("~1", "/"), value.clone())),
            Value::Array(items) if last == "-" => items.push(value.clone()),
            Value::Array(items) => {
                let at: usize = last.parse().expect("an index");
                if value.is_null() { drop(items.remove(at)) } else { items[at] = value.clone() }
            }
            other => panic!("{place}: {other}"),
        }
    }
    document
}

fn line(change: &ContractChange) -> String {
    let place = if change.place.is_empty() { String::new() } else { format!(" {}", change.place) };
    format!("{} {}{place} {}", change.judgement.word(), change.part.word(), change.rule)
}

const OP: &str = "/paths/~1things~1{id}/post";
const ITEM: &str = "/components/schemas/Item";

fn at(base: &str, rest: &str) -> &'static str {
    Box::leak(format!("{base}{rest}").into_boxed_str())
}

#[test]
fn each_change_is_judged_for_what_is_sent_and_for_what_is_received() {
    let op = |rest: &str| at(OP, rest);
    let item = |rest: &str| at(ITEM, rest);
    let body = |rest: &str| at(OP, &format!("/requestBody/content/application~1json/schema{rest}"));
    let ok = |rest: &str| at(OP, &format!("/responses/200{rest}"));
    let table: Vec<(&str, Vec<Edit>, Vec<&str>)> = vec![
        (
            "prose only",
            vec![(op("/summary"), json!("Better.")), (item("/description"), json!("An item."))],
            vec![],
        ),
        // What is sent: arguments.
        (
            "an optional argument",
            vec![(op("/parameters/-"), json!({"name": "q", "in": "query", "schema": {}}))],
            vec!["compatible request q argument_added"],
        ),
        (
            "a required argument",
            vec![(op("/parameters/-"), json!({"name": "q", "in": "query", "required": true, "schema": {}}))],
            vec!["breaking request q argument_required_added"],
        ),
        (
            "an argument less",
            vec![(op("/parameters/2"), Value::Null)],
            vec!["breaking request sort argument_removed"],
        ),
        (
            "an argument is required",
            vec![(op("/parameters/1/required"), json!(true))],
            vec!["breaking request limit argument_required"],
        ),
        (
            "a larger maximum",
            vec![(op("/parameters/1/schema/maximum"), json!(200))],
            vec!["compatible request limit limit_changed"],
        ),
        (
            "a smaller maximum",
            vec![(op("/parameters/1/schema/maximum"), json!(50))],
            vec!["breaking request limit limit_changed"],
        ),
        (
            "a first minimum",
            vec![(op("/parameters/1/schema/minimum"), json!(1))],
            vec!["breaking request limit limit_changed"],
        ),
        (
            "a value more",
            vec![(op("/parameters/2/schema/enum/-"), json!("none"))],
            vec!["compatible request sort enum_changed"],
        ),
        (
            "a value less",
            vec![(op("/parameters/2/schema/enum/1"), Value::Null)],
            vec!["breaking request sort enum_changed"],
        ),
        (
            "another value",
            vec![(op("/parameters/2/schema/enum/1"), json!("none"))],
            vec!["breaking request sort enum_changed"],
        ),
        (
            "another type",
            vec![(op("/parameters/0/schema/type"), json!("integer"))],
            vec!["breaking request id type_changed"],
        ),
        (
            "a type more",
            vec![(op("/parameters/0/schema/type"), json!(["string", "integer"]))],
            vec!["compatible request id type_changed"],
        ),
        (
            "integers become numbers",
            vec![(op("/parameters/1/schema/type"), json!("number"))],
            vec!["compatible request limit type_changed"],
        ),
        (
            "a pattern",
            vec![(op("/parameters/0/schema/pattern"), json!("^o-"))],
            vec!["undecided request id pattern_changed"],
        ),
        (
            "a format",
            vec![(op("/parameters/0/schema/format"), json!("uuid"))],
            vec!["undecided request id keyword_changed"],
        ),
        (
            "items of lists",
            vec![(op("/parameters/3/schema/items/type"), json!(["string", "integer"]))],
            vec!["compatible request tags/* type_changed"],
        ),
        (
            "explode",
            vec![(op("/parameters/3/explode"), json!(false))],
            vec!["undecided request tags wire_form_changed"],
        ),
        // The body.
        (
            "an optional member",
            vec![(body("/properties/extra"), json!({"type": "string"}))],
            vec!["compatible request body/extra property_added"],
        ),
        (
            "a member less",
            vec![(body("/properties/note"), Value::Null)],
            vec!["breaking request body/note property_removed"],
        ),
        (
            "a member is required",
            vec![(body("/required/-"), json!("note"))],
            vec!["breaking request body/note property_required"],
        ),
        (
            "a member may be absent",
            vec![(body("/required"), json!([]))],
            vec!["compatible request body/name property_optional"],
        ),
        (
            "a shorter text",
            vec![(body("/properties/name/maxLength"), json!(5))],
            vec!["breaking request body/name limit_changed"],
        ),
        (
            "a member may be null",
            vec![(body("/properties/note/type"), json!(["string", "null"]))],
            vec!["compatible request body/note type_changed"],
        ),
        (
            "other members may come",
            vec![(body("/additionalProperties"), Value::Null)],
            vec!["compatible request body/* allowed"],
        ),
        // What is received.
        (
            "a reply may have a member more",
            vec![(item("/properties/extra"), json!({"type": "string"}))],
            vec!["compatible reply 200 application/json /extra property_added"],
        ),
        (
            "a reply says less",
            vec![(item("/properties/size"), Value::Null)],
            vec!["undecided reply 200 application/json /size property_removed"],
        ),
        (
            "a reply may lack a member",
            vec![(item("/required"), json!([]))],
            vec!["breaking reply 200 application/json /id property_optional"],
        ),
        (
            "a reply always has a member",
            vec![(item("/required/-"), json!("size"))],
            vec!["compatible reply 200 application/json /size property_required"],
        ),
        (
            "a reply may have another value",
            vec![(item("/properties/kind/enum/-"), json!("c"))],
            vec!["breaking reply 200 application/json /kind enum_changed"],
        ),
        (
            "a reply has fewer values",
            vec![(item("/properties/kind/enum/1"), Value::Null)],
            vec!["compatible reply 200 application/json /kind enum_changed"],
        ),
        (
            "a reply may be null there",
            vec![(item("/properties/id/type"), json!(["string", "null"]))],
            vec!["breaking reply 200 application/json /id type_changed"],
        ),
        (
            "a larger value may come",
            vec![(item("/properties/size/maximum"), json!(20))],
            vec!["breaking reply 200 application/json /size limit_changed"],
        ),
        (
            "values are smaller",
            vec![(item("/properties/size/maximum"), json!(5))],
            vec!["compatible reply 200 application/json /size limit_changed"],
        ),
        (
            "no other member comes",
            vec![(item("/additionalProperties"), json!(false))],
            vec!["compatible reply 200 application/json /* forbidden"],
        ),
        (
            "a branch of oneOf",
            vec![(item("/properties/shape/oneOf/1/type"), json!("number"))],
            vec!["undecided reply 200 application/json /shape type_changed"],
        ),
        (
            "a branch more of oneOf",
            vec![(item("/properties/shape/oneOf/-"), json!({"type": "null"}))],
            vec!["undecided reply 200 application/json /shape keyword_changed"],
        ),
        (
            "deep in a ring",
            vec![(
                item("/properties/parent"),
                json!({"anyOf": [{"$ref": "#/components/schemas/Item"}, {"type": "null"}]}),
            )],
            vec!["undecided reply 200 application/json /parent branches_changed"],
        ),
        (
            "a failure more",
            vec![(op("/responses/409"), json!({"description": "Taken."}))],
            vec!["compatible reply 409 status_added"],
        ),
        (
            "a success more",
            vec![(op("/responses/202"), json!({"description": "Later."}))],
            vec!["undecided reply 202 status_added"],
        ),
        (
            "a status less",
            vec![(op("/responses/404"), Value::Null)],
            vec!["undecided reply 404 status_removed"],
        ),
        (
            "another media type",
            vec![(ok("/content"), json!({"text/plain": {}}))],
            vec![
                "undecided reply 200 application/json media_type_removed",
                "undecided reply 200 text/plain media_type_added",
            ],
        ),
        (
            "a header of a reply",
            vec![(ok("/headers"), json!({"X-Total": {"schema": {"type": "integer"}}}))],
            vec!["undecided reply other"],
        ),
        // What is demanded.
        (
            "another proof is enough too",
            vec![("/security/-", json!({"token": []}))],
            vec!["compatible security security_widened"],
        ),
        (
            "another proof is needed",
            vec![("/security", json!([{"token": []}]))],
            vec!["breaking security security_narrowed", "compatible security security_widened"],
        ),
        (
            "both are needed",
            vec![("/security", json!([{"key": [], "token": []}]))],
            vec!["breaking security security_narrowed"],
        ),
        ("no proof is needed", vec![("/security", json!([]))], vec!["compatible security security_widened"]),
        // Where it is.
        (
            "another path",
            vec![("/paths", {
                let p = document()["paths"]["/things/{id}"].clone();
                json!({"/v2/things/{id}": p})
            })],
            vec!["undecided request path_changed"],
        ),
        (
            "another method",
            vec![("/paths/~1things~1{id}", {
                let op = document()["paths"]["/things/{id}"]["post"].clone();
                json!({"put": op})
            })],
            vec!["breaking request method_changed"],
        ),
        (
            "several at once",
            vec![
                (op("/parameters/1/schema/maximum"), json!(50)),
                (op("/parameters/-"), json!({"name": "q", "in": "query", "schema": {}})),
                (item("/properties/kind/enum/-"), json!("c")),
            ],
            vec![
                "breaking request limit limit_changed",
                "compatible request q argument_added",
                "breaking reply 200 application/json /kind enum_changed",
            ],
        ),
    ];
    let before = endpoint(&document());
    for (name, edits, expected) in table {
        let after = endpoint(&edited(&edits));
        let changes = compare(&before, &after);
        let told: Vec<String> = changes.iter().map(line).collect();
        assert_eq!(told, expected, "{name}");
        let is_pinned_so = before.fingerprints.pin() == after.fingerprints.pin();
        assert_eq!(is_pinned_so, changes.is_empty(), "{name}: a pin moves where something has changed");
        assert!(compare(&after, &after).is_empty(), "{name}");
    }
}

#[test]
fn a_stale_pin_is_told_each_change_and_what_it_means() {
    let router = Router::builder().source(compiled(&document())).build().expect("valid");
    let pin = router.endpoint("op").expect("it is declared").fingerprints.pin();
    let stale = |router: &Router| {
        let request = Request::new("op", json!({"id": "1", "body": {"name": "n"}})).with_fingerprint(pin);
        let error = router.dry_run(&request).expect_err("it is another contract");
        assert_eq!(error.kind(), ErrorKind::StaleFingerprint);
        error
    };
    let edits = [
        (at(OP, "/parameters/1/schema/maximum"), json!(50)),
        (at(OP, "/parameters/-"), json!({"name": "q", "in": "query", "schema": {}})),
    ];
    router.replace(compiled(&edited(&edits))).expect("it takes its place");
    let error = stale(&router);
    let detail = |name: &str| error.report().details.get(name).map(String::as_str);
    assert_eq!(detail("changes"), Some("1 breaking, 1 compatible"));
    assert_eq!(detail("change 01"), Some("breaking: request limit: `maximum` was 100 and is 50"));
    assert_eq!(detail("change 02"), Some("compatible: request q: an argument is new, and may be left out"));
    assert_eq!(detail("changed"), Some("request"));

    router.replace(compiled(&edited(&edits[1..]))).expect("it takes its place");
    let error = stale(&router);
    assert_eq!(error.report().details.get("changes").map(String::as_str), Some("1 compatible"));
    let hint = error.report().hint.clone().expect("there is a next step");
    assert!(hint.contains("every change that is told is compatible"), "{hint}");

    // What was replaced long ago is not kept whole; which parts have changed is still known.
    for maximum in 0..5 {
        let edits = [(at(OP, "/parameters/1/schema/maximum"), json!(maximum))];
        router.replace(compiled(&edited(&edits))).expect("it takes its place");
    }
    let error = stale(&router);
    assert_eq!(error.report().details.get("changed").map(String::as_str), Some("request"));
    assert_eq!(error.report().details.get("changes"), None);
}
