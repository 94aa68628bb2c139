//! Schemas that judge for each other say what one validator with everything in it would say.

mod equal;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::catalog::schema::engine::Validator;

/// Schemas by number; each refers to `#/$defs/<number>`.
#[derive(Debug)]
struct Numbered(Vec<Value>);

impl SchemaSource for Numbered {
    fn write(&self, id: SchemaId, _: Direction) -> Result<Value, SchemaError> {
        Ok(self.0[id.0 as usize].clone())
    }

    fn name(&self, id: SchemaId) -> Result<String, SchemaError> {
        Ok(format!("s{}", id.0))
    }

    fn patterns(&self) -> Result<Vec<String>, SchemaError> {
        let mut found = Vec::new();
        for mut schema in self.0.clone() {
            walk::walk(&mut schema, &mut |keywords, _| {
                found.extend(text::patterns(keywords).map(str::to_owned));
            });
        }
        Ok(found)
    }
}

fn schemas(schemas: Vec<Value>) -> Arc<Schemas> {
    Schemas::new(Arc::new(Numbered(schemas)))
}

fn first(all: Vec<Value>) -> Schema {
    Schema::new(&schemas(all), SchemaId(0), Direction::Reply)
}

fn to(number: u32) -> Value {
    json!({"$ref": SchemaId(number).reference()})
}

fn text(schema: &Schema) -> Value {
    schema.to_value().expect("it is at hand")
}

/// What the validator with everything in it tells.
fn ordinary(schema: &Schema, value: &Value) -> Vec<Violation> {
    let validator = Validator::complete(&text(schema)).expect("a usable schema");
    violation::told(validator.is_valid(value), || validator.violations(value))
}

/// `pointer keyword` of each violation, after a comparison with the ordinary validator.
fn breaks(schema: &Schema, value: &Value) -> Vec<String> {
    let violations = schema.violations(value).expect("a usable schema");
    assert_eq!(violations, ordinary(schema, value), "{} judges {value}", text(schema));
    violations.iter().map(|violation| format!("{} {}", violation.pointer, violation.keyword)).collect()
}

#[test]
fn the_place_and_the_keyword_are_exact_through_any_number_of_references() {
    let schema = first(vec![
        json!({"type": "object", "properties": {"a/b": {"type": "array", "items": to(1)}}, "propertyNames": to(4)}),
        json!({"allOf": [to(2)], "required": ["id"]}),
        json!({"properties": {"id": to(3), "next": to(1)}, "additionalProperties": false}),
        json!({"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/5", "minLength": 2}]}),
        json!({"maxLength": 3}),
        json!({"type": "string"}),
    ]);
    assert_eq!(breaks(&schema, &json!({"a/b": [{"id": 1, "next": {"id": "ab"}}]})), [""; 0]);
    assert_eq!(
        breaks(&schema, &json!({"a/b": [{"id": 1, "next": {"id": "a"}}, {"next": {"x": 1}}], "long": 1})),
        [
            "/a~1b/0/next/id anyOf",
            "/a~1b/1 required",
            "/a~1b/1/next required",
            "/a~1b/1/next additionalProperties",
            " propertyNames"
        ]
    );
    let many: Vec<Value> = (0..20).map(|_| json!({})).collect();
    assert_eq!(breaks(&schema, &json!({ "a/b": many })).len(), 8);
}

#[test]
fn what_is_unevaluated_is_known_across_references() {
    let schema = first(vec![
        json!({"$ref": "#/$defs/1", "anyOf": [to(3), true], "properties": {"c": {}}, "unevaluatedProperties": false}),
        json!({"allOf": [to(2)], "properties": {"a": to(4)}}),
        json!({"properties": {"b": {}, "d": {"prefixItems": [{}], "unevaluatedItems": to(4)}}}),
        json!({"required": ["e"], "properties": {"e": to(4), "f": {}}}),
        json!({"type": "integer"}),
    ]);
    assert_eq!(breaks(&schema, &json!({"a": 1, "b": 2, "c": 3})), [""; 0]);
    assert_eq!(breaks(&schema, &json!({"a": 1, "e": 2, "f": 3, "d": [null, 1]})), [""; 0]);
    assert_eq!(breaks(&schema, &json!({"a": 1, "f": 3})), [" unevaluatedProperties"]);
    assert_eq!(
        breaks(&schema, &json!({"a": "1", "d": [null, "1"]})),
        [" unevaluatedProperties", "/a type", "/d unevaluatedItems"]
    );
    let items = first(vec![
        json!({"properties": {"x": {"allOf": [to(1)], "unevaluatedItems": false}}, "allOf": [to(1)]}),
        json!({"prefixItems": [{"type": "integer"}]}),
    ]);
    assert_eq!(breaks(&items, &json!({"x": [1]})), [""; 0]);
    assert_eq!(breaks(&items, &json!({"x": [1, 2]})), ["/x unevaluatedItems"]);
}

#[test]
fn circles_about_one_value_end() {
    let table = [
        (vec![to(0)], true),
        (vec![to(1), to(0)], true),
        (vec![json!({"allOf": [to(0)], "type": "integer"})], true),
        (vec![json!({"type": "string", "allOf": [to(1)]}), json!({"anyOf": [to(0), {"not": to(1)}]})], false),
        (vec![json!({"not": to(0)})], false),
        (vec![json!({"allOf": [to(0)], "unevaluatedProperties": false})], true),
        (vec![json!({"if": to(0), "then": {"type": "integer"}, "else": to(0)})], true),
        (vec![json!({"dependentSchemas": {"a": to(1)}}), to(0)], true),
    ];
    for (all, takes_a_number) in table {
        let schema = first(all.clone());
        assert_eq!(schema.prepare(), Ok(()), "{all:?}");
        for value in [json!(1), json!({"a": {"a": 1}})] {
            let violations = schema.violations(&value).expect("usable");
            assert!(value != json!(1) || violations.is_empty() == takes_a_number, "{all:?} {violations:?}");
        }
    }
}

#[test]
fn an_answer_inside_a_circle_is_not_kept_for_others() {
    // Seen from 0, the schema 1 asks 0 again, which counts as fulfilled there; alone it is not.
    let around = |inner: Value| (0..20).fold(inner, |inner, _| json!({"allOf": [inner]}));
    let mut all = vec![json!({"anyOf": [{"allOf": [to(1), {"minProperties": 9}]}, to(1)]})];
    all.push(json!({"allOf": [around(to(0)), {"$ref": "#/$defs/2"}]}));
    all.extend((2..40).map(|number| to(number + 1)));
    all.push(json!({"required": ["x"]}));
    assert_eq!(breaks(&first(all.clone()), &json!({"x": 1})), [""; 0]);
    assert_eq!(breaks(&first(all), &json!({})), [" anyOf"]);
}

/// `innermost` under so many members called `next`.
fn nested(depth: usize, innermost: Value) -> Value {
    (0..depth).fold(innermost, |inner, _| Value::Object([("next".to_owned(), inner)].into_iter().collect()))
}

/// Takes a value apart without recursion.
fn take_apart(mut value: Value) {
    while let Some(inner) = value.get_mut("next").map(Value::take) {
        value = inner;
    }
}

#[test]
fn deep_values_need_no_more_stack_than_threads_have() {
    let depth = if cfg!(debug_assertions) { 1_000 } else { 2_000 };
    let judge = move || {
        let chain = first(vec![json!({"type": "object", "properties": {"next": to(0)}})]);
        let alternatives = first(vec![
            json!({"type": "object", "properties": {"next": to(1)}}),
            json!({"anyOf": [to(0), {"type": "integer"}]}),
        ]);
        let table = [
            (&chain, json!({}), 0),
            (&alternatives, json!(1), 0),
            (&chain, json!(1), 1),
            (&alternatives, json!("x"), 1),
        ];
        for (schema, innermost, expected) in table {
            let value = nested(depth, innermost);
            let violations = schema.violations(&value).expect("usable");
            assert_eq!(violations.len(), expected);
            // Without alternatives the place is the innermost one.
            assert!(violations.iter().all(|violation| violation.pointer
                == "/next".repeat(if violation.keyword == "type" { depth } else { 1 })));
            take_apart(value);
        }
        // One that is deeper than anybody means is refused, whatever the stack.
        let value = nested(20_000, json!({}));
        assert!(chain.violations(&value).expect_err("too deep").to_string().ends_with("nested too deeply"));
        take_apart(value);
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(judge).expect("a thread");
    thread.join().expect("the stack is enough");
}

#[test]
fn alternatives_that_ask_the_same_cost_no_more_with_depth() {
    // Each level asks its member twice: 2^90 questions, were answers not kept.
    let schema = first(vec![
        json!({"anyOf": [{"$ref": "#/$defs/1", "required": ["none"]}, to(1)]}),
        json!({"type": "object", "properties": {"next": to(2)}}),
        json!({"anyOf": [{"type": "integer"}, {"allOf": [to(0)]}, {"allOf": [to(0)], "maxProperties": 0}]}),
    ]);
    for (innermost, expected) in [(json!(1), 0), (json!("x"), 1)] {
        let value = nested(90, innermost);
        assert_eq!(schema.violations(&value).expect("usable").len(), expected);
    }
}

#[test]
fn a_pattern_that_is_none_is_known_before_the_call_wherever_it_is() {
    let all = schemas(vec![
        json!({"items": to(1)}),
        json!({"allOf": [to(2), to(0)]}),
        json!({"properties": {"x": {"pattern": "("}}}),
        json!({"items": to(4)}),
        json!({"patternProperties": {"^a": to(3)}}),
        json!({"not": to(2)}),
    ]);
    let schema = |number| Schema::new(&all, SchemaId(number), Direction::Request);
    for lost in [0, 1, 2, 5] {
        let error = schema(lost).prepare().expect_err("a pattern is wrong").to_string();
        let place = if lost == 2 { "/properties/x/pattern" } else { "/properties/x/pattern of `s2`" };
        assert!(error.contains("regex") && error.ends_with(place), "{error}");
    }
    assert_eq!(schema(3).prepare(), Ok(()));
    // Whoever did not ask is told, also where the schema is asked whether it does not hold.
    for number in [0, 5] {
        assert!(schema(number).violations(&json!([{}])).is_err(), "{number}");
    }
    assert_eq!(schema(0).violations(&json!(1)), Ok(Vec::new()));
}

#[test]
fn a_pattern_that_is_given_up_decides_nothing_through_a_reference() {
    let given_up = "a".repeat(40) + "b";
    let hard = json!({"pattern": "^((?=a)a+)+$"});
    for all in [
        vec![to(1), hard.clone()],
        vec![json!({"not": to(1)}), hard.clone()],
        vec![json!({"oneOf": [to(1), {"type": "string"}]}), hard.clone()],
        vec![json!({"if": to(1), "then": true, "else": true}), hard.clone()],
        vec![json!({"not": to(1)}), json!({"anyOf": [to(2), {"type": "null"}]}), hard.clone()],
        vec![json!({"items": {"not": to(1)}}), hard],
    ] {
        let schema = first(all);
        breaks(&schema, &json!(given_up));
        breaks(&schema, &json!([given_up]));
        breaks(&schema, &json!("aaa"));
        breaks(&schema, &json!("b"));
    }
    // An ordinary validator does not take it for a proof either.
    let schema = first(vec![json!({"not": to(1)}), json!({"pattern": "^((?=a)a+)+$"})]);
    assert_eq!(breaks(&schema, &json!(given_up)).len(), 1);
}

#[test]
fn nothing_keeps_a_source_alive() {
    let source: Arc<dyn SchemaSource> = Arc::new(Numbered(vec![json!({"items": to(0)})]));
    let weak = Arc::downgrade(&source);
    let schemas = Schemas::new(source);
    let schema = Schema::new(&schemas, SchemaId(0), Direction::Reply);
    assert_eq!(schema.violations(&json!([[[]]])), Ok(Vec::new()));
    drop((schema, schemas));
    assert!(weak.upgrade().is_none(), "what recursive schemas are compiled to holds no source");
}
