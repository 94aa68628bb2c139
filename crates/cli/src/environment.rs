//! The environment of the process; the only room that reads it.

use std::env::{self, VarError};

/// The value of a variable, or what is wrong with it, fit to follow its name.
pub(crate) fn variable(name: &str) -> Result<String, &'static str> {
    match env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        Ok(_) => Err("is empty"),
        Err(VarError::NotPresent) => Err("is not set"),
        Err(VarError::NotUnicode(_)) => Err("is no UTF-8"),
    }
}

/// All variables that are text; what is not can be none of ours.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
