//! A reply to build: sound by default, broken where told.

use crate::End;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::Notify;

/// A reply: sound by default, broken where told.
///
/// It announces the length of its body and keeps the connection alive. To a `HEAD` only the head is sent.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{End, Reply};
///
/// let limited = Reply::status(429).header("Retry-After", "7");
/// let malformed = Reply::json(200, "[1,");
/// let truncated = Reply::json(200, "[1,2]").content_length(100);
/// let no_last_chunk = Reply::json(200, "[1,2]").chunked().cut_after(5, End::Close);
/// let stalls_in_body = Reply::json(200, "[1,2]").cut_after(2, End::Stall);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) reason: Option<String>,
    pub(crate) headers: Vec<(String, Bytes)>,
    pub(crate) body: Bytes,
    pub(crate) framing: Framing,
    pub(crate) pieces: usize,
    pub(crate) gate: Option<Arc<Notify>>,
    pub(crate) interim: Vec<(u16, Vec<(String, String)>)>,
    pub(crate) cut: Option<(Cut, End)>,
    pub(crate) close: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Content-Length: of the body, or the false one given.
    Length(Option<u64>),
    Chunked,
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Head(usize),
    Body(usize),
}

impl Reply {
    /// A reply with this status and no body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            reason: None,
            headers: Vec::new(),
            body: Bytes::new(),
            framing: Framing::Length(None),
            pieces: 1,
            gate: None,
            interim: Vec::new(),
            cut: None,
            close: false,
        }
    }

    /// A reply of type `application/json`; the text is sent as it is, malformed or not.
    pub fn json(status: u16, text: impl Into<Vec<u8>>) -> Self {
        Self::status(status).header("Content-Type", "application/json").body(text)
    }

    /// A reply of type `text/plain; charset=utf-8`.
    pub fn text(status: u16, text: impl Into<Vec<u8>>) -> Self {
        Self::status(status).header("Content-Type", "text/plain; charset=utf-8").body(text)
    }

    /// Adds a header field; the bytes are sent as they are, so that a bad value can be sent too.
    ///
    /// A field called `Content-Length` or `Transfer-Encoding` is sent beside the one of the framing.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), Bytes::from(value.into())));
        self
    }

    /// Replaces the reason phrase.
    pub fn reason(mut self, phrase: impl Into<String>) -> Self {
        self.reason = Some(phrase.into());
        self
    }

    /// Replaces the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Bytes::from(body.into());
        self
    }

    /// Announces this length, whatever the body has, and closes after the body if they differ.
    pub fn content_length(mut self, length: u64) -> Self {
        self.framing = Framing::Length(Some(length));
        self
    }

    /// Sends the body in chunks, one for each piece (RFC 9112 section 7.1).
    pub fn chunked(mut self) -> Self {
        self.framing = Framing::Chunked;
        self
    }

    /// Sends the body without a length and ends it by closing.
    pub fn until_close(mut self) -> Self {
        self.framing = Framing::UntilClose;
        self
    }

    /// Sends the body in this many pieces of nearly equal size, yielding to other tasks between them.
    ///
    /// The head goes with the first. What the client reads at once is up to the kernel; see [`Reply::gate`].
    pub fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = pieces.max(1);
        self
    }

    /// Waits for one notification before each piece but the first.
    pub fn gate(mut self, gate: Arc<Notify>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Sends an interim reply first; may be called more than once.
    pub fn interim(mut self, status: u16, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        self.interim.push((status, headers));
        self
    }

    /// Stops after this many bytes of the body (without its framing); a chunked body lacks its last chunk then.
    ///
    /// The length announced is still that of the whole body.
    pub fn cut_after(mut self, bytes: usize, end: End) -> Self {
        self.cut = Some((Cut::Body(bytes), end));
        self
    }

    /// Stops after this many bytes of the head.
    pub fn cut_head_after(mut self, bytes: usize, end: End) -> Self {
        self.cut = Some((Cut::Head(bytes), end));
        self
    }

    /// Says `Connection: close`, and does so.
    pub fn close(mut self) -> Self {
        self.close = true;
        self
    }
}
