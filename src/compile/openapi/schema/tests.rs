//! Schemas as written out, and what they let through.

use serde_json::{Value, json};

use crate::catalog::Schema;
use crate::compile::openapi::tests::{compiled, endpoint, remarks};

/// A document whose one operation answers with this schema and takes it as its body.
fn document(version: &str, schema: &Value, components: &Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    json!({
        "openapi": version,
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": [{"url": "https://api.test"}],
        "paths": {"/s": {"post": {
            "operationId": "op",
            "requestBody": {"content": content},
            "responses": {"200": {"description": "ok", "content": content}}}}},
        "components": {"schemas": components},
    })
}

/// The schema as a request and as a reply.
fn both(version: &str, schema: &Value, components: &Value) -> (Schema, Schema) {
    let compiled = compiled(&document(version, schema, components));
    let endpoint = endpoint(&compiled, "op");
    let request = endpoint.argument("body").and_then(|body| body.schema.clone());
    let reply = endpoint.replies.matching(200).and_then(|reply| reply.content[0].schema.clone());
    (request.expect("the body has a schema"), reply.expect("the reply has a schema"))
}

fn breaks(schema: &Schema, value: &Value) -> Vec<String> {
    let violations = schema.violations(value).expect("the schema can be used");
    violations.into_iter().map(|violation| format!("{} {}", violation.pointer, violation.keyword)).collect()
}

/// What each schema is written as, or that the operation is lost; and the remarks.
fn written(version: &str, schemas: &[Value]) -> String {
    let rows: Vec<String> = schemas
        .iter()
        .map(|schema| {
            let compiled = compiled(&document(version, schema, &json!({"A": {"type": "string"}})));
            let written = match compiled.endpoints.first() {
                None => "absent".to_owned(),
                Some(endpoint) => {
                    let reply =
                        endpoint.replies.matching(200).and_then(|reply| reply.content[0].schema.clone());
                    let reply = reply.expect("the reply has a schema");
                    reply.prepare().expect("what is written can be used");
                    reply.to_value().expect("it is at hand").to_string()
                }
            };
            format!("{schema}\n  {written}\n  {}\n", remarks(&compiled).replace('\n', "\n  "))
        })
        .collect();
    rows.join("\n")
}

#[test]
fn written_3_0() {
    insta::assert_snapshot!(written(
        "3.0.3",
        &[
            json!({"type": "string", "nullable": true}),
            json!({"type": "string", "nullable": "true"}),
            json!({"nullable": true}),
            json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}),
            json!({"type": ["string", "null"]}),
            json!({"type": "null"}),
            json!({"type": "String"}),
            json!({"type": "file"}),
            json!({"type": 1}),
            json!({"const": 1, "if": {"type": "integer"}}),
            json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false}),
            json!({"type": "array"}),
            json!({"properties": {"a": {"type": "string", "required": true}}}),
            json!({"properties": {"a": true}, "additionalProperties": "false"}),
            json!({"required": "a"}),
            json!({"required": ["a", "a"]}),
            json!({"required": null, "items": null}),
            json!({"properties": []}),
            json!({"enum": "a"}),
            json!({"minLength": -1}),
            json!({"maxLength": -1}),
            json!({"minLength": "3", "maximum": "9223372036854775807", "uniqueItems": 1}),
            json!({"maxLength": 1.5}),
            json!({"allOf": []}),
            json!({"allOf": {}}),
            json!({"$ref": "#/components/schemas/A", "description": "fine", "nullable": true}),
            json!({"properties": {"a": {"$ref": "#/components/schemas/A", "nullable": true}}}),
            json!({"$ref": 1}),
            json!([]),
        ]
    ));
}

#[test]
fn written_3_1() {
    insta::assert_snapshot!(written(
        "3.1.0",
        &[
            json!(true),
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "nullable": true}),
            json!({"$ref": "#/components/schemas/A", "minLength": 2}),
            json!({"$defs": {"x": {"type": "integer"}}, "items": {"$ref": "#/paths/~1s/post/responses/200/content/application~1json/schema/$defs/x"}}),
            json!({"prefixItems": [{"type": "string"}], "items": false, "contains": {}, "minContains": 0}),
            json!({"dependentRequired": {"a": ["b", "b"]}, "dependentSchemas": {"a": {"minProperties": 2}}}),
            json!({"patternProperties": {"^x-": {"type": "string"}}, "propertyNames": {"maxLength": 9}, "unevaluatedProperties": false}),
            json!({"not": {"type": "null"}, "const": null, "default": null}),
            json!({"minimum": 1, "exclusiveMinimum": false}),
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string"}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}),
            json!({"$id": "https://a.test/x", "type": "string"}),
            json!({"$dynamicRef": "#node"}),
            json!({"$ref": "#node"}),
            json!({"$ref": "#"}),
            json!({"$ref": "other.json"}),
            json!({"example": 1, "examples": [1], "x-a": 1, "xml": {}, "externalDocs": {}, "$comment": "c", "discriminator": {"propertyName": "t"}, "title": "T", "description": "D", "format": "date", "deprecated": true}),
        ]
    ));
}

#[test]
fn names_and_values_are_data() {
    let schema = json!({
        "type": "object",
        "required": ["nullable", "$ref", "required"],
        "properties": {
            "nullable": {"type": "boolean"},
            "$ref": {"type": "string"},
            "required": {"type": "integer"},
            "x-a": {"enum": [{"x-a": 1, "nullable": true, "$ref": "#/nowhere"}]},
            "example": {"type": "string", "default": {"example": 1}},
        },
    });
    for version in ["3.0.3", "3.1.0"] {
        let (_, reply) = both(version, &schema, &json!({}));
        let good = json!({"nullable": true, "$ref": "x", "required": 1,
            "x-a": {"x-a": 1, "nullable": true, "$ref": "#/nowhere"}, "example": "e"});
        assert_eq!(breaks(&reply, &good), Vec::<String>::new());
        let bad = json!({"nullable": 1, "$ref": 1, "required": "1", "x-a": {"x-a": 2}, "example": 1});
        assert_eq!(breaks(&reply, &bad).len(), 5, "{version}");
        assert_eq!(
            reply.to_value().expect("it is at hand")["properties"]["example"]["default"],
            json!({"example": 1})
        );
    }
}

#[test]
fn case_041_required_beside_the_member_it_is_about() {
    let base = json!({"type": "object", "properties": {"id": {"$ref": "#/components/schemas/Id"}, "name": {"type": "string"}}});
    let components = json!({"Base": base, "Id": {"type": "integer", "readOnly": true}});
    for version in ["3.0.3", "3.1.0"] {
        for schema in [
            // In the reference beside it, in the schema around, and in a condition, where it is a question.
            json!({"allOf": [{"$ref": "#/components/schemas/Base"}], "required": ["id", "name"]}),
            json!({"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["id", "name"]}]}),
            json!({"allOf": [{"$ref": "#/components/schemas/Base"}, {"anyOf": [{"required": ["id", "name"]}]}]}),
        ] {
            let (request, reply) = both(version, &schema, &components);
            assert_eq!(breaks(&request, &json!({"name": "n"})), Vec::<String>::new(), "{version} {schema}");
            assert_eq!(breaks(&request, &json!({"id": 1})).len(), 1, "{version} {schema}");
            assert_eq!(breaks(&reply, &json!({"name": "n"})).len(), 1, "{version} {schema}");
        }
        let forbidden =
            json!({"allOf": [{"$ref": "#/components/schemas/Base"}], "not": {"required": ["id"]}});
        let (request, _) = both(version, &forbidden, &components);
        assert_eq!(breaks(&request, &json!({"name": "n"})), Vec::<String>::new());
        assert_eq!(breaks(&request, &json!({"id": 1})), [" not"]);
    }
}

#[test]
fn definitions_have_safe_and_unique_names() {
    let schema = json!({"type": "object", "properties": {
        "a": {"$ref": "#/components/schemas/A~1B"},
        "b": {"$ref": "#/components/schemas/A-B"},
        "c": {"$ref": "#/components/schemas/%C3%84"},
        "d": {"$ref": "#/components/schemas/Deep/properties/x"},
    }});
    let components = json!({"A/B": {"type": "string"}, "A-B": {"type": "integer"}, "Ä": {"type": "boolean"},
        "Deep": {"properties": {"x": {"type": "null"}}}});
    let (_, reply) = both("3.1.0", &schema, &components);
    insta::assert_json_snapshot!(reply.to_value().expect("it is at hand"));
    assert_eq!(breaks(&reply, &json!({"a": "x", "b": 1, "c": true, "d": null})), Vec::<String>::new());
    assert_eq!(breaks(&reply, &json!({"a": 1, "b": "x", "c": 1, "d": 1})).len(), 4);
}

#[test]
fn circles_cost_the_operations_that_reach_them() {
    let lost = [
        json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}),
        json!({"A": {"$ref": "#/components/schemas/A"}}),
        json!({"A": {"allOf": [{"type": "object"}, {"anyOf": [{"$ref": "#/components/schemas/A"}]}]}}),
        json!({"A": {"properties": {"x": {"$ref": "#/components/schemas/B"}}}, "B": {"not": {"$ref": "#/components/schemas/B"}}}),
    ];
    for version in ["3.0.3", "3.1.0"] {
        for components in &lost {
            let compiled =
                compiled(&document(version, &json!({"$ref": "#/components/schemas/A"}), components));
            assert_eq!(compiled.endpoints.len(), 0, "{version} {components}");
            assert!(remarks(&compiled).contains("reference_cycle"), "{}", remarks(&compiled));
        }
    }
    // With a member in between it is ordinary recursion, also through a pointer into the middle of a schema.
    let components = json!({"A": {"type": "object", "properties": {"x": {"allOf": [{"$ref": "#/components/schemas/B"}]}}},
        "B": {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]}});
    let (_, reply) = both("3.1.0", &json!({"$ref": "#/components/schemas/A"}), &components);
    assert_eq!(breaks(&reply, &json!({"x": {"x": null}})), Vec::<String>::new());
    assert_eq!(breaks(&reply, &json!({"x": {"x": 1}})).len(), 1);
}

#[test]
fn broken_schemas_cost_exactly_the_operations_that_reach_them() {
    let reply = |reference: &str| {
        json!({"get": {"operationId": reference, "responses": {"200": {"description": "ok",
            "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{reference}")}}}}}}})
    };
    let member =
        |reference: &str| json!({"properties": {"m": {"$ref": format!("#/components/schemas/{reference}")}}});
    let compiled = compiled(&json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://api.test"}],
        // The broken one is reached first, in the middle and last.
        "paths": {"/1": reply("Direct"), "/2": reply("Fine"), "/3": reply("Far"), "/4": reply("Circle"), "/5": reply("Fine2")},
        "components": {"schemas": {
            "Direct": {"items": {"$ref": "#/components/schemas/Missing"}},
            "Fine": {"type": "string"},
            "Far": member("Between"),
            "Between": member("Direct"),
            "Circle": {"properties": {"back": {"$ref": "#/components/schemas/Circle"}, "far": {"$ref": "#/components/schemas/Far"}}},
            "Fine2": member("Fine")}},
    }));
    let keys: Vec<&str> = compiled.endpoints.iter().map(|endpoint| endpoint.key.operation()).collect();
    assert_eq!(keys, ["Fine", "Fine2"]);
    insta::assert_snapshot!(remarks(&compiled));
}

#[test]
fn schemas_as_deep_as_a_document_may_be() {
    let deep = (0..245).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"x": inner}}));
    let (_, reply) = both("3.1.0", &deep, &json!({}));
    let value = |innermost: Value| (0..245).fold(innermost, |inner, _| json!({"x": inner}));
    assert_eq!(breaks(&reply, &value(json!("s"))), Vec::<String>::new());
    assert_eq!(breaks(&reply, &value(json!(1))).len(), 1);
}

#[test]
fn dialects_of_the_document() {
    let with = |dialect: &str| {
        let mut document = document("3.1.0", &json!({"type": "string"}), &json!({}));
        document["jsonSchemaDialect"] = json!(dialect);
        document["paths"]["/plain"] = json!({"get": {"responses": {"200": {"description": "ok"}}}});
        compiled(&document)
    };
    assert_eq!(with("https://json-schema.org/draft/2020-12/schema").endpoints.len(), 2);
    assert_eq!(with("https://spec.openapis.org/oas/3.1/dialect/base").endpoints.len(), 2);
    let other = with("http://json-schema.org/draft-07/schema#");
    assert_eq!(other.endpoints.len(), 1, "an operation without schemas has no dialect");
    assert!(remarks(&other).contains("unsupported_dialect"));
}
