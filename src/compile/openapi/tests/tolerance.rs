//! Documents that are not as they should be: what is read by intent, and what costs an operation.

use serde_json::json;

use super::*;

fn document(paths: &Value, components: &Value) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": [{"url": "https://api.test"}],
        "paths": paths,
        "components": components,
    })
}

fn with_parameters(path: &str, parameters: &Value) -> Compiled {
    let operation =
        json!({"operationId": "op", "parameters": parameters, "responses": {"200": {"description": "ok"}}});
    compiled(&document(&json!({path: {"get": operation}}), &json!({})))
}

#[test]
fn parameters_table() {
    let rows = [
        ("/a", json!([{"name": "q", "in": "query", "style": "pipeDelimited", "schema": {"type": "array"}}])),
        (
            "/a",
            json!([{"name": "q", "in": "query", "style": "deepObject", "required": true, "schema": {"type": "object"}}]),
        ),
        ("/a", json!([{"name": "q", "in": "query", "explode": false, "schema": {"type": "array"}}])),
        ("/a", json!([{"name": "q", "in": "query", "explode": false, "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "q", "in": "query", "allowReserved": true, "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "q", "in": "query", "allowEmptyValue": true, "schema": {"type": "boolean"}}])),
        (
            "/a",
            json!([{"name": "q", "in": "query", "schema": {"type": "array", "items": {"type": "object"}}}]),
        ),
        (
            "/a",
            json!([{"name": "q", "in": "query", "schema":
            {"type": "object", "required": ["x"], "properties": {"x": {"type": "array"}}}}]),
        ),
        (
            "/a",
            json!([{"name": "q", "in": "query", "schema":
            {"type": "object", "properties": {"x": {"type": "array"}, "y": {"type": "string"}}}}]),
        ),
        ("/a", json!([{"name": "c", "in": "cookie", "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "c", "in": "cookie", "schema": {"type": "array"}}])),
        ("/a", json!([{"name": "c", "in": "cookie", "explode": false, "schema": {"type": "array"}}])),
        ("/a", json!([{"name": "no cookie", "in": "cookie", "schema": {"type": "string"}}])),
        (
            "/a",
            json!([{"name": "q", "in": "query", "style": "pipeDelimited", "explode": true, "schema": {}}]),
        ),
        ("/a", json!([{"name": "q", "in": "query", "style": "pipeDelimited", "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "q", "in": "query", "style": "deepObject", "schema": {"type": "array"}}])),
        ("/a", json!([{"name": "q", "in": "query", "style": "simple", "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "h", "in": "header", "style": "form", "schema": {"type": "string"}}])),
        (
            "/a",
            json!([{"name": "q", "in": "query", "style": "deepObject", "explode": true, "required": true, "schema":
            {"type": "object", "required": ["x"], "properties": {"x": {"type": "object"}}}}]),
        ),
        ("/a", json!([{"name": "no token", "in": "header", "schema": {"type": "string"}}])),
        ("/a", json!([{"name": "h", "in": "header", "explode": true, "schema": {"type": "object"}}])),
        (
            "/{p}",
            json!([{"name": "p", "in": "path", "required": true, "style": "matrix", "schema": {"type": "string"}}]),
        ),
        ("/{p}", json!([{"name": "p", "in": "path", "schema": {"type": "string"}}])),
        ("/{p}", json!([])),
        ("/a", json!([{"name": "p", "in": "path", "required": true, "schema": {"type": "string"}}])),
        (
            "/a",
            json!([{"name": "q", "in": "query", "schema": {}}, {"name": "q", "in": "query", "schema": {}}]),
        ),
        (
            "/a",
            json!([{"name": "X", "in": "header", "schema": {}}, {"name": "x", "in": "header", "schema": {}}]),
        ),
        ("/a", json!([{"name": "b", "in": "body", "schema": {}}])),
        ("/a", json!([{"in": "query", "schema": {}}])),
        ("/a", json!([{"name": "q", "in": "query"}])),
        ("/a", json!([{"name": "q", "in": "query", "required": "true", "schema": {}}])),
        ("/a", json!({"name": "q"})),
        ("/a", json!([{"$ref": "#/nowhere"}])),
        ("/a", json!(["q"])),
    ];
    let table: Vec<String> = rows
        .iter()
        .map(|(path, parameters)| {
            let compiled = with_parameters(path, parameters);
            let outcome = if compiled.endpoints.is_empty() {
                "absent".to_owned()
            } else {
                let styles: Vec<String> = plan(&compiled, "op")
                    .parameters
                    .iter()
                    .map(|parameter| format!("{:?}", parameter.style))
                    .collect();
                format!("[{}] {}", arguments(&compiled, "op"), styles.join(", "))
            };
            format!("{path} {parameters}\n  {outcome}\n  {}\n", remarks(&compiled).replace('\n', "\n  "))
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn operations_override_the_parameters_of_their_path() {
    let compiled = compiled(&document(
        &json!({"/a/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "X-Mode", "in": "header", "schema": {"type": "string"}},
                {"$ref": "#/components/parameters/Page"}],
            "get": {"operationId": "op", "responses": {"200": {"description": "ok"}}, "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
                {"name": "x-mode", "in": "header", "required": true, "schema": {"type": "string"}}]}}}),
        &json!({"parameters": {"Page": {"$ref": "#/components/parameters/Next"},
            "Next": {"name": "page", "in": "query", "schema": {"type": "integer"}}}}),
    ));
    assert_eq!(arguments(&compiled, "op"), "id! page x-mode!");
    assert_eq!(argument_breaks(&compiled, "op", "id", &json!("x")), [" type"]);
    assert_eq!(codes(&compiled), Vec::<String>::new());
}

#[test]
fn path_items_table() {
    let ok = json!({"responses": {"200": {"description": "ok"}}});
    let compiled = compiled(&document(
        &json!({
            "x-note": {"get": ok},
            "no/slash": {"get": ok},
            "/trace": {"trace": ok, "connect": ok, "get": ok},
            "/capital": {"GET": ok, "Post": ok},
            "/query": {"query": ok},
            "/odd": {"get": "later", "post": ok},
            "/list": [],
            "/ref": {"$ref": "#/components/pathItems/Shared", "get": {"operationId": "own", "responses": {}}},
            "/lost": {"$ref": "#/components/pathItems/None", "get": ok},
            "/far": {"$ref": "other.json#/a"},
            "/circle": {"$ref": "#/components/pathItems/Circle"},
            "/loop": {"$ref": "#/paths/~1loop"},
            "/brace/{": {"get": ok},
            "/chat#stream": {"post": ok},
            "/chat": {"post": ok},
            "/bare": {"get": {}},
        }),
        &json!({"pathItems": {
            "Shared": {"get": {"operationId": "hidden"}, "delete": ok},
            "Circle": {"$ref": "#/components/pathItems/Elcric"},
            "Elcric": {"$ref": "#/components/pathItems/Circle"}}}),
    ));
    let endpoints: Vec<String> = compiled
        .endpoints
        .iter()
        .map(|endpoint| {
            let plan = endpoint.http().expect("operations are reached over HTTP");
            format!("{} = {} {}", endpoint.key, plan.method, wire_path(plan))
        })
        .collect();
    insta::assert_snapshot!(format!("{}\n\n{}", endpoints.join("\n"), remarks(&compiled)));
}

/// An operation that refers to another is that one; it is never taken for one that takes and answers nothing.
#[test]
fn operations_that_are_references() {
    let mut shown = json!({"parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}]});
    shown["responses"] = json!({"200": {"description": "ok"}});
    let compiled = compiled(&document(
        &json!({
            "/shown": {"get": shown},
            "/near": {"get": {"$ref": "#/paths/~1shown/get"}},
            "/far": {"get": {"$ref": "operations.yaml#/list"}},
            "/none": {"get": {"$ref": "#/x-operations/none"}},
            "/text": {"get": {"$ref": "#/info/title"}},
            "/circle": {"get": {"$ref": "#/paths/~1circle/get"}},
        }),
        &json!({}),
    ));
    assert_eq!(arguments(&compiled, "get-near"), "page");
    assert_eq!(compiled.endpoints.len(), 2);
    insta::assert_snapshot!(remarks(&compiled));
}

#[test]
fn bodies_table() {
    let rows = [
        json!({"content": {"text/plain": {}, "application/json": {"schema": {"type": "object"}}}}),
        json!({"required": true, "content": {"application/vnd.a+json": {}, "Application/JSON; charset=utf-8": {}}}),
        json!({"content": {"application/x-www-form-urlencoded": {}, "multipart/form-data": {}}}),
        json!({"required": true, "content": {"application/octet-stream": {}}}),
        json!({"required": true, "content": {"*/*": {}}}),
        json!({"required": true, "content": {}}),
        json!({"description": "something"}),
        json!({"content": {"application/json\r\nX: y": {}}}),
        json!({"content": {"text/plain": {"schema": {"type": "string"}}}}),
        json!({"content": {"text/plain; charset=UTF-16": {}}}),
        json!({"required": true, "content": {"text/plain": {"schema": {"type": "object"}}}}),
        json!({"content": {"application/x-www-form-urlencoded": {"schema": {"type": "array"}}, "text/plain": {}}}),
        json!({"content": {"application/x-www-form-urlencoded": {
            "schema": {"type": "object", "properties": {
                "list": {"type": "array", "items": {"type": "string"}},
                "map": {"type": "object", "properties": {"deep": {"type": "object"}}},
                "text": {"type": "string"}, "plain": {"type": "object"}}},
            "encoding": {
                "list": {"style": "deepObject", "explode": true},
                "map": {"style": "deepObject"},
                "text": {"contentType": "image/png"},
                "plain": {"contentType": "application/xml"},
                "other": {"headers": {}},
                "any": {"contentType": "application/json, text/plain"},
                "tags": {"explode": false}}}}}),
        json!({"required": true, "content": {"application/x-www-form-urlencoded": {
            "schema": {"type": "object", "required": ["list"], "properties": {"list": {"type": "array"}}},
            "encoding": {"list": {"style": "deepObject", "explode": true}}}}}),
        json!({"$ref": "#/components/requestBodies/None"}),
        json!(null),
    ];
    let table: Vec<String> = rows
        .iter()
        .map(|body| {
            let operation = json!({"operationId": "op", "requestBody": body, "responses": {"200": {"description": "ok"}}});
            let compiled = compiled(&document(&json!({"/a": {"post": operation}}), &json!({})));
            let outcome = match compiled.endpoints.first() {
                None => "absent".to_owned(),
                Some(endpoint) => {
                    let body = endpoint.http().and_then(|plan| plan.body.as_ref());
                    let sent = body.map(|body| format!("{} as {:?}", body.media_type, body.format));
                    format!("[{}] sends {}", arguments(&compiled, "op"), sent.as_deref().unwrap_or("nothing"))
                }
            };
            format!("{body}\n  {outcome}\n  {}\n", remarks(&compiled).replace('\n', "\n  "))
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn security_table() {
    let schemes = json!({
        "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "query": {"type": "apiKey", "in": "query", "name": "key"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "basic": {"type": "http", "scheme": "basic"},
        "bearer": {"type": "http", "scheme": "Bearer"},
        "oauth": {"type": "oauth2", "flows": {}},
        "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.test"},
        "digest": {"type": "http", "scheme": "digest"},
        "tls": {"type": "mutualTLS"},
        "alias": {"$ref": "#/components/securitySchemes/bearer"},
        "odd": {"type": "apiKey", "in": "path", "name": "x"},
    });
    let rows = [
        json!([{"header": []}, {"query": []}, {"cookie": []}]),
        json!([{"basic": [], "bearer": []}]),
        json!([{"oauth": ["read"]}, {"oidc": []}, {"alias": []}]),
        json!([{"digest": []}, {"tls": []}]),
        json!([{"digest": []}, {}]),
        json!([{"odd": []}]),
        json!([{"none": []}]),
        json!([{"none": []}, {"basic": []}]),
        json!({"basic": []}),
        json!(["basic"]),
    ];
    let table: Vec<String> = rows
        .iter()
        .map(|security| {
            let operation = json!({"operationId": "op", "security": security, "responses": {"200": {"description": "ok"}}});
            let compiled =
                compiled(&document(&json!({"/a": {"get": operation}}), &json!({"securitySchemes": schemes})));
            let outcome = match compiled.endpoints.first() {
                None => "absent".to_owned(),
                Some(_) => format!("{:?}", plan(&compiled, "op").security),
            };
            format!("{security}\n  {outcome}\n  {}\n", remarks(&compiled).replace('\n', "\n  "))
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn replies_table() {
    let compiled = compiled(&document(
        &json!({"/a": {"get": {"operationId": "op", "responses": {
            "200": {"$ref": "#/components/responses/Chain"},
            "2xx": {"description": "ok", "content": {"Application/JSON; v=1": {"schema": {"type": "string"}},
                "application/json; v=2": {"schema": {"type": "integer"}}, "nonsense": {}}},
            "2XX": {"description": "again"},
            "404": {"description": "2.0", "schema": {"type": "string"}},
            "500": {"description": "odd", "content": []},
            "2000": {"description": "no status"},
            "x-note": "ignored"}}}}),
        &json!({"responses": {"Chain": {"$ref": "#/components/responses/End"},
            "End": {"description": "ok", "content": {"text/html": {}, "application/hal+json": {}}}}}),
    ));
    insta::assert_snapshot!(table(&compiled));
}

#[test]
fn duplicate_keys_are_told_and_the_last_one_counts() {
    let text = r#"{"openapi": "3.0.3", "servers": [{"url": "https://api.test"}], "paths": {
        "/a": {"get": {"operationId": "first", "responses": {}}},
        "/a": {"get": {"operationId": "second", "responses": {}}}}}"#;
    let compiled = compiled_text(text, &Options::new("demo"));
    assert_eq!(compiled.endpoints[0].key.as_str(), "demo.second");
    assert_eq!(codes(&compiled), ["warning duplicate_key"]);
    assert_eq!(compiled.document.position(compiled.diagnostics[0].offset).line, 2);
}

#[test]
fn other_documents_are_refused_as_a_whole() {
    for (text, due) in
        [("{}", "no known format"), ("[]", "no known format"), (r#"{"swagger": "2.0"}"#, "Swagger 2.0")]
    {
        let document = Document::from_json(text, &Limits::default()).expect("test documents are JSON");
        let error = compile(document, &Options::new("demo")).expect_err(due);
        assert_eq!(error.kind().code(), "compile_error");
        assert!(error.message().contains(due), "{error}");
    }
}

/// Work must grow with the document, not with its square: shared things are read once.
#[test]
fn many_operations_over_one_large_component() {
    let count = 3000;
    let properties: serde_json::Map<String, Value> =
        (0..count).map(|n| (format!("p{n}"), json!({"type": "string", "exclusiveMinimum": 1}))).collect();
    let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Large"}}}});
    let paths: serde_json::Map<String, Value> = (0..count)
        .map(|n| {
            (format!("/a/{}/{n}", "x".repeat(n % 7)), json!({"post": {"requestBody": body, "responses": {}}}))
        })
        .collect();
    let compiled = compiled(&document(
        &Value::Object(paths),
        &json!({"schemas": {"Large": {"type": "object", "properties": properties}}}),
    ));
    assert_eq!(compiled.endpoints.len(), count);
    // Each property is remarked on once, and what is not listed is counted.
    assert_eq!(compiled.diagnostics.len(), 1001);
    assert!(remarks(&compiled).contains("2000 more warnings"));
}
