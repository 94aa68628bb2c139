//! What to do with one request.

use crate::Reply;
use bytes::Bytes;

/// What to do with one request.
///
/// Most actions are a [`Reply`] (there is a `From`); the others end the connection or hold it.
/// They happen after the whole request was read, unless [`Action::after_body`] says otherwise.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{Action, Reply, Script};
///
/// let script = Script::sequence([
///     Action::close(),
///     Action::reset().after_body(512),
///     Reply::json(201, r#"{"id":1}"#).into(),
/// ]);
/// ```
#[derive(Clone, Debug)]
pub struct Action {
    pub(crate) deed: Deed,
    /// Bytes of the request body to read first; all of them if not given.
    pub(crate) after_body: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Reply(Box<Reply>),
    Raw(Bytes, End),
}

/// How a connection goes on after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The next request may come.
    KeepAlive,
    /// The server closes (FIN; over TLS with `close_notify`).
    ///
    /// Bytes of the client that were not read turn it into a reset: that is what a kernel does.
    Close,
    /// The server resets the connection (RST).
    Reset,
    /// Nothing more happens until the client leaves or the server is dropped; it is announced as a stall.
    Stall,
}

impl Action {
    /// Closes the connection without an answer.
    pub fn close() -> Self {
        Self::raw(Bytes::new(), End::Close)
    }

    /// Resets the connection without an answer.
    pub fn reset() -> Self {
        Self::raw(Bytes::new(), End::Reset)
    }

    /// Never answers, and announces it: see [`Script::on_stall`](crate::Script::on_stall).
    pub fn stall() -> Self {
        Self::raw(Bytes::new(), End::Stall)
    }

    /// Sends these bytes, whatever they are, instead of a reply.
    pub fn raw(bytes: impl Into<Bytes>, end: End) -> Self {
        Self { deed: Deed::Raw(bytes.into(), end), after_body: None }
    }

    /// Acts as soon as this many bytes of the request body were read, instead of after all of them.
    ///
    /// It has no effect in [`Script::route`](crate::Script::route), whose closure runs after the whole request.
    /// An action that keeps the connection alive reads the rest of the body afterwards.
    #[must_use]
    pub fn after_body(mut self, bytes: usize) -> Self {
        self.after_body = Some(bytes);
        self
    }
}

impl From<Reply> for Action {
    fn from(reply: Reply) -> Self {
        Self { deed: Deed::Reply(Box::new(reply)), after_body: None }
    }
}
