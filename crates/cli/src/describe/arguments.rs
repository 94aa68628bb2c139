//! All arguments of an endpoint as one JSON Schema.

use schemarouter::catalog::{Bundle, Direction, Endpoint, Schema, SchemaId};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

/// What the arguments object must satisfy; its properties keep the order of the endpoint.
#[derive(Debug)]
pub(super) struct ArgumentsSchema {
    pub(super) properties: Vec<Property>,
    pub(super) definitions: Map<String, Value>,
}

/// One argument.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) schema: Value,
}

impl ArgumentsSchema {
    pub(super) fn of(endpoint: &Endpoint) -> Result<Self, Error> {
        let declared = || endpoint.arguments.iter().filter_map(|argument| argument.schema.as_ref());
        let ids: Vec<SchemaId> = declared().filter_map(Schema::id).collect();
        // All schemas of a document come from one source, so one bundle has one set of definitions for them.
        let source = declared().find_map(Schema::source);
        let bundle = source.map(|source| Bundle::of(source.as_ref(), &ids, Direction::Request));
        let bundle = bundle.transpose().map_err(|error| {
            Error::rejected(ErrorKind::CompileError, error.to_string()).with_endpoint(endpoint.key.as_str())
        })?;
        let bundle = bundle.unwrap_or_default();
        let mut schemas = bundle.schemas.into_iter();
        let properties = endpoint.arguments.iter().map(|argument| {
            let schema = argument.schema.as_ref().and_then(|_| schemas.next()).unwrap_or(Value::Bool(true));
            Property {
                name: argument.name.to_string(),
                required: argument.required,
                schema: described(schema, argument.description.as_deref()),
            }
        });
        Ok(Self { properties: properties.collect(), definitions: bundle.definitions })
    }
}

/// A parameter's own description, where its schema has none.
fn described(schema: Value, description: Option<&str>) -> Value {
    let Some(description) = description else { return schema };
    let mut object = match schema {
        Value::Object(object) => object,
        Value::Bool(true) => Map::new(),
        other => return other,
    };
    object.entry("description").or_insert_with(|| Value::from(description));
    Value::Object(object)
}

impl Serialize for ArgumentsSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let required = self.properties.iter().filter(|property| property.required);
        let required: Vec<&str> = required.map(|property| property.name.as_str()).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &InOrder(&self.properties))?;
        map.serialize_entry("required", &required)?;
        map.serialize_entry("additionalProperties", &false)?;
        if !self.definitions.is_empty() {
            map.serialize_entry("$defs", &self.definitions)?;
        }
        map.end()
    }
}

struct InOrder<'a>(&'a [Property]);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|property| (&property.name, &property.schema)))
    }
}
