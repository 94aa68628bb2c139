//! How the next page of a listing is asked for.

use serde::{Deserialize, Serialize};

/// How the next page of a listing is asked for: what a reply says of it, and where that goes.
///
/// Places in a reply are JSON pointers (RFC 6901). An argument is named by its name, or, where it is a member of
/// another one, by a pointer into the arguments, such as `/body/cursor`.
///
/// # Examples
/// ```
/// use schemarouter::catalog::NextPage;
///
/// let rule: NextPage = serde_json::from_str(r#"{"cursor": {"pointer": "/meta/next", "argument": "after", "items": "/data"}}"#)?;
/// assert_eq!(rule.items(), Some("/data"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NextPage {
    /// By the header field `Link`, where it has a link of the relation `next` (RFC 8288).
    Link {
        /// Where the items of a page are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        items: Option<String>,
        /// The path of the next pages, where it is not that of the request; `*` stands for one segment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// By a URL in the reply: text, or an object with it as `href` (JSON:API). Null, absent or empty is the end.
    Url {
        /// Where the URL is.
        pointer: String,
        /// Where the reply says whether there is more, as a boolean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<String>,
        /// Where the reply says how many seconds to wait before the next page is asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay: Option<String>,
        /// Where the items of a page are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        items: Option<String>,
        /// The path of the next pages, where it is not that of the request; `*` stands for one segment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// By a value of the reply that becomes an argument. Null, absent or empty is the end.
    Cursor {
        /// Where the value is.
        pointer: String,
        /// The argument that it becomes.
        argument: String,
        /// Where the reply says whether there is more, as a boolean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<String>,
        /// Where the items of a page are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        items: Option<String>,
    },
    /// By a value of the last item that becomes an argument. A page without items is the last.
    LastItem {
        /// Where the items of a page are.
        items: String,
        /// Where the value is, within the item.
        pointer: String,
        /// The argument that it becomes.
        argument: String,
        /// Where the reply says whether there is more, as a boolean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<String>,
    },
    /// By the number of items before the page. A page without items is the last.
    Offset {
        /// The argument that says how many items to skip; none where it is left out.
        argument: String,
        /// Where the items of a page are.
        items: String,
        /// Where the reply says how many items there are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<String>,
        /// The argument that says how many items a page has; a page with fewer is the last. Only where a page never has
        /// fewer for another reason: many servers give less than they are asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
    },
    /// By the number of the page. A page without items is the last.
    PageNumber {
        /// The argument that is the number.
        argument: String,
        /// Where the items of a page are.
        items: String,
        /// The number of the first page, which is meant where the argument is left out.
        #[serde(default = "one")]
        first: u64,
        /// Where the reply says how many pages there are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pages: Option<String>,
        /// The argument that says how many items a page has; a page with fewer is the last. Only where a page never has
        /// fewer for another reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
    },
}

const fn one() -> u64 {
    1
}

impl NextPage {
    /// Where the items of a page are, where it is said.
    pub fn items(&self) -> Option<&str> {
        match self {
            Self::Link { items, .. } | Self::Url { items, .. } | Self::Cursor { items, .. } => {
                items.as_deref()
            }
            Self::LastItem { items, .. } | Self::Offset { items, .. } | Self::PageNumber { items, .. } => {
                Some(items)
            }
        }
    }

    /// The path of the next pages, where it is not that of the request.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Link { path, .. } | Self::Url { path, .. } => path.as_deref(),
            _ => None,
        }
    }

    /// Whether the next page is named by its URL, and not by arguments.
    pub const fn is_by_url(&self) -> bool {
        matches!(self, Self::Link { .. } | Self::Url { .. })
    }

    /// The arguments that it names: the one that it sets, then those that it reads.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let (sets, reads) = match self {
            Self::Link { .. } | Self::Url { .. } => (None, None),
            Self::Cursor { argument, .. } | Self::LastItem { argument, .. } => (Some(argument), None),
            Self::Offset { argument, limit, .. } | Self::PageNumber { argument, limit, .. } => {
                (Some(argument), limit.as_ref())
            }
        };
        sets.into_iter().chain(reads).map(String::as_str)
    }

    /// Whether it sets the argument of this name.
    pub fn sets(&self, name: &str) -> bool {
        self.arguments().next() == Some(name)
    }

    /// The places in a reply that it names.
    pub fn pointers(&self) -> impl Iterator<Item = &str> {
        let places = match self {
            Self::Link { .. } => [None, None, None],
            Self::Url { pointer, more, delay, .. } => [Some(pointer), more.as_ref(), delay.as_ref()],
            Self::Cursor { pointer, more, .. } | Self::LastItem { pointer, more, .. } => {
                [Some(pointer), more.as_ref(), None]
            }
            Self::Offset { total: told, .. } | Self::PageNumber { pages: told, .. } => {
                [told.as_ref(), None, None]
            }
        };
        self.items().into_iter().chain(places.into_iter().flatten().map(String::as_str))
    }
}
