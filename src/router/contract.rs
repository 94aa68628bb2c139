//! What registered code promises, so that it is admitted, validated and retried like a document's operation.

use std::sync::Arc;

use schemarouter_kernel::base::disposition::Effect;
use serde_json::{Value, json};

use crate::catalog::{
    Argument, Binding, Content, DeclaredBy, Endpoint, Key, NextPage, Replies, ReplySpec, Schema, StatusMatch,
    Support,
};
use crate::compile::registered_fingerprints;

/// The contract of registered code: what it does, takes and answers.
///
/// The effect must be said; [`Effect::Unknown`] can be (ruling 10). Schemas are JSON Schema 2020-12.
///
/// # Examples
/// ```
/// use schemarouter::kernel::base::disposition::Effect;
/// use schemarouter::router::Contract;
/// use serde_json::json;
///
/// let contract = Contract::new("clock", "now", Effect::ReadOnly)
///     .with_arguments(json!({"type": "object", "properties": {"zone": {"type": "string"}}}))
///     .with_reply(json!({"type": "object", "required": ["time"]}));
/// # let _ = contract;
/// ```
#[derive(Debug, Clone)]
pub struct Contract {
    source: String,
    operation: String,
    effect: Effect,
    destructive: bool,
    summary: Option<String>,
    arguments: Value,
    reply: Option<Value>,
    next_page: Option<NextPage>,
}

impl Contract {
    /// A contract for `source.operation`, which takes nothing and answers anything.
    pub fn new(source: impl Into<String>, operation: impl Into<String>, effect: Effect) -> Self {
        Self {
            source: source.into(),
            operation: operation.into(),
            effect,
            destructive: false,
            summary: None,
            arguments: json!({"type": "object"}),
            reply: None,
            next_page: None,
        }
    }

    /// What the arguments object must satisfy. Names that it does not list are refused, unless it says
    /// `additionalProperties` itself.
    #[must_use]
    pub fn with_arguments(mut self, schema: Value) -> Self {
        self.arguments = schema;
        self
    }

    /// What the reply must satisfy.
    #[must_use]
    pub fn with_reply(mut self, schema: Value) -> Self {
        self.reply = Some(schema);
        self
    }

    /// Says how its next page is asked for.
    #[must_use]
    pub fn with_next_page(mut self, rule: NextPage) -> Self {
        self.next_page = Some(rule);
        self
    }

    /// Says that it destroys something.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.destructive = true;
        self
    }

    /// One line on what it does.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn into_endpoint(mut self) -> Endpoint {
        if let Value::Object(object) = &mut self.arguments {
            object.entry("additionalProperties").or_insert(Value::Bool(false));
        }
        let fingerprints =
            registered_fingerprints(&self.arguments, self.reply.as_ref(), self.summary.as_deref());
        let required: Vec<String> = names(self.arguments.get("required"));
        let properties: Vec<(String, Value)> = match self.arguments.get("properties") {
            Some(Value::Object(properties)) => {
                properties.iter().map(|(n, s)| (n.clone(), s.clone())).collect()
            }
            _ => Vec::new(),
        };
        let arguments: Vec<(String, Option<String>)> = properties
            .into_iter()
            .map(|(name, schema)| {
                let description = schema.get("description").and_then(Value::as_str).map(str::to_owned);
                (name, description)
            })
            .collect();
        let content = Content { media_type: "*/*".to_owned(), schema: self.reply.map(Schema::alone) };
        Endpoint {
            key: Key::new(&self.source, &self.operation),
            summary: self.summary,
            description: None,
            tags: Vec::new(),
            deprecated: false,
            effect: self.effect,
            destructive: self.destructive,
            declared_by: DeclaredBy::Operator,
            arguments: arguments
                .into_iter()
                .map(|(name, description)| Argument {
                    required: required.contains(&name),
                    name: name.into(),
                    description: description.map(Into::into),
                    schema: None,
                    support: Support::Supported,
                })
                .collect(),
            arguments_schema: Some(Schema::alone(self.arguments)),
            replies: Replies::new(vec![ReplySpec {
                status: StatusMatch::Default,
                content: [content].into(),
            }]),
            next_page: self.next_page.map(Arc::new),
            binding: Binding::Custom,
            fingerprints,
            pointer: String::new(),
        }
    }
}

fn names(list: Option<&Value>) -> Vec<String> {
    list.and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}
