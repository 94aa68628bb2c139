//! What of a schema enters its fingerprint: what it says about values as contract, the rest as prose.
//!
//! It is read as for the validator, so that what is read alike is alike: `nullable` of 3.0 is a type, a bound that is
//! excluded is an exclusive bound. Both directions are in it: `readOnly`, `writeOnly` and all of `required`.

use std::collections::HashSet;

use crate::compile::document::{Kind as Json, Node, NodeId};

use super::super::fingerprint::{Kind, Page, key_order};
use super::super::refs::Refs;
use super::super::version::Version;
use super::keywords::{Keyword, belongs, keyword};
use super::read::{self, Exclusive, Form, Reading, Remark};

/// Writes schemas to a page.
#[derive(Debug)]
pub(in super::super) struct Identity<'w, 'd> {
    pub(in super::super) version: Version,
    pub(in super::super) refs: &'w mut Refs<'d>,
    pub(in super::super) page: &'w mut Page<'d>,
    /// Members of the schemas that are being written, so that sorting them allocates nothing.
    pub(in super::super) members: &'w mut Vec<(&'d str, Member<'d>)>,
}

/// A keyword as it counts.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Member<'d> {
    Types {
        node: Node<'d>,
        is_nullable: bool,
    },
    Number(&'d str),
    True,
    Text(&'d str),
    Names(Node<'d>),
    NamesByName(Node<'d>),
    Set(Node<'d>),
    Data(Node<'d>),
    Schema(Node<'d>),
    Schemas(Node<'d>),
    SchemasByName(Node<'d>),
    Reference(Node<'d>),
    /// The object, and the schema that it stands in.
    Discriminator(Node<'d>, Node<'d>),
    Prose(Node<'d>),
}

impl Member<'_> {
    /// `nullable` adds null to the type beside it, and does nothing else.
    fn widen(&mut self) {
        if let Self::Types { is_nullable, .. } = self {
            *is_nullable = true;
        }
    }
}

impl<'d> Identity<'_, 'd> {
    /// A schema with everything that is written within it: recurses once per level, which the limits of documents
    /// bound.
    pub(in super::super) fn schema(&mut self, node: Node<'d>) {
        if node.kind() == Json::Object {
            return self.keywords(node);
        }
        let is_additional = node.kind() == Json::Bool && node.key() == Some("additionalProperties");
        match read::schema(node, self.version, is_additional).value {
            // The same as a schema without keywords.
            Some(Form::Keywords(_) | Form::Bool(true)) => {
                self.page.contract.open(b'{');
                self.page.contract.close(b'}');
            }
            Some(Form::Bool(false)) => self.page.contract.bool(false),
            None => self.page.contract.data(node),
        }
    }

    fn keywords(&mut self, node: Node<'d>) {
        let start = self.members.len();
        let (mut reference, mut is_nullable) = (None, false);
        for (name, value) in node.entries() {
            match name {
                "$ref" => reference = Some(value),
                "nullable" => is_nullable = read::flag(value).value == Some(true),
                _ => {}
            }
            self.members.extend(member(name, value, node, self.version));
        }
        if self.version == Version::V30 {
            if let Some(reference) = reference {
                // Nothing beside `$ref` counts, nor is it read.
                self.members.truncate(start);
                self.members.push(("$ref", Member::Reference(reference)));
            } else if is_nullable {
                self.members[start..].iter_mut().for_each(|(_, member)| member.widen());
            }
        }
        self.members[start..].sort_unstable_by(|one, other| key_order(one.0, other.0));
        self.page.contract.open(b'{');
        for at in start..self.members.len() {
            let (name, member) = self.members[at];
            self.member(name, member);
        }
        self.page.contract.close(b'}');
        self.members.truncate(start);
    }

    fn member(&mut self, name: &'d str, member: Member<'d>) {
        if let Member::Prose(value) = member {
            return self.page.prose.note(name, value);
        }
        let contract = &mut self.page.contract;
        contract.key(name);
        match member {
            Member::Types { node, is_nullable: false } if type_word(node).is_some() => {
                contract.string(type_word(node).unwrap_or_default());
            }
            Member::Types { node, is_nullable } => {
                let mut types = read::types(node, self.version).value.unwrap_or_default();
                if is_nullable && !types.contains(&"null") {
                    types.push("null");
                }
                types.sort_unstable();
                match types[..] {
                    [only] => contract.string(only),
                    _ => contract.strings(types),
                }
            }
            Member::Number(text) => contract.number(text),
            Member::True => contract.bool(true),
            Member::Text(text) => contract.string(text),
            Member::Names(node) => contract.strings(read::names(node).value.unwrap_or_default()),
            Member::NamesByName(node) => {
                contract.open(b'{');
                for (name, names) in sorted(node) {
                    contract.key(name);
                    contract.strings(read::names(names).value.unwrap_or_default());
                }
                contract.close(b'}');
            }
            Member::Set(node) => contract.data_set(node),
            Member::Data(node) | Member::Prose(node) => contract.data(node),
            Member::Schema(node) => {
                self.page.prose.enter(name);
                self.schema(node);
                self.page.prose.leave();
            }
            Member::Schemas(list) => self.schemas(name, list),
            Member::SchemasByName(node) => self.schemas_by_name(name, node),
            Member::Reference(node) => {
                let written = node.as_str().unwrap_or_default();
                let target = self.refs.target(node, written).ok();
                self.page.reference(Kind::Schema, target, written);
            }
            Member::Discriminator(node, schema) => self.discriminator(node, schema),
        }
    }

    fn schemas(&mut self, name: &'d str, list: Node<'d>) {
        self.page.contract.open(b'[');
        self.page.prose.enter(name);
        for (at, schema) in list.items().enumerate() {
            self.page.prose.enter_item(at);
            self.schema(schema);
            self.page.prose.leave();
        }
        self.page.prose.leave();
        self.page.contract.close(b']');
    }

    fn schemas_by_name(&mut self, keyword: &'d str, node: Node<'d>) {
        self.page.contract.open(b'{');
        self.page.prose.enter(keyword);
        let start = self.members.len();
        self.members.extend(node.entries().map(|(name, schema)| (name, Member::Schema(schema))));
        self.members[start..].sort_unstable_by(|one, other| key_order(one.0, other.0));
        for at in start..self.members.len() {
            let (name, schema) = self.members[at];
            self.member(name, schema);
        }
        self.members.truncate(start);
        self.page.prose.leave();
        self.page.contract.close(b'}');
    }

    /// Ruling 18: the property, and what each of its values means. A branch without an entry in `mapping` has the
    /// name of its component for a value; other components' names do not matter.
    fn discriminator(&mut self, node: Node<'d>, schema: Node<'d>) {
        if node.kind() != Json::Object {
            return self.page.contract.data(node);
        }
        let components = node.document().at("/components/schemas");
        let mut values: Vec<(&'d str, Option<Node<'d>>, &'d str)> = Vec::new();
        let mut mapped: HashSet<NodeId> = HashSet::new();
        for (value, target) in node.get("mapping").into_iter().flat_map(Node::entries) {
            let written = target.as_str().unwrap_or_default();
            let by_name = components.and_then(|components| components.get(written));
            let found = by_name.or_else(|| self.refs.target(target, written).ok());
            mapped.extend(found.map(Node::id));
            values.push((value, found, written));
        }
        let branches =
            ["oneOf", "anyOf"].into_iter().filter_map(|list| schema.get(list)).flat_map(Node::items);
        for branch in branches {
            let Some(reference) = branch.get("$ref") else { continue };
            let Some(target) = reference.as_str().and_then(|text| self.refs.target(reference, text).ok())
            else {
                continue;
            };
            let is_component = target.parent().map(Node::id) == components.map(Node::id);
            if let Some(name) = target.key().filter(|_| is_component)
                && mapped.insert(target.id())
            {
                values.push((name, Some(target), name));
            }
        }
        values.sort_by(|one, other| key_order(one.0, other.0));
        self.page.contract.open(b'{');
        self.page.contract.key("mapping");
        self.page.contract.open(b'{');
        for (value, target, written) in values {
            self.page.contract.key(value);
            self.page.reference(Kind::Schema, target, written);
        }
        self.page.contract.close(b'}');
        if let Some(property) = node.get("propertyName") {
            self.page.contract.key("propertyName");
            self.page.contract.data(property);
        }
        self.page.contract.close(b'}');
    }
}

/// What a keyword of a schema is, under the name that it is written with; `None` where it says nothing.
fn member<'d>(
    name: &'d str,
    value: Node<'d>,
    schema: Node<'d>,
    version: Version,
) -> Option<(&'d str, Member<'d>)> {
    let Some(keyword) = keyword(name) else {
        return match name {
            "$ref" => Some((name, Member::Reference(value))),
            "discriminator" => Some((name, Member::Discriminator(value, schema))),
            "contentSchema" => Some((name, Member::Schema(value))),
            // It decides how values are written in XML.
            "xml" => Some((name, Member::Data(value))),
            // Definitions count where they are referred to, and the names of places do not matter.
            "$defs" | "definitions" | "$anchor" | "$dynamicAnchor" => None,
            _ => Some((name, Member::Prose(value))),
        };
    };
    if version == Version::V31 && !belongs(name, version) {
        return None;
    }
    let member = match keyword {
        Keyword::Type if type_word(value).is_some() => {
            Some(Member::Types { node: value, is_nullable: false })
        }
        Keyword::Type => read_as(read::types(value, version), value, |_| {
            Some(Member::Types { node: value, is_nullable: false })
        }),
        Keyword::Number => {
            let exclusive =
                schema.get(if name == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" });
            let is_taken_over = name != "multipleOf"
                && exclusive.is_some_and(|exclusive| {
                    read::exclusive(exclusive, version).value == Some(Exclusive::Flag(true))
                });
            if is_taken_over { None } else { number(value) }
        }
        Keyword::Count(bound) => read_as(read::count(value, bound), value, |_| number(value)),
        Keyword::Exclusive { inclusive } => {
            read_as(read::exclusive(value, version), value, |exclusive| match exclusive {
                Exclusive::Bound(_) => number(value),
                Exclusive::Flag(true) => schema.get(inclusive).and_then(number),
                Exclusive::Flag(false) => None,
            })
        }
        Keyword::Flag => read_as(read::flag(value), value, |flag| flag.then_some(Member::True)),
        Keyword::Travel => (value.as_bool() == Some(true)).then_some(Member::True),
        Keyword::Text => read_as(read::text(value), value, |text| Some(Member::Text(text))),
        Keyword::Names => {
            read_as(read::names(value), value, |names| (!names.is_empty()).then_some(Member::Names(value)))
        }
        Keyword::NamesByName => read_as(read::by_name(value), value, |_| Some(Member::NamesByName(value))),
        Keyword::DataList => read_as(read::data_list(value), value, |()| Some(Member::Set(value))),
        Keyword::Data | Keyword::NoteData => Some(Member::Data(value)),
        // These say what a string holds.
        Keyword::Note if matches!(name, "format" | "contentMediaType" | "contentEncoding") => {
            Some(Member::Data(value))
        }
        Keyword::Note | Keyword::NoteFlag => Some(Member::Prose(value)),
        Keyword::Items if value.kind() == Json::Array => {
            return schemas(value).map(|member| ("prefixItems", member));
        }
        Keyword::SameSchema | Keyword::PartSchema | Keyword::PartSchemaOrFlag | Keyword::Items => {
            Some(Member::Schema(value))
        }
        Keyword::AdditionalItems => {
            let is_rest = schema.get("items").is_some_and(|items| items.kind() == Json::Array);
            return is_rest.then_some(("items", Member::Schema(value)));
        }
        Keyword::SameSchemas | Keyword::PartSchemas => schemas(value),
        Keyword::SameSchemasByName | Keyword::PartSchemasByName => {
            read_as(read::by_name(value), value, |node| {
                (!node.is_empty()).then_some(Member::SchemasByName(node))
            })
        }
        Keyword::Nullable | Keyword::Dialect | Keyword::Unsupported => None,
    };
    member.map(|member| (name, member))
}

fn schemas(value: Node<'_>) -> Option<Member<'_>> {
    read_as(read::list(value), value, |list| Some(Member::Schemas(list)))
}

/// A type that is written as it is due, as nearly all are.
fn type_word(node: Node<'_>) -> Option<&str> {
    let is_due = |word: &&str| {
        matches!(*word, "string" | "number" | "integer" | "boolean" | "array" | "object" | "null")
    };
    node.as_str().filter(is_due)
}

/// A number as it is written, also where a string holds it.
fn number(value: Node<'_>) -> Option<Member<'_>> {
    if let Some(text) = value.number_text() {
        return Some(Member::Number(text));
    }
    read_as(read::number(value), value, |_| value.as_str().map(Member::Number))
}

/// What a reading gave; where nobody can tell what is meant, the value as it stands.
fn read_as<'d, T>(
    reading: Reading<T>,
    value: Node<'d>,
    member: impl FnOnce(T) -> Option<Member<'d>>,
) -> Option<Member<'d>> {
    match (reading.value, reading.remark) {
        (Some(read), _) => member(read),
        (None, Some(Remark::Broken(_))) => Some(Member::Data(value)),
        (None, _) => None,
    }
}

fn sorted(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut members: Vec<_> = node.entries().collect();
    members.sort_unstable_by(|one, other| key_order(one.0, other.0));
    members
}
