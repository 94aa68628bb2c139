//! What of parameters, bodies and replies enters a fingerprint.
//!
//! Contract are the members that the tables name, defaults left out; every other member is prose.

use smallvec::SmallVec;

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
/// Links tell of other operations, and `schema` is of Swagger 2.0 and ignored: neither is part of the reply.
const REPLY: &[&str] = &["content", "headers", "links", "schema"];

/// Writes objects to a page.
#[derive(Debug)]
pub(super) struct Objects<'w, 'd> {
    pub(super) refs: &'w mut Refs<'d>,
    pub(super) page: &'w mut Page<'d>,
}

/// The members of an object in the order of keys; read once, since looking for each in turn costs more.
struct Fields<'d>(SmallVec<[(&'d str, Node<'d>); 8]>);

impl<'d> Fields<'d> {
    fn of(node: Node<'d>) -> Self {
        let mut members: SmallVec<[(&str, Node<'_>); 8]> = node.entries().collect();
        members.sort_unstable_by(|one, other| key_order(one.0, other.0));
        Self(members)
    }

    fn get(&self, name: &str) -> Option<Node<'d>> {
        self.0.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Option<&'d str> {
        self.get(name).and_then(Node::as_str)
    }

    /// A boolean, or the string that says it.
    fn flag(&self, name: &str) -> bool {
        let is_true = |value: Node<'_>| value.as_bool().unwrap_or_else(|| value.as_str() == Some("true"));
        self.get(name).is_some_and(is_true)
    }
}

impl<'d> Objects<'_, 'd> {
    /// A Parameter Object.
    pub(super) fn parameter(&mut self, node: Node<'d>) {
        let fields = Fields::of(node);
        let location = fields.text("in").unwrap_or_default();
        let is_required = location == "path" || fields.flag("required");
        let style = if matches!(location, "path" | "header") { "simple" } else { "form" };
        self.page.contract.open(b'{');
        self.value(&fields, style, |page| {
            page.contract.key("in");
            page.contract.string(location);
            page.contract.key("name");
            page.contract.string(fields.text("name").unwrap_or_default());
            required(page, is_required);
        });
        self.page.contract.close(b'}');
        self.notes(&fields, VALUE);
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
        let fields = Fields::of(node);
        self.page.contract.open(b'{');
        self.value(&fields, "simple", |page| required(page, fields.flag("required")));
        self.page.contract.close(b'}');
        self.notes(&fields, VALUE);
    }

    /// Media types, or a schema with how its values become text, around what comes between in the order of keys.
    fn value(&mut self, fields: &Fields<'d>, style: &str, between: impl FnOnce(&mut Page<'d>)) {
        if fields.get("content").is_some() {
            self.content(fields);
            return between(self.page);
        }
        let style = Some(style);
        let given = fields.text("style").or(style);
        for word in ["allowEmptyValue", "allowReserved"] {
            if fields.flag(word) {
                self.page.contract.key(word);
                self.page.contract.bool(true);
            }
        }
        let usual = given == Some("form");
        if let Some(explode) =
            fields.get("explode").and_then(Node::as_bool).filter(|explode| *explode != usual)
        {
            self.page.contract.key("explode");
            self.page.contract.bool(explode);
        }
        between(self.page);
        self.schema(fields);
        if let Some(given) = given.filter(|_| given != style) {
            self.page.contract.key("style");
            self.page.contract.string(given);
        }
    }

    /// A Request Body Object.
    pub(super) fn body(&mut self, node: Node<'d>) {
        let fields = Fields::of(node);
        self.page.contract.open(b'{');
        self.content(&fields);
        required(self.page, fields.flag("required"));
        self.page.contract.close(b'}');
        self.notes(&fields, BODY);
    }

    /// A Response Object.
    pub(super) fn reply(&mut self, node: Node<'d>) {
        let fields = Fields::of(node);
        self.page.contract.open(b'{');
        self.content(&fields);
        self.headers(&fields);
        self.page.contract.close(b'}');
        self.notes(&fields, REPLY);
    }

    fn schema(&mut self, fields: &Fields<'d>) {
        if let Some(schema) = fields.get("schema") {
            self.page.contract.key("schema");
            self.page.reference(Kind::Schema, Some(schema), "");
        }
    }

    /// Media types by name: type and subtype have no case (RFC 9110 section 8.3.1).
    fn content(&mut self, fields: &Fields<'d>) {
        let Some(content) = fields.get("content").filter(|content| !content.is_empty()) else { return };
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
        let fields = Fields::of(node);
        self.page.contract.open(b'{');
        let encoding = fields.get("encoding").filter(|encoding| !encoding.is_empty());
        if let Some(encoding) = encoding {
            self.page.contract.key("encoding");
            self.page.contract.open(b'{');
            self.page.prose.enter("encoding");
            for (name, part) in Fields::of(encoding).0 {
                self.page.contract.key(name);
                self.page.prose.enter(name);
                self.encoding(part);
                self.page.prose.leave();
            }
            self.page.prose.leave();
            self.page.contract.close(b'}');
        }
        self.schema(&fields);
        self.page.contract.close(b'}');
        self.notes(&fields, MEDIA_TYPE);
    }

    fn encoding(&mut self, node: Node<'d>) {
        let fields = Fields::of(node);
        self.page.contract.open(b'{');
        for &(name, value) in &fields.0 {
            if name == "headers" {
                self.headers(&fields);
            } else if ENCODING.contains(&name) {
                self.page.contract.key(name);
                self.page.contract.data(value);
            }
        }
        self.page.contract.close(b'}');
        self.notes(&fields, ENCODING);
    }

    /// Headers by name, which has no case (RFC 9110 section 5.1); a declared `Content-Type` SHALL be ignored.
    fn headers(&mut self, fields: &Fields<'d>) {
        let headers = fields.get("headers").into_iter().flat_map(Node::entries);
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
        self.notes(&Fields::of(node), contract);
    }

    fn notes(&mut self, fields: &Fields<'d>, contract: &[&str]) {
        for &(name, value) in fields.0.iter().filter(|(name, _)| !contract.contains(name)) {
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
        for (name, example) in Fields::of(examples).0 {
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
