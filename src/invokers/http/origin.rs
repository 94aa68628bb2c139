//! Origins, and URLs that can be shown.

use schemarouter_kernel::base::safe_url::SafeUrl;
use url::{Host, Url};

/// Scheme, host and port (RFC 6454 section 4): who is meant by a URL, and whose credentials may go there.
///
/// # Examples
/// ```
/// use schemarouter::invokers::http::origin::Origin;
///
/// let of = |text: &str| Origin::of(&text.parse().expect("a URL")).expect("an origin");
/// assert_eq!(of("https://API.test/a"), of("https://api.test:443/b?c"));
/// assert_ne!(of("https://api.test/a"), of("http://api.test/a"));
/// assert_ne!(of("https://api.test:8443/a"), of("https://api.test:8444/a"));
/// assert_eq!(of("https://api.test:8443/a").to_string(), "https://api.test:8443");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: Host,
    /// Absent for the scheme's own port: the URL parser leaves that out, however it was written.
    port: Option<u16>,
}

impl Origin {
    /// The origin of this URL; `None` for one without a host.
    pub fn of(url: &Url) -> Option<Self> {
        Some(Self { scheme: url.scheme().to_owned(), host: url.host()?.to_owned(), port: url.port() })
    }

    /// The host, as the URL parser understood it.
    pub const fn host(&self) -> &Host {
        &self.host
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The URL without what may be secret in it.
pub fn safe_url(url: &Url) -> SafeUrl {
    let path = if url.cannot_be_a_base() { "" } else { url.path() };
    SafeUrl::new(url.scheme(), url.host_str().unwrap_or_default(), url.port(), path)
}
