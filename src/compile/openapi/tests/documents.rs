//! The documents that the examples and the command line use.

use super::*;

const PETS: &str = include_str!("../../../../fixtures/documents/pets-3.0.json");
const ORDERS: &str = include_str!("../../../../fixtures/documents/orders-3.1.json");

#[test]
fn pets_3_0() {
    insta::assert_snapshot!(table(&compiled_text(PETS, &Options::new("pets"))));
}

#[test]
fn orders_3_1() {
    insta::assert_snapshot!(table(&compiled_text(ORDERS, &Options::new("orders"))));
}

#[test]
fn a_schema_is_shown_whole_and_by_its_direction() {
    let compiled = compiled_text(PETS, &Options::new("pets"));
    let pet = endpoint(&compiled, "createPet").argument("body").and_then(|body| body.schema.clone());
    insta::assert_json_snapshot!(pet.expect("the body has a schema").to_value().expect("it is at hand"));
    let reply = endpoint(&compiled, "createPet")
        .replies
        .matching(201)
        .and_then(|reply| reply.content[0].schema.clone());
    let reply = reply.expect("the reply has a schema").to_value().expect("it is at hand");
    assert_eq!(reply["required"], serde_json::json!(["id", "name", "status"]));
}

#[test]
fn operations_that_share_a_component_share_its_validator() {
    let compiled = compiled_text(PETS, &Options::new("pets"));
    let reply = |operation, status| {
        let spec = endpoint(&compiled, operation).replies.matching(status).expect("the reply is declared");
        spec.content[0].schema.as_ref().expect("it has a schema").id()
    };
    assert_eq!(reply("showPet", 200), reply("createPet", 201));
    assert_ne!(reply("showPet", 200), reply("showPet", 404));
}

/// Nothing may depend on the order in which a document lists its operations and parameters.
#[test]
fn names_are_stable_under_reordering() {
    for text in [PETS, ORDERS] {
        let compiled_once = compiled_text(text, &Options::new("demo"));
        let mut reordered: Value = serde_json::from_str(text).expect("fixtures are JSON");
        reverse(&mut reordered);
        let compiled_again = compiled(&reordered);
        let names = |compiled: &Compiled| {
            let mut all: Vec<String> = compiled
                .endpoints
                .iter()
                .map(|endpoint| {
                    let mut words = argument_words(endpoint);
                    words.sort();
                    format!("{} {}", endpoint.key, words.join(" "))
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(names(&compiled_once), names(&compiled_again));
    }
}

/// Reverses all objects, and the lists whose order means nothing.
fn reverse(value: &mut Value) {
    match value {
        Value::Object(members) => {
            *members = std::mem::take(members).into_iter().rev().collect();
            for (key, member) in members {
                if let ("parameters", Value::Array(list)) = (key.as_str(), &mut *member) {
                    list.reverse();
                }
                reverse(member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(reverse),
        _ => {}
    }
}
