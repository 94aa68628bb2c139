//! How HTTP endpoints are reached; the operator's.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use url::Url;

use super::egress::EgressPolicy;

/// How HTTP endpoints are reached: time limits, sizes, addresses.
///
/// # Examples
/// ```
/// use schemarouter::invokers::http::HttpSettings;
/// use std::time::Duration;
///
/// let settings = HttpSettings::default()
///     .with_base_url("pets", "https://staging.pets.test/v1".parse()?)
///     .with_reply_timeout(Duration::from_secs(5));
/// # let _ = settings;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub(super) connect_timeout: Duration,
    pub(super) reply_timeout: Duration,
    pub(super) max_reply_bytes: u64,
    pub(super) egress: EgressPolicy,
    pub(super) base_urls: BTreeMap<String, Url>,
    pub(super) servers: BTreeMap<String, NonZeroUsize>,
    pub(super) root_certificates: Vec<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(30),
            max_reply_bytes: 16 * 1024 * 1024,
            egress: EgressPolicy::default(),
            base_urls: BTreeMap::new(),
            servers: BTreeMap::new(),
            root_certificates: Vec::new(),
        }
    }
}

impl HttpSettings {
    /// The limit on making a connection, name resolution and TLS handshake included; 10 s by default.
    #[must_use]
    pub const fn with_connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The limit on one exchange once it is connected, from the request to the last byte of the reply; 30 s by
    /// default.
    #[must_use]
    pub const fn with_reply_timeout(mut self, limit: Duration) -> Self {
        self.reply_timeout = limit;
        self
    }

    /// The cap on one reply, in bytes after decompression; 16 MiB by default.
    #[must_use]
    pub const fn with_max_reply_bytes(mut self, cap: u64) -> Self {
        self.max_reply_bytes = cap;
        self
    }

    /// Which addresses may be reached.
    #[must_use]
    pub const fn with_egress(mut self, egress: EgressPolicy) -> Self {
        self.egress = egress;
        self
    }

    /// Reaches the endpoints of this source at this URL instead of the servers of its document.
    #[must_use]
    pub fn with_base_url(mut self, source: impl Into<String>, url: Url) -> Self {
        self.base_urls.insert(source.into(), url);
        self
    }

    /// Reaches the endpoints of this source at the server of this number, counted from 1, among those that its document
    /// declares; without it at the first. A [base URL](Self::with_base_url) goes before.
    ///
    /// An endpoint that has no such server is not called at another one, which would be a guess.
    #[must_use]
    pub fn with_server(mut self, source: impl Into<String>, number: NonZeroUsize) -> Self {
        self.servers.insert(source.into(), number);
        self
    }

    /// Trusts these certificate authorities too, given as PEM (RFC 7468).
    #[must_use]
    pub fn with_root_certificates(mut self, pem: impl Into<String>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }
}
