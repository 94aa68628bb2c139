//! Where a setting was said.

use serde::Serialize;

/// Where a setting was said; of two that say it, the later in this order holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Nobody said it.
    Default,
    /// The API document.
    Document,
    /// A configuration file.
    File(String),
    /// An environment variable.
    Environment(String),
    /// An overlay file.
    Overlay(String),
    /// The code that built the router.
    Code,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Document => f.write_str("document"),
            Self::File(name) | Self::Environment(name) | Self::Overlay(name) => f.write_str(name),
            Self::Code => f.write_str("code"),
        }
    }
}

/// One setting that is in force, and where it was said.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// Its name, such as `retry.max_attempts`.
    pub name: String,
    /// Its value.
    pub value: serde_json::Value,
    /// Where it was said.
    pub origin: Origin,
}
