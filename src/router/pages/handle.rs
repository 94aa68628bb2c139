//! What a listing is resumed by.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use schemarouter_kernel::base::kind::ErrorKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::catalog::Endpoint;

/// The version of the text of a handle.
const VERSION: u32 = 1;
/// Longer texts are no handles of ours: arguments go into URLs, and bodies of searches are small.
const MOST_BYTES: usize = 1 << 20;

/// The next page of a listing, as text that can be kept and handed on; [`Router::resume`](super::super::Router::resume)
/// goes on there.
///
/// It holds the endpoint with the fingerprint of its contract, and the arguments or the URL of the page, and never a
/// credential. It is no proof of anything: whoever has one can write another one, so that everything in it is
/// checked again as a request's would be.
///
/// # Examples
/// ```
/// use schemarouter::router::NextPageHandle;
///
/// let error = "not a handle".parse::<NextPageHandle>().unwrap_err();
/// assert_eq!(error.kind().code(), "invalid_arguments");
/// ```
#[derive(Clone, PartialEq)]
pub struct NextPageHandle {
    pub(super) endpoint: String,
    pub(super) pin: Fingerprint,
    pub(super) ask: Ask,
}

/// What the call for a page differs by from other calls of its endpoint.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::router) struct Ask {
    pub(in crate::router) arguments: Arc<Map<String, Value>>,
    /// Where the page is, if the other side names it by that; without credentials.
    pub(in crate::router) url: Option<String>,
    /// What is kept of each page.
    pub(in crate::router) fields: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    version: u32,
    endpoint: String,
    fingerprint: Fingerprint,
    arguments: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<String>>,
}

impl NextPageHandle {
    pub(super) fn new(endpoint: &Endpoint, ask: &Ask) -> Self {
        Self { endpoint: endpoint.key.to_string(), pin: endpoint.fingerprints.pin(), ask: ask.clone() }
    }

    /// The endpoint's key.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// What it holds, as JSON.
    pub(super) fn json(&self) -> String {
        let text = Text {
            version: VERSION,
            endpoint: self.endpoint.clone(),
            fingerprint: self.pin,
            arguments: Map::clone(&self.ask.arguments),
            url: self.ask.url.clone(),
            fields: self.ask.fields.clone(),
        };
        serde_json::to_string(&text).unwrap_or_default()
    }
}

impl fmt::Display for NextPageHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.json()))
    }
}

impl fmt::Debug for NextPageHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NextPageHandle({})", self.endpoint)
    }
}

impl FromStr for NextPageHandle {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = |why: &str| {
            let message = format!("this is no handle of a next page: {why}");
            Err(Error::rejected(ErrorKind::InvalidArguments, message)
                .with_hint("hand it on as it was given, or ask for the first page again"))
        };
        if text.len() > MOST_BYTES {
            return refused("it is too long");
        }
        let Ok(json) = URL_SAFE_NO_PAD.decode(text.trim()) else {
            return refused("it is not in base64url (RFC 4648)");
        };
        match serde_json::from_slice::<Text>(&json) {
            Ok(Text { version: VERSION, endpoint, fingerprint, arguments, url, fields }) => {
                let ask = Ask { arguments: Arc::new(arguments), url, fields };
                Ok(Self { endpoint, pin: fingerprint, ask })
            }
            Ok(Text { version, .. }) => refused(&format!("its version is {version}, and {VERSION} is known")),
            // The position alone: the text may hold anything.
            Err(error) => refused(&format!("it cannot be read at byte {}", error.column())),
        }
    }
}

impl Serialize for NextPageHandle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NextPageHandle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NextPageHandle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NextPageHandle".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"})
    }
}
