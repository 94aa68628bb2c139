//! Which fields of a reply are wanted: what is kept, what is told, what is refused.

use proptest::prelude::*;
use schemarouter::executor::{Attempt, ByteStream, Failure, Invocation, Invoker, Reply as Answer};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::Spent;
use schemarouter::router::{Contract, Fallback, Outcome, Plan, Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Map, Value, json};

use crate::support::api::Api;
use crate::support::{Says, Scripted, call, saying};

/// What is left of a text, and the warnings.
fn selected(text: &str, fields: &[&str]) -> (String, Vec<String>) {
    under(None, text, fields)
}

fn under(schema: Option<Value>, text: &str, fields: &[&str]) -> (String, Vec<String>) {
    let outcome = outcome(schema, text, fields);
    let json = outcome.data.raw_json().expect("JSON").get().to_owned();
    assert_eq!(outcome.data.json(), serde_json::from_str(&json).ok().as_ref(), "both tell the same");
    assert_eq!(outcome.data.bytes().map(|bytes| &bytes[..]), Some(json.as_bytes()));
    (json, outcome.warnings)
}

fn outcome(schema: Option<Value>, text: &str, fields: &[&str]) -> Outcome {
    let request = saying(text).with_fields(fields.iter().copied());
    Says::router(schema).invoke(request, &RunConfig::default()).expect("it succeeds")
}

#[test]
fn a_selection_keeps_nested_paths_through_lists_in_order_and_digit_for_digit() {
    let text = r#" {"z": 1.10, "items": [ {"id": 12345678901234567890123, "n": {"x": -0.0e+1, "y": "\u0061"}}, {"n": null} ],
        "a.b": [[{"c": 1, "d": 2}], []], "empty": {}, "a": true} "#;
    let table: [(&[&str], &str); 12] = [
        (&["z"], r#"{"z":1.10}"#),
        (&["a", "z"], r#"{"z":1.10,"a":true}"#),
        (&["z", "z", "/z"], r#"{"z":1.10}"#),
        (&["items.id"], r#"{"items":[{"id":12345678901234567890123},{}]}"#),
        (&["items.n.x"], r#"{"items":[{"n":{"x":-0.0e+1}},{"n":null}]}"#),
        (
            &["items.n.y", "items.id"],
            r#"{"items":[{"id":12345678901234567890123,"n":{"y":"\u0061"}},{"n":null}]}"#,
        ),
        (
            &["items.id", "items"],
            r#"{"items":[{"id":12345678901234567890123,"n":{"x":-0.0e+1,"y":"\u0061"}},{"n":null}]}"#,
        ),
        (&["/items/1/n"], r#"{"items":[{"n":null}]}"#),
        (&["/a.b/c"], r#"{"a.b":[[{"c":1}],[]]}"#),
        (&["/a.b/0/0/d"], r#"{"a.b":[[{"d":2}]]}"#),
        (&["empty.x", "z.x"], r#"{"empty":{}}"#),
        (&["items.0"], r#"{"items":[{},{}]}"#),
    ];
    for (fields, kept) in table {
        assert_eq!(selected(text, fields).0, kept, "{fields:?}");
    }
    assert_eq!(selected(r#"[{"id": 1, "x": 2}, 3]"#, &["id"]).0, r#"[{"id":1}]"#);
    assert_eq!(selected(r"[[1.0, 2], [3]]", &["/0/1"]).0, "[[2]]");
    assert_eq!(selected(r#"{"a/b": {"m~n": 1, "": 2}}"#, &["/a~1b/m~0n"]).0, r#"{"a/b":{"m~n":1}}"#);
    assert_eq!(selected(r#"{"a/b": {"m~n": 1, "": 2}}"#, &["/a~1b/"]).0, r#"{"a/b":{"":2}}"#);
    assert_eq!(selected("\u{feff}{\"a\": 1, \"b\": 2}", &["a"]).0, r#"{"a":1}"#);
    // A name that comes twice is two members, as it was received.
    assert_eq!(selected(r#"{"a": 1, "b": 2, "a": 3}"#, &["a"]).0, r#"{"a":1,"a":3}"#);
}

#[test]
fn a_field_that_the_schema_does_not_have_is_told_with_the_nearest_name() {
    let schema = json!({
        "$ref": "#/$defs/page",
        "$defs": {
            "page": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/item"}}, "next": {"type": ["string", "null"]}}},
            "item": {
                "allOf": [{"type": "object", "properties": {"id": {}, "parent": {"$ref": "#/$defs/item"}}}],
                "oneOf": [{"properties": {"colour": {"type": "string"}}, "additionalProperties": false}, {"properties": {"labels": {"additionalProperties": {"properties": {"text": {}}}}}}]
            }
        }
    });
    let text = r#"{"items": [{"id": 1, "idd": 2, "labels": {"x": {"text": "t"}}}], "next": null}"#;
    let no = |field: &str, name: &str, near: &str| {
        vec![format!("field `{field}` is not in the reply's schema, which has no `{name}` there{near}")]
    };
    let table = [
        ("items.id", vec![]),
        // Declared, and not in this reply.
        ("items.parent.parent.colour", vec![]),
        ("/items/0/id", vec![]),
        ("next", vec![]),
        ("itmes.id", no("itmes.id", "itmes", "; did you mean `items`?")),
        ("items.color", no("items.color", "color", "; did you mean `colour`?")),
        ("/items/0/parent/idn", no("/items/0/parent/idn", "idn", "; did you mean `id`?")),
        // It came, and nobody promises that it will again.
        ("items.idd", no("items.idd", "idd", "; did you mean `id`?")),
        ("next.x", no("next.x", "x", "")),
        // Of the names in a map the schema says nothing; of what is below them it does.
        ("items.labels.x.text", vec![]),
        (
            "items.labels.y",
            vec!["field `items.labels.y` selects nothing: this reply does not have it".to_owned()],
        ),
        ("items.labels.x.txet", no("items.labels.x.txet", "txet", "; did you mean `text`?")),
        // `id` may be anything.
        ("items.id.x", vec!["field `items.id.x` selects nothing: this reply does not have it".to_owned()]),
    ];
    for (field, warnings) in table {
        // The reply has what its schema forbids.
        let outcome = Says::router_warning(schema.clone())
            .invoke(saying(text).with_fields([field]), &RunConfig::default())
            .expect("it succeeds");
        let told: Vec<_> =
            outcome.warnings.into_iter().filter(|warning| warning.starts_with("field")).collect();
        assert_eq!(told, warnings, "{field}");
    }
    // After the elements that are listed anything may come.
    let tuple = json!({"prefixItems": [{"type": "object", "properties": {"a": {}}}]});
    assert_eq!(under(Some(tuple.clone()), r#"[{"a": 1}, {"b": 2}]"#, &["/0/a", "/1/b"]).1, [""; 0]);
    assert_eq!(
        under(Some(tuple), r#"[{"b": 1}, {"b": 2}]"#, &["/0/b"]).1,
        no("/0/b", "b", "; did you mean `a`?")
    );
    // Without a schema, what is not there is all that can be told; of a list without elements not even that.
    assert_eq!(selected(r#"{"a": 1}"#, &["a", "b"]).1.len(), 1);
    assert_eq!(selected(r#"{"a": [], "b": null}"#, &["a.x", "b.x"]).1, [""; 0]);
}

#[test]
fn what_has_no_fields_stays_whole_and_is_told() {
    for text in ["5", "\"five\"", "true"] {
        let (json, warnings) = selected(text, &["a"]);
        assert_eq!((json.as_str(), warnings.len()), (text, 1));
        assert!(warnings[0].contains("neither an object nor a list"), "{warnings:?}");
    }
    let whole = outcome(None, "not JSON", &["a"]);
    assert_eq!(whole.data.bytes().map(|bytes| &bytes[..]), Some(&b"not JSON"[..]));
    assert_eq!(whole.warnings, ["no fields were selected: the reply is not JSON; the data is whole"]);
}

#[tokio::test]
async fn a_stream_stays_whole_and_is_told() {
    struct Streams;
    impl Invoker for Streams {
        async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Answer, Failure> {
            Ok(Answer::of_stream("application/json", ByteStream::new(futures_util::stream::empty())))
        }
    }
    let contract = Contract::new("test", "act", Effect::ReadOnly);
    let router = Router::builder().register(contract, Streams).build().expect("valid");
    let request = Request::new("test.act", json!({})).with_fields(["a"]);
    let outcome = router.ainvoke(request, &RunConfig::default()).await.expect("it begins to come");
    assert_eq!(outcome.warnings.len(), 1);
    assert!(outcome.data.into_stream().is_some());
}

#[tokio::test]
async fn a_selection_that_is_none_is_refused_before_anything_is_sent() {
    let invoker = Scripted::new(|_| Ok(json!({"a": 1})));
    let contract = Contract::new("test", "act", Effect::ReadOnly);
    let router = Router::builder().register(contract, invoker.clone()).build().expect("valid");
    let long = "x".repeat(513);
    let many = vec!["a"; 65];
    let table: [(&[&str], &str); 8] = [
        (&[], "`fields` names no field"),
        (&["a", ""], "`` in `fields` is no path"),
        (&["a..b"], "`a..b` in `fields` is no path"),
        (&[".a"], "`.a` in `fields` is no path"),
        (&["/a~2"], "`/a~2` in `fields` is no path"),
        (&["/a~"], "`/a~` in `fields` is no path"),
        (&["a", &long], "path 2 of `fields` has 513 bytes, and 512 is the most"),
        (&many, "`fields` has 65 paths, and 64 is the most"),
    ];
    for (fields, message) in table {
        let request = Request::new("test.act", json!({})).with_fields(fields.iter().copied());
        let error = router.ainvoke(request.clone(), &RunConfig::default()).await.expect_err("no selection");
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArguments, message));
        assert!(error.report().spent == Some(Spent::default()), "it costs nothing");
        let plan = Plan::in_order([Request::new("test.act", json!({})), request]);
        let error = router.ainvoke_plan(&plan, &RunConfig::default()).await.expect_err("no selection");
        assert_eq!(error.report().details.get("call").map(String::as_str), Some("2"));
    }
    assert_eq!(invoker.calls(), 0);
}

#[tokio::test]
async fn each_call_of_a_plan_has_its_own_selection() {
    let text = r#"{"a": 1, "b": 2}"#;
    let plan = json!({"calls": [
        {"endpoint": "test.say", "arguments": {"text": text}, "fields": ["b"]},
        {"endpoint": "test.say", "arguments": {"text": text}},
    ]});
    let plan: Plan = serde_json::from_value(plan).expect("a plan");
    let done = Says::router(None).ainvoke_plan(&plan, &RunConfig::default()).await.expect("admitted");
    let told = |at: usize| done.results[at].outcome().and_then(|outcome| outcome.data.json()).cloned();
    assert_eq!((told(0), told(1)), (Some(json!({"b": 2})), Some(json!({"a": 1, "b": 2}))));
}

#[tokio::test]
async fn a_fallback_answers_with_the_fields_that_were_asked_for() {
    let down = Scripted::new(|_| Err(Failure::unavailable("down")));
    let there = Scripted::new(|_| Ok(json!({"a": 1, "b": 2})));
    let contract = |name| Contract::new("test", name, Effect::ReadOnly);
    let router = Router::builder()
        .register(contract("first"), down)
        .register(contract("second"), there)
        .fallback(Fallback::new("test.first", "test.second"))
        .build()
        .expect("valid");
    let request = Request::new("test.first", json!({})).with_fields(["b"]);
    let outcome = router.ainvoke(request, &RunConfig::default()).await.expect("the fallback answers");
    assert_eq!(outcome.data.json(), Some(&json!({"b": 2})));
}

#[tokio::test]
async fn a_reply_is_held_against_its_schema_before_its_fields_are_selected() {
    let schema = json!({"200": {"description": "ok", "content": {"application/json": {"schema": {
        "type": "array", "items": {"$ref": "#/components/schemas/Job"}
    }}}}});
    let replies = [r#"[{"id": 1.10, "name": "saw"}]"#, r#"[{"id": 1.10}]"#];
    let server =
        Server::start(Script::sequence(replies.map(|text| Reply::json(200, text)))).await.expect("a socket");
    let mut api = Api::at(&server.url());
    api.document["paths"]["/jobs"]["get"]["responses"] = schema;
    api.document["components"] = json!({"schemas": {"Job": {
        "type": "object", "required": ["name"],
        "properties": {"id": {"type": "number"}, "name": {"type": "string"}, "after": {"$ref": "#/components/schemas/Job"}}
    }}});
    let router = api.builder().build().expect("valid");
    let fields = ["id", "after.after.nmae"];
    let request = Request::new("listJobs", json!({})).with_fields(fields);
    let outcome = router.ainvoke(request.clone(), &RunConfig::default()).await.expect("it is valid");
    assert_eq!(outcome.data.raw_json().map(serde_json::value::RawValue::get), Some(r#"[{"id":1.10}]"#));
    assert_eq!(
        outcome.warnings,
        [
            "field `after.after.nmae` is not in the reply's schema, which has no `nmae` there; did you mean `name`?"
        ]
    );
    let error = router.ainvoke(request, &RunConfig::default()).await.expect_err("it has no name");
    assert_eq!(error.kind(), ErrorKind::ContractViolation);
}

#[tokio::test]
async fn without_fields_and_limit_the_reply_is_as_received() {
    let (outcome, _) =
        call(Effect::ReadOnly, &Scripted::new(|_| Ok(json!({"a": [1]}))), &RunConfig::default()).await;
    let outcome = outcome.expect("it succeeds");
    assert_eq!(outcome.data.json(), Some(&json!({"a": [1]})));
    assert!(outcome.cut.is_none() && outcome.warnings.is_empty());
    let text = "{ \"a\" :\t1.0 }";
    let outcome = Says::router(None).ainvoke(saying(text), &RunConfig::default()).await.expect("it succeeds");
    assert_eq!(outcome.data.bytes().map(|bytes| &bytes[..]), Some(text.as_bytes()));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-c\"\\\\\u{e9}]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The rule, on a value.
fn model(value: &Value, paths: &[Vec<String>]) -> Option<Value> {
    if paths.iter().any(Vec::is_empty) {
        return Some(value.clone());
    }
    match value {
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, value) in members {
                let below: Vec<Vec<String>> =
                    paths.iter().filter(|path| path[0] == *name).map(|path| path[1..].to_vec()).collect();
                if let Some(value) =
                    Some(below).filter(|below| !below.is_empty()).and_then(|below| model(value, &below))
                {
                    kept.insert(name.clone(), value);
                }
            }
            Some(Value::Object(kept))
        }
        Value::Array(items) => Some(items.iter().filter_map(|item| model(item, paths)).collect()),
        Value::Null => Some(Value::Null),
        _ => None,
    }
}

proptest! {
    #[test]
    fn a_selection_is_that_of_the_model_and_a_second_one_changes_nothing(
        value in value(),
        paths in prop::collection::vec(prop::collection::vec("[a-e]", 1..4), 1..4),
    ) {
        let fields: Vec<String> = paths.iter().map(|path| path.join(".")).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let text = serde_json::to_string_pretty(&value).expect("JSON");
        let expected = model(&value, &paths).unwrap_or_else(|| value.clone());
        let (once, _) = selected(&text, &fields);
        prop_assert_eq!(&once, &expected.to_string());
        prop_assert_eq!(&selected(&once, &fields).0, &once);
    }
}
