//! What is saved is what was compiled; what is not as it was written is refused.

use std::sync::Arc;

use schemarouter::catalog::{
    Absent, Catalog, CatalogKey, Endpoint, Found, SavedError, Schema, Source, document_digest,
};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, UndefinedStyles, compile};
use serde_json::Value;

const ORDERS: &str = include_str!("../fixtures/documents/orders-3.1.json");
const PETS: &str = include_str!("../fixtures/documents/pets-3.0.json");

fn compiled(text: &str, options: &Options) -> (Compiled, CatalogKey) {
    let document = Document::from_text(text, &Limits::default()).expect("a document");
    let key = options.catalog_key(document_digest(text.as_bytes()).expect("it is in memory"));
    (compile(document, options).expect("OpenAPI"), key)
}

fn saved(text: &str) -> (Vec<u8>, CatalogKey) {
    let (compiled, key) = compiled(text, &Options::new("source"));
    (compiled.save(&key).expect("it is small"), key)
}

fn text(schema: Option<&Schema>) -> Option<Value> {
    schema.map(|schema| schema.to_value().expect("it is at hand"))
}

/// All of an endpoint, with its schemas written out.
fn whole(endpoint: &Endpoint) -> String {
    let Endpoint { key, summary, description, tags, deprecated, effect, destructive, declared_by, .. } =
        endpoint;
    let arguments = endpoint.arguments.iter().map(|argument| {
        let (name, description) = (&argument.name, &argument.description);
        format!(
            "{name} {description:?} {} {:?} {:?}",
            argument.required,
            argument.support,
            text(argument.schema.as_ref())
        )
    });
    let replies = endpoint.replies.all().iter().flat_map(|reply| {
        let of_content = |(media_type, schema)| format!("{} {media_type} {schema:?}", reply.status);
        let all =
            reply.content.iter().map(|content| (content.media_type.clone(), text(content.schema.as_ref())));
        all.map(of_content).collect::<Vec<_>>()
    });
    format!(
        "{key:?} {summary:?} {description:?} {tags:?} {deprecated} {effect} {destructive} {declared_by:?} {:#?} {:#?} {:?} {:#?} {:?} {}",
        arguments.collect::<Vec<_>>(),
        replies.collect::<Vec<_>>(),
        endpoint.arguments_schema,
        endpoint.http().expect("HTTP"),
        endpoint.fingerprints,
        endpoint.pointer,
    )
}

#[test]
fn what_is_saved_is_what_was_compiled() {
    let brackets = || Options::new("source").with_undefined_styles(UndefinedStyles::Brackets);
    for (text, options) in [(ORDERS, Options::new("source")), (PETS, brackets())] {
        let (compiled, key) = compiled(text, &options);
        let source = Source::open(compiled.save(&key).expect("it is small"), &key).expect("it fits");
        assert_eq!(source.info(), &compiled.info);
        assert_eq!(source.absent(), compiled.absent);
        let whole_source = Source::from(compiled.clone());
        assert_eq!(source.most_servers(), whole_source.most_servers());
        assert_eq!(source.listing(), whole_source.listing());
        let opened = source.endpoints().collect::<Result<Vec<_>, _>>().expect("all can be read");
        assert_eq!(opened.len(), compiled.endpoints.len());
        for (opened, endpoint) in opened.iter().zip(&compiled.endpoints) {
            assert_eq!(whole(opened), whole(endpoint));
        }
    }
}

/// Recursion, names, both directions, what is shared: in one document, and nothing of it in our others.
#[test]
fn schemas_that_refer_to_each_other_keep_their_names() {
    let text = r##"{"openapi": "3.1.0", "servers": [{"url": "https://a.test"}, {"url": "https://b.test"}],
        "components": {"schemas": {
            "Node": {"type": "object", "required": ["id", "next"], "properties": {
                "id": {"type": "string", "readOnly": true}, "next": {"$ref": "#/components/schemas/Node"},
                "other": {"$ref": "#/paths/~1a/post/requestBody/content/application~1json/schema/properties/first"}}},
            "One": {"type": "string"}, "Two": {"type": "string"}, "first": {"const": "nobody refers to it"},
            "Exact": {"multipleOf": 0.1, "maximum": 1.7976931348623157e308, "minimum": 2.2250738585072014e-308}}},
        "paths": {"/a": {"post": {
            "parameters": [{"name": "x", "in": "query", "schema": {"type": "string"}}, {"name": "y", "in": "query", "schema": {"type": "string"}}],
            "requestBody": {"content": {"application/json": {"schema": {
                "type": "object", "properties": {"first": {"minLength": 1}, "one": {"$ref": "#/components/schemas/One"},
                "two": {"$ref": "#/components/schemas/Two"}, "node": {"$ref": "#/components/schemas/Node"}, "exact": {"$ref": "#/components/schemas/Exact"}}}}}},
            "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}}}}}"##;
    let (compiled, key) = compiled(text, &Options::new("source"));
    assert_eq!(compiled.diagnostics, []);
    let bytes = compiled.save(&key).expect("it is small");
    let source = Source::open(bytes.clone(), &key).expect("it fits");
    let opened = source.endpoints().next().expect("there is one").expect("it can be read");
    assert_eq!(whole(&opened), whole(&compiled.endpoints[0]));
    let lines = String::from_utf8(bytes).expect("JSON");
    assert_eq!(
        lines.matches(r#"{"schema":{"type":"string"}}"#).count(),
        3,
        "One, Two, and one for x and y:\n{lines}"
    );
}

#[test]
fn what_is_shared_in_memory_is_written_and_read_once() {
    let description = "A cursor. ".repeat(40);
    let operations: Vec<String> = (0..50).map(|at| format!(
        r##""/a{at}": {{"get": {{"parameters": [{{"$ref": "#/components/parameters/p"}}], "responses": {{"200": {{"description": "ok"}}}}}}}}"##
    )).collect();
    let text = format!(
        r#"{{"openapi": "3.1.0", "servers": [{{"url": "https://{}.test"}}], "components": {{"parameters": {{"p": {{"name": "p", "in": "query", "description": "{description}", "schema": {{}}}}}}}}, "paths": {{{}}}}}"#,
        "a".repeat(50),
        operations.join(", ")
    );
    let (bytes, key) = saved(&text);
    let lines = String::from_utf8(bytes.clone()).expect("JSON");
    assert_eq!(lines.matches(&description).count(), 1);
    assert_eq!(lines.matches(&"a".repeat(50)).count(), 1);
    let source = Source::open(bytes, &key).expect("it fits");
    let all = source.endpoints().collect::<Result<Vec<_>, _>>().expect("all can be read");
    let same = |of: fn(&Endpoint) -> *const ()| all.iter().all(|endpoint| of(endpoint) == of(&all[0]));
    assert!(same(|endpoint| Arc::as_ptr(&endpoint.http().expect("HTTP").servers).cast()));
    assert!(same(|endpoint| Arc::as_ptr(endpoint.arguments[0].description.as_ref().expect("a text")).cast()));
    assert!(same(|endpoint| Arc::as_ptr(&endpoint.replies.all()[0].content).cast()));
    assert!(Arc::ptr_eq(&all[0], &source.endpoints().next().expect("there is one").expect("it is kept")));
}

#[test]
fn another_document_and_other_options_do_not_fit() {
    let (bytes, key) = saved(ORDERS);
    let opened =
        |key: &CatalogKey| Source::open(bytes.clone(), key).map(|source| source.info().endpoint_count);
    assert!(opened(&key).is_ok_and(|count| count > 0));
    let options = |options: Options| options.catalog_key(key.document);
    let url = "https://orders.test/openapi.json".parse().expect("a URL");
    for other in [
        options(Options::new("other")),
        options(Options::new("source").with_undefined_styles(UndefinedStyles::Brackets)),
        options(Options::new("source").with_server_variable("a", "b")),
        options(Options::new("source").with_document_url(url)),
    ] {
        let error = opened(&other).expect_err("the options are others");
        assert!(error.to_string().contains("other options"), "{error}");
    }
    let (_, other) = compiled(PETS, &Options::new("source"));
    let error = opened(&other).expect_err("the document is another");
    assert!(error.to_string().contains("another document"), "{error}");

    let old = String::from_utf8(bytes).expect("JSON").replacen("\"version\":1", "\"version\":0", 1);
    let error = Source::open(old.into_bytes(), &key).expect_err("the version is another");
    assert_eq!(error.to_string(), "the saved catalog is not of version 1, which is what is read here");
}

/// Whatever byte is another one, and wherever the file ends: nothing is read that was not written.
#[test]
fn damage_is_noticed() {
    let (bytes, key) = saved(PETS);
    let whole_of = |source: &Source| {
        let listing = format!("{:?}", source.listing()?);
        let endpoints = source.endpoints().collect::<Result<Vec<_>, _>>()?;
        let schemas = endpoints
            .iter()
            .flat_map(|endpoint| &endpoint.arguments)
            .filter_map(|argument| argument.schema.as_ref());
        let texts: Result<Vec<Value>, _> = schemas.map(Schema::to_value).collect();
        let all = endpoints.iter().map(|endpoint| format!("{endpoint:?}")).collect::<String>();
        Ok::<_, SavedError>(format!("{listing} {all} {texts:?} {:?}", source.absent()))
    };
    let sound = whole_of(&Source::open(bytes.clone(), &key).expect("it fits")).expect("it is sound");
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        match Source::open(damaged, &key).and_then(|source| whole_of(&source)) {
            Err(_) => {}
            // Replies are not looked at here, and an error of a schema is in the text.
            Ok(text) => assert!(text == sound || text.contains("is damaged"), "byte {at} is another one"),
        }
    }
    for length in (0..bytes.len()).step_by(11) {
        Source::open(bytes[..length].to_vec(), &key).expect_err("it is cut off");
    }
    let longer = [&bytes[..], b"{}\n"].concat();
    Source::open(longer, &key).expect_err("it is longer than its index says");
}

#[test]
fn a_damaged_endpoint_is_told_when_it_is_called_and_costs_no_other() {
    let (bytes, key) = saved(ORDERS);
    let lines = String::from_utf8(bytes).expect("JSON");
    let at = lines.find("{\"endpoint\":").expect("there are endpoints");
    let mut damaged = lines.into_bytes();
    damaged[at + 3] ^= 1;
    let source = Source::open(damaged, &key).expect("the index is sound");
    let mut catalog = Catalog::builder();
    catalog.add(source);
    let catalog = catalog.build().expect("it is alone");
    let keys: Vec<String> = catalog.keys().map(ToString::to_string).collect();
    assert!(
        matches!(catalog.find(&keys[0]), Found::Unreadable(error) if error.to_string().contains("is damaged"))
    );
    assert!(matches!(catalog.find(&keys[1]), Found::One(endpoint) if endpoint.key.as_str() == keys[1]));
}

#[test]
fn absent_operations_are_saved_with_the_reason() {
    let text = r#"{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "lost", "parameters": [{"$ref": "other.json"}], "responses": {"200": {"description": "ok"}}}}}}"#;
    let (bytes, key) = saved(text);
    let source = Source::open(bytes, &key).expect("it fits");
    assert_eq!(source.info().endpoint_count, 0);
    let [Absent { key, reason }] = source.absent() else { panic!("one is absent") };
    assert_eq!(key.as_str(), "source.lost");
    assert!(reason.starts_with("external_reference: "), "{reason}");
}
