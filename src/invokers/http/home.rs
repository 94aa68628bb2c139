//! Where an endpoint's requests go, judged once for each server.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use url::Url;

use super::egress::check_url;
use super::settings::HttpSettings;
use crate::catalog::{Endpoint, HttpPlan};

/// A server, and whether requests may go there: a request has the scheme, host and port of its server, so what is found
/// of that holds for it.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) url: Url,
    pub(super) is_open: bool,
}

/// The servers of a router by their text; there are few.
#[derive(Debug, Default)]
pub(super) struct Homes(RwLock<HashMap<String, Arc<Home>>>);

impl Homes {
    /// Where requests of this endpoint go.
    pub(super) fn of(
        &self,
        endpoint: &Endpoint,
        plan: &HttpPlan,
        settings: &HttpSettings,
    ) -> Result<Arc<Home>, Error> {
        let text = text(endpoint, plan, settings)?;
        if let Some(home) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(text) {
            return Ok(Arc::clone(home));
        }
        let url = parsed(endpoint, text)?;
        let is_open = check_url(&url, &settings.egress).is_ok();
        let home = Arc::new(Home { url, is_open });
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), Arc::clone(&home));
        Ok(home)
    }
}

/// Where an endpoint's requests go.
pub(super) fn server(endpoint: &Endpoint, plan: &HttpPlan, settings: &HttpSettings) -> Result<Url, Error> {
    parsed(endpoint, text(endpoint, plan, settings)?)
}

/// The operator's URL for the source, else the server of the document that the operator chose, else the first (ruling 21).
fn text<'a>(endpoint: &Endpoint, plan: &'a HttpPlan, settings: &'a HttpSettings) -> Result<&'a str, Error> {
    let source = endpoint.key.source();
    if let Some(url) = settings.base_urls.get(source) {
        return Ok(url.as_str());
    }
    let number = settings.servers.get(source);
    let server = plan.servers.get(number.map_or(0, |number| number.get() - 1));
    server.map(AsRef::as_ref).ok_or_else(|| {
        missing(match number {
            Some(number) if !plan.servers.is_empty() => {
                let count = plan.servers.len();
                format!("`{}` has no server {number}: its document names {count}", endpoint.key)
            }
            _ => format!("`{}` has no server: its document names no absolute URL", endpoint.key),
        })
    })
}

fn parsed(endpoint: &Endpoint, text: &str) -> Result<Url, Error> {
    Url::parse(text)
        .map_err(|error| missing(format!("the server URL of `{}` cannot be read: {error}", endpoint.key)))
}

fn missing(message: String) -> Error {
    Error::rejected(ErrorKind::MissingServer, message)
        .with_hint("name one: `--server URL` on the command line, `base_url` in the settings")
}
