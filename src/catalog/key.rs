//! The names of endpoints (ruling 20).

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// `source.operation`: the first dot separates, since a source has none and an operation may have some. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Key {
    text: Arc<str>,
    dot: usize,
}

impl Key {
    /// The key of an operation of a source; the source must not hold a dot (see [`source_name`]).
    pub fn new(source: &str, operation: &str) -> Self {
        Self { text: [source, ".", operation].concat().into(), dot: source.len() }
    }

    /// The source's name.
    pub fn source(&self) -> &str {
        &self.text[..self.dot]
    }

    /// The operation's name within the source.
    pub fn operation(&self) -> &str {
        &self.text[self.dot + 1..]
    }

    /// The whole key.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// A key is its text: so it is found by text.
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.text
    }
}

/// A key that is found by its operation alone.
#[derive(Debug)]
pub(super) struct ByOperation(pub(super) Key);

impl PartialEq for ByOperation {
    fn eq(&self, other: &Self) -> bool {
        self.0.operation() == other.0.operation()
    }
}

impl Eq for ByOperation {}

impl Hash for ByOperation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.operation().hash(state);
    }
}

impl Borrow<str> for ByOperation {
    fn borrow(&self) -> &str {
        self.0.operation()
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The source name that a file name gives: lower case, runs of other characters than letters, digits and `-`
/// become one `-` (ruling 20).
///
/// # Examples
/// ```
/// use schemarouter::catalog::source_name;
///
/// assert_eq!(source_name("github-api.github.com.json"), "github-api-github-com");
/// assert_eq!(source_name("My API (v2).yaml"), "my-api-v2");
/// ```
pub fn source_name(file_name: &str) -> String {
    let stem = ["json", "yaml", "yml"]
        .iter()
        .find_map(|ending| file_name.strip_suffix(ending)?.strip_suffix('.'))
        .unwrap_or(file_name);
    let mut name = String::with_capacity(stem.len());
    for c in stem.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    let trimmed = name.trim_end_matches('-');
    if trimmed.is_empty() { "source".to_owned() } else { trimmed.to_owned() }
}
