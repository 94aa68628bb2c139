//! How documents are read.

use std::fmt::Write as _;

use super::*;

#[tokio::test]
async fn case_002_exclusive_bounds_by_version() {
    let with = |version: &str, schema: &str| {
        let parameter = format!("{{name: x, in: query, schema: {{{schema}}}}}");
        document(
            version,
            &format!(
                "  /r: {{get: {{operationId: getR, parameters: [{parameter}], responses: {{'200': {{description: ok}}}}}}}}\n"
            ),
        )
    };
    // Whether zero is excluded, and the remark where the bound has the form of the other version.
    let table = [
        ("3.0.3", "type: number, minimum: 0, exclusiveMinimum: true", true, &[][..]),
        ("3.1.0", "type: number, exclusiveMinimum: 0", true, &[]),
        ("3.0.3", "type: number, exclusiveMinimum: 0", true, &["warning read_by_intent"]),
        ("3.1.0", "type: number, minimum: 0, exclusiveMinimum: true", true, &["warning read_by_intent"]),
        ("3.0.3", "type: number, exclusiveMinimum: true", false, &[]),
    ];
    for (version, schema, excludes, told) in table {
        let text = with(version, schema);
        let compiled = compiled(&text);
        let remarks: Vec<String> =
            remarks(&compiled).into_iter().filter(|told| told.contains("intent")).collect();
        assert_eq!(remarks, told, "{version} {schema}");
        for remark in compiled.diagnostics.iter().filter(|_| !told.is_empty()) {
            assert!(remark.message.contains("exclusiveMinimum"), "{remark}");
            assert_eq!(remark.pointer, "/paths/~1r/get/parameters/0/schema/exclusiveMinimum");
        }
        if excludes {
            call(&text, "getR", &json!({"x": 0}), ok()).await.refused(&["`x`"]);
            call(&text, "getR", &json!({"x": 0.5}), ok()).await.sends("GET /r?x=0.5");
        } else {
            call(&text, "getR", &json!({"x": -1}), ok()).await.sends("GET /r?x=-1");
        }
    }
}

const STATUSES: &str = "
  /x:
    get:
      operationId: getX
      responses:
        200: {description: ok, content: {application/json: {schema: {type: object, required: [k]}}}}
        4XX: {description: client}
        default: {description: other}
";

#[tokio::test]
async fn case_003_status_keys_without_quotes() {
    let text = document("3.0.3", STATUSES);
    call(&text, "getX", &json!({}), Reply::json(200, "{}")).await.fails(1, "contract_violation", &["\"k\""]);

    let again = document(
        "3.0.3",
        &STATUSES.replace("        4XX", "        \"200\": {description: again}\n        4XX"),
    );
    let compiled = compiled(&again);
    assert_eq!((remarks(&compiled), compiled.endpoints.len()), (vec!["error duplicate_key".to_owned()], 0));
    let told = &compiled.diagnostics[0];
    assert!(told.message.contains("200") && told.message.contains("duplicate"), "{told}");
}

#[tokio::test]
async fn case_004_no_on_and_times_are_texts() {
    let text = document(
        "3.0.3",
        "
  /geo:
    get:
      operationId: geo
      parameters:
        - {name: country, in: query, schema: {type: string, enum: [SE, NO, DK]}}
        - {name: sw, in: query, schema: {type: string, enum: [on, off, yes, no, y, n]}}
        - {name: time, in: query, schema: {type: string, enum: [12:30:45]}}
      responses: {'200': {description: ok}}
",
    );
    call(&text, "geo", &json!({"country": "NO", "sw": "on"}), ok()).await.sends("GET /geo?country=NO&sw=on");
    call(&text, "geo", &json!({"country": "false"}), ok()).await.refused(&["`country`", "NO"]);
    call(&text, "geo", &json!({"time": "12:30:45"}), ok()).await.sends("GET /geo?time=12%3A30%3A45");
    let compiled = compiled(&text);
    let shown = |argument| argument_schema(&compiled, "geo", argument)["enum"].clone();
    assert_eq!(shown("country"), json!(["SE", "NO", "DK"]));
    assert_eq!(shown("sw"), json!(["on", "off", "yes", "no", "y", "n"]));
    assert_eq!(shown("time"), json!(["12:30:45"]));
}

#[tokio::test]
async fn case_006_alias_bombs_are_refused_and_aliases_read() {
    let paths = "  /x: {get: {operationId: getX, responses: {'200': {description: ok}}}}\n";
    let mut bomb = document("3.0.3", paths) + "x-bomb:\n  l0: &l0 [x,x,x,x,x,x,x,x,x]\n";
    for level in 1..9 {
        let aliases = vec![format!("*l{}", level - 1); 9].join(",");
        writeln!(bomb, "  l{level}: &l{level} [{aliases}]").expect("a string");
    }
    let refused = Document::from_text(bomb, &Limits::default()).expect_err("nine levels of nine");
    assert!(refused.to_string().contains("alias") && refused.to_string().contains("limit"), "{refused}");

    // Three anchors, forty uses.
    let mut paths = "  /p0:
    get:
      operationId: op0
      parameters: [&page {name: page, in: query, schema: &whole {type: integer, minimum: 1}}]
      responses: &replies {'200': {description: ok}}
"
    .to_owned();
    for n in 1..=13 {
        writeln!(
            paths,
            "  /p{n}: {{get: {{operationId: op{n}, responses: *replies, parameters: [*page, {{name: n, in: query, schema: *whole}}]}}}}"
        )
        .expect("a string");
    }
    paths.push_str("x-last: *whole\n");
    assert_eq!(paths.matches(": *").count() + paths.matches("[*").count(), 40);
    let text = document("3.0.3", &paths);
    assert_eq!(remarks(&compiled(&text)), [""; 0]);
    call(&text, "op13", &json!({"page": 2, "n": 3}), ok()).await.sends("GET /p13?page=2&n=3");
    call(&text, "op13", &json!({"page": 0}), ok()).await.refused(&["`page`"]);
}

#[test]
fn case_007_no_operation_keeps_an_id_that_two_have() {
    let operations = [
        ("/a", "get", "list", "demo.get-a"),
        ("/b", "post", "list", "demo.post-b"),
        ("/c", "get", "List", "demo.List"),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let ordered = order.map(|at| operations[at]);
        let paths: String = ordered
            .iter()
            .map(|(path, method, id, _)| {
                format!("  {path}: {{{method}: {{operationId: {id}, responses: {{'200': {{description: ok}}}}}}}}\n")
            })
            .collect();
        let compiled = compiled(&document("3.0.3", &paths));
        let keys: Vec<&str> = compiled.endpoints.iter().map(|endpoint| endpoint.key.as_str()).collect();
        assert_eq!(keys, ordered.map(|(.., key)| key));
        assert_eq!(remarks(&compiled), ["warning duplicate_operation_id"]);
        for name in ["list", "GET /a", "POST /b"] {
            assert!(compiled.diagnostics[0].message.contains(name), "{}", compiled.diagnostics[0]);
        }
        assert!(!compiled.diagnostics[0].message.contains("/c"));
    }
}

#[tokio::test]
async fn case_009_an_enum_of_fifty_thousand() {
    let values: Vec<String> = (0..50_000).map(|n| format!("c{n:05}")).collect();
    let schema = json!({"type": "string", "enum": values});
    let reply = json!({"type": "array", "items": schema});
    let text = json!({
        "openapi": "3.1.0",
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": [{"url": "https://api.test"}],
        "paths": {"/g": {"get": {"operationId": "g",
            "parameters": [{"name": "code", "in": "query", "schema": schema}],
            "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": reply}}}}}}}
    })
    .to_string();
    let ten_thousand = json!(values[40_000..]).to_string();
    let found = call(&text, "g", &json!({"code": "c49999"}), Reply::json(200, ten_thousand)).await;
    found.sends("GET /g?code=c49999");
    call(&text, "g", &json!({"code": "c00000"}), Reply::json(200, r#"["c00001", "zzz"]"#)).await.fails(
        1,
        "contract_violation",
        &["/1", "enum"],
    );
    let refused = call(&text, "g", &json!({"code": "zzz"}), ok()).await;
    let error = refused.refused(&["`code`"]);
    let whole = serde_json::to_string(error.report()).expect("a report is JSON");
    assert!(whole.len() <= 4096, "{} bytes", whole.len());
    // The whole list, or none: never a part that looks like the whole.
    assert_eq!(argument_schema(&compiled(&text), "g", "code")["enum"].as_array().map(Vec::len), Some(50_000));
}
