//! `OpenAPI` in YAML compiles as the same document in JSON does.

use serde_json::json;

use super::*;

#[test]
fn the_same_document_in_yaml_and_json() {
    let json =
        compiled_text(include_str!("../../../../fixtures/documents/pets-3.0.json"), &Options::new("pets"));
    let yaml =
        compiled_text(include_str!("../../../../fixtures/documents/pets-3.0.yaml"), &Options::new("pets"));
    assert_eq!(table(&yaml), table(&json));
    assert_eq!(yaml.endpoints.len(), json.endpoints.len());
    for (yaml, json) in yaml.endpoints.iter().zip(&json.endpoints) {
        let schemas = |endpoint: &Endpoint| -> Vec<Value> {
            let arguments = endpoint.arguments.iter().filter_map(|argument| argument.schema.clone());
            let replies = endpoint.replies.all().iter().flat_map(|reply| reply.content.iter());
            let replies = replies.filter_map(|content| content.schema.clone());
            arguments.chain(replies).map(|schema| schema.to_value().expect("it is at hand")).collect()
        };
        assert_eq!(schemas(yaml), schemas(json), "{}", yaml.key);
        assert_eq!(
            (&yaml.summary, &yaml.description, &yaml.tags),
            (&json.summary, &json.description, &json.tags)
        );
    }
}

/// A document around these lines under `paths`.
fn document(paths: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: Demo, version: 1.10}}\nservers: [{{url: 'https://api.test'}}]\npaths:\n{paths}"
    )
}

#[test]
fn case_003_status_keys_without_quotes() {
    let paths = "
  /x:
    get:
      operationId: getX
      responses:
        200: {description: ok, content: {application/json: {schema: {type: object, required: [k]}}}}
        4XX: {description: client}
        default: {description: other}
";
    let compiled = compiled_text(&document(paths), &Options::new("demo"));
    assert_eq!(codes(&compiled), [""; 0]);
    assert_eq!(reply_breaks(&compiled, "getX", 200, &json!({})), [" required"]);
    let statuses: Vec<String> =
        endpoint(&compiled, "getX").replies.all().iter().map(|reply| reply.status.to_string()).collect();
    assert_eq!(statuses, ["200", "4XX", "default"]);

    let twice = paths.replace("        4XX:", "        '200': {description: again}\n        4XX:");
    let twice = format!("{twice}  /y: {{get: {{responses: {{200: {{description: ok}}}}}}}}\n");
    let json = r#"{"openapi": "3.0.3", "info": {"title": "Demo", "version": "1"}, "servers": [{"url": "https://api.test"}],
        "paths": {"/x": {"get": {"responses": {"200": {"description": "a"}, "200": {"description": "b"}}}},
                  "/y": {"get": {"responses": {"200": {"description": "ok"}}}}}}"#;
    for text in [document(&twice).as_str(), json] {
        let compiled = compiled_text(text, &Options::new("demo"));
        assert_eq!(codes(&compiled), ["error duplicate_key"]);
        let told = &compiled.diagnostics[0];
        assert!(told.message.contains("`200` is a duplicate key"), "{told}");
        assert_eq!(
            (told.operation.as_deref(), told.pointer.as_str()),
            (Some("GET /x"), "/paths/~1x/get/responses/200")
        );
        assert_eq!(compiled.endpoints.len(), 1, "the other operation is there");
    }

    // What an alias repeats has the fault too; keys that are no statuses are told as everywhere.
    let alias = "
  /x:
    get: {responses: &all {x-a: 1, x-a: 2, 2XX: {description: a}, 2XX: {description: b}}}
    put: {responses: *all}
";
    let compiled = compiled_text(&document(alias), &Options::new("demo"));
    assert_eq!(codes(&compiled), ["warning duplicate_key", "error duplicate_key", "error duplicate_key"]);
    assert_eq!(compiled.endpoints.len(), 0);
}

#[test]
fn case_004_no_on_and_times_are_strings() {
    let paths = "
  /geo:
    get:
      operationId: geo
      parameters:
        - {name: country, in: query, schema: {type: string, enum: [SE, NO, DK]}}
        - {name: sw, in: query, schema: {type: string, enum: [on, off, yes, no, y, n]}}
        - {name: time, in: query, schema: {type: string, enum: [12:30:45]}}
      responses: {'200': {description: ok}}
";
    let compiled = compiled_text(&document(paths), &Options::new("demo"));
    assert_eq!(codes(&compiled), [""; 0]);
    for (name, good, bad) in [
        ("country", json!("NO"), json!("false")),
        ("sw", json!("on"), json!("true")),
        ("time", json!("12:30:45"), json!("45045")),
    ] {
        assert_eq!(argument_breaks(&compiled, "geo", name, &good), [""; 0], "{name}");
        assert_eq!(argument_breaks(&compiled, "geo", name, &bad), [" enum"], "{name}");
    }
}

/// Where the specification wants a string, what looks like something else is the text that is written.
#[test]
fn texts_without_quotes_are_texts() {
    let text = "
openapi: 3.1
info: {title: 1, version: 1.10}
servers:
  - url: https://api.test/{version}
    variables: {version: {default: 1.10, enum: [1.10, 1.20]}}
paths:
  /x:
    get:
      operationId: getX
      summary: 2020
      description: 012
      tags: [1.10, true, no]
      parameters: [{name: a, in: query, description: 1.0, schema: {type: string}}]
      responses: {200: {description: 1}}
";
    let compiled = compiled_text(text, &Options::new("demo"));
    assert_eq!(codes(&compiled), ["warning read_by_intent"], "{}", remarks(&compiled));
    let endpoint = endpoint(&compiled, "getX");
    assert_eq!((endpoint.summary.as_deref(), endpoint.description.as_deref()), (Some("2020"), Some("012")));
    assert_eq!(endpoint.tags, ["1.10", "true", "no"]);
    assert_eq!(endpoint.arguments[0].description.as_deref(), Some("1.0"));
    assert_eq!(plan(&compiled, "getX").servers.join(" "), "https://api.test/1.10");
    assert_eq!(compiled.info.format, "openapi 3.1");
}

/// The place of a remark is a line and column of the YAML file, also behind characters of several bytes and an alias.
#[test]
fn remarks_lead_into_the_yaml_text() {
    let paths = "
  /\u{e9}\u{1F600}: # caf\u{e9}
    get:
      operationId: getX
      parameters: [{name: a, in: nowhere}]
      responses: &ok {200: {description: \u{1F600}}}
    put: {operationId: putX, responses: *ok, requestBody: {content: {x: {}}, required: true}}
";
    let text = document(paths).replace('\n', "\r\n");
    let compiled = compiled_text(&text, &Options::new("demo"));
    let places: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|remark| {
            let node = compiled.document.at(&remark.pointer).expect("pointers lead somewhere");
            format!("{} {}", remark.code, compiled.document.position(node.offset()))
        })
        .collect();
    insta::assert_snapshot!(places.join("\n"));
}

#[test]
fn case_006_the_bomb_of_a_valid_document_is_refused() {
    let mut text = document("  /x: {get: {responses: {200: {description: ok}}}}\n")
        + "x-bomb:\n  a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(",");
        text.push_str(&format!("  a{level}: &a{level} [{aliases}]\n"));
    }
    let refused = Document::from_text(text, &Limits::default()).expect_err("nine levels of nine aliases");
    assert!(refused.reason().contains("aliases") && refused.reason().contains("max_alias_nodes"));
}
