//! What is made of replies.

use schemarouter::kernel::base::report::Applied;

use super::*;

/// `getIt`, whose 200 has this schema.
fn answering(version: &str, schema: &str) -> String {
    document(
        version,
        &format!(
            "  /it: {{get: {{operationId: getIt, responses: {{'200': {{description: ok, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}\n"
        ),
    )
}

/// Every member that `required` demands, anywhere in a schema.
fn demands(schema: &Value, found: &mut Vec<String>) {
    let names = schema["required"].as_array().into_iter().flatten();
    found.extend(names.filter_map(Value::as_str).map(str::to_owned));
    schema
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::values)
        .for_each(|member| demands(member, found));
    schema.as_array().into_iter().flatten().for_each(|item| demands(item, found));
}

#[tokio::test]
async fn case_041_read_only_and_write_only_members() {
    let with = |version| {
        document(version, "
  /pets:
    post:
      operationId: addPet
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name, secret]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string}
        secret: {type: string, writeOnly: true}
")
    };
    let whole = json!({"body": {"name": "n", "secret": "s"}});
    let (good, bad) = (Reply::json(200, r#"{"id": 1, "name": "n"}"#), Reply::json(200, r#"{"name": "n"}"#));
    for version in ["3.0.3", "3.1.0"] {
        let text = with(version);
        call(&text, "addPet", &whole, good.clone()).await.sends("POST /pets");
        call(&text, "addPet", &json!({"body": {"name": "n"}}), good.clone()).await.refused(&["\"secret\""]);
        let broken = call(&text, "addPet", &whole, bad.clone()).await;
        let error = broken.fails(1, "contract_violation", &["\"id\""]);
        assert_eq!(error.report().applied, Some(Applied::Yes), "the effect happened");
        let mut demanded = Vec::new();
        demands(&argument_schema(&compiled(&text), "addPet", "body"), &mut demanded);
        assert_eq!(demanded, ["name", "secret"], "{version}");
    }
}

#[tokio::test]
async fn case_042_nullable_beside_enum() {
    let text = answering(
        "3.0.3",
        "{type: object, properties: {
          a: {type: string, nullable: true, enum: [x, y]},
          b: {type: string, nullable: true, enum: [x, y, null]},
          c: {nullable: true, enum: [x]},
          d: {type: string, nullable: true},
          e: {nullable: true, allOf: [{type: string}]}}}",
    );
    let broken = [("a", &["/a", "enum"][..]), ("b", &[]), ("c", &["/c"]), ("d", &[]), ("e", &["/e"])];
    for (member, names) in broken {
        let called =
            call(&text, "getIt", &json!({}), Reply::json(200, json!({member: null}).to_string())).await;
        if names.is_empty() {
            called.sends("GET /it");
        } else {
            called.fails(1, "contract_violation", names);
        }
    }
}

#[tokio::test]
async fn case_044_no_content_although_declared() {
    let text = document(
        "3.0.3",
        "
  /x:
    delete:
      operationId: delX
      responses: {'2XX': {description: ok, content: {application/json: {schema: {type: object}}}}}
",
    );
    for reply in
        [Reply::status(204).header("Content-Type", "application/json"), Reply::status(205).content_length(0)]
    {
        let called = call(&text, "delX", &json!({}), reply).await;
        called.sends("DELETE /x");
        assert_eq!(called.succeeds().data.json(), None);
        assert_eq!(called.succeeds().data.bytes().map(bytes::Bytes::len), Some(0));
    }
    let empty = call(&text, "delX", &json!({}), Reply::json(200, "")).await;
    let error = empty.fails(1, "response_decode", &["200", "application/json"]);
    assert_eq!(error.report().applied, Some(Applied::Yes), "the effect happened");
}

#[tokio::test]
async fn case_048_no_digit_is_lost_either_way() {
    let text = document(
        "3.0.3",
        "
  /r/{id}:
    post:
      operationId: postR
      parameters: [{name: id, in: path, required: true, schema: {type: integer, format: int64}}]
      requestBody: {content: {application/json: {schema: {type: object,
        properties: {n: {type: integer, format: int64}, d: {type: number}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}
",
    );
    let arguments = r#"{"id": 9007199254740993, "body": {"n": -9223372036854775808, "d": 0.1}}"#;
    let arguments: Value = serde_json::from_str(arguments).expect("JSON");
    let reply =
        r#"{"id":9007199254740993,"u":18446744073709551615,"big":123456789012345678901234567890,"d":1.10}"#;
    let called = call(&text, "postR", &arguments, Reply::json(200, reply)).await;
    called.sends("POST /r/9007199254740993");
    assert_eq!(String::from_utf8_lossy(&called.requests[0].body), r#"{"n":-9223372036854775808,"d":0.1}"#);
    let outcome = called.succeeds();
    assert_eq!(outcome.data.raw_json().expect("JSON").get(), reply);
    let printed = serde_json::to_string(&outcome.report()).expect("a report is JSON");
    for digits in ["9007199254740993", "18446744073709551615", "123456789012345678901234567890"] {
        assert!(printed.contains(digits), "{digits}: {printed}");
    }
    for rounded in ["9007199254740992", "9007199254740994", "1.8446744073709552e19"] {
        assert!(!printed.contains(rounded), "{rounded}: {printed}");
    }
}

#[tokio::test]
async fn case_049_multiples_of_a_cent() {
    let text = answering("3.1.0", "{type: array, items: {type: number, multipleOf: 0.01}}");
    let amounts = "[642739.71, 4.85, 139046008.95, 0.59, 4.35, 1.17, 279669309279.85]";
    call(&text, "getIt", &json!({}), Reply::json(200, amounts)).await.sends("GET /it");
    for wrong in ["[0.075]", "[1.001]"] {
        let called = call(&text, "getIt", &json!({}), Reply::json(200, wrong)).await;
        called.fails(1, "contract_violation", &["/0", "multipleOf"]);
    }
}

#[tokio::test]
async fn case_051_a_login_page_instead_of_json() {
    let text = answering("3.0.3", "{type: object}");
    let page = format!("<!doctype html>{}", "x".repeat(50 * 1024));
    let reply = Reply::status(200).header("Content-Type", "text/html; charset=utf-8").body(page);
    let called = call(&text, "getIt", &json!({}), reply).await;
    let error = called.fails(1, "response_decode", &["text/html", "application/json", "200"]);
    assert_eq!(error.report().attempts.len(), 1);
    let whole = serde_json::to_string(error.report()).expect("a report is JSON");
    assert!(whole.matches('x').count() <= 1024, "at most a kilobyte of the page is shown");
}

#[tokio::test]
async fn case_052_problem_details_that_nobody_declared() {
    let text = document("3.0.3", "
  /t:
    post:
      operationId: postT
      responses: {'201': {description: ok}, default: {description: err, content: {application/json: {schema: {type: object}}}}}
");
    let problem = r#"{"type":"https://e.test/oos","title":"Out of stock","status":422,"detail":"sku 9"}"#;
    let reply = Reply::status(422).header("Content-Type", "application/problem+json").body(problem);
    let called = call(&text, "postT", &json!({}), reply).await;
    let error = called.fails(1, "http_status", &["422", "Out of stock", "sku 9"]);
    assert_eq!(error.report().attempts.len(), 1);
    let parsed = error.report().problem.as_ref().expect("problem details");
    let members = (parsed.kind.as_deref(), parsed.title.as_deref(), parsed.status, parsed.detail.as_deref());
    assert_eq!(members, (Some("https://e.test/oos"), Some("Out of stock"), Some(422), Some("sku 9")));
}
