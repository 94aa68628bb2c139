//! What to do with one connection.

use bytes::Bytes;

/// What to do with one connection, whatever the requests on it.
///
/// Everything but [`Connection::serve`] happens at accept, before anything is read (over TLS: before the
/// handshake), or with [`Connection::after`] once that many requests were answered.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{Connection, Reply, Script};
///
/// // The first connection is reset; the second answers once and closes when the next request arrives.
/// let script = Script::repeat(Reply::status(204))
///     .connections([Connection::reset(), Connection::close_on_arrival().after(1)]);
/// ```
#[derive(Clone, Debug)]
pub struct Connection {
    /// Requests to answer first.
    pub(crate) served: usize,
    pub(crate) then: Then,
}

#[derive(Clone, Debug)]
pub(crate) enum Then {
    Close,
    Reset,
    CloseOnArrival,
    ResetOnArrival,
    Stall,
    Speak(Bytes),
}

impl Connection {
    /// Answers requests until the client closes or an action ends the connection.
    pub fn serve() -> Self {
        Self { served: usize::MAX, then: Then::Close }
    }

    /// Closes at once; after some replies this is a server that tires of an idle connection.
    ///
    /// Whether a client still sees its connect succeed is a race that the kernel decides.
    pub fn close() -> Self {
        Self::at_once(Then::Close)
    }

    /// Resets at once; the client may see it while connecting or at its first write or read.
    pub fn reset() -> Self {
        Self::at_once(Then::Reset)
    }

    /// Closes when the first byte of a request arrives, without reading it: the kernel makes a reset of it.
    pub fn close_on_arrival() -> Self {
        Self::at_once(Then::CloseOnArrival)
    }

    /// Resets when the first byte arrives; a TLS client sees its handshake cut off.
    pub fn reset_on_arrival() -> Self {
        Self::at_once(Then::ResetOnArrival)
    }

    /// Neither reads nor answers, and announces it as a stall; a TLS client hangs in its handshake.
    pub fn stall() -> Self {
        Self::at_once(Then::Stall)
    }

    /// Sends these bytes unasked, then closes when the client's first byte arrives.
    pub fn speak(bytes: impl Into<Bytes>) -> Self {
        Self::at_once(Then::Speak(bytes.into()))
    }

    /// Answers this many requests first.
    #[must_use]
    pub fn after(mut self, requests: usize) -> Self {
        self.served = requests;
        self
    }

    fn at_once(then: Then) -> Self {
        Self { served: 0, then }
    }
}
