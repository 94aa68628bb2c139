//! Writes a schema out as JSON Schema 2020-12.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::catalog::{Direction, SchemaId};
use crate::compile::document::{Kind, Node};

use super::super::version::Version;
use super::keywords::{Keyword, keyword};
use super::read::{self, Exclusive, Form};
use super::source::DocumentSchemas;

/// Writes one schema; what it refers to stays a reference.
#[derive(Debug)]
pub(super) struct Writer<'d> {
    source: &'d DocumentSchemas,
    direction: Direction,
    /// How many `not` and `if` are around: there `required` is a question, and stays whole.
    conditions: usize,
}

/// A schema and those around it that are about the same value: `required` may stand in one and the member in another.
#[derive(Clone, Copy)]
struct Scope<'s, 'd> {
    node: Node<'d>,
    around: Option<&'s Scope<'s, 'd>>,
}

impl<'d> Writer<'d> {
    pub(super) fn new(source: &'d DocumentSchemas, direction: Direction) -> Self {
        Self { source, direction, conditions: 0 }
    }

    pub(super) fn write(mut self, schema: Node<'d>) -> Value {
        self.schema(schema, None)
    }

    fn schema(&mut self, node: Node<'d>, around: Option<&Scope<'_, 'd>>) -> Value {
        let is_additional = node.key() == Some("additionalProperties");
        match read::schema(node, self.source.version, is_additional).value {
            Some(Form::Keywords(node)) => Value::Object(self.keywords(&Scope { node, around })),
            Some(Form::Bool(everything)) => Value::Bool(everything),
            // The check lost every operation that reaches such a schema; were one to get here, nothing may pass.
            None => Value::Bool(false),
        }
    }

    fn keywords(&mut self, scope: &Scope<'_, 'd>) -> Map<String, Value> {
        let mut out = Map::new();
        if let Some(reference) = scope.node.get("$ref") {
            out.insert("$ref".to_owned(), Value::String(self.reference(reference)));
            if self.source.version == Version::V30 {
                return out;
            }
        }
        for (name, value) in scope.node.entries() {
            if let Some(keyword) = keyword(name) {
                self.keyword(name, keyword, value, scope, &mut out);
            }
        }
        out
    }

    fn keyword(
        &mut self,
        name: &str,
        keyword: Keyword,
        value: Node<'d>,
        scope: &Scope<'_, 'd>,
        out: &mut Map<String, Value>,
    ) {
        let version = self.source.version;
        let written = match keyword {
            Keyword::Type => self.types(scope.node, value),
            Keyword::Number => self.number(name, value, scope.node),
            Keyword::Count(bound) => read::count(value, bound).value,
            Keyword::Exclusive { inclusive } => match read::exclusive(value, version).value {
                Some(Exclusive::Bound(bound)) => Some(bound),
                // The bound beside it moves here.
                Some(Exclusive::Flag(true)) => {
                    scope.node.get(inclusive).and_then(|bound| read::number(bound).value)
                }
                Some(Exclusive::Flag(false)) | None => None,
            },
            Keyword::Flag => read::flag(value).value.map(Value::Bool),
            Keyword::Text => read::text(value).value.map(Value::from),
            Keyword::Names => self.required(value, scope),
            Keyword::NamesByName => read::by_name(value).value.map(|names| {
                let lists = names.entries().filter_map(|(key, names)| {
                    Some((key.to_owned(), Value::from(read::names(names).value?)))
                });
                Value::Object(lists.collect())
            }),
            Keyword::DataList => read::data_list(value).value.map(|()| value.to_value()),
            Keyword::Data | Keyword::NoteData => Some(value.to_value()),
            Keyword::Note => value.scalar_text().map(Value::from),
            Keyword::NoteFlag => value.as_bool().map(Value::Bool),
            Keyword::Travel => (name == self.one_way()).then(|| value.as_bool().map(Value::Bool)).flatten(),
            Keyword::SameSchema => {
                let is_condition = matches!(name, "not" | "if");
                self.conditions += usize::from(is_condition);
                let schema = self.schema(value, Some(scope));
                self.conditions -= usize::from(is_condition);
                Some(schema)
            }
            Keyword::SameSchemas => read::list(value).value.map(|list| {
                Value::Array(list.items().map(|schema| self.schema(schema, Some(scope))).collect())
            }),
            Keyword::SameSchemasByName => self.by_name(value, Some(scope)),
            Keyword::Items if value.kind() == Kind::Array => {
                if let Some(list) = self.list(value) {
                    out.insert("prefixItems".to_owned(), list);
                }
                None
            }
            Keyword::Items | Keyword::PartSchema | Keyword::PartSchemaOrFlag => {
                Some(self.schema(value, None))
            }
            Keyword::AdditionalItems => {
                if scope.node.get("items").is_some_and(|items| items.kind() == Kind::Array) {
                    let rest = self.schema(value, None);
                    out.insert("items".to_owned(), rest);
                }
                None
            }
            Keyword::PartSchemas => self.list(value),
            Keyword::PartSchemasByName => self.by_name(value, None),
            Keyword::Nullable | Keyword::Dialect | Keyword::Unsupported => None,
        };
        if let Some(written) = written {
            out.insert(name.to_owned(), written);
        }
    }

    fn list(&mut self, value: Node<'d>) -> Option<Value> {
        let list = read::list(value).value?;
        Some(Value::Array(list.items().map(|schema| self.schema(schema, None)).collect()))
    }

    fn by_name(&mut self, value: Node<'d>, around: Option<&Scope<'_, 'd>>) -> Option<Value> {
        let schemas = read::by_name(value).value?;
        let written = schemas.entries().map(|(name, schema)| (name.to_owned(), self.schema(schema, around)));
        Some(Value::Object(written.collect()))
    }

    /// `nullable` of 3.0 widens the type beside it and nothing else (3.0.3, and the proposal that clarified it).
    fn types(&self, schema: Node<'d>, value: Node<'d>) -> Option<Value> {
        let version = self.source.version;
        let mut types = read::types(value, version).value?;
        let is_nullable = version == Version::V30
            && schema.get("nullable").is_some_and(|nullable| read::flag(nullable).value == Some(true));
        if is_nullable && !types.contains(&"null") {
            types.push("null");
        }
        Some(match types[..] {
            [only] => Value::from(only),
            _ => Value::from(types.as_slice()),
        })
    }

    /// A bound that an exclusive flag beside it takes over is not written.
    fn number(&self, name: &str, value: Node<'d>, schema: Node<'d>) -> Option<Value> {
        let exclusive = match name {
            "minimum" => schema.get("exclusiveMinimum"),
            "maximum" => schema.get("exclusiveMaximum"),
            _ => None,
        };
        let is_taken_over = exclusive.is_some_and(|exclusive| {
            read::exclusive(exclusive, self.source.version).value == Some(Exclusive::Flag(true))
        });
        if is_taken_over { None } else { read::number(value).value }
    }

    /// The keyword of members that are not required in this direction.
    fn one_way(&self) -> &'static str {
        match self.direction {
            Direction::Request => "readOnly",
            Direction::Reply => "writeOnly",
        }
    }

    /// The required names, without those of members that travel the other way only.
    fn required(&self, value: Node<'d>, scope: &Scope<'_, 'd>) -> Option<Value> {
        let mut names = read::names(value).value?;
        names.retain(|name| self.conditions > 0 || !self.is_one_way(name, scope));
        Some(Value::from(names))
    }

    fn is_one_way(&self, name: &str, scope: &Scope<'_, 'd>) -> bool {
        let mut scope = Some(scope);
        while let Some(Scope { node, around }) = scope {
            let is_declared_so = |schema: Node<'d>| {
                let member = schema.get("properties").and_then(|properties| properties.get(name));
                member.is_some_and(|member| self.travels_one_way(member))
            };
            if self.taken_in(*node).into_iter().any(is_declared_so) {
                return true;
            }
            scope = *around;
        }
        false
    }

    fn travels_one_way(&self, member: Node<'d>) -> bool {
        let keyword = self.one_way();
        self.taken_in(member).into_iter().any(|schema| {
            !self.is_reference_alone(schema) && schema.get(keyword).and_then(Node::as_bool) == Some(true)
        })
    }

    /// The schema and all that it demands as a whole: by reference, and by `allOf`. Each once, so circles end.
    fn taken_in(&self, schema: Node<'d>) -> Vec<Node<'d>> {
        let mut all = vec![schema];
        let mut seen = HashSet::from([schema.id()]);
        let mut next = 0;
        while let Some(&schema) = all.get(next) {
            next += 1;
            let referred = schema.get("$ref").and_then(|reference| self.source.target(reference));
            let listed = schema.get("allOf").filter(|_| !self.is_reference_alone(schema));
            let more = referred.into_iter().chain(listed.into_iter().flat_map(Node::items));
            all.extend(more.filter(|schema| seen.insert(schema.id())));
        }
        all
    }

    /// In 3.0 nothing beside `$ref` counts.
    fn is_reference_alone(&self, schema: Node<'d>) -> bool {
        self.source.version == Version::V30 && schema.get("$ref").is_some()
    }

    /// The reference to write for the reference in the document.
    fn reference(&self, reference: Node<'d>) -> String {
        match self.source.target(reference) {
            Some(target) => SchemaId(target.id().0).reference(),
            // The check resolved it; were it not to resolve now, the validator will refuse to be built.
            None => "#/$defs/".to_owned(),
        }
    }
}
