//! What a document may cost before it is refused.

/// Ceilings on one document, checked while it is read.
///
/// Documents come from strangers, so size, depth and count are bounded before the memory is spent. The defaults are
/// several times what the largest published API needs; each document is charged on its own.
///
/// # Examples
///
/// ```
/// use schemarouter::compile::document::{Document, Limits};
///
/// let limits = Limits::default().with_max_depth(2);
/// assert!(Document::from_json("[[]]", &limits).is_ok());
/// let refused = Document::from_json("[[[]]]", &limits).unwrap_err();
/// assert!(refused.to_string().contains("max_depth"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    bytes: u32,
    depth: u32,
    nodes: u32,
    alias_nodes: u32,
}

impl Limits {
    /// The highest accepted `max_depth`, in nested containers.
    ///
    /// Code that walks a document may recurse once per level, and a [`serde_json::Value`] is dropped by recursion, so
    /// depth has to stay within an ordinary thread's stack whatever the operator sets.
    pub const DEPTH_CEILING: u32 = 1024;

    /// The highest accepted `max_alias_nodes`, in values and keys.
    pub const ALIAS_NODES_CEILING: u32 = 1 << 24;

    /// The longest accepted YAML text, in bytes, whatever `max_bytes` is: what differs from its spelling is kept beside
    /// the text, and has to stay within the tree's 32-bit offsets.
    pub(super) const YAML_BYTES_CEILING: u32 = 1 << 30;

    /// Sets the largest accepted text, in bytes; more than 4 GiB - 2 counts as that much, for YAML more than 1 GiB.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(u32::MAX - 1);
        self
    }

    /// Sets the deepest accepted nesting, in containers; more than [`Limits::DEPTH_CEILING`] counts as that much.
    #[must_use]
    pub fn with_max_depth(mut self, depth: u32) -> Self {
        self.depth = depth.min(Self::DEPTH_CEILING);
        self
    }

    /// Sets the largest accepted number of values and keys together. Each takes 16 bytes.
    #[must_use]
    pub fn with_max_nodes(mut self, nodes: u32) -> Self {
        self.nodes = nodes.min(u32::MAX - 1);
        self
    }

    /// Sets how many values and keys the aliases of a YAML document may repeat together; more than
    /// [`Limits::ALIAS_NODES_CEILING`] counts as that much.
    ///
    /// A tree has no sharing, so each alias costs what it repeats, and a few hundred bytes of nested aliases would fill
    /// any memory.
    #[must_use]
    pub fn with_max_alias_nodes(mut self, nodes: u32) -> Self {
        self.alias_nodes = nodes.min(Self::ALIAS_NODES_CEILING);
        self
    }

    /// The largest accepted text, in bytes.
    pub fn max_bytes(&self) -> u32 {
        self.bytes
    }

    /// The deepest accepted nesting, in containers.
    pub fn max_depth(&self) -> u32 {
        self.depth
    }

    /// The largest accepted number of values and keys together.
    pub fn max_nodes(&self) -> u32 {
        self.nodes
    }

    /// How many values and keys the aliases of a document may repeat together.
    pub fn max_alias_nodes(&self) -> u32 {
        self.alias_nodes
    }
}

impl Default for Limits {
    /// 256 MiB of text, 512 levels, 16,777,216 values and keys, 1,048,576 of them by aliases.
    fn default() -> Self {
        Self { bytes: 256 << 20, depth: 512, nodes: 16 << 20, alias_nodes: 1 << 20 }
    }
}

/// A limit that building the tree ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitExceeded {
    Depth { limit: u32 },
    Nodes { limit: u32 },
    AliasNodes { limit: u32 },
}
