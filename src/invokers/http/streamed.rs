//! A reply that is handed on while it comes.

use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;

use super::content_coding::ContentCodings;
use super::media::MediaType;
use super::receive::next;
use super::request::Prepared;
use super::status::shown;
use super::wire::{WireBody, WireReply};
use crate::catalog::Endpoint;
use crate::executor::{Body, ByteStream, Failure, Reply, TimerHandle};

/// More than any reply has; the budget of the run counts what comes.
const NO_CAP: u64 = u64::MAX / 2;

/// The reply as a stream, where it is a success of a media type that is declared; any other one has to be looked at
/// whole, and comes back.
pub(super) fn streamed(
    endpoint: &Endpoint,
    request: &Prepared,
    reply: WireReply,
    timer: &TimerHandle,
    limit: Duration,
) -> Result<Reply, WireReply> {
    let status = reply.status.as_u16();
    let content_type =
        reply.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let media = content_type.as_deref().and_then(MediaType::parse);
    let declared = endpoint.replies.matching(status).filter(|spec| !spec.content.is_empty());
    let content = media.as_ref().and_then(|media| declared?.content_for(media.essence()));
    if !reply.status.is_success() || declared.is_some() && content.is_none() {
        return Err(reply);
    }
    let mut warnings = Vec::new();
    if content.is_some_and(|content| content.schema.is_some()) && media.is_some_and(|media| media.is_json()) {
        warnings.push("the reply was handed on while it came; its schema was not applied".to_owned());
    }
    let headers = shown(&reply.headers, request);
    let codings = ContentCodings::of(&reply.headers, request.redactor());
    let body = codings.decode(reply.body, status, NO_CAP, silent(status, limit));
    Ok(Reply {
        status: Some(status),
        headers,
        content_type,
        body: Body::Stream(ByteStream::new(limited(body, status, timer.clone(), limit))),
        json: None,
        schema: None,
        warnings,
    })
}

/// The pieces, each of which has to come within the limit.
fn limited(
    body: WireBody,
    status: u16,
    timer: TimerHandle,
    limit: Duration,
) -> impl Stream<Item = Result<Bytes, Failure>> + Send {
    stream::unfold(Some(body), move |body| {
        let timer = timer.clone();
        async move {
            let mut body = body?;
            let until = timer.now().saturating_add(limit);
            match timer.limit(Some(until), next(&mut body)).await {
                Some(Some(Ok(piece))) => Some((Ok(piece), Some(body))),
                Some(Some(Err(failure))) => Some((Err(failure), None)),
                Some(None) => None,
                None => Some((Err(silent(status, limit)), None)),
            }
        }
    })
}

fn silent(status: u16, limit: Duration) -> Failure {
    let message = format!("no more of the {status} reply within {} s", limit.as_secs_f64());
    Failure::new(ErrorKind::Timeout, Fact::TimedOut, message)
        .with_reached(Reached::Answered(status))
        .with_phase(Phase::Reply)
}
