//! Reading a reply's body within its cap and its time.

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode};
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::error;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;

use super::content_coding::ContentCodings;
use super::redact::Redactor;
use super::wire::{WireBody, WireReply};
use crate::executor::Failure;

/// A reply, received.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// What came of the content; for a success all of it.
    pub(super) body: Bytes,
}

/// Reads the body and undoes its content codings; the cap counts what comes out. An error reply that is cut off,
/// late, too large or cannot be decoded keeps the verdict of its status, so what came of it is enough; a success
/// must be whole.
pub(super) async fn receive(
    reply: &mut WireReply,
    method: &Method,
    cap: u64,
    redactor: &Redactor,
    mut overdue: std::pin::Pin<&mut impl Future<Output = ()>>,
    timed_out: impl Fn() -> Failure,
    charge: impl Fn(usize) -> Result<(), Failure>,
) -> Result<Received, Failure> {
    let status = reply.status;
    let body = std::mem::replace(&mut reply.body, Box::pin(stream::empty()));
    let headers = &mut reply.headers;
    let whole = status.is_success();
    let codings = ContentCodings::of(headers, redactor);
    // What is announced is the length of the coded body; to HEAD, of a body that does not come (RFC 9110, 9.3.2).
    let counts = codings.is_identity() && *method != Method::HEAD;
    let announced = headers.get(CONTENT_LENGTH).filter(|_| counts);
    let announced = announced.and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    let mut failed = announced.filter(|length| *length > cap).map(|_| too_large(status, cap));
    let mut body = if codings.is_identity() {
        body
    } else {
        codings.decode(body, status.as_u16(), cap, too_large(status, cap))
    };
    let mut got = BytesMut::new();
    while failed.is_none() {
        let piece = tokio::select! {
            biased;
            piece = next(&mut body) => piece,
            () = &mut overdue => Some(Err(timed_out())),
        };
        match piece {
            None => break,
            Some(Ok(piece)) if (got.len() + piece.len()) as u64 > cap => {
                failed = Some(too_large(status, cap));
            }
            Some(Ok(piece)) => match charge(piece.len()) {
                Ok(()) => got.extend_from_slice(&piece),
                Err(failure) => failed = Some(failure),
            },
            Some(Err(failure)) => failed = Some(failure),
        }
    }
    match failed {
        // What came of it stays with the error for trusted code.
        Some(failure) if whole => {
            let content_type =
                headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
            let body = got.freeze().into();
            Err(failure.with_received(Some(error::Received { status: status.as_u16(), content_type, body })))
        }
        _ => Ok(Received { status, headers: std::mem::take(headers), body: got.freeze() }),
    }
}

pub(super) async fn next(body: &mut WireBody) -> Option<Result<Bytes, Failure>> {
    std::future::poll_fn(|context| body.as_mut().poll_next(context)).await
}

fn too_large(status: StatusCode, cap: u64) -> Failure {
    let message = format!("the {} reply is over the cap of {cap} bytes on one reply", status.as_u16());
    Failure::new(ErrorKind::ResponseTooLarge, Fact::UnusableReply, message)
        .with_reached(Reached::Answered(status.as_u16()))
        .with_phase(Phase::Reply)
        .with_hint("raise `max_reply_bytes`, or ask for less")
}
