//! A reply becomes a value, by what it says it is and what was declared.

use http::Method;
use serde_json::Value;

use crate::catalog::{Content, ReplySpec, Schema};

use super::json;
use super::media::{self, MediaType};
use super::refusal::shown;

/// What a body turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// There is none, or none that counts.
    Absent,
    /// JSON; the value is in [`Decoded::json`].
    Json,
    /// Text; [`Decoded::json`] holds it as a string.
    Text,
    /// Bytes that are nothing else here; the caller keeps them.
    Raw,
}

/// A reply, understood. The received bytes stay with the caller: they hold every digit, the value may not.
#[derive(Debug, Clone)]
pub struct Decoded<'a> {
    /// What the body turned out to be.
    pub form: Form,
    /// The value to give and to validate.
    pub json: Option<Value>,
    /// The declaration that it matched.
    pub content: Option<&'a Content>,
    /// The schema that `json` is to be held against; absent where nothing is to be validated.
    pub schema: Option<&'a Schema>,
    /// What deserves attention and breaks no rule, one line each.
    pub warnings: Vec<String>,
}

/// Why a success reply is not what it says it is or not what was declared: `response_decode`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undecodable(pub String);

/// Decodes a reply against what is declared for its status.
///
/// 204, 205, 304 and replies to HEAD have no body, whatever is declared (case 044). A declared media type must
/// come (case 051); the exact one counts before `type/*` before `*/*` (case 046). JSON that is declared must
/// parse; JSON that is not declared is parsed where it can be, and never validated.
///
/// # Errors
/// An empty body where JSON is declared, a media type that is not declared, JSON that does not parse.
pub fn decode<'a>(
    bytes: &[u8],
    content_type: Option<&str>,
    declared: Option<&'a ReplySpec>,
    status: u16,
    method: &Method,
) -> Result<Decoded<'a>, Undecodable> {
    let reply = Reply { bytes, content_type, media: content_type.and_then(MediaType::parse), status };
    if *method == Method::HEAD || matches!(status, 100..=199 | 204 | 205 | 304) {
        let mut decoded = Decoded::new(Form::Absent, None);
        if !bytes.is_empty() {
            decoded.warnings.push(format!("status {status} has no body; {} bytes are ignored", bytes.len()));
        }
        return Ok(decoded);
    }
    match declared {
        Some(spec) if !spec.content.is_empty() => reply.declared(spec),
        Some(_) => Ok(reply.lenient()),
        None => {
            let mut decoded = reply.lenient();
            decoded.warnings.insert(0, format!("status {status} is not declared; nothing was validated"));
            Ok(decoded)
        }
    }
}

impl<'a> Decoded<'a> {
    fn new(form: Form, content: Option<&'a Content>) -> Self {
        Self { form, json: None, content, schema: None, warnings: Vec::new() }
    }

    fn value(form: Form, content: Option<&'a Content>, json: Value) -> Self {
        let schema = content.and_then(|content| content.schema.as_ref());
        Self { json: Some(json), schema, ..Self::new(form, content) }
    }

    fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }
}

struct Reply<'b> {
    bytes: &'b [u8],
    content_type: Option<&'b str>,
    media: Option<MediaType>,
    status: u16,
}

impl Reply<'_> {
    /// A reply whose content is not declared: as much as can be had, and no error.
    fn lenient<'a>(&self) -> Decoded<'a> {
        if self.bytes.is_empty() {
            return Decoded::new(Form::Absent, None);
        }
        match &self.media {
            Some(media) if media.is_json() => match self.parse() {
                Ok((json, twice)) => Decoded::value(Form::Json, None, json).twice(twice),
                Err(rule) => Decoded::new(Form::Raw, None).warn(format!("the body {rule}")),
            },
            Some(media) if media.is_text() => self.as_text(None),
            _ => Decoded::new(Form::Raw, None),
        }
    }

    fn declared<'a>(&self, spec: &'a ReplySpec) -> Result<Decoded<'a>, Undecodable> {
        let Some(media) = &self.media else { return self.unlabelled(spec) };
        let content = spec.content_for(media.essence()).ok_or_else(|| self.undeclared(spec))?;
        let is_range = content.media_type.contains('*');
        if media.is_json() && !is_range {
            return self.strict(content);
        }
        let shape = content.schema.as_ref().map_or(Shape::Any, Shape::of);
        if media.is_json() {
            return match shape {
                // A range that is declared as binary, or as a string, says what the body is whatever its type.
                Shape::Binary => Ok(Decoded::new(Form::Raw, Some(content))),
                Shape::String => Ok(match self.parse() {
                    Ok((json @ Value::String(_), _)) => Decoded::value(Form::Json, Some(content), json),
                    _ => self.as_text(Some(content)),
                }),
                _ => self.strict(content),
            };
        }
        Ok(match shape {
            Shape::String | Shape::Any if media.is_text() => self.as_text(Some(content)),
            Shape::Other => Decoded::new(Form::Raw, Some(content))
                .warn(format!("`{}` is not JSON; its schema was not applied", media.essence())),
            _ => Decoded::new(Form::Raw, Some(content)),
        })
    }

    /// A reply without a usable `Content-Type`: RFC 9110 section 8.3 lets the recipient look at the bytes, and
    /// what was declared says what to look for.
    fn unlabelled<'a>(&self, spec: &'a ReplySpec) -> Result<Decoded<'a>, Undecodable> {
        let json = spec.content.iter().find(|content| is_json(&content.media_type));
        if self.content_type.is_none()
            && let Some(content) = json
        {
            return self.strict(content).map(|decoded| decoded.warn("the reply has no Content-Type"));
        }
        // RFC 9110 section 8.3: else it may be taken for application/octet-stream.
        match spec.content_for("application/octet-stream").filter(|_| self.content_type.is_none()) {
            Some(content) => Ok(Decoded::new(Form::Raw, Some(content)).warn("the reply has no Content-Type")),
            None => Err(self.undeclared(spec)),
        }
    }

    /// Declared JSON: it parses, or the reply is not what it says it is.
    fn strict<'a>(&self, content: &'a Content) -> Result<Decoded<'a>, Undecodable> {
        match self.parse() {
            Ok((json, twice)) => Ok(Decoded::value(Form::Json, Some(content), json).twice(twice)),
            Err(rule) => {
                let kind = self.media.as_ref().map_or(content.media_type.as_str(), MediaType::essence);
                Err(Undecodable(format!("status {} with `{}`: the body {rule}", self.status, shown(kind))))
            }
        }
    }

    fn as_text<'a>(&self, content: Option<&'a Content>) -> Decoded<'a> {
        match self.text() {
            Ok(text) => Decoded::value(Form::Text, content, Value::String(text.into_owned())),
            Err(media::NotText(rule)) => Decoded::new(Form::Raw, content).warn(format!("the body {rule}")),
        }
    }

    fn text(&self) -> Result<std::borrow::Cow<'_, str>, media::NotText> {
        media::text(self.bytes, self.media.as_ref().and_then(MediaType::charset))
    }

    /// The body as JSON with a member that comes twice in it, or what is wrong with it, fit to follow "the body".
    fn parse(&self) -> Result<(Value, Option<String>), String> {
        if self.bytes.is_empty() {
            return Err("is empty, which is no JSON".to_owned());
        }
        let text = self.text().map_err(|media::NotText(rule)| rule)?;
        json::read(&text).map_err(|error| format!("is no JSON: {error}"))
    }

    fn undeclared(&self, spec: &ReplySpec) -> Undecodable {
        let got = match self.content_type {
            Some(text) => format!("`{}`", shown(self.media.as_ref().map_or(text, MediaType::essence))),
            None => "no Content-Type".to_owned(),
        };
        let declared: Vec<_> =
            spec.content.iter().map(|content| format!("`{}`", content.media_type)).collect();
        Undecodable(format!("status {} with {got}: declared is {}", self.status, declared.join(", ")))
    }
}

impl Decoded<'_> {
    /// A member that comes twice: parsers disagree on which of them counts, so somebody should know.
    fn twice(self, pointer: Option<String>) -> Self {
        match pointer {
            Some(pointer) => {
                self.warn(format!("the member at `{}` comes twice; the last one counts", shown(&pointer)))
            }
            None => self,
        }
    }
}

fn is_json(media_type: &str) -> bool {
    MediaType::parse(media_type).is_some_and(|media| media.is_json())
}

/// What a schema says of bodies that are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing.
    Any,
    /// A string of bytes.
    Binary,
    /// A string.
    String,
    /// Something else, which only JSON can be.
    Other,
}

impl Shape {
    fn of(schema: &Schema) -> Self {
        // One that cannot be read fails the check that follows, which can say so.
        let Ok(document) = schema.to_value() else { return Self::Any };
        let mut at = &document;
        // References to references are rare and chains of eight unheard of; a circle ends as well.
        for _ in 0..8 {
            let Some(target) = at.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'))
            else {
                break;
            };
            let Some(found) = document.pointer(target) else { break };
            at = found;
        }
        let is_string = match at.get("type") {
            Some(Value::String(kind)) => kind == "string",
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
            _ => {
                return if at.as_object().is_none_or(|object| object.keys().all(|keyword| keyword == "$defs"))
                {
                    Self::Any
                } else {
                    Self::Other
                };
            }
        };
        match at.get("format").and_then(Value::as_str) {
            _ if !is_string => Self::Other,
            Some("binary") => Self::Binary,
            _ => Self::String,
        }
    }
}

#[cfg(test)]
mod tests;
