//! Other ways to the same answer, declared by the operator (ruling 12).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemarouter_kernel::base::disposition::{Disposition, Effect};
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use super::request::Request;
use crate::catalog::Endpoint;

/// An endpoint that is called where another one is unavailable; both have to be explicitly read-only.
///
/// # Examples
/// ```
/// use schemarouter::router::Fallback;
///
/// let fallback = Fallback::new("weather.now", "archive.latest").with_argument("city", "place");
/// # let _ = fallback;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    from: String,
    to: String,
    arguments: BTreeMap<String, String>,
}

impl Fallback {
    /// Calls `to` where `from` is unavailable; both are keys. Arguments keep their names.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into(), arguments: BTreeMap::new() }
    }

    /// Gives an argument of the first endpoint to the second under another name.
    #[must_use]
    pub fn with_argument(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.arguments.insert(from.into(), to.into());
        self
    }

    fn renamed<'a>(&'a self, argument: &'a str) -> &'a str {
        self.arguments.get(argument).map_or(argument, String::as_str)
    }

    /// The same question, asked elsewhere.
    fn request(&self, arguments: &Map<String, Value>) -> Request {
        let arguments = arguments.iter().map(|(name, value)| (self.renamed(name).to_owned(), value.clone()));
        Request::new(self.to.clone(), Value::Object(arguments.collect()))
    }

    /// What is wrong with it, told when the router is built and not when a call is in need.
    fn checked(&self, find: impl Fn(&str) -> Result<Arc<Endpoint>, Error>) -> Result<(), Error> {
        let invalid = |message: String| {
            let message = format!("the fallback from `{}` to `{}`: {message}", self.from, self.to);
            Err(Error::rejected(ErrorKind::CompileError, message))
        };
        let (from, to) = (find(&self.from)?, find(&self.to)?);
        if let Some(endpoint) = [&from, &to].iter().find(|endpoint| endpoint.effect != Effect::ReadOnly) {
            return invalid(format!(
                "`{}` is {}, and both have to be read-only",
                endpoint.key, endpoint.effect
            ));
        }
        let renamed: Vec<&str> = from.arguments.iter().map(|argument| self.renamed(&argument.name)).collect();
        let given = |to: &Endpoint, name: &str| to.argument(name).is_some();
        if let Some(name) = renamed.iter().find(|name| !given(&to, name)) {
            return invalid(format!("`{}` has no argument `{name}`; name it with `with_argument`", to.key));
        }
        let is_missing = |name: &str| !renamed.contains(&name);
        if let Some(argument) =
            to.arguments.iter().find(|argument| argument.required && is_missing(&argument.name))
        {
            return invalid(format!("nothing gives `{}` its required argument `{}`", to.key, argument.name));
        }
        match self.arguments.keys().find(|name| from.argument(name).is_none()) {
            Some(name) => invalid(format!("`{}` has no argument `{name}`", from.key)),
            None => Ok(()),
        }
    }
}

/// The fallbacks of a router, by the key that they are for.
#[derive(Debug, Default)]
pub(super) struct Fallbacks(HashMap<String, Fallback>);

impl Fallbacks {
    /// The later of two for one endpoint holds.
    pub(super) fn new(
        all: Vec<Fallback>,
        find: impl Fn(&str) -> Result<Arc<Endpoint>, Error>,
    ) -> Result<Self, Error> {
        let mut by_key = HashMap::with_capacity(all.len());
        for fallback in all {
            fallback.checked(&find)?;
            by_key.insert(fallback.from.clone(), fallback);
        }
        Ok(Self(by_key))
    }

    /// Where else to ask, after this error of a call; only where its path is unavailable (R-315).
    pub(super) fn after(
        &self,
        error: &Error,
        endpoint: &Endpoint,
        arguments: &Map<String, Value>,
    ) -> Option<Request> {
        // What the budget or the caller has ended is not gone on with elsewhere.
        let is_ended = matches!(error.kind(), ErrorKind::BudgetExceeded | ErrorKind::Cancelled);
        if error.disposition() != Disposition::Unavailable || is_ended {
            return None;
        }
        self.0.get(endpoint.key.as_str()).map(|fallback| fallback.request(arguments))
    }
}
