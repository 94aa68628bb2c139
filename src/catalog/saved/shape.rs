//! The lines of a saved catalog.

use std::collections::BTreeMap;

use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::DocumentDigest;
use crate::catalog::{Location, PathPart, SchemeUse, StatusMatch, Style};

/// The number of a part: its line after the index, from 0.
pub(super) type Number = u32;

/// A line of a saved catalog, as the shape of the file.
#[cfg(feature = "schema")]
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
#[expect(private_interfaces, reason = "lines are of nobody's concern but for their schema")]
pub enum CatalogLine {
    /// The first.
    Header(Header),
    /// The second.
    Index(Index),
    /// Any other.
    Part(Part),
}

/// What the file is, and what it was made from.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// The version of this shape.
    pub(super) version: u32,
    /// The digest of the options and of the version of the program that wrote it.
    pub(super) options: Fingerprint,
    /// The digest of the document.
    pub(super) document: DocumentDigest,
    /// How long the index is, in bytes, with the end of its line.
    pub(super) index_length: u32,
    /// The first four bytes of its digest.
    pub(super) index_check: u32,
}

/// What is in the file, and where.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Index {
    /// The source's name, the first part of every key.
    pub(super) source: String,
    /// The format and version of the document.
    pub(super) format: String,
    /// How many operations the document declares.
    pub(super) operations_declared: usize,
    /// How many servers the endpoint has that has most of them.
    pub(super) most_servers: usize,
    /// The endpoints by operation, in document order; the part of the same place is the endpoint.
    pub(super) operations: Vec<String>,
    /// What is declared and cannot be called.
    pub(super) absent: Vec<SavedAbsent>,
    /// The part with the listing.
    pub(super) listing: Number,
    /// The part with the names of schemas.
    pub(super) names: Number,
    /// The part with the regular expressions of schemas.
    pub(super) patterns: Number,
    /// How long each part is, in bytes, with the end of its line.
    pub(super) lengths: Vec<u32>,
    /// The first four bytes of the digest of each.
    pub(super) checks: Vec<u32>,
}

/// An operation that cannot be called.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedAbsent {
    /// Its name.
    pub(super) operation: String,
    /// Why, in one line.
    pub(super) reason: String,
}

/// What stands on one line; others refer to it by its number.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Part {
    /// An endpoint.
    Endpoint(Box<SavedEndpoint>),
    /// A JSON Schema, the same for requests and replies; it refers to another as `#/$defs/<number>`.
    Schema(Value),
    /// A JSON Schema that differs, because of `readOnly` or `writeOnly`.
    SchemaByDirection {
        /// For what is sent.
        request: Value,
        /// For what is received.
        reply: Value,
    },
    /// A text that several refer to.
    Text(String),
    /// Absolute server URLs.
    Servers(Vec<String>),
    /// What a document demands as proof of identity: any one list suffices, all of a list go together.
    Security(Vec<Vec<SchemeUse>>),
    /// The media types of a reply.
    Content(Vec<SavedContent>),
    /// How the members of a form are written.
    Form(BTreeMap<String, Style>),
    /// What a list shows of the endpoints, in their order.
    Listing(Vec<SavedListed>),
    /// The names of schemas.
    Names(Names),
    /// The regular expressions of schemas.
    Patterns(Vec<String>),
}

/// The names of schemas, for whoever reads them.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// What a schema that others refer to would be called, by number.
    pub(super) wanted: BTreeMap<Number, String>,
    /// Names that belong to one schema; null for one that no endpoint reaches.
    pub(super) owners: BTreeMap<String, Option<Number>>,
}

/// An endpoint; its key is in the index.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedEndpoint {
    pub(super) summary: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deprecated: bool,
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) effect: Effect,
    pub(super) destructive: bool,
    pub(super) arguments: Vec<SavedArgument>,
    pub(super) replies: Vec<SavedReply>,
    pub(super) http: SavedHttp,
    pub(super) fingerprints: SavedFingerprints,
    /// Where it stands in its document, as a JSON pointer.
    pub(super) pointer: String,
}

/// What a list shows of an endpoint.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedListed {
    pub(super) method: String,
    /// The path template as published.
    pub(super) path: String,
    pub(super) summary: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deprecated: bool,
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub(super) effect: Effect,
    pub(super) destructive: bool,
}

/// A text, or the number of the part that has it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum SavedText {
    Here(String),
    Shared(Number),
}

/// What an endpoint takes.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedArgument {
    pub(super) name: String,
    pub(super) description: Option<SavedText>,
    pub(super) required: bool,
    /// The part with its schema.
    pub(super) schema: Option<Number>,
    /// Why it has no wire form; null where it has one.
    pub(super) unsupported: Option<String>,
}

/// What an endpoint answers.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedReply {
    pub(super) status: StatusMatch,
    /// The part with its media types.
    pub(super) content: Number,
}

/// One media type of a reply.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedContent {
    pub(super) media_type: String,
    /// The part with its schema.
    pub(super) schema: Option<Number>,
}

/// How an endpoint is reached.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedHttp {
    pub(super) method: String,
    /// The path template as published.
    pub(super) template: String,
    pub(super) path: Vec<PathPart>,
    pub(super) fixed_query: Option<String>,
    pub(super) parameters: Vec<SavedParameter>,
    pub(super) body: Option<SavedBody>,
    /// The part with the servers.
    pub(super) servers: Number,
    pub(super) security: SavedSecurity,
    pub(super) accept: Option<String>,
}

/// One parameter.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedParameter {
    /// Its name on the wire.
    pub(super) name: String,
    /// The argument that fills it; null where it has the same name.
    pub(super) argument: Option<String>,
    #[serde(rename = "in")]
    pub(super) location: Location,
    pub(super) style: Style,
    pub(super) required: bool,
}

/// The request body.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedBody {
    pub(super) media_type: String,
    pub(super) required: bool,
    pub(super) format: SavedFormat,
}

/// How the value of a body becomes bytes.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedFormat {
    Json,
    /// The part with how its members are written.
    Form(Number),
    Text,
}

/// What the document demands as proof of identity.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedSecurity {
    Undeclared,
    Public,
    /// The part with the alternatives.
    Alternatives(Number),
}

/// What an endpoint is by content.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SavedFingerprints {
    pub(super) request: Fingerprint,
    pub(super) reply: Fingerprint,
    pub(super) security: Fingerprint,
    pub(super) destination: Fingerprint,
    pub(super) prose: Fingerprint,
}
