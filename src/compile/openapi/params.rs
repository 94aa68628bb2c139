//! Parameters: what they are called, where they go and how their values become text.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::catalog::{Direction, Location, Schema, Style};
use crate::compile::UndefinedStyles;
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::Node;

use super::context::Context;
use super::media;
use super::probe::{Plain, Probe};
use super::refs::{Problem, Refs};
use super::style::{self, Remark};

/// A parameter as declared, the same for every operation that uses it.
#[derive(Debug)]
pub(super) struct Parameter<'d> {
    /// Where it stands first.
    pub(super) node: Node<'d>,
    pub(super) name: &'d str,
    /// The name for everything that keeps it.
    pub(super) wire_name: Arc<str>,
    pub(super) location: Location,
    pub(super) required: bool,
    pub(super) description: Option<Arc<str>>,
    /// What its value must satisfy. A value that cannot be sent needs no check, and its schema costs no operation.
    pub(super) schema: Option<Schema>,
    /// How its value becomes text, or the rule and the reason why it has no wire form here.
    pub(super) style: Result<Style, Remark>,
}

/// What a Parameter Object turned out to be.
#[derive(Debug, Clone)]
pub(super) enum Read<'d> {
    Parameter(Rc<Parameter<'d>>),
    /// A header that the specification says to ignore.
    Reserved,
    /// Nobody can tell what it is.
    Broken(Rc<Problem<'d>>),
}

/// These header parameters SHALL be ignored (Parameter Object, `name`); field names have no case (RFC 9110 5.1).
const RESERVED_HEADERS: &[&str] = &["accept", "content-type", "authorization"];

/// Names longer than this, in bytes, are no names: every argument of every operation has a copy.
const LONGEST_NAME: usize = 256;

/// What makes two parameters the same: location and name, and there is no case in header names.
pub(super) type Identity<'d> = (Location, Cow<'d, str>);

impl<'d> Parameter<'d> {
    pub(super) fn identity(&self) -> Identity<'d> {
        let name = match self.location {
            Location::Header => Cow::Owned(self.name.to_ascii_lowercase()),
            _ => Cow::Borrowed(self.name),
        };
        (self.location, name)
    }

    /// Location and name, for messages.
    pub(super) fn label(&self) -> String {
        format!("{} parameter `{}`", self.location.word(), self.name)
    }
}

/// Reads a Parameter Object; warnings go to `remarks`.
pub(super) fn read<'d>(context: &mut Context<'d>, node: Node<'d>, remarks: &mut Vec<Remark>) -> Read<'d> {
    let broken = |message: String| {
        Read::Broken(Rc::new(Problem::new(DiagnosticCode::InvalidParameter, node, message)))
    };
    let Some(name) = node.get("name").and_then(Node::as_str).filter(|name| !name.is_empty()) else {
        return broken("a parameter has a `name`, a string; write it".to_owned());
    };
    if name.len() > LONGEST_NAME {
        return broken(format!(
            "the name of a parameter has at most {LONGEST_NAME} bytes; this one has {}",
            name.len()
        ));
    }
    let location = match node.get("in").and_then(Node::as_str) {
        Some("path") => Location::Path,
        Some("query") => Location::Query,
        Some("header") => Location::Header,
        Some("cookie") => Location::Cookie,
        other => {
            return broken(format!(
                "parameter `{name}` has `in: {}`; it has to be path, query, header or cookie",
                other.unwrap_or("(nothing)")
            ));
        }
    };
    if location == Location::Header
        && RESERVED_HEADERS.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
    {
        remarks.push((
            DiagnosticCode::ReservedHeader,
            format!(
                "header parameter `{name}` is ignored, as the specification demands; the router sets this header \
                 from media types and credentials"
            ),
        ));
        return Read::Reserved;
    }
    let required = required(node, name, location, remarks);
    let written = node.get("content").filter(|content| !content.is_empty());
    let (style, schema) = match written {
        Some(content) => {
            let schema = content.entries().next().and_then(|(_, media_type)| media_type.get("schema"));
            (self::content(node, content, location, schema, &mut context.refs), schema)
        }
        None => {
            (styled(node, name, location, context.undefined, &mut context.refs, remarks), node.get("schema"))
        }
    };
    let style = sendable(name, location).and(style);
    if schema.is_none() && written.is_none() {
        remarks.push((
            DiagnosticCode::InvalidParameter,
            format!("parameter `{name}` has no schema, so its value is not checked; give it one"),
        ));
    }
    let description = node.get("description").and_then(Node::scalar_text).map(Arc::from);
    let wire_name = name.into();
    let schema = schema.filter(|_| style.is_ok()).map(|schema| context.schema(schema, Direction::Request));
    Read::Parameter(Rc::new(Parameter {
        node,
        name,
        wire_name,
        location,
        required,
        description,
        schema,
        style,
    }))
}

fn required(node: Node<'_>, name: &str, location: Location, remarks: &mut Vec<Remark>) -> bool {
    let written = node.get("required");
    let value = written.and_then(|written| match written.as_str() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => written.as_bool(),
    });
    if let Some(written) = written
        && written.as_bool().is_none()
    {
        let reading = if value == Some(true) { "required" } else { "optional" };
        remarks.push((
            DiagnosticCode::ReadByIntent,
            format!("`required` of parameter `{name}` has to be a boolean; read as {reading}"),
        ));
    }
    if location == Location::Path && value != Some(true) {
        remarks.push((
            DiagnosticCode::InvalidParameter,
            format!("path parameter `{name}` has to be `required: true`; read as required"),
        ));
        return true;
    }
    value == Some(true)
}

/// How a value that `schema` describes becomes text.
fn styled<'d>(
    node: Node<'d>,
    name: &str,
    location: Location,
    undefined: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<Style, Remark> {
    let mut own = Vec::new();
    let planned = style::planned(node, location, node.get("schema"), undefined, refs, &mut own);
    let about = |(code, message)| (code, format!("{} parameter `{name}`: {message}", location.word()));
    remarks.extend(own.into_iter().map(about));
    planned
}

/// How a value that `content` describes becomes text.
fn content<'d>(
    node: Node<'d>,
    content: Node<'d>,
    location: Location,
    schema: Option<Node<'d>>,
    refs: &mut Refs<'d>,
) -> Result<Style, Remark> {
    let invalid = |message: &str| Err((DiagnosticCode::InvalidParameter, message.to_owned()));
    if node.get("schema").is_some() {
        return invalid("it has `schema` and `content`, and may have one of them only");
    }
    let mut entries = content.entries();
    let (Some((media_type, _)), None) = (entries.next(), entries.next()) else {
        return invalid("`content` of a parameter has to name exactly one media type");
    };
    let shape = schema.map_or(Plain::Unknown, |schema| Probe::new(refs).plain(schema));
    match (media::essence(media_type), location) {
        // JSON has quotes and commas, which no cookie may hold (RFC 6265 section 4.1.1).
        (Some(essence), Location::Path | Location::Query | Location::Header) if media::is_json(&essence) => {
            Ok(Style::Json)
        }
        (Some(essence), _) if essence == "text/plain" && !matches!(shape, Plain::Array | Plain::Object) => {
            Ok(Style::Text)
        }
        _ => Err((
            DiagnosticCode::UnsupportedParameter,
            format!("a value described as `{media_type}` is not supported yet in a {}", location.word()),
        )),
    }
}

/// Whether a parameter of this name can be sent at all.
fn sendable(name: &str, location: Location) -> Result<(), Remark> {
    let what = match location {
        Location::Header => "header field name (RFC 9110 section 5.1)",
        Location::Cookie => "cookie name (RFC 6265 section 4.1.1)",
        Location::Path | Location::Query => return Ok(()),
    };
    if is_token(name) {
        return Ok(());
    }
    Err((DiagnosticCode::UnsupportedParameter, format!("the name is no {what}")))
}

/// RFC 9110 section 5.6.2, `token`.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
