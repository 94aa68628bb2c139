//! What values are worth: on the wire, and to a fingerprint.

use super::*;

#[tokio::test]
async fn case_118_names_and_values_outside_ascii() {
    let text = document(
        "3.1.1",
        "
  /stadt/{größe}/{v}:
    get:
      operationId: größe
      parameters:
        - {name: größe, in: path, required: true, schema: {type: string}}
        - {name: v, in: path, required: true, schema: {type: string}}
        - {name: '✈️', in: query, schema: {type: string}}
        - {name: 'a b', in: query, schema: {type: array, items: {type: string}}}
      responses: {'200': {description: ok}}
",
    );
    let arguments = json!({"größe": "東京/駅", "v": "e\u{301}", "✈️": "go!", "a b": ["😀", "ß"]});
    let called = call(&text, "größe", &arguments, ok()).await;
    called.sends(
        "GET /stadt/%E6%9D%B1%E4%BA%AC%2F%E9%A7%85/e%CC%81?%E2%9C%88%EF%B8%8F=go%21&a%20b=%F0%9F%98%80&a%20b=%C3%9F",
    );
    assert!(called.requests[0].head.is_ascii());
}

/// The fingerprint of a request with a parameter of this schema.
fn print(schema: &str) -> String {
    let compiled = compiled(&format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "Demo", "version": "1"}}, "servers": [{{"url": "https://api.test"}}],
            "paths": {{"/r": {{"get": {{"operationId": "getR", "responses": {{"200": {{"description": "ok"}}}},
                "parameters": [{{"name": "x", "in": "query", "schema": {schema}}}]}}}}}}}}"#
    ));
    endpoint(&compiled, "getR").fingerprints.request.to_string()
}

#[test]
fn case_065_what_is_the_same_contract() {
    let table = [
        ("P1", true, r#"{"minimum": 1, "type": "number"}"#, r#"{"type":"number","minimum":1.0}"#),
        ("P2", true, r#"{"maximum": 1e2}"#, r#"{"maximum": 100}"#),
        ("P3", true, r#"{"multipleOf": 1e-7}"#, r#"{"multipleOf": 0.0000001}"#),
        ("P5", true, r#"{"enum": ["\u00e9"]}"#, "{\"enum\": [\"\u{e9}\"]}"),
        ("P6", false, r#"{"enum": ["\u00e9"]}"#, r#"{"enum": ["e\u0301"]}"#),
        ("P7", true, r#"{"required": ["a","b"]}"#, r#"{"required": ["b","a"]}"#),
        ("P8", true, r#"{"minimum": -0.0}"#, r#"{"minimum": 0}"#),
        ("P9", true, r#"{"enum": ["x","y"]}"#, r#"{"enum": ["y","x"]}"#),
        ("P10", true, r#"{"type": ["string","null"]}"#, r#"{"type": ["null","string"]}"#),
        ("P11", false, r#"{"enum": [["a","b"]]}"#, r#"{"enum": [["b","a"]]}"#),
        ("P12", false, r#"{"default": ["a","b"]}"#, r#"{"default": ["b","a"]}"#),
        (
            "P13",
            false,
            r#"{"properties": {"required": {"const": ["a","b"]}}}"#,
            r#"{"properties": {"required": {"const": ["b","a"]}}}"#,
        ),
    ];
    for (pair, same, one, other) in table {
        assert_eq!(print(one) == print(other), same, "{pair}");
    }
    let yaml = compiled(&document(
        "3.1.0",
        "
  /r:
    get:
      operationId: getR
      parameters:
        - name: x
          in: query
          schema:
            minimum: 1
            type: number
      responses: {200: {description: ok}}
",
    ));
    let p1 = print(r#"{"type":"number","minimum":1.0}"#);
    assert_eq!(endpoint(&yaml, "getR").fingerprints.request.to_string(), p1, "P4");
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(p1.len() == 64 && p1.bytes().all(is_hex), "{p1}");
}
