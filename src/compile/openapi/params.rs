//! Parameters: what they are called, where they go and how their values become text.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::catalog::{Location, Style};
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::Node;

use super::probe::{Plain, Probe};
use super::refs::{Problem, Refs};

/// A parameter as declared, the same for every operation that uses it.
#[derive(Debug)]
pub(super) struct Parameter<'d> {
    pub(super) node: Node<'d>,
    pub(super) name: &'d str,
    pub(super) location: Location,
    pub(super) required: bool,
    pub(super) description: Option<Arc<str>>,
    pub(super) schema: Option<Node<'d>>,
    /// How its value becomes text, or the rule and the reason why it has no wire form here.
    pub(super) style: Result<Style, Remark>,
}

/// A rule and what it says.
pub(super) type Remark = (DiagnosticCode, String);

/// What a Parameter Object turned out to be.
#[derive(Debug)]
pub(super) enum Read<'d> {
    Parameter(Rc<Parameter<'d>>),
    /// A header that the specification says to ignore.
    Reserved,
    /// Nobody can tell what it is.
    Broken(Problem<'d>),
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
pub(super) fn read<'d>(node: Node<'d>, refs: &mut Refs<'d>, remarks: &mut Vec<Remark>) -> Read<'d> {
    let broken =
        |message: String| Read::Broken(Problem::new(DiagnosticCode::InvalidParameter, node, message));
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
    let schema = node.get("schema");
    let required = required(node, name, location, remarks);
    let style = style(node, location, schema, refs);
    if schema.is_none() && node.get("content").is_none() {
        remarks.push((
            DiagnosticCode::InvalidParameter,
            format!("parameter `{name}` has no schema, so its value is not checked; give it one"),
        ));
    }
    let description = node.get("description").and_then(Node::scalar_text).map(Arc::from);
    Read::Parameter(Rc::new(Parameter { node, name, location, required, description, schema, style }))
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

/// How the value becomes text, by the defaults and combinations of the Parameter Object.
fn style<'d>(
    node: Node<'d>,
    location: Location,
    schema: Option<Node<'d>>,
    refs: &mut Refs<'d>,
) -> Result<Style, Remark> {
    let unsupported =
        |what: &str| Err((DiagnosticCode::UnsupportedParameter, format!("{what} is not supported yet")));
    if node.get("content").is_some() {
        return unsupported("a value described by `content`");
    }
    if location == Location::Cookie {
        return unsupported("a cookie parameter");
    }
    if location == Location::Header
        && !is_field_name(node.get("name").and_then(Node::as_str).unwrap_or_default())
    {
        let message = "the name is no header field name (RFC 9110 section 5.1)".to_owned();
        return Err((DiagnosticCode::UnsupportedParameter, message));
    }
    let is_query = location == Location::Query;
    if is_query && node.get("allowReserved").and_then(Node::as_bool) == Some(true) {
        return unsupported("`allowReserved: true`");
    }
    let default = if is_query { "form" } else { "simple" };
    let style = node.get("style").and_then(Node::as_str).unwrap_or(default);
    let explode = node.get("explode").and_then(Node::as_bool).unwrap_or(style == "form");
    let shape = schema.map_or(Plain::Unknown, |schema| Probe::new(refs).plain(schema));
    let read = match (is_query, style, explode) {
        (false, "simple", explode) => Style::Simple { explode },
        (true, "form", true) => Style::FormExploded,
        // One value is written alike whether lists would be exploded or not.
        (true, "form", false) if shape == Plain::Scalar => Style::FormExploded,
        (_, style, explode) => return unsupported(&format!("`style: {style}` with `explode: {explode}`")),
    };
    match nested(shape, schema, refs) {
        Some(what) => Err((
            DiagnosticCode::UndefinedSerialization,
            format!("the specification does not say how {what} is written in a parameter"),
        )),
        None => Ok(read),
    }
}

/// What the schema plainly demands that `simple` and `form` cannot write.
fn nested<'d>(shape: Plain, schema: Option<Node<'d>>, refs: &mut Refs<'d>) -> Option<&'static str> {
    let mut probe = Probe::new(refs);
    match shape {
        Plain::Array if probe.items_are_nested(schema?) => Some("a list of lists or objects"),
        Plain::Object if probe.required_member_is_nested(schema?) => Some("an object of lists or objects"),
        _ => None,
    }
}

/// RFC 9110 section 5.6.2, `token`.
fn is_field_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
