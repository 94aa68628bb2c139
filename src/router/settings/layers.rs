//! Settings in layers, each value with where it was said.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::Values;
use super::origin::{Origin, Setting};
use super::read::{escaped, invalid, read, typed};
use crate::router::declaration::Declaration;

/// The prefix of environment variables that set something.
const PREFIX: &str = "SCHEMAROUTER_";
/// What stands between the names in one.
const BETWEEN: &str = "__";

/// Collects settings from files and the environment; [`resolve`](Self::resolve) makes [`Settings`] of them.
///
/// Defaults, then configuration files, then the environment, then overlays: what comes later holds, setting by setting.
/// Among files, and among overlays, the order is that in which they are given.
///
/// # Examples
/// ```
/// use schemarouter::router::Layers;
///
/// let file = "version: 1\nretry: {max_attempts: 3}\nhttp: {reply_timeout_seconds: 5}\n";
/// let variables = [("SCHEMAROUTER_RETRY__MAX_ATTEMPTS", "2"), ("HOME", "/root")];
/// let settings = Layers::default().file("router.yaml", file)?.environment(variables)?.resolve()?;
///
/// let shown: Vec<String> =
///     settings.explain().iter().map(|set| format!("{} = {} ({})", set.name, set.value, set.origin)).collect();
/// assert!(shown.contains(&"retry.max_attempts = 2 (SCHEMAROUTER_RETRY__MAX_ATTEMPTS)".to_owned()));
/// assert!(shown.contains(&"http.reply_timeout_seconds = 5.0 (router.yaml)".to_owned()));
/// assert!(shown.contains(&"retry.backoff_multiplier = 2.0 (default)".to_owned()));
/// # Ok::<(), schemarouter::kernel::base::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Layers(Vec<Layer>);

/// What one place says.
#[derive(Debug, Clone)]
struct Layer {
    origin: Origin,
    tree: Value,
}

/// What an overlay file says: of endpoints alone, so that it can go with a document from hand to hand.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OverlayFile {
    /// What is said of endpoints: by key, by the name of their source, or of all (`*`). The most specific holds.
    pub endpoints: BTreeMap<String, Declaration>,
}

impl Layers {
    /// Adds a configuration file, which is called by this name in errors and origins.
    ///
    /// # Errors
    /// `invalid_settings`, where the text is no configuration; it names line and column.
    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Result<Self, Error> {
        let (_, tree) = read::<Values>(name, text.as_ref())?;
        Ok(self.with(Origin::File(name.to_owned()), tree))
    }

    /// Adds an overlay file, which is called by this name in errors and origins.
    ///
    /// # Errors
    /// `invalid_settings`, where the text is no overlay; it names line and column.
    pub fn overlay(self, name: &str, text: impl AsRef<[u8]>) -> Result<Self, Error> {
        let (_, tree) = read::<OverlayFile>(name, text.as_ref())?;
        Ok(self.with(Origin::Overlay(name.to_owned()), tree))
    }

    /// Adds the environment variables that set something, such as `SCHEMAROUTER_REPLIES`, and
    /// `SCHEMAROUTER_BUDGET__MAX_ATTEMPTS` for what stands in a section. Others are left alone; one with `__` in it that
    /// sets nothing is a mistake.
    ///
    /// # Errors
    /// `invalid_settings`, where one names nothing that can be set, or has a value that cannot be meant.
    pub fn environment<N: AsRef<str>, V: AsRef<str>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, Error> {
        for (name, value) in variables {
            let name = name.as_ref();
            let Some(rest) = name.strip_prefix(PREFIX).map(str::to_lowercase) else { continue };
            let value = scalar(value.as_ref());
            let tree = match rest.split_once(BETWEEN) {
                Some((section, setting)) if depth(section) == 2 => one(section, one(setting, value)),
                Some((section, _)) => {
                    return Err(invalid(format!("`{name}`: `{section}` is set in files only")));
                }
                None if depth(&rest) == 1 => one(&rest, value),
                None => continue,
            };
            typed::<Values>(&tree).map_err(|(_, message)| invalid(format!("`{name}`: {message}")))?;
            self = self.with(Origin::Environment(name.to_owned()), tree);
        }
        Ok(self)
    }

    fn with(mut self, origin: Origin, tree: Value) -> Self {
        self.0.push(Layer { origin, tree });
        self
    }

    /// The settings.
    ///
    /// # Errors
    /// `invalid_settings`, where values that are right each by itself cannot be meant together.
    pub fn resolve(mut self) -> Result<Settings, Error> {
        // Stable: within a kind the order is that in which they came.
        let rank = |origin: &Origin| match origin {
            Origin::Default | Origin::Document => 0,
            Origin::File(_) => 1,
            Origin::Environment(_) => 2,
            Origin::Overlay(_) => 3,
            Origin::Code => 4,
        };
        self.0.sort_by_key(|layer| rank(&layer.origin));
        let (mut tree, mut origins) = (Value::Object(Map::new()), BTreeMap::new());
        for layer in &self.0 {
            for (place, value) in leaves(&layer.tree) {
                set(&mut tree, &place, value.clone());
                origins.insert(pointer(&place), layer.origin.clone());
            }
        }
        let values = typed(&tree).map_err(|(pointer, message)| {
            let of = origins.range(..=pointer.clone()).next_back();
            let of = of.filter(|(said, _)| pointer.starts_with(said.as_str()));
            invalid(match of {
                Some((_, origin)) => format!("{origin}: `{pointer}`: {message}"),
                None => format!("`{pointer}`: {message}"),
            })
        })?;
        Ok(Settings { values, origins: Arc::new(origins) })
    }
}

/// Settings that are resolved: one value each, and where it was said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The values.
    pub values: Values,
    /// Where they were said, by JSON pointer; what is not in it is a default.
    origins: Arc<BTreeMap<String, Origin>>,
}

impl Settings {
    /// Every setting that has a value, by name.
    pub fn explain(&self) -> Vec<Setting> {
        // Values come from their own JSON form, and have one.
        let tree = serde_json::to_value(&self.values).unwrap_or_default();
        leaves(&tree)
            .into_iter()
            .map(|(place, value)| Setting {
                name: place.join("."),
                value: value.clone(),
                origin: self.origins.get(&pointer(&place)).cloned().unwrap_or(Origin::Default),
            })
            .collect()
    }

    /// Where this was said of these endpoints.
    pub(in crate::router) fn origin(&self, selector: &str, setting: &str) -> Origin {
        let place = ["endpoints", selector, setting];
        self.origins.get(&pointer(&place)).cloned().unwrap_or(Origin::Code)
    }

    /// Without what is said of sources that are not among these, and of their endpoints: a configuration may be for more
    /// documents than are at hand.
    #[must_use]
    pub fn only<'s>(mut self, sources: impl IntoIterator<Item = &'s str>) -> Self {
        let sources: Vec<&str> = sources.into_iter().collect();
        let at_hand = |name: &str| sources.contains(&name);
        self.values.sources.retain(|name, _| at_hand(name));
        self.values.endpoints.retain(|selector, _| {
            selector == "*" || at_hand(selector.split_once('.').map_or(selector, |(source, _)| source))
        });
        self
    }
}

/// How many names lead to one setting; what is deeper belongs to its value.
fn depth(section: &str) -> usize {
    match section {
        "endpoints" | "sources" => 3,
        "repeat_idempotent" | "replies" => 1,
        _ => 2,
    }
}

/// The settings of a tree: the names that lead there, and the value.
fn leaves(tree: &Value) -> Vec<(Vec<&str>, &Value)> {
    fn walk<'t>(
        at: &'t Value,
        place: &mut Vec<&'t str>,
        left: usize,
        found: &mut Vec<(Vec<&'t str>, &'t Value)>,
    ) {
        match at.as_object().filter(|_| left > 0) {
            Some(members) => {
                for (name, value) in members {
                    place.push(name);
                    walk(value, place, left - 1, found);
                    place.pop();
                }
            }
            None => found.push((place.clone(), at)),
        }
    }
    let mut found = Vec::new();
    for (section, value) in tree.as_object().into_iter().flatten() {
        walk(value, &mut vec![section], depth(section) - 1, &mut found);
    }
    found
}

fn set(tree: &mut Value, place: &[&str], value: Value) {
    let Some((name, rest)) = place.split_first() else {
        *tree = value;
        return;
    };
    if !tree.is_object() {
        *tree = Value::Object(Map::new());
    }
    if let Some(members) = tree.as_object_mut() {
        set(members.entry(*name).or_insert(Value::Null), rest, value);
    }
}

fn pointer(place: &[&str]) -> String {
    place.iter().map(|name| format!("/{}", escaped(name))).collect()
}

fn one(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// A number, `true`, `false`, or text.
fn scalar(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::String(text.to_owned()),
    }
}
