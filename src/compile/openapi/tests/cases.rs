//! Reports about other tools, each as a document and what is due.

use serde_json::json;

use crate::catalog::{Location, Scheme, SchemeUse, Security, StatusMatch, Style};

use super::*;

/// A document with these paths, and members of its own.
fn document(version: &str, paths: &Value, more: &Value) -> Value {
    let mut document = json!({
        "openapi": version,
        "info": {"title": "Demo", "version": "1.0.0"},
        "servers": [{"url": "https://api.test"}],
        "paths": paths,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        document[key] = value.clone();
    }
    document
}

fn ok() -> Value {
    json!({"200": {"description": "ok"}})
}

#[test]
fn case_002_exclusive_bounds_by_version() {
    let with = |version: &str, schema: Value| {
        compiled(&document(
            version,
            &json!({"/r": {"get": {"operationId": "getR", "responses": ok(),
                "parameters": [{"name": "x", "in": "query", "schema": schema}]}}}),
            &json!({}),
        ))
    };
    let excludes_zero = |compiled: &Compiled| {
        let breaks = |value| argument_breaks(compiled, "getR", "x", &value);
        (breaks(json!(0)), breaks(json!(0.5)))
    };
    let due = (vec![" exclusiveMinimum".to_owned()], vec![]);

    let own = with("3.0.3", json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}));
    assert_eq!((excludes_zero(&own), codes(&own)), (due.clone(), vec![]));
    let own = with("3.1.0", json!({"type": "number", "exclusiveMinimum": 0}));
    assert_eq!((excludes_zero(&own), codes(&own)), (due.clone(), vec![]));

    for (version, schema) in [
        ("3.0.3", json!({"type": "number", "exclusiveMinimum": 0})),
        ("3.1.0", json!({"type": "number", "minimum": 0, "exclusiveMinimum": true})),
    ] {
        let other = with(version, schema);
        assert_eq!(excludes_zero(&other), due);
        assert_eq!(codes(&other), ["warning read_by_intent"]);
        let pointer = "/paths/~1r/get/parameters/0/schema/exclusiveMinimum";
        assert_eq!(other.diagnostics[0].pointer, pointer);
        assert!(other.diagnostics[0].message.contains("exclusiveMinimum"));
    }

    let alone = with("3.0.3", json!({"type": "number", "exclusiveMinimum": true}));
    assert_eq!(argument_breaks(&alone, "getR", "x", &json!(-1)), Vec::<String>::new());
}

#[test]
fn case_007_duplicate_operation_ids() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({
            "/a": {"get": {"operationId": "list", "responses": ok()}},
            "/b": {"post": {"operationId": "list", "responses": ok()}},
            "/c": {"get": {"operationId": "List", "responses": ok()}},
        }),
        &json!({}),
    ));
    let keys: Vec<&str> = compiled.endpoints.iter().map(|endpoint| endpoint.key.as_str()).collect();
    assert_eq!(keys, ["demo.get-a", "demo.post-b", "demo.List"]);
    insta::assert_snapshot!(remarks(&compiled));
}

#[test]
fn case_010_recursive_schemas_stay_finite() {
    let node = json!({"type": "object", "required": ["v"], "properties": {
        "v": {"type": "integer"},
        "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        "link": {"$ref": "#/components/schemas/Edge"}}});
    let edge = json!({"type": "object", "properties": {"to": {"$ref": "#/components/schemas/Node"}}});
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/tree": {"post": {"operationId": "putTree", "responses": ok(), "requestBody": {"required": true,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}}}),
        &json!({"components": {"schemas": {"Node": node, "Edge": edge}}}),
    ));
    let nested =
        |innermost: Value| (0..60).fold(json!({"v": innermost}), |inner, _| json!({"v": 1, "kids": [inner]}));
    assert_eq!(argument_breaks(&compiled, "putTree", "body", &nested(json!(1))), Vec::<String>::new());
    let pointer = format!("{}/v type", "/kids/0".repeat(60));
    assert_eq!(argument_breaks(&compiled, "putTree", "body", &nested(json!("x"))), [pointer]);
    let body = endpoint(&compiled, "putTree").argument("body").and_then(|body| body.schema.clone());
    insta::assert_json_snapshot!(body.expect("the body has a schema").to_value().expect("it is at hand"));
}

#[test]
fn case_012_pointer_escapes() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({
            "/jobs/{id}": {"get": {"operationId": "getJob",
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
                    {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}}}}}},
            "/last": {"get": {"operationId": "lastJob", "responses": {
                "200": {"$ref": "#/paths/~1jobs~1%7Bid%7D/get/responses/200"},
                "404": {"$ref": "#/components/responses/a~1b~0c"},
                "409": {"$ref": "#/components/responses/x~01y"},
                "410": {"$ref": "#/components/responses/25%25"}}}},
        }),
        &json!({"components": {"responses": {
            "a/b~c": {"description": "slash-tilde", "content": {"text/slash-tilde": {}}},
            "x~1y": {"description": "literal tilde one", "content": {"text/tilde-one": {}}},
            "x/y": {"description": "wrong", "content": {"text/wrong": {}}},
            "25%": {"description": "percent", "content": {"text/percent": {}}}}}}),
    ));
    assert_eq!(codes(&compiled), Vec::<String>::new());
    assert_eq!(reply_breaks(&compiled, "lastJob", 200, &json!({"n": "no"})), ["/n type"]);
    let media_type = |status| {
        let reply = endpoint(&compiled, "lastJob").replies.matching(status).expect("the reply is declared");
        reply.content[0].media_type.as_str()
    };
    assert_eq!(
        (media_type(404), media_type(409), media_type(410)),
        ("text/slash-tilde", "text/tilde-one", "text/percent")
    );
}

#[test]
fn case_013_ref_siblings_by_version() {
    let with = |version| {
        compiled(&document(
            version,
            &json!({"/p": {"post": {"operationId": "postP", "responses": ok(), "requestBody": {"required": true,
                "content": {"application/json": {"schema": {"type": "object", "properties": {
                    "addr": {"$ref": "#/components/schemas/Addr", "maxProperties": 1}}}}}}}}}),
            &json!({"components": {"schemas": {"Addr":
                {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}}),
        ))
    };
    let (two, one) = (json!({"addr": {"a": "1", "b": "2"}}), json!({"addr": {"a": "1"}}));
    let old = with("3.0.3");
    assert_eq!(argument_breaks(&old, "postP", "body", &two), Vec::<String>::new());
    assert_eq!(codes(&old), ["warning ignored_keyword"]);
    let new = with("3.1.0");
    assert_eq!(argument_breaks(&new, "postP", "body", &two), ["/addr maxProperties"]);
    assert_eq!(argument_breaks(&new, "postP", "body", &one), Vec::<String>::new());
    assert_eq!(codes(&new), Vec::<String>::new());
}

#[test]
fn case_025_nullable_is_part_of_the_argument() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/items": {"get": {"operationId": "listItems", "responses": ok(), "parameters": [
            {"name": "status", "in": "query", "schema": {"type": "string"}},
            {"name": "owner", "in": "query", "schema": {"type": "string", "nullable": true}},
            {"name": "page", "in": "query", "required": true, "schema": {"type": "integer"}}]}}}),
        &json!({}),
    ));
    assert_eq!(arguments(&compiled, "listItems"), "status owner page!");
    assert_eq!(argument_breaks(&compiled, "listItems", "status", &json!(null)), [" type"]);
    assert_eq!(argument_breaks(&compiled, "listItems", "owner", &json!(null)), Vec::<String>::new());
}

#[test]
fn case_026_content_parameters() {
    let with = |parameter: Value| {
        let mut declared = json!({"name": "nick", "in": "query"});
        for (key, value) in parameter.as_object().into_iter().flatten() {
            declared[key] = value.clone();
        }
        compiled(&document(
            "3.1.0",
            &json!({"/people": {"get": {"operationId": "findPeople", "responses": ok(), "parameters": [declared]}}}),
            &json!({}),
        ))
    };
    let text = json!({"schema": {"type": "string"}});
    let json_text = with(json!({"content": {"application/json": text}}));
    assert_eq!(plan(&json_text, "findPeople").parameters[0].style, Style::Json);
    assert_eq!(argument_breaks(&json_text, "findPeople", "nick", &json!(1)), [" type"]);
    let plain = with(json!({"content": {"text/plain": text}}));
    assert_eq!(plan(&plain, "findPeople").parameters[0].style, Style::Text);
    for (parameter, due) in [
        (json!({"content": {"application/xml": text}}), "warning unsupported_parameter"),
        (json!({"content": {"text/plain": {"schema": {"type": "array"}}}}), "warning unsupported_parameter"),
        (json!({"content": {"application/json": text, "text/plain": text}}), "warning invalid_parameter"),
        (json!({"content": {"application/json": text}, "schema": {}}), "warning invalid_parameter"),
        (json!({"in": "cookie", "content": {"application/json": text}}), "warning unsupported_parameter"),
    ] {
        let refused = with(parameter.clone());
        assert_eq!(
            (arguments(&refused, "findPeople").as_str(), codes(&refused)),
            ("nick~", vec![due.to_owned()]),
            "{parameter}"
        );
        let mut required = parameter;
        required["required"] = json!(true);
        assert_eq!(with(required).endpoints.len(), 0);
    }
}

#[test]
fn case_031_same_name_in_path_query_and_body() {
    let with = |more: &[Value]| {
        let mut parameters = vec![
            json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}),
            json!({"name": "id", "in": "query", "schema": {"type": "string"}}),
        ];
        parameters.extend_from_slice(more);
        compiled(&document(
            "3.0.3",
            &json!({"/users/{id}": {"put": {"operationId": "putUser", "parameters": parameters, "responses": ok(),
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object",
                    "required": ["id", "name"],
                    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}}}}}),
            &json!({}),
        ))
    };
    assert_eq!(arguments(&with(&[]), "putUser"), "path_id! query_id body!");
    let third = json!({"name": "path_id", "in": "query", "schema": {"type": "string"}});
    let three = with(&[third]);
    assert_eq!(arguments(&three, "putUser"), "path_id! query_id path_id_2 body!");
    assert_eq!(wire_path(plan(&three, "putUser")), "/users/{path_id}");
    assert_eq!(plan(&three, "putUser").parameters[2].name.as_ref(), "path_id");
}

#[test]
fn case_036_security_of_operations() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({
            "/public": {"get": {"operationId": "pub", "security": [], "responses": ok()}},
            "/either": {"get": {"operationId": "either", "security": [{}, {"key": []}], "responses": ok()}},
            "/private": {"get": {"operationId": "priv", "responses": ok()}},
        }),
        &json!({"security": [{"key": []}],
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}),
    ));
    let key = SchemeUse {
        name: "key".to_owned(),
        scheme: Scheme::ApiKey { location: Location::Header, name: "X-Key".to_owned() },
    };
    let security = |operation| &plan(&compiled, operation).security;
    assert_eq!(security("pub"), &Security::Public);
    assert_eq!(security("either"), &Security::Alternatives([vec![], vec![key.clone()]].into()));
    assert_eq!(security("priv"), &Security::Alternatives([vec![key]].into()));
}

#[test]
fn case_038_reserved_headers_are_no_arguments() {
    let header = |name: &str, required: bool| json!({"name": name, "in": "header", "required": required, "schema": {"type": "string"}});
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/h": {"post": {"operationId": "postH", "security": [{"b": []}],
            "parameters": [header("authorization", true), header("ACCEPT", false), header("Content-Type", false),
                header("X-Req", false)],
            "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
            "responses": {"200": {"description": "ok", "content": {"application/json": {}}}}}}}),
        &json!({"components": {"securitySchemes": {"b": {"type": "http", "scheme": "Bearer"}}}}),
    ));
    assert_eq!(arguments(&compiled, "postH"), "X-Req body");
    assert_eq!(plan(&compiled, "postH").accept.as_deref(), Some("application/json"));
    assert_eq!(codes(&compiled), ["warning reserved_header"; 3]);
    let bearer = SchemeUse { name: "b".to_owned(), scheme: Scheme::Bearer };
    assert_eq!(plan(&compiled, "postH").security, Security::Alternatives([vec![bearer]].into()));
}

#[test]
fn case_041_read_only_and_write_only_in_both_versions() {
    for version in ["3.0.3", "3.1.0"] {
        let pet = json!({"$ref": "#/components/schemas/Pet"});
        let compiled = compiled(&document(
            version,
            &json!({"/pets": {"post": {"operationId": "addPet",
                "requestBody": {"required": true, "content": {"application/json": {"schema": pet}}},
                "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": pet}}}}}}}),
            &json!({"components": {"schemas": {"Pet": {"type": "object", "required": ["id", "name", "secret"],
                "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string"},
                    "secret": {"type": "string", "writeOnly": true}}}}}}),
        ));
        let body = |value| argument_breaks(&compiled, "addPet", "body", &value);
        let reply = |value| reply_breaks(&compiled, "addPet", 200, &value);
        assert_eq!(body(json!({"name": "n", "secret": "s"})), Vec::<String>::new());
        assert_eq!(body(json!({"name": "n"})), [" required"]);
        assert_eq!(reply(json!({"id": 1, "name": "n"})), Vec::<String>::new());
        assert_eq!(reply(json!({"name": "n"})), [" required"]);
    }
}

#[test]
fn case_042_nullable_and_enum() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/s": {"get": {"operationId": "getS", "responses": {"200": {"description": "ok", "content":
            {"application/json": {"schema": {"type": "object", "properties": {
                "a": {"type": "string", "nullable": true, "enum": ["x", "y"]},
                "b": {"type": "string", "nullable": true, "enum": ["x", "y", null]},
                "c": {"nullable": true, "enum": ["x"]},
                "d": {"type": "string", "nullable": true},
                "e": {"nullable": true, "allOf": [{"type": "string"}]}}}}}}}}}}),
        &json!({}),
    ));
    let null_as = |name: &str| reply_breaks(&compiled, "getS", 200, &json!({name: null}));
    assert_eq!(null_as("a"), ["/a enum"]);
    assert_eq!(null_as("b"), Vec::<String>::new());
    assert_eq!(null_as("c"), ["/c enum"]);
    assert_eq!(null_as("d"), Vec::<String>::new());
    assert_eq!(null_as("e"), ["/e type"]);
}

#[test]
fn case_043_exact_then_range_then_default() {
    let reply = |member: &str| json!({"description": member, "content": {"application/json": {"schema": {"type": "object", "required": [member]}}}});
    let compiled = compiled(&document(
        "3.1.0",
        &json!({"/s": {"get": {"operationId": "getS", "responses": {"200": reply("ok"), "2xx": reply("range2"),
            "404": reply("nf"), "4XX": reply("client"), "default": reply("any")}}}}),
        &json!({}),
    ));
    let replies = &endpoint(&compiled, "getS").replies;
    let found = |status| replies.matching(status).expect("something is declared").status;
    assert_eq!(found(200), StatusMatch::Exact(200));
    assert_eq!(found(201), StatusMatch::Range(2));
    assert_eq!(found(418), StatusMatch::Range(4));
    assert_eq!(found(500), StatusMatch::Default);
    assert_eq!(reply_breaks(&compiled, "getS", 201, &json!({"ok": 1})), [" required"]);
    assert_eq!(reply_breaks(&compiled, "getS", 404, &json!({"nf": 1})), Vec::<String>::new());
}

#[test]
fn case_046_media_types_of_replies() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/i": {"get": {"operationId": "getI", "responses": {"200": {"description": "ok", "content": {
            "text/*": {"schema": {"type": "string"}},
            "application/vnd.Acme.item+json; version=2": {"schema": {"type": "object", "required": ["v"]}},
            "Application/JSON": {"schema": {"type": "object", "required": ["j"]}},
            "*/*": {"schema": {"type": "string", "format": "binary"}}}}}}}}),
        &json!({}),
    ));
    let reply = endpoint(&compiled, "getI").replies.matching(200).expect("the reply is declared");
    let found = |essence| reply.content_for(essence).map(|content| content.media_type.as_str());
    assert_eq!(found("application/vnd.acme.item+json"), Some("application/vnd.acme.item+json"));
    assert_eq!(found("application/json"), Some("application/json"));
    assert_eq!(found("text/plain"), Some("text/*"));
    assert_eq!(found("application/notjson"), Some("*/*"));
}

#[test]
fn case_054_a_template_that_leaves_its_place_is_refused() {
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/v1/../admin": {"get": {"responses": ok()}}, "/v1/files": {"get": {"responses": ok()}}}),
        &json!({}),
    ));
    assert_eq!(compiled.endpoints.len(), 1);
    assert_eq!(codes(&compiled), ["error invalid_path"]);
}

#[test]
fn cases_055_056_server_urls_are_kept_as_published() {
    for url in ["https://api.test/tenant/v2", "https://api.test/api/", "http://127.0.0.1:8080"] {
        let compiled = compiled(&document(
            "3.0.3",
            &json!({"/a//b/": {"get": {"operationId": "oddPath", "responses": ok()}}}),
            &json!({"servers": [{"url": url}]}),
        ));
        assert_eq!(*plan(&compiled, "oddPath").servers, [url]);
        assert_eq!(wire_path(plan(&compiled, "oddPath")), "/a//b/");
    }
}

#[test]
fn case_057_servers_default_to_the_documents_own_place() {
    let mut ping = document(
        "3.1.0",
        &json!({"/ping": {"get": {"operationId": "ping", "responses": ok()}},
            "/pong": {"get": {"operationId": "pong", "responses": ok()}}}),
        &json!({}),
    );
    ping.as_object_mut().expect("a document is an object").remove("servers");
    let fetched = compiled_from(&ping, "https://host.test/specs/v3/openapi.json");
    assert_eq!(*plan(&fetched, "ping").servers, ["https://host.test/"]);
    assert_eq!(codes(&fetched), Vec::<String>::new());

    let read = compiled(&ping);
    assert_eq!(*plan(&read, "ping").servers, Vec::<String>::new());
    assert_eq!(codes(&read), ["warning missing_server"]);
    assert!(read.diagnostics[0].message.contains("servers"));

    ping["servers"] = json!([{"url": "../v4"}, {"url": "//other.test/x"}]);
    let relative = compiled_from(&ping, "https://host.test/specs/v3/openapi.json");
    assert_eq!(*plan(&relative, "ping").servers, ["https://host.test/specs/v4", "https://other.test/x"]);
}

#[test]
fn case_059_server_variables_are_filled_in() {
    let with = |url: &str, variables: Value| {
        compiled(&document(
            "3.0.3",
            &json!({"/ping": {"get": {"operationId": "ping", "responses": ok()}}}),
            &json!({"servers": [{"url": url, "variables": variables}]}),
        ))
    };
    let all = json!({"zone": {"default": "n1", "enum": ["n1", "s1"]}, "port": {"default": "8443"}, "base": {"default": "v2"}});
    let filled = with("https://{zone}.api.test:{port}/{base}", all);
    assert_eq!(*plan(&filled, "ping").servers, ["https://n1.api.test:8443/v2"]);
    assert_eq!(codes(&filled), Vec::<String>::new());

    for (url, variables, due) in [
        ("https://{zone}.test", json!({}), "not declared"),
        ("https://{zone}.test", json!({"zone": {}}), "no `default`"),
        ("https://{zone}.test", json!({"zone": {"default": "x", "enum": ["n1", "s1"]}}), "not in its `enum`"),
        ("https://{zone}.test", json!({"zone": {"default": "evil.test/#"}}), "would change the host"),
        ("https://api.test:{port}", json!({"port": {"default": "1@x"}}), "would change the host"),
        ("https://api.test/{base}", json!({"base": {"default": "v1?x"}}), "would change the host"),
        ("ftp://api.test", json!({}), "http and https"),
        ("https://user:pass@api.test", json!({}), "user information"),
        ("https://api.test/?a=b", json!({}), "query or fragment"),
        ("https://{zone", json!({}), "braces"),
    ] {
        let refused = with(url, variables);
        assert_eq!(*plan(&refused, "ping").servers, Vec::<String>::new(), "{url}");
        assert_eq!(codes(&refused), ["warning missing_server", "warning invalid_server"], "{url}");
        assert!(refused.diagnostics[1].message.contains(due), "{}", refused.diagnostics[1]);
    }
}

#[test]
fn case_100_external_references_are_refused() {
    let compiled = compiled_from(
        &document(
            "3.0.3",
            &json!({
                "/x": {"get": {"operationId": "getX", "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema":
                        {"$ref": "file:///etc/passwd#/a"}}}}}}},
                "/y": {"get": {"operationId": "getY", "responses": {
                    "400": {"$ref": "http://169.254.169.254/latest/user-data"}}}},
                "/z": {"get": {"operationId": "getZ", "responses": {"404": {"$ref": "../../../../etc/hostname"}}}},
                "/self": {"get": {"operationId": "self", "responses": {
                    "200": {"$ref": "openapi.json#/components/responses/Ok"},
                    "400": {"$ref": "https://host.test/specs/openapi.json#/components/responses/Ok"}}}},
            }),
            &json!({"components": {"responses": {"Ok": {"description": "ok"}}}}),
        ),
        "https://host.test/specs/openapi.json",
    );
    assert_eq!(compiled.endpoints.len(), 1, "a document may name itself");
    insta::assert_snapshot!(remarks(&compiled));
}

#[test]
fn case_112_argument_names_are_wire_names() {
    let query = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let compiled = compiled(&document(
        "3.0.3",
        &json!({"/calls": {"get": {"operationId": "listCalls", "responses": ok(),
            "parameters": [query("f[label]"), query("f_label"), query("Since<"), query("$cap")]}}}),
        &json!({}),
    ));
    assert_eq!(arguments(&compiled, "listCalls"), "f[label] f_label Since< $cap");
}

#[test]
fn case_118_names_outside_ascii() {
    let compiled = compiled(&document(
        "3.1.1",
        &json!({"/stadt/größe/{größe}/{v}": {"get": {"operationId": "größe", "responses": ok(), "parameters": [
            {"name": "v", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "größe", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "✈️", "in": "query", "schema": {"type": "string"}},
            {"name": "a b", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}]}}}),
        &json!({}),
    ));
    assert_eq!(endpoint(&compiled, "größe").key.as_str(), "demo.größe");
    assert_eq!(arguments(&compiled, "größe"), "größe! v! ✈️ a b");
    assert_eq!(wire_path(plan(&compiled, "größe")), "/stadt/gr%C3%B6%C3%9Fe/{größe}/{v}");
}
