//! A request, decided to the last byte.

use bytes::Bytes;
use http::header::COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use schemarouter_kernel::base::safe_url::SafeUrl;
use schemarouter_kernel::base::secret::Secret;
use url::Url;

use super::origin::{Origin, safe_url};
use super::redact::Redactor;

/// A request that can be sent as often as needed, each time with the same bytes (case 067).
///
/// Cheap to clone. Its `Debug` and the `shown_*` methods hold no credential; the public fields do.
#[derive(Clone)]
pub struct Prepared {
    /// The method.
    pub method: Method,
    /// Where it goes; its query may hold a credential.
    pub url: Url,
    /// The header fields; those that hold credentials are marked sensitive.
    pub headers: HeaderMap,
    /// The body, if there is one.
    pub body: Option<Bytes>,
    pub(super) shown_query: Option<String>,
    /// The pairs of the query that prove identity, percent-encoded.
    pub(super) secret_query: Vec<(String, Secret)>,
    pub(super) redactor: Redactor,
}

impl Prepared {
    /// The URL without its query, for messages and logs.
    pub fn safe_url(&self) -> SafeUrl {
        safe_url(&self.url)
    }

    /// The URL with its query, credentials as `***`, for people who asked to see the request.
    pub fn shown_url(&self) -> String {
        match &self.shown_query {
            Some(query) => format!("{}?{query}", self.safe_url()),
            None => self.safe_url().to_string(),
        }
    }

    /// The header fields in order, credentials as `***`.
    pub fn shown_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| {
            let value = if value.is_sensitive() { "***" } else { value.to_str().unwrap_or("(not text)") };
            (name.as_str(), value)
        })
    }

    /// Takes this request's credentials out of what the other side wrote.
    pub const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The same request at another URL; beyond its own origin it goes without credentials (ruling 14, case 039).
    ///
    /// The query is that of `url`: what a redirect says is complete. Whether it may be followed at all is asked
    /// elsewhere, see [`super::egress::confine`].
    #[must_use]
    pub fn redirected_to(&self, url: Url) -> Self {
        let mut headers = self.headers.clone();
        if Origin::of(&url) != Origin::of(&self.url) {
            headers.clear();
            // Cookies belong to their origin, secret or not (RFC 9110 section 15.4).
            let follows = |name: &HeaderName, value: &HeaderValue| name != COOKIE && !value.is_sensitive();
            for (name, value) in self.headers.iter().filter(|(name, value)| follows(name, value)) {
                headers.append(name, value.clone());
            }
        }
        Self { url, headers, shown_query: None, ..self.clone() }
    }

    /// The same request for another page, at a URL that [`next_url`](super::next_url) has passed; its credentials are
    /// added to the query.
    pub(super) fn at_page(self, mut url: Url) -> Self {
        let secrets = self.secret_query.iter().map(|(name, value)| format!("{name}={}", value.expose()));
        let all: Vec<String> = url.query().map(str::to_owned).into_iter().chain(secrets).collect();
        url.set_query((!all.is_empty()).then(|| all.join("&")).as_deref());
        Self { url, shown_query: None, ..self }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("method", &self.method)
            .field("url", &self.safe_url())
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .finish_non_exhaustive()
    }
}
