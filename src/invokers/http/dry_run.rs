//! The request that a call would send, for people who want to see it first.

use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::error::Error;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::home::server;
use super::request::{Auth, build};
use super::settings::HttpSettings;
use crate::catalog::{Endpoint, HttpPlan};

/// A request that is shown and not sent; it holds no credentials.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DryRun {
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The header fields, lower case.
    pub headers: std::collections::BTreeMap<String, String>,
    /// The body, where there is one: as JSON if it is.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Value>"))]
    pub body: Option<Box<RawValue>>,
}

impl DryRun {
    pub(crate) fn of(
        endpoint: &Endpoint,
        plan: &HttpPlan,
        arguments: &Map<String, Value>,
        settings: &HttpSettings,
        header: Option<(HeaderName, HeaderValue)>,
    ) -> Result<Self, Error> {
        let server = server(endpoint, plan, settings)?;
        let mut request = build(plan, &server, arguments, Auth::Without)?;
        request.headers.extend(header);
        let body = request.body.as_ref().map(|bytes| {
            let json = serde_json::from_slice::<Box<RawValue>>(bytes).ok();
            let text = || serde_json::value::to_raw_value(&String::from_utf8_lossy(bytes)).ok();
            json.or_else(text)
        });
        Ok(Self {
            method: request.method.to_string(),
            url: request.shown_url(),
            headers: request
                .shown_headers()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: body.flatten(),
        })
    }
}
