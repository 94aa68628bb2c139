//! What can be set.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use schemarouter_kernel::policy::{ExecutionBudget, ExecutionPolicy, RetryCeiling, RetryPolicy};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::invokers::http::{EgressPolicy, HttpSettings};
use crate::router::declaration::Declaration;
use crate::router::reply_check::ReplyValidation;

/// What an operator sets; whatever is left out has its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Values {
    /// How runs retry that do not say it themselves.
    pub retry: RetryPolicy,
    /// The most that a run may ask of retry.
    pub retry_ceiling: RetryCeiling,
    /// The most that any run may spend.
    pub budget: ExecutionBudget,
    /// What may be done.
    pub permission: ExecutionPolicy,
    /// Whether operations that documents make idempotent, by their method, count as safe to repeat.
    pub repeat_idempotent: bool,
    /// What happens to replies that break their schema.
    pub replies: ReplyValidation,
    /// How HTTP endpoints are reached.
    pub http: HttpValues,
    /// What is said of sources, by name.
    pub sources: BTreeMap<String, SourceValues>,
    /// What is said of endpoints: by key, by the name of their source, or of all (`*`). The most specific holds.
    pub endpoints: BTreeMap<String, Declaration>,
}

/// How HTTP endpoints are reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HttpValues {
    /// The limit on making a connection.
    #[serde(rename = "connect_timeout_seconds", with = "super::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub connect_timeout: Duration,
    /// The limit on one exchange once it is connected.
    #[serde(rename = "reply_timeout_seconds", with = "super::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub reply_timeout: Duration,
    /// The cap on one reply, in bytes after decompression.
    pub max_reply_bytes: u64,
    /// Whether private addresses may be reached.
    pub allow_private: bool,
    /// Whether this machine may be reached.
    pub allow_loopback: bool,
    /// Whether requests may go to other machines without encryption.
    pub allow_plain_http: bool,
}

impl Default for HttpValues {
    fn default() -> Self {
        let EgressPolicy { allow_private, allow_loopback, allow_plain_http } = EgressPolicy::default();
        Self {
            connect_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(30),
            max_reply_bytes: 16 * 1024 * 1024,
            allow_private,
            allow_loopback,
            allow_plain_http,
        }
    }
}

/// What is said of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SourceValues {
    /// Where its endpoints are reached, in place of the servers of its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub base_url: Option<Url>,
    /// Which of the servers of its document is called, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<NonZeroUsize>,
    /// Which environment variables hold its credentials.
    #[serde(skip_serializing_if = "CredentialVariables::is_empty")]
    pub credentials: CredentialVariables,
}

/// Environment variables that hold the credentials of a source; a secret never stands in a file of settings (ruling 22).
///
/// They are read by whoever reads the environment, such as the command line, and not by the router.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CredentialVariables {
    /// The one that holds a bearer token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer_env: Option<String>,
    /// The one that holds `user:password` for HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_env: Option<String>,
    /// Those that hold values of header fields, by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub header_env: BTreeMap<String, String>,
    /// Those that hold credentials of security schemes of the document, by scheme.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub credential_env: BTreeMap<String, String>,
}

impl CredentialVariables {
    /// Whether none is named.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Values {
    /// The settings of the HTTP invoker.
    pub(in crate::router) fn http_settings(&self) -> HttpSettings {
        let HttpValues { allow_private, allow_loopback, allow_plain_http, .. } = self.http;
        let settings = HttpSettings::default()
            .with_connect_timeout(self.http.connect_timeout)
            .with_reply_timeout(self.http.reply_timeout)
            .with_max_reply_bytes(self.http.max_reply_bytes)
            .with_egress(EgressPolicy { allow_private, allow_loopback, allow_plain_http });
        let urls = self.sources.iter().filter_map(|(name, source)| Some((name, source.base_url.clone()?)));
        urls.fold(settings, |settings, (name, url)| settings.with_base_url(name, url))
    }
}
