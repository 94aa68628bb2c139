//! What of parameters, bodies and replies enters a fingerprint.
//!
//! Contract are the members that the tables name, with defaults filled in; every other member is prose.

use crate::catalog::Location;
use crate::compile::document::{Kind as Json, Node};

use super::super::media;
use super::super::refs::Refs;
use super::page::{Kind, Page};
use super::text::key_order;

/// How values become text: shared by parameters and headers.
const VALUE: &[&str] =
    &["name", "in", "required", "schema", "content", "style", "explode", "allowReserved", "allowEmptyValue"];
const MEDIA_TYPE: &[&str] = &["schema", "encoding"];
const ENCODING: &[&str] = &["contentType", "style", "explode", "allowReserved", "headers"];
const BODY: &[&str] = &["content", "required"];
/// Links tell of other operations; what they say is no part of the reply.
const REPLY: &[&str] = &["content", "headers", "links"];

/// Writes objects to a page.
#[derive(Debug)]
pub(super) struct Objects<'w, 'd> {
    pub(super) refs: &'w mut Refs<'d>,
    pub(super) page: &'w mut Page<'d>,
}

impl<'d> Objects<'_, 'd> {
    /// A Parameter Object.
    pub(super) fn parameter(&mut self, node: Node<'d>) {
        let location = node.get("in").and_then(Node::as_str).unwrap_or_default();
        let is_required = location == "path" || flag(node, "required");
        let style = if matches!(location, "path" | "header") { "simple" } else { "form" };
        self.page.contract.open(b'{');
        self.value(node, style, |page| {
            page.contract.key("in");
            page.contract.string(location);
            page.contract.key("name");
            page.contract.string(node.get("name").and_then(Node::as_str).unwrap_or_default());
            required(page, is_required);
        });
        self.page.contract.close(b'}');
        self.prose(node, VALUE);
    }

    /// A path parameter that the template alone declares.
    pub(super) fn undeclared(&mut self, name: &str) {
        let contract = &mut self.page.contract;
        contract.open(b'{');
        contract.key("in");
        contract.string(Location::Path.word());
        contract.key("name");
        contract.string(name);
        contract.close(b'}');
    }

    /// A Header Object.
    pub(super) fn header(&mut self, node: Node<'d>) {
        self.page.contract.open(b'{');
        self.value(node, "simple", |page| required(page, flag(node, "required")));
        self.page.contract.close(b'}');
        self.prose(node, VALUE);
    }

    /// Media types, or a schema with how its values become text, around what comes between in the order of keys.
    fn value(&mut self, node: Node<'d>, style: &str, between: impl FnOnce(&mut Page<'d>)) {
        if node.get("content").is_some() {
            self.content(node);
            return between(self.page);
        }
        let style = node.get("style").and_then(Node::as_str).unwrap_or(style);
        for word in ["allowEmptyValue", "allowReserved"] {
            if flag(node, word) {
                self.page.contract.key(word);
                self.page.contract.bool(true);
            }
        }
        self.page.contract.key("explode");
        let explode = node.get("explode").and_then(Node::as_bool);
        self.page.contract.bool(explode.unwrap_or(style == "form"));
        between(self.page);
        self.schema(node);
        self.page.contract.key("style");
        self.page.contract.string(style);
    }

    /// A Request Body Object.
    pub(super) fn body(&mut self, node: Node<'d>) {
        self.page.contract.open(b'{');
        self.content(node);
        required(self.page, flag(node, "required"));
        self.page.contract.close(b'}');
        self.prose(node, BODY);
    }

    /// A Response Object.
    pub(super) fn reply(&mut self, node: Node<'d>) {
        self.page.contract.open(b'{');
        self.content(node);
        self.headers(node);
        self.page.contract.close(b'}');
        self.prose(node, REPLY);
    }

    fn schema(&mut self, node: Node<'d>) {
        if let Some(schema) = node.get("schema") {
            self.page.contract.key("schema");
            self.page.reference(Kind::Schema, Some(schema), "");
        }
    }

    /// Media types by name: type and subtype have no case (RFC 9110 section 8.3.1).
    fn content(&mut self, node: Node<'d>) {
        let Some(content) = node.get("content").filter(|content| !content.is_empty()) else { return };
        self.page.contract.key("content");
        if content.kind() != Json::Object {
            return self.page.contract.data(content);
        }
        let named = |written: &str| match (media::essence(written), written.split_once(';')) {
            (Some(essence), Some((_, parameters))) => format!("{essence};{parameters}"),
            (Some(essence), None) => essence,
            (None, _) => written.to_owned(),
        };
        let mut types: Vec<(String, &'d str, Node<'d>)> =
            content.entries().map(|(written, media_type)| (named(written), written, media_type)).collect();
        types.sort_by(|one, other| key_order(&one.0, &other.0));
        self.page.contract.open(b'{');
        self.page.prose.enter("content");
        for (name, written, media_type) in types {
            self.page.contract.key(&name);
            self.page.prose.enter(written);
            self.media_type(media_type);
            self.page.prose.leave();
        }
        self.page.prose.leave();
        self.page.contract.close(b'}');
    }

    fn media_type(&mut self, node: Node<'d>) {
        self.page.contract.open(b'{');
        let encoding = node.get("encoding").filter(|encoding| !encoding.is_empty());
        if let Some(encoding) = encoding {
            self.page.contract.key("encoding");
            self.page.contract.open(b'{');
            self.page.prose.enter("encoding");
            for (name, part) in sorted(encoding) {
                self.page.contract.key(name);
                self.page.prose.enter(name);
                self.encoding(part);
                self.page.prose.leave();
            }
            self.page.prose.leave();
            self.page.contract.close(b'}');
        }
        self.schema(node);
        self.page.contract.close(b'}');
        self.prose(node, MEDIA_TYPE);
    }

    fn encoding(&mut self, node: Node<'d>) {
        self.page.contract.open(b'{');
        for (name, value) in sorted(node) {
            if name == "headers" {
                self.headers(node);
            } else if ENCODING.contains(&name) {
                self.page.contract.key(name);
                self.page.contract.data(value);
            }
        }
        self.page.contract.close(b'}');
        self.prose(node, ENCODING);
    }

    /// Headers by name, which has no case (RFC 9110 section 5.1); a declared `Content-Type` SHALL be ignored.
    fn headers(&mut self, node: Node<'d>) {
        let headers = node.get("headers").into_iter().flat_map(Node::entries);
        let mut headers: Vec<(String, Node<'d>)> =
            headers.map(|(name, header)| (name.to_ascii_lowercase(), header)).collect();
        headers.retain(|(name, _)| name != "content-type");
        if headers.is_empty() {
            return;
        }
        headers.sort_by(|one, other| key_order(&one.0, &other.0));
        self.page.contract.key("headers");
        self.page.contract.open(b'{');
        for (name, header) in headers {
            self.page.contract.key(&name);
            match self.refs.object(header) {
                Ok(header) => self.page.reference(Kind::Header, Some(header), ""),
                Err(_) => self.page.contract.data(header),
            }
        }
        self.page.contract.close(b'}');
    }

    /// What is left of an object.
    pub(super) fn prose(&mut self, node: Node<'d>, contract: &[&str]) {
        let mut notes: Vec<(&'d str, Node<'d>)> =
            node.entries().filter(|(name, _)| !contract.contains(name)).collect();
        notes.sort_unstable_by(|one, other| key_order(one.0, other.0));
        for (name, value) in notes {
            if name == "examples" && value.kind() == Json::Object {
                self.examples(value);
            } else {
                self.page.prose.note(name, value);
            }
        }
    }

    /// Examples by name. One that is referred to stands for itself, whatever its name as a component is.
    fn examples(&mut self, examples: Node<'d>) {
        self.page.prose.enter("examples");
        for (name, example) in sorted(examples) {
            match self.refs.object(example) {
                Ok(shared) if shared.id() != example.id() => {
                    self.page.prose.key(name).string("");
                    self.page.examples.push(shared);
                }
                _ => self.page.prose.note(name, example),
            }
        }
        self.page.prose.leave();
    }
}

fn required(page: &mut Page<'_>, is_required: bool) {
    if is_required {
        page.contract.key("required");
        page.contract.bool(true);
    }
}

/// A boolean, or the string that says it.
fn flag(node: Node<'_>, name: &str) -> bool {
    node.get(name).is_some_and(|value| value.as_bool().unwrap_or_else(|| value.as_str() == Some("true")))
}

fn sorted(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut members: Vec<_> = node.entries().collect();
    members.sort_unstable_by(|one, other| key_order(one.0, other.0));
    members
}
