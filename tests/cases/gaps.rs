//! Cases that are not built yet: each test holds while the gap is there, and fails when it is closed.

use super::*;

#[test]
fn gap_028_swagger_2_is_refused() {
    let text = "
swagger: '2.0'
info: {title: Demo, version: '1.0.0'}
host: api.test
basePath: /v1
schemes: [https]
paths:
  /q:
    get:
      operationId: q
      parameters:
        - {name: a, in: query, type: array, items: {type: integer}}
        - {name: b, in: query, type: array, items: {type: integer}, collectionFormat: multi}
      responses: {'200': {description: ok}}
";
    let document = Document::from_text(text, &Limits::default()).expect("YAML");
    let refused = compile(document, &Options::new("demo")).expect_err("the version is not read yet");
    assert_eq!((refused.kind().code(), refused.disposition()), ("compile_error", Disposition::NonRetryable));
    assert!(refused.message().contains("Swagger 2.0"), "{refused}");
}

#[test]
fn gap_035_multipart_bodies_cost_their_operation() {
    let compiled = compiled(&document(
        "3.0.3",
        "
  /upload:
    post:
      operationId: upload
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: {type: object, properties: {meta: {type: object}, file: {type: string, format: binary}}}
            encoding: {file: {contentType: 'text/csv'}}
      responses: {'200': {description: ok}}
",
    ));
    assert_eq!(
        (remarks(&compiled), compiled.endpoints.len()),
        (vec!["error unsupported_body".to_owned()], 0)
    );
    assert_eq!(compiled.diagnostics[0].severity, Severity::Error);
    assert!(compiled.diagnostics[0].message.contains("multipart/form-data"), "{}", compiled.diagnostics[0]);
}
