//! What is saved is what was compiled; what is not as it was written is refused.

use std::sync::Arc;

use schemarouter::catalog::{
    Absent, Catalog, CatalogKey, DocumentDigest, Endpoint, Found, SavedError, SavedErrorKind, Schema, Source,
};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, UndefinedStyles, compile};
use schemarouter::executor::Failure;
use schemarouter::invokers::http::{ConnectionWatch, Wire, WireReply, WireRequest};
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::policy::ExecutionPolicy;
use schemarouter::router::{Request, Router, RunConfig};
use serde_json::Value;

const ORDERS: &str = include_str!("../fixtures/documents/orders-3.1.json");
const PETS: &str = include_str!("../fixtures/documents/pets-3.0.json");

fn compiled(text: &str, options: &Options) -> (Compiled, CatalogKey) {
    let document = Document::from_text(text, &Limits::default()).expect("a document");
    let compiled = compile(document, options).expect("OpenAPI");
    let key = options.catalog_key(DocumentDigest::of(text.as_bytes()).expect("it is in memory"));
    assert_eq!(compiled.key(), key);
    (compiled, key)
}

fn saved(text: &str) -> (Vec<u8>, CatalogKey) {
    let (compiled, key) = compiled(text, &Options::new("source"));
    (compiled.save().expect("it is small"), key)
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
        let source = Source::open(compiled.save().expect("it is small"), &key).expect("it fits");
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
    let bytes = compiled.save().expect("it is small");
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
    let digest = DocumentDigest::of(ORDERS.as_bytes()).expect("it is in memory");
    let options = |options: Options| options.catalog_key(digest);
    let url = "https://orders.test/openapi.json".parse().expect("a URL");
    for other in [
        options(Options::new("other")),
        options(Options::new("source").with_undefined_styles(UndefinedStyles::Brackets)),
        options(Options::new("source").with_server_variable("a", "b")),
        options(Options::new("source").with_document_url(url)),
    ] {
        let error = opened(&other).expect_err("the options are others");
        assert!(error.to_string().contains("other options"), "{error}");
        assert_eq!(error.kind(), SavedErrorKind::Mismatch);
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

/// A schema as deep as documents may be: `serde_json` could not read it again, so it is not saved.
#[test]
fn what_could_not_be_read_again_is_not_saved() {
    let deep = |levels: usize| {
        let schema = format!("{}{{}}{}", r#"{"items": "#.repeat(levels), "}".repeat(levels));
        format!(
            r#"{{"openapi": "3.1.0", "servers": [{{"url": "https://a.test"}}], "paths": {{"/a": {{"get": {{"responses": {{"200": {{"description": "ok", "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}}}}}"#
        )
    };
    for (levels, is_saved) in [(100, true), (117, true), (125, false), (400, false)] {
        let (compiled, key) = compiled(&deep(levels), &Options::new("source"));
        assert_eq!(compiled.endpoints.len(), 1, "{levels}");
        match compiled.save() {
            Ok(saved) => {
                let source = Source::open(saved, &key).expect("it fits");
                let opened = source.endpoints().next().expect("there is one").expect("it can be read");
                assert_eq!(whole(&opened), whole(&compiled.endpoints[0]));
                assert!(is_saved, "{levels}");
            }
            Err(error) => {
                assert_eq!(
                    (is_saved, error.kind()),
                    (false, SavedErrorKind::Unsupported),
                    "{levels}: {error}"
                );
            }
        }
    }
}

/// Whichever line that endpoints share is damaged: the call is refused before anything is sent.
#[tokio::test]
async fn a_call_of_a_damaged_catalog_sends_nothing() {
    let text = r##"{"openapi": "3.1.0", "servers": [{"url": "https://api.test"}],
        "components": {"schemas": {"A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}}, "B": {"pattern": "^b"}}},
        "paths": {"/a": {"post": {"operationId": "add", "responses": {"200": {"description": "ok",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}}}"##;
    let (bytes, key) = saved(text);
    let lines: Vec<String> = String::from_utf8(bytes).expect("JSON").lines().map(str::to_owned).collect();
    let call = |bytes: Vec<u8>| {
        let source = Source::open(bytes, &key).expect("the index is sound");
        let server = Answering::default();
        let asked = server.clone();
        let policy = ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() };
        let router = Router::builder().source(source).allow(policy).wire(server).build().expect("valid");
        async move { (router.ainvoke(Request::new("add", Value::Null), &RunConfig::default()).await, asked) }
    };
    let (outcome, asked) = call(lines.join("\n").into_bytes().into_iter().chain(*b"\n").collect()).await;
    outcome.expect("it is sound");
    assert_eq!(asked.count(), 1);
    // The first two lines are looked at when it is opened.
    for at in 2..lines.len() {
        let mut damaged = lines.clone();
        damaged[at] = damaged[at].replacen('{', "[", 1);
        let (outcome, asked) = call((damaged.join("\n") + "\n").into_bytes()).await;
        let error = outcome.expect_err("a line is damaged");
        assert_eq!(
            (error.kind(), error.phase()),
            (ErrorKind::CompileError, Phase::BeforeSending),
            "line {at}"
        );
        assert!(error.to_string().contains("is damaged"), "line {at}: {error}");
        assert!(
            error.report().hint.as_ref().is_some_and(|hint| hint.starts_with("compile the document anew"))
        );
        assert_eq!(asked.count(), 0, "line {at}");
    }
}

/// A wire that answers everything with an object, and counts.
#[derive(Debug, Clone, Default)]
struct Answering(Arc<std::sync::atomic::AtomicUsize>);

impl Answering {
    fn count(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl Wire for Answering {
    async fn send(&self, _: WireRequest, _: Arc<ConnectionWatch>) -> Result<WireReply, Failure> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let headers = [(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"))];
        let body = futures_util::stream::iter([Ok(bytes::Bytes::from_static(b"{}"))]);
        Ok(WireReply {
            status: http::StatusCode::OK,
            headers: headers.into_iter().collect(),
            body: Box::pin(body),
        })
    }
}

/// What a document compiles to is a part of what a saved catalog is tied to.
#[test]
fn what_documents_compile_to_is_of_this_revision() {
    let digest = [ORDERS, PETS].map(|text| {
        let (bytes, _) = saved(text);
        // The header has the version of the package.
        let parts = bytes.splitn(2, |byte| *byte == b'\n').last().expect("an index").to_vec();
        DocumentDigest::of(&parts[..]).expect("it is in memory").to_string()[..16].to_owned()
    });
    assert_eq!(
        digest,
        ["ca3295caf56394d8", "5c29c9e1c214ed27"],
        "documents compile to something else than before: raise `REVISION` in src/compile/mod.rs, then change this"
    );
}
