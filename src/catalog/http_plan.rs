//! How to reach an operation over HTTP: a plain description, decided when the document was compiled.
//!
//! What many operations have in common (servers, security) they share in memory, so that a catalog is as large as its
//! document and not as operations times servers: documents are not trusted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Everything that is needed to put a call on the wire, except the arguments and the credentials.
#[derive(Debug, Clone)]
pub struct HttpPlan {
    /// The method, upper case.
    pub method: String,
    /// The path template as published, for messages.
    pub template: String,
    /// The path template, cut into parts.
    pub path: Arc<[PathPart]>,
    /// What follows `?` in the template itself, sent before the query parameters; rare.
    pub fixed_query: Option<String>,
    /// The parameters, in the order in which they are sent.
    pub parameters: Vec<Parameter>,
    /// The body, if the document declares one.
    pub body: Option<BodyPlan>,
    /// Absolute server URLs, variables filled in; the first is the default. Empty: the caller must give one.
    pub servers: Arc<[String]>,
    /// What the document demands as proof of identity.
    pub security: Security,
    /// The `Accept` header.
    pub accept: Option<String>,
}

/// A piece of a path template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PathPart {
    /// Text that is sent as it stands, already percent-encoded where needed.
    Literal(String),
    /// The value of the parameter at this index of [`HttpPlan::parameters`].
    Parameter(usize),
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: Arc<str>,
    /// The name of the argument that fills it.
    pub argument: Arc<str>,
    /// Where it goes.
    pub location: Location,
    /// How its value becomes text.
    pub style: Style,
    /// Whether a call without it is refused.
    pub required: bool,
}

/// Where a parameter goes (`in`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Location {
    /// A piece of the path.
    Path,
    /// The query string.
    Query,
    /// A header field.
    Header,
    /// A cookie.
    Cookie,
}

impl Location {
    /// The word of the document, also the prefix after a clash of names (ruling 13).
    pub const fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// How a value becomes text: the planned serialisation, after all defaults of the Parameter and Encoding Objects.
///
/// RFC 6570 defines the first four; the names are those of the Parameter Object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Style {
    /// `simple`, for path and header: comma-separated; objects as `k,v` or, exploded, `k=v`.
    Simple {
        /// Whether object members are written `k=v`.
        explode: bool,
    },
    /// `label`, for path: `.a,b` or, exploded, `.a.b`.
    Label {
        /// Whether each item or member has its own dot.
        explode: bool,
    },
    /// `matrix`, for path: `;name=a,b` or, exploded, `;name=a;name=b`.
    Matrix {
        /// Whether each item or member has its own semicolon.
        explode: bool,
    },
    /// `form`, for query, cookie and form bodies: `name=a,b` or, exploded, one pair per item or member.
    Form {
        /// Whether each item or member is a pair of its own.
        explode: bool,
        /// `allowReserved`.
        reserved: bool,
    },
    /// `spaceDelimited` and `pipeDelimited`, not exploded, for query and form bodies: lists and objects in one pair.
    Delimited {
        /// What stands between the items.
        delimiter: Delimiter,
        /// `allowReserved`.
        reserved: bool,
    },
    /// `deepObject`, for query and form bodies: `name[member]=value`, one pair per member, one level deep.
    DeepObject {
        /// `allowReserved`.
        reserved: bool,
    },
    /// `name[member][0]=value`, for query and form bodies: one pair per scalar, whatever the depth; lists by index from
    /// 0.
    ///
    /// A convention that the operator has chosen where the specification says nothing. On objects of scalars it is
    /// `deepObject`.
    Brackets {
        /// `allowReserved`.
        reserved: bool,
    },
    /// JSON text, as `content` or `contentType` says; escaped as its place demands.
    Json,
    /// The text of a scalar, as `content` or `contentType` says; escaped as its place demands.
    Text,
    /// It has no wire form here; the argument says why.
    Unsupported,
}

/// What stands between items where it is no comma; always percent-encoded, since no URL may hold it (RFC 3986).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Delimiter {
    /// `%20`.
    Space,
    /// `%7C`.
    Pipe,
}

/// The request body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyPlan {
    /// The media type to send, as the document writes it.
    pub media_type: String,
    /// Whether a call without it is refused.
    pub required: bool,
    /// How the value becomes bytes.
    pub format: BodyFormat,
}

/// How the value of a body becomes bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyFormat {
    /// JSON (RFC 8259).
    Json,
    /// `application/x-www-form-urlencoded`: the members of an object as pairs.
    ///
    /// Holds the members whose Encoding Object says how they are written. The others follow the defaults of that
    /// object: scalars are text, objects JSON, and each item of a list is a pair of its own. Shared by all operations
    /// that refer to the body.
    Form(Arc<BTreeMap<String, Style>>),
    /// The text of a scalar, as UTF-8.
    Text,
}

/// What the document demands as proof of identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Security {
    /// The document says nothing: the operator may still name a header (ruling 22).
    Undeclared,
    /// The document says that the operation is public: nothing is sent.
    Public,
    /// Any one of these suffices; all schemes of one alternative go together. An empty one means optional.
    Alternatives(Arc<[Vec<SchemeUse>]>),
}

/// One scheme that an alternative demands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct SchemeUse {
    /// The name of the scheme in the document, under which credentials are given.
    pub name: String,
    /// What it is.
    pub scheme: Scheme,
}

/// A security scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheme {
    /// A key in a header, the query or a cookie.
    ApiKey {
        /// Where it goes; never the path.
        location: Location,
        /// Under which name.
        name: String,
    },
    /// HTTP Basic (RFC 7617).
    Basic,
    /// HTTP Bearer (RFC 6750), and oauth2 and openIdConnect with a token that the operator supplies (ruling 22).
    Bearer,
    /// A scheme that cannot be satisfied here; the text says which.
    Unsupported(String),
}
