//! Values for endpoints, sources, or everything.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A value by endpoint (`source.operation`), by source, or for everything (`*`); the most specific wins.
///
/// # Examples
/// ```
/// use schemarouter_kernel::policy::ByEndpoint;
///
/// let costs: ByEndpoint<u32> = [("*", 1), ("maps", 5), ("maps.route", 20)].into_iter().collect();
/// assert_eq!(costs.get("maps.route"), Some(&20));
/// assert_eq!(costs.get("maps.tile"), Some(&5));
/// assert_eq!(costs.get("mail.send"), Some(&1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ByEndpoint<T>(BTreeMap<String, T>);

/// The selector of everything.
const ALL: &str = "*";

impl<T> Default for ByEndpoint<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<S: Into<String>, T> FromIterator<(S, T)> for ByEndpoint<T> {
    fn from_iter<I: IntoIterator<Item = (S, T)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(selector, value)| (selector.into(), value)).collect())
    }
}

impl<T> ByEndpoint<T> {
    /// The value for an endpoint, or for another selector: its own, else its source's, else that of everything.
    pub fn get(&self, selector: &str) -> Option<&T> {
        let source = selector.split_once('.').map(|(source, _)| source);
        [Some(selector), source, Some(ALL)].into_iter().flatten().find_map(|name| self.0.get(name))
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The selectors with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(selector, value)| (selector.as_str(), value))
    }
}

impl<T: Ord + Copy> ByEndpoint<T> {
    /// Both at once: for every endpoint the smaller of the two values.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        let selectors = self.0.keys().chain(other.0.keys());
        let smaller = |selector: &String| {
            // Each side says what it says for this selector, so that no endpoint gets more by being named.
            let value = match (self.get(selector), other.get(selector)) {
                (Some(one), Some(two)) => *one.min(two),
                (one, two) => *one.or(two)?,
            };
            Some((selector.clone(), value))
        };
        Self(selectors.filter_map(smaller).collect())
    }
}
