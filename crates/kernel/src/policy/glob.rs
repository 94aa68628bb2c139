//! Patterns for keys.

use serde::{Deserialize, Serialize};

/// A pattern for the whole key of an endpoint, in which `*` stands for anything, dots and slashes too (ruling 20).
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::Glob;
///
/// assert!(Glob::new("github.repos/*").matches("github.repos/get"));
/// assert!(Glob::new("*.delete*").matches("pets.deletePet"));
/// assert!(!Glob::new("repos/*").matches("github.repos/get"), "the whole key");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Glob(String);

impl Glob {
    /// A pattern; every text is one.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole text is like the pattern.
    pub fn matches(&self, text: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == text };
        let Some(mut left) = text.strip_prefix(head) else { return false };
        let mut pieces: Vec<&str> = rest.split('*').collect();
        let last = pieces.pop().unwrap_or_default();
        // The earliest place for each piece leaves the most room for those after it.
        for piece in pieces {
            match left.find(piece) {
                Some(at) => left = &left[at + piece.len()..],
                None => return false,
            }
        }
        left.ends_with(last)
    }
}

impl std::str::FromStr for Glob {
    type Err = std::convert::Infallible;

    fn from_str(pattern: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn a_star_stands_for_anything_within_the_whole_key() {
        let table = [
            ("shop.getOrder", "shop.getOrder", true),
            ("getOrder", "shop.getOrder", false),
            ("*getOrder", "shop.getOrder", true),
            ("shop.*", "shop.orders/get.all", true),
            ("*", "", true),
            ("*.*", "shop", false),
            ("s*p.*r", "shop.getOrder", true),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("*Order*s", "shop.Orders", true),
            ("*ab", "aab", true),
        ];
        for (pattern, text, expected) in table {
            assert_eq!(Glob::new(pattern).matches(text), expected, "{pattern} on {text}");
        }
    }
}
