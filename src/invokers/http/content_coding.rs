//! Content codings of a reply, undone here and not by the HTTP client (RFC 9110 section 8.4).
//!
//! Clients differ in what they undo: several codings, several fields, `x-gzip`. What is left undone then looks like
//! a broken document, so the wire hands over what it received, and every wire gets the same treatment.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, future, stream};
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};
use tokio::task::coop::poll_proceed;
use tokio_util::io::{ReaderStream, StreamReader};

use super::redact::Redactor;
use super::refusal::shown;
use super::wire::WireBody;
use crate::executor::Failure;

/// What requests accept.
///
/// Not `deflate`, which some servers send without the zlib format that it means (RFC 9110 section 8.4.1.2); it is
/// undone where it comes unasked. Not `zstd`, whose decoder is C.
pub(super) const ACCEPTED: HeaderValue = HeaderValue::from_static("gzip, br");

/// The most codings of one reply; each costs memory and time, and nobody needs more than two.
const MOST_CODINGS: usize = 4;

/// The size of the pieces that decoded bytes come in, in bytes.
const PIECE: usize = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
}

/// The codings of one body, in the order in which they were applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ContentCodings(Result<Vec<Coding>, Unsupported>);

/// A body that stays as it is, since this was done to it.
#[derive(Debug, PartialEq, Eq)]
enum Unsupported {
    Coding(String),
    TooMany,
}

impl ContentCodings {
    /// Reads every `Content-Encoding` field: one list, whether it comes in one field or in several.
    ///
    /// The name of an unknown one is shown to people, without the credentials that it may repeat.
    pub(super) fn of(headers: &HeaderMap, redactor: &Redactor) -> Self {
        let names =
            headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|b| *b == b','));
        let codings = names.filter_map(|name| coding(name.trim_ascii(), redactor));
        let codings = codings.take(MOST_CODINGS + 1).collect::<Result<Vec<_>, _>>();
        Self(codings.and_then(|codings| match codings.len() {
            0..=MOST_CODINGS => Ok(codings),
            _ => Err(Unsupported::TooMany),
        }))
    }

    /// Whether the body is its content, so that their lengths are the same.
    pub(super) fn is_identity(&self) -> bool {
        self.0.as_ref().is_ok_and(Vec::is_empty)
    }

    /// The content of a body, decoded as it is read.
    ///
    /// A body without any bytes has no codings either: replies to `HEAD` carry the header and nothing to decode.
    /// No layer gives more than `cap` bytes, but for what coding may add, else the body fails with `too_large`:
    /// a small reply must not unfold into endless work between two layers. A failure of `body` comes through as
    /// it is; bytes that are not what their coding says are `response_decode`.
    pub(super) fn decode(self, body: WireBody, status: u16, cap: u64, too_large: Failure) -> WireBody {
        if self.is_identity() {
            return body;
        }
        let undone = async move {
            let mut body = Box::pin(body.try_filter(|piece| future::ready(!piece.is_empty())).peekable());
            if body.as_mut().peek().await.is_none() {
                return stream::empty().boxed();
            }
            match self.0 {
                Ok(codings) => {
                    let content = layers(codings, body, cap, &too_large);
                    let pieces = ReaderStream::with_capacity(content, PIECE);
                    pieces.map_err(move |error| failure(error, status)).boxed()
                }
                Err(unsupported) => stream::once(future::ready(Err(unsupported.failure(status)))).boxed(),
            }
        };
        undone.flatten_stream().boxed()
    }
}

/// One member of the list; `None` where it does nothing.
fn coding(name: &[u8], redactor: &Redactor) -> Option<Result<Coding, Unsupported>> {
    const CODINGS: &[(&str, Option<Coding>)] = &[
        // RFC 9110 section 5.6.1.2: empty members of a list do not count.
        ("", None),
        ("identity", None),
        ("gzip", Some(Coding::Gzip)),
        // RFC 9110 section 8.4.1.3: to be taken for `gzip`.
        ("x-gzip", Some(Coding::Gzip)),
        ("deflate", Some(Coding::Deflate)),
        ("br", Some(Coding::Brotli)),
    ];
    match CODINGS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)) {
        Some((_, coding)) => coding.map(Ok),
        None => Some(Err(Unsupported::Coding(shown(&redactor.apply(&String::from_utf8_lossy(name)))))),
    }
}

impl Coding {
    fn decoder(self, below: Layers) -> Pin<Box<dyn AsyncRead + Send>> {
        match self {
            Self::Gzip => {
                let mut decoder = GzipDecoder::new(below);
                // RFC 1952 section 2.2: members follow one another.
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            Self::Deflate => Box::pin(ZlibDecoder::new(below)),
            Self::Brotli => Box::pin(BrotliDecoder::new(below)),
        }
    }
}

type Layers = Pin<Box<dyn AsyncBufRead + Send>>;

/// The body below, and a layer for each coding, the last one applied undone first.
fn layers(
    codings: Vec<Coding>,
    body: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static,
    cap: u64,
    too_large: &Failure,
) -> Layers {
    // A coding makes bytes that it cannot compress a little longer.
    let most = cap.saturating_add(cap / 64).saturating_add(1024);
    let mut top: Layers = Box::pin(StreamReader::new(Box::pin(body.map_err(io::Error::other))));
    for coding in codings.into_iter().rev() {
        let layer = Layer { reader: coding.decoder(top), left: most, too_large: too_large.clone() };
        top = Box::pin(BufReader::new(layer));
    }
    top
}

/// One coding undone, in measured steps.
struct Layer {
    reader: Pin<Box<dyn AsyncRead + Send>>,
    /// Bytes that it may still give.
    left: u64,
    too_large: Failure,
}

impl AsyncRead for Layer {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Decoding never waits where the bytes are there; time limits and other tasks must get their turn.
        let turn = ready!(poll_proceed(context));
        let before = buffer.filled().len();
        ready!(self.reader.as_mut().poll_read(context, buffer))?;
        turn.made_progress();
        let given = (buffer.filled().len() - before) as u64;
        match self.left.checked_sub(given) {
            Some(left) => self.left = left,
            None => return Poll::Ready(Err(io::Error::other(self.too_large.clone()))),
        }
        Poll::Ready(Ok(()))
    }
}

/// What came through the layers: a failure from beneath them, or their own.
fn failure(error: io::Error, status: u16) -> Failure {
    error.downcast::<Failure>().unwrap_or_else(|error| {
        let what = match error.kind() {
            io::ErrorKind::UnexpectedEof => "ends within its compressed data",
            _ => "is not what its Content-Encoding says",
        };
        unusable(status, format!("the {status} reply {what}")).with_source(error)
    })
}

impl Unsupported {
    fn failure(self, status: u16) -> Failure {
        let message = match self {
            Self::Coding(name) => {
                format!("the {status} reply has the content coding `{name}`, which is not supported")
            }
            Self::TooMany => format!("the {status} reply has more than {MOST_CODINGS} content codings"),
        };
        unusable(status, message)
    }
}

fn unusable(status: u16, message: String) -> Failure {
    Failure::new(ErrorKind::ResponseDecode, Fact::UnusableReply, message)
        .with_reached(Reached::Answered(status))
        .with_phase(Phase::Reply)
}

#[cfg(test)]
mod tests;
