//! A request as it came.

/// A request as it came, recorded as soon as its head was complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: String,
    /// The request target as it was on the wire, not decoded.
    pub target: String,
    /// The minor version: 1 in HTTP/1.1.
    pub minor_version: u8,
    /// The header fields in order; names as they were written, bytes that are not UTF-8 replaced.
    pub headers: Vec<(String, String)>,
    /// The head to the byte, the empty line included.
    pub head: Vec<u8>,
    /// The body bytes read so far, after chunked decoding.
    pub body: Vec<u8>,
    /// Whether the whole body was read.
    pub complete: bool,
    /// The connection it came on, counted from 0 in the order of acceptance.
    pub connection: usize,
}

impl Request {
    /// The value of the first header field of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The raw query, without the question mark.
    pub fn query(&self) -> Option<&str> {
        self.target.split_once('?').map(|(_, query)| query)
    }

    /// Whether the client asked to close after the reply (RFC 9112 section 9.3).
    pub(crate) fn wants_close(&self) -> bool {
        self.minor_version == 0 || self.header("connection").is_some_and(|value| has_token(value, "close"))
    }
}

/// Whether a comma-separated field value holds this token, in any case.
pub(crate) fn has_token(value: &str, token: &str) -> bool {
    value.split(',').any(|t| t.trim().eq_ignore_ascii_case(token))
}
