//! What an invoker brings back.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;

use super::attempt::Attempt;
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
/// or the stream was dropped. The deadline and the byte budget of the run hold for it as for everything else of the run.
pub struct ByteStream {
    /// Absent once it has ended.
    inner: Option<Pieces>,
    held: Option<Held>,
}

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, Failure>> + Send>>;

/// What a stream keeps of its attempt.
struct Held {
    permit: Permit,
    attempt: Arc<Attempt>,
}

impl ByteStream {
    /// A body whose pieces are those of `stream`.
    pub fn new(stream: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static) -> Self {
        Self { inner: Some(Box::pin(stream)), held: None }
    }

    /// A body that has ended.
    pub(crate) const fn ended() -> Self {
        Self { inner: None, held: None }
    }

    pub(super) fn hold(&mut self, permit: Permit, attempt: Arc<Attempt>) {
        self.held = Some(Held { permit, attempt });
    }

    /// The next piece; `None` at the end, and after a failure.
    ///
    /// # Errors
    /// The failure that ended the stream, such as the deadline of the run.
    ///
    /// # Cancel safety
    /// No piece is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Bytes, Failure>> {
        let inner = self.inner.as_mut()?;
        let piece = std::future::poll_fn(|context| inner.as_mut().poll_next(context));
        let item = match &self.held {
            None => piece.await,
            Some(Held { attempt, .. }) => {
                let (timer, until) = (attempt.timer(), attempt.until());
                // Asked first, so that a stream that always has a piece ready ends as well.
                let item = if until.is_some_and(|until| timer.now() >= until) {
                    None
                } else {
                    let piece = timer.limit(until, piece);
                    attempt.unless_cancelled(piece).await.unwrap_or_else(|failure| Some(Some(Err(failure))))
                };
                let charge = |piece: Bytes| attempt.received(piece.len()).map(|()| piece);
                item.unwrap_or_else(|| Some(Err(cut_off()))).map(|piece| piece.and_then(charge))
            }
        };
        let settlement = match &item {
            Some(Ok(_)) => return item,
            // The caller's choice says nothing about the path.
            Some(Err(failure)) if failure.kind() == ErrorKind::Cancelled => Settlement::Abandoned,
            Some(Err(failure)) => Settlement::Failed(failure.fact()),
            None => Settlement::Succeeded,
        };
        self.inner = None;
        if let Some(held) = self.held.take() {
            held.permit.settle(settlement);
        }
        item
    }
}

fn cut_off() -> Failure {
    Failure::new(ErrorKind::Timeout, Fact::TimedOut, "the stream did not end before the deadline of the run")
        .with_phase(Phase::Reply)
}

impl std::fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ByteStream")
    }
}
