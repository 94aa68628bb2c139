//! Where references lead.

use super::*;

const TREE: &str = "
  /tree:
    post:
      operationId: putTree
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}
      responses: {'200': {description: ok}}
components:
  schemas:
    Node: {type: object, required: [v], properties: {v: {type: integer},
      kids: {type: array, items: {$ref: '#/components/schemas/Node'}}, link: {$ref: '#/components/schemas/Edge'}}}
    Edge: {type: object, properties: {to: {$ref: '#/components/schemas/Node'}}}
";

/// Every `$ref` of a schema.
fn references<'v>(schema: &'v Value, found: &mut Vec<&'v str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        found.push(reference);
    }
    schema
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::values)
        .for_each(|member| references(member, found));
    schema.as_array().into_iter().flatten().for_each(|item| references(item, found));
}

#[tokio::test]
async fn case_010_recursive_schemas_check_and_stay_small() {
    let text = document("3.0.3", TREE);
    let nested =
        |innermost: Value| (1..60).fold(json!({"v": innermost}), |inner, _| json!({"v": 1, "kids": [inner]}));
    let body = nested(json!(1));
    let sent = call(&text, "putTree", &json!({"body": body}), ok()).await;
    sent.sends("POST /tree");
    assert_eq!(serde_json::from_slice::<Value>(&sent.requests[0].body).expect("JSON"), body);

    let pointer = format!("{}/v", "/kids/0".repeat(59));
    let wrong = call(&text, "putTree", &json!({"body": nested(json!("x"))}), ok()).await;
    wrong.refused(&["v", &pointer]);

    let schema = argument_schema(&compiled(&text), "putTree", "body");
    assert!(schema.to_string().len() < 5000, "{schema}");
    let mut all = Vec::new();
    references(&schema, &mut all);
    assert!(!all.is_empty(), "recursion is kept: {schema}");
    for reference in all {
        let pointer = reference.strip_prefix('#').expect("references stay inside");
        assert!(schema.pointer(pointer).is_some(), "{reference}: {schema}");
    }
}

#[tokio::test]
async fn case_012_escapes_of_pointers_are_undone_in_order() {
    let text = document(
        "3.0.3",
        "
  /jobs/{id}:
    get:
      operationId: getJob
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: ok, content: {application/json: {schema:
        {type: object, required: [n], properties: {n: {type: integer}}}}}}}
  /last:
    get:
      operationId: lastJob
      responses:
        '200': {$ref: '#/paths/~1jobs~1%7Bid%7D/get/responses/200'}
        '404': {$ref: '#/components/responses/a~1b~0c'}
        '409': {$ref: '#/components/responses/x~01y'}
        '410': {$ref: '#/components/responses/25%25'}
components:
  responses:
    a/b~c: {description: slash-tilde, content: {text/slash-tilde: {}}}
    x~1y: {description: literal tilde one, content: {text/tilde-one: {}}}
    x/y: {description: wrong, content: {text/wrong: {}}}
    25%: {description: percent, content: {text/percent: {}}}
",
    );
    let wrong = call(&text, "lastJob", &json!({}), Reply::json(200, r#"{"n": "no"}"#)).await;
    wrong.fails(1, "contract_violation", &["/n"]);
    let compiled = compiled(&text);
    assert_eq!(remarks(&compiled), [""; 0]);
    for (status, due) in [(404, "text/slash-tilde"), (409, "text/tilde-one"), (410, "text/percent")] {
        let reply = endpoint(&compiled, "lastJob").replies.matching(status).expect("it is declared");
        assert_eq!(reply.content[0].media_type, due, "{status}");
    }
}

#[tokio::test]
async fn case_013_siblings_of_references_by_version() {
    let with = |version| {
        document(
            version,
            "
  /p:
    post:
      operationId: postP
      requestBody: {required: true, content: {application/json: {schema:
        {type: object, properties: {addr: {$ref: '#/components/schemas/Addr', maxProperties: 1}}}}}}
      responses: {'200': {description: ok}}
components: {schemas: {Addr: {type: object, properties: {a: {type: string}, b: {type: string}}}}}
",
        )
    };
    let (one, two) = (json!({"body": {"addr": {"a": "1"}}}), json!({"body": {"addr": {"a": "1", "b": "2"}}}));
    call(&with("3.0.3"), "postP", &two, ok()).await.sends("POST /p");
    call(&with("3.1.0"), "postP", &two, ok()).await.refused(&["addr", "maxProperties"]);
    call(&with("3.1.0"), "postP", &one, ok()).await.sends("POST /p");
}
