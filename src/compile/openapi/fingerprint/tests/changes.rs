//! One change of a document, and exactly which parts of which endpoints it changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::catalog::Fingerprints;
use crate::compile::openapi::tests::{compiled, compiled_from};

const PETS: &str = include_str!("../../../../../fixtures/documents/pets-3.0.json");
const ORDERS: &str = include_str!("../../../../../fixtures/documents/orders-3.1.json");

fn prints(document: &Value) -> BTreeMap<String, Fingerprints> {
    let endpoints = compiled(document).endpoints;
    endpoints.iter().map(|endpoint| (endpoint.key.operation().to_owned(), endpoint.fingerprints)).collect()
}

#[test]
fn fingerprints_of_our_documents() {
    // Whoever changes one of these changes every pin that somebody holds: that is a new version (`Domain::name`).
    let mut lines = Vec::new();
    for text in [PETS, ORDERS] {
        let document = serde_json::from_str(text).expect("fixtures are JSON");
        for (operation, parts) in prints(&document) {
            let Fingerprints { request, reply, security, destination, prose } = parts;
            lines.push(format!("{operation}\n  pin {}", parts.pin()));
            let named = [
                ("request", request),
                ("reply", reply),
                ("security", security),
                ("destination", destination),
                ("prose", prose),
            ];
            lines.extend(named.iter().map(|(name, part)| format!("  {name} {part}")));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// The parts that differ, endpoint by endpoint: `name: request reply`.
fn changed(before: &BTreeMap<String, Fingerprints>, after: &BTreeMap<String, Fingerprints>) -> String {
    let differences = before.iter().map(|(name, before)| {
        let Some(after) = after.get(name) else { return format!("{name}: gone") };
        let parts = [
            ("request", before.request != after.request),
            ("reply", before.reply != after.reply),
            ("security", before.security != after.security),
            ("destination", before.destination != after.destination),
            ("prose", before.prose != after.prose),
        ];
        let contract = parts[..3].iter().any(|(_, differs)| *differs);
        assert_eq!(before.pin() != after.pin(), contract, "{name}: the pin is request, reply and security");
        let words: Vec<&str> = parts.iter().filter(|(_, differs)| *differs).map(|(part, _)| *part).collect();
        if words.is_empty() { String::new() } else { format!("{name}: {}", words.join(" ")) }
    });
    differences.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Puts a value at a pointer whose last token may be new; null takes it away.
fn put(document: &mut Value, pointer: &str, value: Value) {
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer into the document");
    let last = last.replace("~1", "/");
    match document.pointer_mut(parent).unwrap_or_else(|| panic!("{parent} is there")) {
        Value::Object(members) if value.is_null() => drop(members.shift_remove(&last).expect("it was there")),
        Value::Object(members) => drop(members.insert(last, value)),
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items[last.parse::<usize>().expect("an index")] = value,
        other => panic!("{other} holds nothing"),
    }
}

type Change = (&'static str, Vec<(&'static str, Value)>, &'static str);

#[expect(clippy::too_many_lines, reason = "one table, a row per change")]
fn changes() -> Vec<Change> {
    const PET: &str = "createPet: request reply; listPets: reply; replacePet: request reply; showPet: reply";
    const PET_PROSE: &str = "createPet: prose; listPets: prose; replacePet: prose; showPet: prose";
    const PROBLEM: &str = "createPet: reply; listPets: reply; showPet: reply";
    const SECURED: &str = "createPet: security; deletePet: security; downloadPhoto: security; listPets: security; replacePet: security; \
         showPet: security";
    const SERVED: &str = "createPet: destination; deletePet: destination; downloadPhoto: destination; listPets: destination; \
         replacePet: destination; showPet: destination; status: destination";
    let renamed = json!({"description": "The pet.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}});
    vec![
        ("type", vec![("/components/schemas/Pet/properties/name/type", json!("integer"))], PET),
        ("requirement", vec![("/components/schemas/Pet/required", json!(["id", "name"]))], PET),
        (
            "order of required",
            vec![("/components/schemas/Pet/required", json!(["status", "name", "id"]))],
            "",
        ),
        ("read only", vec![("/components/schemas/Pet/properties/id/readOnly", Value::Null)], PET),
        ("property", vec![("/components/schemas/Pet/properties/title", json!({"type": "string"}))], PET),
        ("nested bound", vec![("/components/schemas/Pet/properties/parents/maxItems", json!(3))], PET),
        (
            "enum value",
            vec![("/components/schemas/Status/enum/2", json!("gone"))],
            "createPet: request reply; listPets: request reply; replacePet: request reply; showPet: reply",
        ),
        (
            "order of enum",
            vec![("/components/schemas/Status/enum", json!(["sold", "reserved", "available"]))],
            "",
        ),
        (
            "schema of errors",
            vec![("/components/schemas/Problem/properties/title/type", json!("integer"))],
            PROBLEM,
        ),
        (
            "status",
            vec![
                ("/paths/~1pets/post/responses/201", Value::Null),
                ("/paths/~1pets/post/responses/202", renamed),
            ],
            "createPet: reply",
        ),
        (
            "media type of a reply",
            vec![(
                "/paths/~1pets~1{petId}/put/responses/200/content",
                json!({"application/hal+json": {"schema": {"$ref": "#/components/schemas/Pet"}}}),
            )],
            "replacePet: reply",
        ),
        (
            "media type of a body",
            vec![(
                "/paths/~1pets/post/requestBody/content",
                json!({"application/merge-patch+json": {"schema": {"$ref": "#/components/schemas/Pet"}}}),
            )],
            "createPet: request",
        ),
        (
            "requirement of a body",
            vec![("/paths/~1pets/post/requestBody/required", json!(false))],
            "createPet: request",
        ),
        ("style", vec![("/paths/~1pets/get/parameters/3/style", json!("form"))], "listPets: request"),
        ("explode", vec![("/paths/~1pets/get/parameters/1/explode", json!(false))], "listPets: request"),
        ("explode, as it is anyhow", vec![("/paths/~1pets/get/parameters/1/explode", json!(true))], ""),
        (
            "reserved characters",
            vec![("/paths/~1pets/get/parameters/1/allowReserved", json!(true))],
            "listPets: request",
        ),
        (
            "requirement of a parameter",
            vec![("/components/parameters/Limit/required", json!(true))],
            "listPets: request",
        ),
        ("default", vec![("/components/parameters/Limit/schema/default", json!(21))], "listPets: request"),
        (
            "number by another spelling",
            vec![("/components/parameters/Limit/schema/default", json!(20.0))],
            "",
        ),
        (
            "name of a parameter",
            vec![("/components/parameters/Limit/name", json!("max"))],
            "listPets: request",
        ),
        // Texts belong to their places too.
        (
            "place of a parameter",
            vec![("/components/parameters/Limit/in", json!("header"))],
            // Its text is read at its new place.
            "listPets: request prose",
        ),
        (
            "header of a reply",
            vec![(
                "/paths/~1pets~1{petId}/delete/responses/204/headers",
                json!({"X-Count": {"schema": {"type": "integer"}}}),
            )],
            "deletePet: reply",
        ),
        ("name of a key's header", vec![("/components/securitySchemes/key/name", json!("X-Key"))], SECURED),
        ("text about a scheme", vec![("/components/securitySchemes/key/description", json!("Ask us."))], ""),
        ("demand", vec![("/paths/~1status/get/security", json!([{"key": []}]))], "status: security"),
        (
            "optional demand",
            vec![("/paths/~1status/get/security", json!([{"key": []}, {}]))],
            "status: security",
        ),
        ("server", vec![("/servers/0/url", json!("https://{region}.pets.example/v2"))], SERVED),
        ("server variable", vec![("/servers/0/variables/region/default", json!("us"))], SERVED),
        ("summary", vec![("/paths/~1pets/get/summary", json!("Pets, listed"))], "listPets: prose"),
        ("description", vec![("/components/schemas/Pet/description", json!("A pet."))], PET_PROSE),
        (
            "title of a property",
            vec![("/components/schemas/Pet/properties/name/title", json!("Name"))],
            PET_PROSE,
        ),
        ("example", vec![("/components/parameters/Limit/example", json!(5))], "listPets: prose"),
        (
            "example of a body",
            vec![(
                "/paths/~1pets/post/requestBody/content/application~1json/examples",
                json!({"a": {"value": {"name": "Rex"}}}),
            )],
            "createPet: prose",
        ),
        (
            "text about a reply",
            vec![("/components/responses/Problem/description", json!("Why not."))],
            "createPet: prose; listPets: prose; showPet: prose",
        ),
        ("tag", vec![("/paths/~1status/get/tags", json!(["shop"]))], "status: prose"),
        ("deprecated", vec![("/paths/~1status/get/deprecated", json!(true))], "status: prose"),
        ("extension", vec![("/paths/~1status/get/x-cost", json!(1))], "status: prose"),
        ("text about the document", vec![("/info/description", json!("A shop."))], ""),
        ("component that nobody uses", vec![("/components/schemas/Unused", json!({"type": "string"}))], ""),
        (
            "operation besides",
            vec![("/paths/~1more", json!({"get": {"operationId": "more", "responses": {}}}))],
            "",
        ),
    ]
}

#[test]
fn one_change_changes_what_it_is_about() {
    let document: Value = serde_json::from_str(PETS).expect("fixtures are JSON");
    let before = prints(&document);
    let mut found = Vec::new();
    let mut due = Vec::new();
    for (name, edits, parts) in changes() {
        let mut document = document.clone();
        for (pointer, value) in edits {
            put(&mut document, pointer, value);
        }
        found.push(format!("{name}: {}", changed(&before, &prints(&document))));
        due.push(format!("{name}: {parts}"));
    }
    assert_eq!(found.join("\n"), due.join("\n"));
}

#[test]
fn components_may_be_written_in_place() {
    let mut document: Value = serde_json::from_str(PETS).expect("fixtures are JSON");
    let before = prints(&document);
    let component = |pointer: &str| document.pointer(pointer).expect("it is there").clone();
    let (limit, problem) =
        (component("/components/parameters/Limit"), component("/components/responses/Problem"));
    let status = component("/components/schemas/Status");
    put(&mut document, "/paths/~1pets/get/parameters/0", limit);
    put(&mut document, "/paths/~1pets/get/responses/default", problem);
    put(&mut document, "/paths/~1pets/get/parameters/2/schema", status);
    assert_eq!(changed(&before, &prints(&document)), "");
}

#[test]
fn scopes_and_alternatives_are_sets() {
    let document = |security: Value, flow: &str| {
        json!({
            "openapi": "3.1.0",
            "paths": {"/": {"get": {"operationId": "root", "security": security}}},
            "components": {"securitySchemes": {
                "a": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": flow, "scopes": {"r": "read", "w": "write"}}}},
                "b": {"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"},
                "c": {"type": "http", "scheme": "bearer"},
                "d": {"type": "http", "scheme": "basic"},
            }},
        })
    };
    let print = |security: Value| prints(&document(security, "https://id.test/token"))["root"].security;
    let base = print(json!([{"a": ["r", "w"], "d": []}, {"b": []}]));
    assert_eq!(base, print(json!([{"b": []}, {"d": [], "a": ["w", "r", "r"]}])));
    assert_eq!(base, print(json!([{"c": []}, {"d": [], "a": ["w", "r"]}])), "schemes count by content");
    for other in [
        json!([{"a": ["r"], "d": []}, {"b": []}]),
        json!([{"a": ["r", "w"]}, {"d": []}, {"b": []}]),
        json!([{"a": ["r", "w"], "d": []}, {"d": []}]),
        json!([]),
        json!([{}]),
        Value::Null,
    ] {
        assert_ne!(base, print(other.clone()), "{other}");
    }
    let security = json!([{"a": ["r", "w"], "d": []}, {"b": []}]);
    assert_ne!(
        base,
        prints(&document(security, "https://other.test/token"))["root"].security,
        "tokens come from elsewhere"
    );
}

#[test]
fn the_destination_is_where_the_document_is_when_it_says_so() {
    let document = json!({"openapi": "3.1.0", "servers": [{"url": "/v1"}], "paths": {"/": {"get": {"operationId": "root"}}}});
    let print = |url: &str| compiled_from(&document, url).endpoints[0].fingerprints;
    let (one, other) = (print("https://one.test/openapi.json"), print("https://other.test/openapi.json"));
    assert_ne!(one.destination, other.destination);
    assert_eq!(one.pin(), other.pin());
}
