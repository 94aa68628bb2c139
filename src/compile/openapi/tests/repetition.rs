//! What is written in the same words is read once, and nobody can tell.

use serde_json::json;

use super::*;

/// Whatever can be written twice, sound and not.
fn repetitive() -> Value {
    let parameters = json!([
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
        {"name": "any", "in": "query"},
        {"name": "odd", "in": "query", "schema": {"type": "string", "minLength": "3"}},
        {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "array", "items": {}}},
        {"name": "gone", "in": "path", "required": true, "schema": {"type": "string"}},
        {"$ref": "#/components/parameters/Trace"},
        {"name": "trace", "in": "header", "schema": {"$ref": "#/components/schemas/Text"}},
    ]);
    let body = json!({"content": {"application/json": {"schema": {"type": "object", "required": "name"}}}});
    let fine = json!({"description": "fine", "content": {
        "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Text"}}},
    }});
    let odd = json!({"description": "odd", "content": {"text": {}, "text/plain": {"schema": {"type": 1}}}});
    let mut paths = serde_json::Map::new();
    for number in 0..3 {
        paths.insert(
            format!("/sound/{number}"),
            json!({"get": {"parameters": parameters, "responses": {"200": fine}}}),
        );
        paths.insert(
            format!("/body/{number}"),
            json!({"post": {"requestBody": body, "responses": {"200": fine}}}),
        );
        paths.insert(
            format!("/files/{number}"),
            json!({"put": {"requestBody": {"content": {"image/png": {}}}, "responses": {"200": fine}}}),
        );
        paths.insert(
            format!("/odd/{number}"),
            json!({"get": {"responses": {"200": fine, "404": odd, "x": odd}}}),
        );
        paths.insert(
            format!("/lost/{number}"),
            json!({
                "parameters": [{"name": "broken", "in": "query", "schema": {"$ref": "#/components/schemas/Broken"}}],
                "get": {"responses": {"200": fine}},
                "put": {"parameters": [{"name": "no place"}], "responses": {"200": fine}},
            }),
        );
    }
    json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://demo.test"}],
        "paths": paths,
        "components": {
            "parameters": {"Trace": {"name": "trace", "in": "header", "schema": {"$ref": "#/components/schemas/Text"}}},
            "schemas": {"Text": {"type": "string"}, "Broken": {"allOf": [{"$ref": "#/components/schemas/Broken"}]}},
        },
    })
}

/// The same, with spaces that no two objects have in the same number.
fn in_words_of_its_own(value: &Value, objects: &mut usize) -> String {
    match value {
        Value::Object(members) => {
            *objects += 1;
            let spaces = " ".repeat(*objects);
            let members = members.iter().map(|(key, value)| {
                format!("{}:{}", Value::from(key.as_str()), in_words_of_its_own(value, objects))
            });
            format!("{{{spaces}{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| in_words_of_its_own(item, objects));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[test]
fn it_makes_no_difference_whether_words_are_the_same() {
    let document = repetitive();
    let options = Options::new("demo");
    let same = compiled_text(&document.to_string(), &options);
    let other = compiled_text(&in_words_of_its_own(&document, &mut 0), &options);
    assert_eq!(table(&same), table(&other));
    for (one, other) in same.endpoints.iter().zip(&other.endpoints) {
        assert_eq!(one.fingerprints, other.fingerprints, "{}", one.key);
    }
    let told = |code: &str| same.diagnostics.iter().filter(|remark| remark.code.code() == code).count();
    assert_eq!((told("unused_path_parameter"), told("unsupported_body")), (3, 3), "each place is told");
}

#[test]
fn the_same_words_are_one_schema() {
    let document = repetitive();
    let compiled = compiled(&document);
    let id = |operation: &str, argument: &str| {
        let argument = endpoint(&compiled, operation).argument(argument).expect("the argument is there");
        argument.schema.as_ref().expect("it has a schema").id()
    };
    assert_eq!(id("get-sound-0", "limit"), id("get-sound-2", "limit"));
    assert_ne!(id("get-sound-0", "odd"), id("get-sound-2", "odd"), "there is something to say about each");
    let reply = |operation: &str| {
        let reply = endpoint(&compiled, operation).replies.matching(200).expect("the reply is declared");
        reply.content[0].schema.as_ref().expect("it has a schema").id()
    };
    assert_eq!(reply("get-sound-0"), reply("put-files-1"));
}
