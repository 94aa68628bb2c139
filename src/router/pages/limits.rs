//! How much of a listing is asked for, and why it ended.

use serde::Serialize;

/// How much of a listing one run asks for; the page that reaches a limit is the last, and is whole.
///
/// They end a listing as its own end does, with a handle to go on by. What a run may spend at most is its budget: what
/// exceeds that has failed.
///
/// # Examples
/// ```
/// use schemarouter::router::{PageLimits, RunConfig};
///
/// let config = RunConfig::default().with_page_limits(PageLimits { max_items: Some(500), ..PageLimits::default() });
/// # let _ = config;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Pages; a thousand where nothing is said, so that nothing runs forever.
    pub max_pages: u32,
    /// Items; only where the endpoint's rule says where they are.
    pub max_items: Option<u64>,
    /// Bytes of the pages' data, after decompression.
    pub max_bytes: Option<u64>,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self { max_pages: 1000, max_items: None, max_bytes: None }
    }
}

/// Why a listing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PagesEnd {
    /// The last page came.
    Exhausted,
    /// The last page said that there is more, and not where; its warnings say so too.
    Incomplete,
    /// As many pages came as were asked for.
    PageLimit,
    /// As many items came as were asked for, or more.
    ItemLimit,
    /// As many bytes came as were asked for, or more.
    ByteLimit,
    /// A page failed.
    Failed,
}

/// What has come of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delivered {
    /// Pages.
    pub pages: u32,
    /// Items, where the endpoint's rule says where they are.
    pub items: u64,
    /// Bytes of the pages' data.
    pub bytes: u64,
}

impl PageLimits {
    /// The limit that forbids another page.
    pub(super) fn reached(&self, by: Delivered) -> Option<PagesEnd> {
        let is_reached = |most: Option<u64>, by: u64| most.is_some_and(|most| by >= most);
        [
            (by.pages >= self.max_pages, PagesEnd::PageLimit),
            (is_reached(self.max_items, by.items), PagesEnd::ItemLimit),
            (is_reached(self.max_bytes, by.bytes), PagesEnd::ByteLimit),
        ]
        .into_iter()
        .find_map(|(is_reached, end)| is_reached.then_some(end))
    }
}
