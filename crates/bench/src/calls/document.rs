//! A document of any number of operations, each with arguments and a reply schema of its own.

use std::ops::Range;

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, compile};
use serde_json::{Map, Value, json};

/// The source's name.
pub(crate) const SOURCE: &str = "generated";

/// The compiled document with the operations of these numbers.
pub(crate) fn compiled(numbers: Range<usize>) -> Result<Compiled, Box<dyn std::error::Error>> {
    let document = Document::from_json(generated(numbers), &Limits::default())?;
    Ok(compile(document, &Options::new(SOURCE))?)
}

/// The name of an operation, equally long for all.
pub(crate) fn operation(number: usize) -> String {
    format!("list{number:06}")
}

/// The document with the operations of these numbers, as JSON.
fn generated(numbers: Range<usize>) -> String {
    let paths: Map<_, _> =
        numbers.clone().map(|number| (format!("/shops/{number}/{{id}}"), path(number))).collect();
    let schemas: Map<_, _> = numbers.map(|number| (component(number), schema())).collect();
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Generated", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "paths": paths,
        "components": {"schemas": schemas}
    })
    .to_string()
}

fn component(number: usize) -> String {
    format!("Items{number}")
}

fn path(number: usize) -> Value {
    let reply = json!({"$ref": format!("#/components/schemas/{}", component(number))});
    json!({"get": {
        "operationId": operation(number),
        "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100}},
            {"name": "order", "in": "query", "schema": {"enum": ["name", "age"]}},
            {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
        ],
        "responses": {"200": {"description": "Items.", "content": {"application/json": {"schema": reply}}}}
    }})
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {"type": "array", "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}
            }},
            "cursor": {"type": ["string", "null"]}
        }
    })
}
