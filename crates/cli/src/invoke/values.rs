//! From words to arguments: each value is read as its schema asks.

use std::fs;
use std::io::{self, Read as _};

use schemarouter::catalog::Endpoint;
use schemarouter::compile::document::{Document, Limits};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use crate::types::Types;

/// A word of the form `name=value`.
pub(super) fn pair(word: &str) -> Result<(String, String), String> {
    let (name, value) = word.split_once('=').ok_or("arguments are written as `name=value`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// All arguments: those of the object, and `name=value` added to them.
pub(super) fn read(
    endpoint: &Endpoint,
    all: Option<&str>,
    pairs: &[(String, String)],
) -> Result<Map<String, Value>, Error> {
    let mut arguments = all.map_or_else(|| Ok(Map::new()), object)?;
    for (name, text) in pairs {
        let value = value(endpoint, name, text)?;
        if arguments.insert(name.clone(), value).is_some() {
            return Err(invalid(format!("argument `{name}` is given twice")).with_hint("give it once"));
        }
    }
    Ok(arguments)
}

/// What `--args` names: a text, a file, or standard input.
pub(super) fn text(given: &str) -> Result<String, Error> {
    let (what, read) = match (given, given.strip_prefix('@')) {
        ("-", _) => ("standard input", stdin()),
        (_, Some(file)) => (file, fs::read_to_string(file)),
        _ => return Ok(given.to_owned()),
    };
    read.map_err(|error| invalid(format!("the arguments in {what} cannot be read: {error}")))
}

fn stdin() -> io::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// A JSON object whose numbers keep their digits and whose keys stand once.
fn object(text: &str) -> Result<Map<String, Value>, Error> {
    let document = Document::from_json(text, &Limits::default()).map_err(|refused| {
        let at = refused.position();
        invalid(format!(
            "the arguments are no JSON: line {}, column {}: {}",
            at.line,
            at.column,
            refused.kind()
        ))
        .with_hint(refused.next_step())
    })?;
    if let Some(twice) = document.duplicate_keys().first() {
        let pointer = document.node(twice.kept).pointer();
        return Err(invalid(format!("the arguments have `{pointer}` twice")).with_hint("give it once"));
    }
    match exact(&document) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => {
            Err(invalid("the arguments are no JSON object").with_hint("give them as `{\"name\": value}`"))
        }
        Err(pointer) => Err(inexact(&format!("the arguments have a number at `{pointer}`"))),
    }
}

/// The value, or where it has a number that would lose digits.
fn exact(document: &Document) -> Result<Value, String> {
    document.root().to_value_exact().map_err(|error| error.pointer)
}

/// One value, read by the schema of its argument; without a schema JSON where it is JSON, else text.
fn value(endpoint: &Endpoint, name: &str, text: &str) -> Result<Value, Error> {
    let types = types(endpoint, name);
    let verbatim = || Value::String(text.to_owned());
    let takes_text = types.includes(Types::STRING);
    if types == Types::STRING {
        return Ok(verbatim());
    }
    let Ok(document) = Document::from_json(text, &Limits::default()) else {
        return if takes_text { Ok(verbatim()) } else { Err(expected(endpoint, name, types)) };
    };
    if !document.duplicate_keys().is_empty() {
        return Err(invalid(format!("argument `{name}` has a key twice")).with_hint("give it once"));
    }
    match exact(&document) {
        // What the schema cannot take as JSON it may take as text: `7` for a text or null.
        Ok(value) if takes_text && !types.includes(Types::of_value(&value)) => Ok(verbatim()),
        Ok(value) => Ok(value),
        Err(_) if takes_text && !types.includes(Types::of_value(&Value::from(0))) => Ok(verbatim()),
        Err(_) => Err(inexact(&format!("argument `{name}` has a number"))),
    }
}

fn types(endpoint: &Endpoint, name: &str) -> Types {
    let Some(schema) = endpoint.argument(name).and_then(|argument| argument.schema.as_ref()) else {
        return Types::ALL;
    };
    // One that cannot be read fails the check of the arguments, which can say so.
    let Ok(schema) = schema.to_value() else { return Types::ALL };
    let none = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    Types::of(&schema, definitions)
}

fn expected(endpoint: &Endpoint, name: &str, types: Types) -> Error {
    invalid(format!("argument `{name}` is no JSON; expected is {}", types.words()))
        .with_hint("write the value as JSON")
        .with_endpoint(endpoint.key.as_str())
        .with_violation(format!("/{}", name.replace('~', "~0").replace('/', "~1")), "type")
}

fn inexact(what: &str) -> Error {
    invalid(format!("{what} that would lose digits")).with_hint("write it with fewer digits, or as a string")
}

fn invalid(message: impl Into<String>) -> Error {
    Error::rejected(ErrorKind::InvalidArguments, message)
}

#[cfg(test)]
mod tests {
    use schemarouter::compile::{Options, compile};
    use serde_json::json;

    use super::*;

    fn endpoint() -> Endpoint {
        let parameter = |name: &str, schema: Value| json!({"name": name, "in": "query", "schema": schema});
        let text = json!({
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "servers": [{"url": "https://api.test"}],
            "paths": {"/t": {"get": {"operationId": "t", "responses": {"200": {"description": "ok"}}, "parameters": [
                parameter("text", json!({"type": "string"})),
                parameter("count", json!({"type": "integer"})),
                parameter("list", json!({"type": "array", "items": {"type": "integer"}})),
                parameter("maybe", json!({"type": ["string", "null"]})),
                parameter("either", json!({"type": ["string", "integer"]})),
                parameter("any", json!({})),
            ]}}},
        });
        let document = Document::from_json(text.to_string(), &Limits::default()).expect("this is JSON");
        compile(document, &Options::new("t")).expect("this is OpenAPI").endpoints.remove(0)
    }

    #[test]
    fn values_are_read_as_their_schemas_ask() {
        let endpoint = endpoint();
        let table = [
            ("text=7", Ok(json!("7"))),
            ("text=\"q\"", Ok(json!("\"q\""))),
            ("text=a=b", Ok(json!("a=b"))),
            ("text=", Ok(json!(""))),
            ("count=7", Ok(json!(7))),
            ("count=seven", Err("argument `count` is no JSON; expected is number")),
            ("count=", Err("argument `count` is no JSON; expected is number")),
            ("count=18446744073709551617", Err("argument `count` has a number that would lose digits")),
            ("list=[1,2]", Ok(json!([1, 2]))),
            ("maybe=null", Ok(json!(null))),
            ("maybe=7", Ok(json!("7"))),
            ("maybe=18446744073709551617", Ok(json!("18446744073709551617"))),
            ("maybe=text", Ok(json!("text"))),
            ("either=7", Ok(json!(7))),
            ("either=\"7\"", Ok(json!("7"))),
            ("either=x", Ok(json!("x"))),
            ("any={\"a\":1}", Ok(json!({"a": 1}))),
            ("any={\"a\":1,\"a\":2}", Err("argument `any` has a key twice")),
            ("any=x", Ok(json!("x"))),
            ("unheard=1", Ok(json!(1))),
        ];
        for (word, expected) in table {
            let name = word.split('=').next().unwrap_or_default();
            let read = read(&endpoint, None, &[pair(word).expect("a name and a value")]);
            match (read, expected) {
                (Ok(arguments), Ok(value)) => assert_eq!(arguments.get(name), Some(&value), "{word}"),
                (Err(error), Err(message)) => assert_eq!(error.message(), message, "{word}"),
                (read, _) => panic!("{word}: {read:?}"),
            }
        }
    }

    #[test]
    fn words_add_to_the_object_and_a_clash_is_an_error() {
        let endpoint = endpoint();
        let words = |words: &[&str]| words.iter().map(|word| pair(word).expect("a pair")).collect::<Vec<_>>();
        let both = read(&endpoint, Some(r#"{"text": "a"}"#), &words(&["count=1"])).expect("they differ");
        assert_eq!(Value::Object(both), json!({"text": "a", "count": 1}));
        for (all, given) in [
            (Some(r#"{"text": "a"}"#), words(&["text=b"])),
            (None, words(&["text=a", "text=a"])),
            (Some(r#"{"text": "a", "text": "b"}"#), words(&[])),
            (Some(r#"{"count": 18446744073709551617}"#), words(&[])),
            (Some("[]"), words(&[])),
            (Some("{"), words(&[])),
        ] {
            let error = read(&endpoint, all, &given).expect_err("it cannot be meant");
            assert_eq!(error.kind(), ErrorKind::InvalidArguments, "{all:?} {given:?}");
        }
    }
}
