//! What an invoker brings back.

use std::pin::Pin;

use bytes::Bytes;
use futures_core::Stream;

use super::failure::Failure;
use super::gate::{Permit, Settlement};
use crate::catalog::Schema;

/// A reply, as received.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status, where there is one.
    pub status: Option<u16>,
    /// Selected headers, lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The media type, as received.
    pub content_type: Option<String>,
    /// The body.
    pub body: Body,
    /// The body as a JSON value, where it is JSON.
    pub json: Option<serde_json::Value>,
    /// What that value must satisfy, where the invoker found it declared.
    pub schema: Option<Schema>,
    /// What the caller should know although it succeeded.
    pub warnings: Vec<String>,
}

impl Reply {
    /// A reply with a JSON body and no status, as registered code gives it.
    pub fn of_json(value: serde_json::Value) -> Self {
        Self {
            status: None,
            headers: Vec::new(),
            content_type: Some("application/json".to_owned()),
            body: Body::Buffered(value.to_string().into()),
            json: Some(value),
            schema: None,
            warnings: Vec::new(),
        }
    }

    /// A reply whose body comes in pieces, of this media type.
    pub fn of_stream(content_type: &str, stream: ByteStream) -> Self {
        Self {
            status: None,
            headers: Vec::new(),
            content_type: Some(content_type.to_owned()),
            body: Body::Stream(stream),
            json: None,
            schema: None,
            warnings: Vec::new(),
        }
    }
}

/// The body of a reply.
#[derive(Debug)]
pub enum Body {
    /// Received whole, within the cap.
    Buffered(Bytes),
    /// Coming in pieces; once it is handed on there is no further attempt.
    Stream(ByteStream),
}

/// A body that comes in pieces.
///
/// It holds the permit of its attempt: the gate learns how it ended only when the last piece came, a piece failed,
/// or the stream was dropped.
pub struct ByteStream {
    inner: Pin<Box<dyn Stream<Item = Result<Bytes, Failure>> + Send>>,
    permit: Option<Permit>,
}

impl ByteStream {
    /// A body whose pieces are those of `stream`.
    pub fn new(stream: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static) -> Self {
        Self { inner: Box::pin(stream), permit: None }
    }

    pub(super) fn hold(&mut self, permit: Permit) {
        self.permit = Some(permit);
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// The failure that ended the stream.
    ///
    /// # Cancel safety
    /// No piece is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Bytes, Failure>> {
        let item = std::future::poll_fn(|context| self.inner.as_mut().poll_next(context)).await;
        let settlement = match &item {
            Some(Ok(_)) => return item,
            Some(Err(failure)) => Settlement::Failed(failure.fact()),
            None => Settlement::Succeeded,
        };
        if let Some(permit) = self.permit.take() {
            permit.settle(settlement);
        }
        item
    }
}

impl std::fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ByteStream")
    }
}
