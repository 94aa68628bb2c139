//! Results that are larger than their reader can take: where they are cut, and how the rest is got.

use std::sync::LazyLock;

use proptest::prelude::*;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{CutPlace, Outcome, ResultHandle, Router, RunConfig, Unit};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::support::{Says, saying};

fn outcome(text: &str, most: usize) -> Outcome {
    static ROUTER: LazyLock<Router> = LazyLock::new(|| Says::router(None));
    let config = RunConfig::default().with_max_result_bytes(most);
    ROUTER.invoke(saying(text), &config).expect("it succeeds")
}

fn json_of(outcome: &Outcome) -> &RawValue {
    outcome.data.raw_json().expect("JSON")
}

fn place(pointer: &str, unit: Unit, from: usize, to: usize, of: usize) -> CutPlace {
    CutPlace { pointer: pointer.to_owned(), unit, from, to, of }
}

#[test]
fn a_result_is_cut_where_it_is_largest_and_every_place_is_told() {
    let items: Vec<Value> = (0..100).map(|id| json!({"id": id, "name": format!("tool {id}")})).collect();
    let text = json!({"total": 100, "next": "abc", "items": items, "note": "é".repeat(300), "z": {"a": 1}})
        .to_string();
    let outcome = outcome(&text, 256);
    let cut = outcome.cut.as_ref().expect("it is cut");
    assert_eq!(
        json_of(&outcome).get(),
        format!(
            r#"{{"total":100,"next":"abc","items":[{{"id":0,"name":"tool 0"}},{{"id":1,"name":"tool 1"}},{{"id":2,"name":"tool 2"}}],"note":"{}","z":{{"a":1}}}}"#,
            "é".repeat(49)
        )
    );
    assert_eq!(
        cut.places,
        [place("/items", Unit::Elements, 0, 3, 100), place("/note", Unit::Characters, 0, 49, 300)]
    );
    assert_eq!(cut.full_bytes, text.len());
    assert!(json_of(&outcome).get().len() <= 256);
    // The report has it too, without the handle.
    let report = serde_json::to_value(outcome.report()).expect("JSON");
    assert_eq!(
        report["cut"]["places"][0],
        json!({"pointer": "/items", "unit": "elements", "from": 0, "to": 3, "of": 100})
    );
    assert_eq!(report["data"], *outcome.data.json().expect("JSON"));
    assert_eq!(report["cut"].as_object().map(Map::len), Some(2));
}

#[test]
fn the_rest_is_got_by_pointer_and_range() {
    let items: Vec<Value> = (0..100).map(|id| json!({"id": id, "text": "x".repeat(id * 20)})).collect();
    let outcome = outcome(&json!({"items": items, "more": "déjà vu ".repeat(100)}).to_string(), 300);
    let rest = outcome.cut.expect("it is cut").rest;
    let piece = rest.get("/items", 1..3).expect("it is there");
    assert_eq!(
        piece.json.get(),
        format!(r#"[{{"id":1,"text":"{}"}},{{"id":2,"text":"{}"}}]"#, "x".repeat(20), "x".repeat(40))
    );
    assert_eq!((piece.places, piece.next), (vec![place("/items", Unit::Elements, 1, 3, 100)], Some(3)));
    // An element that does not fit is cut itself, and has its place in the whole.
    let piece = rest.get("/items", 50..60).expect("it is there");
    assert_eq!(piece.next, Some(51));
    assert_eq!(piece.places[1].pointer, "/items/50/text");
    assert!(piece.json.get().len() <= 300);
    let piece = rest.get("/more", 2..6).expect("it is there");
    assert_eq!((piece.json.get(), piece.next), (r#""jà v""#, Some(6)));
    let piece = rest.get("/items/7/id", 0..1).expect("it is there");
    assert_eq!((piece.json.get(), piece.next, piece.places.len()), ("7", None, 0));
    let piece = rest.get("", 1..2).expect("it is there");
    assert_eq!(piece.places[0], place("", Unit::Members, 1, 2, 2));
    let piece = rest.get("/items", 500..600).expect("beyond the end is nothing");
    assert_eq!((piece.json.get(), piece.next), ("[]", None));
    for pointer in ["items", "/items/100", "/items/01", "/none", "/items/0/id/x"] {
        let error = rest.get(pointer, 0..1).expect_err("nothing is there");
        assert_eq!(error.kind(), ErrorKind::InvalidArguments);
        assert_eq!(error.message(), format!("nothing is at `{pointer}` in the result"));
    }
    assert_eq!(rest.clone().full(), rest.full());
}

#[test]
fn what_fits_stays_as_received_and_less_than_256_counts_as_256() {
    let text = format!("[ {} ]", "1".repeat(252));
    let outcome_of = |most| outcome(&text, most);
    for most in [256, 1, 0] {
        let outcome = outcome_of(most);
        assert!(outcome.cut.is_none());
        assert_eq!(outcome.data.bytes().map(|bytes| &bytes[..]), Some(text.as_bytes()));
    }
    // White space is no content.
    let spaced = format!("[{}1.10]", " ".repeat(300));
    let outcome_of_spaced = outcome(&spaced, 256);
    assert!(outcome_of_spaced.cut.is_none());
    assert_eq!(json_of(&outcome_of_spaced).get(), "[1.10]");
}

#[test]
fn what_is_no_json_is_not_cut_and_that_is_told() {
    let text = "x".repeat(300);
    let outcome = outcome(&text, 256);
    assert_eq!(outcome.data.bytes().map(|bytes| &bytes[..]), Some(text.as_bytes()));
    assert_eq!(
        outcome.warnings,
        [
            "the reply has 300 bytes, more than the limit of 256 on results, and no JSON structure to cut it at; it is whole"
        ]
    );
}

#[test]
fn fields_are_selected_before_anything_is_cut() {
    let text = json!({"wanted": "w".repeat(100), "other": "o".repeat(1000)}).to_string();
    let config = RunConfig::default().with_max_result_bytes(256);
    let call =
        |field: &str| Says::router(None).invoke(saying(&text).with_fields([field]), &config).expect("fine");
    assert!(call("wanted").cut.is_none());
    let cut = call("other").cut.expect("it is cut");
    assert_eq!(cut.places[0].pointer, "/other");
    assert_eq!(cut.full_bytes, 1012, "the full result is what was selected");
}

#[test]
fn a_number_too_long_to_be_there_is_null_and_its_digits_can_be_got() {
    let digits = format!("1.{}", "0123456789".repeat(40));
    let outcome = outcome(&digits, 256);
    assert_eq!(json_of(&outcome).get(), "null");
    let cut = outcome.cut.expect("it is cut");
    assert_eq!(cut.places, [place("", Unit::Characters, 0, 0, 402)]);
    let first = cut.rest.get("", 0..402).expect("it is there");
    assert_eq!((first.json.get().len(), first.next), (256, Some(254)));
}

#[test]
fn a_name_that_does_not_fit_is_an_error_and_no_endless_loop() {
    let text = format!(r#"{{"{}": 1}}"#, "n".repeat(300));
    let outcome = outcome(&text, 256);
    assert_eq!(json_of(&outcome).get(), "{}");
    let cut = outcome.cut.expect("it is cut");
    assert_eq!(cut.places, [place("", Unit::Members, 0, 0, 1)]);
    let error = cut.rest.get("", 0..1).expect_err("it cannot be shown");
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert_eq!(cut.rest.full(), text.as_bytes());
}

/// Texts of JSON with long and odd numbers, escapes, white space.
fn text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("false".to_owned()),
        "-?[1-9][0-9]{0,20}(\\.[0-9]{1,5})?(e[+-][0-9])?",
        "[1-9]\\.[0-9]{30,600}",
        "\\PC{0,40}".prop_map(|text| Value::from(text).to_string()),
        "[a-c\n\t\"\\\\\u{1}é😀]{0,400}".prop_map(|text| Value::from(text).to_string()),
        Just(r#""\u0061\ud83d\ude00\/""#.to_owned()),
    ];
    leaf.prop_recursive(5, 80, 8, |inner| {
        let named = ("[a-z~/ é\"]{0,6}", inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..30).prop_map(|items| format!("[ {} ]", items.join(" ,"))),
            prop::collection::vec(named, 0..12).prop_map(|members| {
                let members = members.iter().enumerate();
                let members = members
                    .map(|(at, (name, value))| format!("{}\n: {value}", Value::from(format!("{name}{at}"))));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

/// The pieces of a container with their tokens.
fn children(raw: &RawValue) -> Option<Vec<(String, Box<RawValue>)>> {
    match raw.get().as_bytes()[0] {
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(raw.get()).expect("a list");
            Some(items.into_iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect())
        }
        b'{' => {
            let order: Map<String, Value> = serde_json::from_str(raw.get()).expect("an object");
            let mut members: std::collections::HashMap<String, Box<RawValue>> =
                serde_json::from_str(raw.get()).expect("an object");
            let take = |name: &String| (name.clone(), members.remove(name).expect("a member"));
            Some(order.keys().map(take).collect())
        }
        _ => None,
    }
}

fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// Without white space; strings written in one way.
fn canonical(raw: &RawValue) -> String {
    match children(raw) {
        Some(children) if raw.get().starts_with('[') => {
            format!("[{}]", children.iter().map(|(_, item)| canonical(item)).collect::<Vec<_>>().join(","))
        }
        Some(children) => {
            let members = children
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        None if raw.get().starts_with('"') => {
            Value::from(serde_json::from_str::<String>(raw.get()).expect("a string")).to_string()
        }
        None => raw.get().to_owned(),
    }
}

/// Holds what is left against the whole: what is different is told, and nothing else is.
fn compare(full: &RawValue, left: &RawValue, pointer: &str, places: &mut Vec<CutPlace>) {
    let told = places.iter().position(|place| place.pointer == pointer).map(|at| places.remove(at));
    let (Some(whole), Some(kept)) = (children(full), children(left)) else {
        let Some(place) = told else {
            assert_eq!(canonical(full), canonical(left), "at {pointer}");
            return;
        };
        assert!(place.to < place.of && place.unit == Unit::Characters, "{place:?}");
        match serde_json::from_str::<String>(full.get()) {
            Ok(text) => {
                let kept: String = serde_json::from_str(left.get()).expect("a string");
                assert_eq!((kept, place.of), (text.chars().take(place.to).collect(), text.chars().count()));
            }
            Err(_) => assert_eq!((left.get(), place.to, place.of), ("null", 0, full.get().len())),
        }
        return;
    };
    let (to, of) = told.map_or((whole.len(), whole.len()), |place| (place.to, place.of));
    assert_eq!((kept.len(), whole.len()), (to, of), "at {pointer}");
    for ((token, whole), (kept_token, kept)) in whole.iter().zip(&kept) {
        assert_eq!(token, kept_token);
        compare(whole, kept, &format!("{pointer}/{}", escaped(token)), places);
    }
}

/// The whole again, from pieces.
fn rebuilt(rest: &ResultHandle, pointer: &str, most: usize, is_number: bool) -> String {
    let (mut from, mut text, mut parts, mut brackets) = (0, String::new(), Vec::new(), None);
    loop {
        let piece = rest.get(pointer, from..usize::MAX).expect("it is there");
        assert!(piece.json.get().len() <= most, "{} > {most}", piece.json.get().len());
        match children(&piece.json) {
            Some(children) => {
                let is_list = piece.json.get().starts_with('[');
                brackets = Some(is_list);
                for (at, (token, child)) in children.into_iter().enumerate() {
                    let token = if is_list { (from + at).to_string() } else { token };
                    let below = format!("{pointer}/{}", escaped(&token));
                    let is_cut = |place: &CutPlace| {
                        place.pointer == below || place.pointer.starts_with(&format!("{below}/"))
                    };
                    let child = if piece.places.iter().any(is_cut) {
                        rebuilt(rest, &below, most, child.get() == "null")
                    } else {
                        canonical(&child)
                    };
                    parts.push(if is_list { child } else { format!("{}:{child}", Value::from(token)) });
                }
            }
            None => match serde_json::from_str::<String>(piece.json.get()) {
                Ok(more) => text.push_str(&more),
                Err(_) => return piece.json.get().to_owned(),
            },
        }
        match piece.next {
            Some(next) if next > from => from = next,
            Some(next) => panic!("no step forward from {next} at {pointer}"),
            None => break,
        }
    }
    match brackets {
        Some(true) => format!("[{}]", parts.join(",")),
        Some(false) => format!("{{{}}}", parts.join(",")),
        None if is_number => text,
        None => Value::from(text).to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_is_json_within_the_limit_tells_every_difference_and_can_be_undone(
        text in text(),
        most in 256_usize..600,
    ) {
        let full: &RawValue = serde_json::from_str(&text).expect("JSON");
        let outcome = outcome(&text, most);
        let left = json_of(&outcome);
        prop_assert!(left.get().len() <= most);
        match &outcome.cut {
            None => prop_assert_eq!(canonical(left), canonical(full)),
            Some(cut) => {
                let mut places = cut.places.clone();
                compare(full, left, "", &mut places);
                prop_assert_eq!(&places, &Vec::<CutPlace>::new(), "told and not cut");
                prop_assert_eq!(rebuilt(&cut.rest, "", most, left.get() == "null"), canonical(full));
            }
        }
    }
}
