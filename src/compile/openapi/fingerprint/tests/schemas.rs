//! Schemas: canonical text, and what is one and what is another contract.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::super::*;
use crate::compile::document::Limits;

fn document(text: &str) -> Document {
    Document::from_json(text, &Limits::default()).expect("test documents are JSON")
}

/// The canonical text of a schema that refers to nothing.
fn canonical(schema: &str) -> String {
    let document = document(schema);
    let (mut refs, mut page) = (Refs::new(&document, None), Page::default());
    let identity =
        &mut Identity { version: Version::V31, refs: &mut refs, page: &mut page, members: &mut Vec::new() };
    identity.schema(document.root());
    String::from_utf8(page.contract.as_bytes().to_vec()).expect("UTF-8")
}

/// Contract and prose of the schema at a pointer.
fn print_in(version: Version, text: &str, pointer: &str) -> (Fingerprint, Fingerprint) {
    let document = document(text);
    let schema = document.at(pointer).expect("the schema is there");
    Prints::new(&document, version).of_schema(schema, &mut Refs::new(&document, None))
}

fn print(document: &Value, pointer: &str) -> (Fingerprint, Fingerprint) {
    print_in(Version::V31, &document.to_string(), pointer)
}

fn contract(version: Version, schema: &str) -> Fingerprint {
    print_in(version, schema, "").0
}

/// A document with these component schemas.
#[expect(clippy::needless_pass_by_value, reason = "called with a value made in place")]
fn components(schemas: Value) -> Value {
    json!({"components": {"schemas": schemas}})
}

fn component(document: &Value, name: &str) -> Fingerprint {
    print(document, &format!("/components/schemas/{name}")).0
}

fn to(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

#[test]
fn case_064_canonical_bytes_and_their_digest() {
    let text = canonical(
        r#"{"properties": {"\uFF21": {"type": "string"}, "\uD83D\uDE80": {"type": "integer"}, "a": {"type": "null"}},
            "type": "object"}"#,
    );
    let due = r#"{"properties":{"a":{"type":"null"},"🚀":{"type":"integer"},"Ａ":{"type":"string"}},"type":"object"}"#;
    assert_eq!(text, due);
    let digest = Fingerprint::from_bytes(Sha256::digest(text.as_bytes()).into());
    assert_eq!(digest.to_string(), "7488c4f7ebcd64c046e3e65a427392460cc0498134927b9b93c5943559a622d6");
}

#[test]
fn case_065_the_same_schema_however_it_is_written() {
    let table = [
        (true, r#"{"minimum": 1, "type": "number"}"#, r#"{"type":"number","minimum":1.0}"#),
        (true, r#"{"maximum": 1e2}"#, r#"{"maximum": 100}"#),
        (true, r#"{"multipleOf": 1e-7}"#, r#"{"multipleOf": 0.0000001}"#),
        (true, r#"{"enum": ["\u00e9"]}"#, r#"{"enum": ["é"]}"#),
        (false, r#"{"enum": ["\u00e9"]}"#, r#"{"enum": ["e\u0301"]}"#),
        (true, r#"{"required": ["a","b"]}"#, r#"{"required": ["b","a"]}"#),
        (true, r#"{"minimum": -0.0}"#, r#"{"minimum": 0}"#),
        (true, r#"{"enum": ["x","y"]}"#, r#"{"enum": ["y","x"]}"#),
        (true, r#"{"type": ["string","null"]}"#, r#"{"type": ["null","string"]}"#),
        (false, r#"{"enum": [["a","b"]]}"#, r#"{"enum": [["b","a"]]}"#),
        (false, r#"{"default": ["a","b"]}"#, r#"{"default": ["b","a"]}"#),
        (
            false,
            r#"{"properties": {"required": {"const": ["a","b"]}}}"#,
            r#"{"properties": {"required": {"const": ["b","a"]}}}"#,
        ),
    ];
    for (same, one, other) in table {
        let equal = contract(Version::V31, one) == contract(Version::V31, other);
        assert_eq!(equal, same, "{one} {other}");
        assert_eq!(canonical(one) == canonical(other), same, "{one} {other}");
    }
    let yaml = Document::from_yaml("minimum: 1\ntype: number", &Limits::default()).expect("YAML");
    let prints = Prints::new(&yaml, Version::V31);
    assert_eq!(
        prints.of_schema(yaml.root(), &mut Refs::new(&yaml, None)).0,
        contract(Version::V31, r#"{"type":"number","minimum":1.0}"#),
        "YAML or JSON"
    );
    assert_eq!(canonical(r#"{"type":"number","minimum":1.0}"#), r#"{"minimum":1,"type":"number"}"#);
    assert_eq!(canonical(r#"{"multipleOf": 0.0000001}"#), r#"{"multipleOf":1e-7}"#);
}

#[test]
fn ruling_16_numbers_beyond_doubles_stay_apart() {
    let texts =
        ["9007199254740992", "9007199254740993", "18446744073709551616", "18446744073709551617", "1e400"];
    for keyword in ["maximum", "const", "default"] {
        let mut all: Vec<Fingerprint> =
            texts.iter().map(|text| contract(Version::V31, &format!("{{\"{keyword}\": {text}}}"))).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), texts.len(), "{keyword}");
    }
}

#[test]
fn what_means_the_same_in_both_versions_is_the_same() {
    let table = [
        (r#"{"type": "string", "nullable": true}"#, r#"{"type": ["null", "string"]}"#),
        (
            r#"{"type": "integer", "minimum": 3, "exclusiveMinimum": true}"#,
            r#"{"type": "integer", "exclusiveMinimum": 3.0}"#,
        ),
        (r#"{"maximum": 3, "exclusiveMaximum": false}"#, r#"{"maximum": 3}"#),
        (r#"{"type": "STRING", "maxLength": "5"}"#, r#"{"type": "string", "maxLength": 5}"#),
        (r#"{"uniqueItems": false, "readOnly": false, "nullable": false}"#, "{}"),
        (r#"{"additionalProperties": {}}"#, r#"{"additionalProperties": true}"#),
    ];
    for (v30, v31) in table {
        assert_eq!(contract(Version::V30, v30), contract(Version::V31, v31), "{v30} {v31}");
    }
    // Words that mean nothing in a version are not read there.
    assert_eq!(
        contract(Version::V31, r#"{"type": "string", "nullable": true}"#),
        contract(Version::V31, r#"{"type": "string"}"#)
    );
    let sibling = |version, more: &str| {
        let text = format!(r##"{{"s": {{"$ref": "#/t"{more}}}, "t": {{"type": "string"}}}}"##);
        print_in(version, &text, "/s").0
    };
    assert_eq!(sibling(Version::V30, r#", "minLength": 1"#), sibling(Version::V30, ""));
    assert_ne!(sibling(Version::V31, r#", "minLength": 1"#), sibling(Version::V31, ""));
    assert_eq!(
        sibling(Version::V31, r#", "description": "d""#),
        contract(Version::V31, r#"{"type": "string"}"#)
    );
}

#[test]
fn notes_are_prose_and_names_are_data() {
    let bare = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let (contract, prose) = print(&bare, "");
    for note in
        ["title", "description", "example", "examples", "externalDocs", "deprecated", "x-a", "$comment"]
    {
        let mut noted = bare.clone();
        noted["properties"]["a"][note] = json!("some text");
        let (same, other) = print(&noted, "");
        assert_eq!(same, contract, "{note} is no contract");
        assert_ne!(other, prose, "{note} is prose");

        let mut named = bare.clone();
        named["properties"][note] = json!({"type": "string"});
        assert_ne!(print(&named, "").0, contract, "a property may be called {note}");
    }
    let place = |one: &str, other: &str| json!({"properties": {"a": {"description": one}, "b": {"description": other}}});
    assert_ne!(print(&place("x", "y"), "").1, print(&place("y", "x"), "").1, "texts belong to their places");
}

#[test]
fn every_assertion_counts() {
    let table = [
        ("type", json!("object")),
        ("enum", json!([1])),
        ("const", json!(1)),
        ("default", json!(1)),
        ("multipleOf", json!(2)),
        ("minimum", json!(1)),
        ("maximum", json!(1)),
        ("exclusiveMinimum", json!(1)),
        ("exclusiveMaximum", json!(1)),
        ("minLength", json!(1)),
        ("maxLength", json!(1)),
        ("pattern", json!("a")),
        ("minItems", json!(1)),
        ("maxItems", json!(1)),
        ("uniqueItems", json!(true)),
        ("minContains", json!(2)),
        ("maxContains", json!(1)),
        ("minProperties", json!(1)),
        ("maxProperties", json!(1)),
        ("required", json!(["a"])),
        ("dependentRequired", json!({"a": ["b"]})),
        ("properties", json!({"a": {}})),
        ("patternProperties", json!({"a": {}})),
        ("additionalProperties", json!(false)),
        ("propertyNames", json!({"maxLength": 1})),
        ("items", json!({"type": "null"})),
        ("prefixItems", json!([{}])),
        ("contains", json!({})),
        ("unevaluatedItems", json!(false)),
        ("unevaluatedProperties", json!(false)),
        ("allOf", json!([{}])),
        ("anyOf", json!([{}])),
        ("oneOf", json!([{}])),
        ("not", json!({})),
        ("if", json!({})),
        ("then", json!({})),
        ("else", json!({})),
        ("dependentSchemas", json!({"a": {}})),
        ("format", json!("date")),
        ("contentEncoding", json!("base64")),
        ("contentMediaType", json!("a/b")),
        ("contentSchema", json!({})),
        ("readOnly", json!(true)),
        ("writeOnly", json!(true)),
        ("discriminator", json!({"propertyName": "a"})),
        ("xml", json!({"name": "a"})),
    ];
    let mut all: Vec<(Fingerprint, &str)> = vec![(print(&json!({}), "").0, "nothing")];
    for (keyword, value) in &table {
        let mut schema = json!({});
        schema[*keyword] = value.clone();
        all.push((print(&schema, "").0, keyword));
    }
    all.push((print(&json!(false), "").0, "false"));
    all.sort_unstable();
    let same = all.windows(2).find(|pair| pair[0].0 == pair[1].0);
    assert_eq!(same, None, "each keyword is another contract");
    assert_eq!(print(&json!(true), ""), print(&json!({}), ""));
}

#[test]
fn names_of_components_do_not_matter_in_circles() {
    let person = |pet: &str| json!({"properties": {"name": {"type": "string"}, "pets": {"items": to(pet)}}});
    let pet = |person: &str| json!({"properties": {"owner": to(person)}, "required": ["owner"]});
    let one = components(json!({"Person": person("Pet"), "Pet": pet("Person")}));
    let other = components(json!({"B": pet("A"), "A": person("B")}));
    assert_eq!(component(&one, "Person"), component(&other, "A"));
    assert_eq!(component(&one, "Pet"), component(&other, "B"));
    assert_ne!(component(&one, "Person"), component(&one, "Pet"), "another member is another contract");

    let two_hops = |kind: &str| {
        components(json!({
            "A": {"properties": {"b": to("B")}},
            "B": {"properties": {"a": to("A"), "c": to("C")}},
            "C": {"properties": {"d": {"type": kind}}},
        }))
    };
    assert_ne!(component(&two_hops("string"), "A"), component(&two_hops("integer"), "A"));
}

#[test]
fn a_circle_is_the_same_however_often_it_is_written_out() {
    let next = |name: &str| json!({"type": "object", "properties": {"next": to(name)}});
    let itself = components(json!({"A": next("A")}));
    let by_two = components(json!({"A": next("B"), "B": next("A")}));
    let before = components(json!({"Start": next("A"), "A": next("A")}));
    let chain = components(
        json!({"Start": to("Again"), "Again": {"$ref": "#/components/schemas/A", "title": "A"}, "A": next("A")}),
    );
    let due = component(&itself, "A");
    for (document, name) in
        [(&by_two, "A"), (&by_two, "B"), (&before, "Start"), (&chain, "Start"), (&chain, "Again")]
    {
        assert_eq!(component(document, name), due, "{name} of {document}");
    }
    // A tree whose left child is written out, and whose right child is the other tree.
    let tree = |left: &str, right: &str| json!({"properties": {"l": to(left), "r": to(right)}});
    let trees = components(json!({"X": tree("X", "X"), "Y": tree("Y", "X")}));
    assert_eq!(component(&trees, "X"), component(&trees, "Y"));
    // References alone in a circle lead nowhere, and the work ends.
    let nowhere = components(json!({"A": to("B"), "B": to("A")}));
    assert_eq!(component(&nowhere, "A"), component(&nowhere, "B"));
}

#[test]
fn ruling_18_a_discriminator_is_contract() {
    let pets = |discriminator: Value, cat: &str, dog: &str| {
        let mut schemas = json!({"Pet": {"oneOf": [to(cat), to(dog)], "discriminator": discriminator}});
        schemas[cat] = json!({"type": "object", "required": ["meows"]});
        schemas[dog] = json!({"type": "object", "required": ["barks"]});
        component(&components(schemas), "Pet")
    };
    let kind = |mapping: Value| json!({"propertyName": "kind", "mapping": mapping});
    let pointer = |name: &str| json!(format!("#/components/schemas/{name}"));
    let mapped = |cat: &str, dog: &str| kind(json!({"cat": pointer(cat), "dog": pointer(dog)}));
    let base = pets(mapped("Cat", "Dog"), "Cat", "Dog");
    assert_eq!(base, pets(mapped("C", "D"), "C", "D"), "mapped components may be renamed");
    assert_eq!(
        base,
        pets(kind(json!({"dog": "Dog", "cat": "Cat"})), "Cat", "Dog"),
        "a name is a reference too"
    );
    assert_ne!(base, pets(mapped("Dog", "Cat"), "Cat", "Dog"), "the values change places");
    assert_ne!(
        base,
        pets(json!({"propertyName": "sort", "mapping": mapped("Cat", "Dog")["mapping"]}), "Cat", "Dog")
    );
    let implied = pets(json!({"propertyName": "kind"}), "Cat", "Dog");
    assert_ne!(
        implied,
        pets(json!({"propertyName": "kind"}), "Katze", "Dog"),
        "without mapping, names are values"
    );
    assert_eq!(implied, pets(kind(json!({"Cat": pointer("Cat")})), "Cat", "Dog"));
}
