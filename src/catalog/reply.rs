//! What an endpoint answers: which status, which media type, which schema.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::schema::Schema;

/// The declared replies, found by status: exact, then range, then default. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Replies {
    specs: Arc<[ReplySpec]>,
}

/// One declared reply.
#[derive(Debug, Clone)]
pub struct ReplySpec {
    /// Which statuses it is for.
    pub status: StatusMatch,
    /// Its media types with their schemas, shared by all operations that refer to the reply; empty where no content
    /// is declared.
    pub content: Arc<[Content]>,
}

/// The statuses that a declared reply is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatusMatch {
    /// One status.
    Exact(u16),
    /// `2XX` and the like; holds the first digit.
    Range(u8),
    /// Whatever is not declared otherwise.
    Default,
}

impl std::fmt::Display for StatusMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(status) => write!(f, "{status}"),
            Self::Range(digit) => write!(f, "{digit}XX"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// One media type of a reply.
#[derive(Debug, Clone)]
pub struct Content {
    /// The media type or range, lower case, without parameters.
    pub media_type: String,
    /// What the body must satisfy; absent where the document says nothing.
    pub schema: Option<Schema>,
}

impl Replies {
    /// The declared replies.
    pub fn new(mut specs: Vec<ReplySpec>) -> Self {
        specs.sort_by_key(|spec| spec.status);
        Self { specs: specs.into() }
    }

    /// The reply declared for this status: exact code first, then its range, then `default`.
    pub fn matching(&self, status: u16) -> Option<&ReplySpec> {
        let range = u8::try_from(status / 100).ok().map(StatusMatch::Range);
        [Some(StatusMatch::Exact(status)), range, Some(StatusMatch::Default)]
            .into_iter()
            .flatten()
            .find_map(|wanted| self.specs.iter().find(|spec| spec.status == wanted))
    }

    /// All of them, exact ones first, in order.
    pub fn all(&self) -> &[ReplySpec] {
        &self.specs
    }
}

impl ReplySpec {
    /// The content declared for this media type: the type itself, then `type/*`, then `*/*`.
    ///
    /// `essence` is lower case and without parameters, as in RFC 9110 section 8.3.1.
    pub fn content_for(&self, essence: &str) -> Option<&Content> {
        let wildcard = essence.split_once('/').map(|(kind, _)| format!("{kind}/*"));
        [Some(essence), wildcard.as_deref(), Some("*/*")]
            .into_iter()
            .flatten()
            .find_map(|wanted| self.content.iter().find(|content| content.media_type == wanted))
    }
}
