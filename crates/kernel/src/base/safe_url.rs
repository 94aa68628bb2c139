//! URLs that can be shown.

/// A URL without what may be secret in it: no user information, no query, no fragment.
///
/// API keys travel in queries and passwords in user information; an error message, a log line or a trace must
/// hold neither (RFC 9110 section 17.9). It is built from parts, so that there is nothing to strip.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::safe_url::SafeUrl;
///
/// let url = SafeUrl::new("https", "api.test", Some(8443), "/w/Oslo?api_key=S3CR3T");
/// assert_eq!(url.to_string(), "https://api.test:8443/w/Oslo");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SafeUrl(String);

impl SafeUrl {
    /// Puts the parts together; whatever follows a `?` or `#` in `path` is left out.
    pub fn new(scheme: &str, host: &str, port: Option<u16>, path: &str) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        Self(match port {
            Some(port) => format!("{scheme}://{host}:{port}{path}"),
            None => format!("{scheme}://{host}{path}"),
        })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
