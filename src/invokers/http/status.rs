//! A received reply becomes a success or a fact.

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, LOCATION};
use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::base::time::Wall;
use schemarouter_kernel::kernel::Fact;

use super::decode::decode;
use super::problem::{excerpt, problem};
use super::receive::Received;
use super::request::Prepared;
use super::retry_after::retry_after;
use crate::catalog::Endpoint;
use crate::executor::{Body, Failure, Reply};

/// The headers that are shown; all others stay unseen, since any of them may hold a secret.
const SHOWN: &[&str] = &[
    "age",
    "cache-control",
    "content-language",
    "content-location",
    "date",
    "deprecation",
    "etag",
    "expires",
    "last-modified",
    "link",
    "location",
    "ratelimit",
    "ratelimit-limit",
    "ratelimit-policy",
    "ratelimit-remaining",
    "ratelimit-reset",
    "request-id",
    "retry-after",
    "sunset",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
    "x-total-count",
];

/// The success, or what kind of failure the status is.
pub(super) fn reply(
    endpoint: &Endpoint,
    request: &Prepared,
    received: Received,
    wall: Wall,
) -> Result<Reply, Failure> {
    let Received { status, headers, body } = received;
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if !status.is_success() {
        return Err(error_status(request, status, &headers, content_type.as_deref(), &body, wall));
    }
    let declared = endpoint.replies.matching(status.as_u16());
    let decoded = decode(&body, content_type.as_deref(), declared, status.as_u16(), &request.method);
    match decoded {
        Ok(decoded) => Ok(Reply {
            status: Some(status.as_u16()),
            headers: shown(&headers, request),
            content_type,
            schema: decoded.schema.cloned(),
            json: decoded.json,
            warnings: decoded.warnings,
            body: Body::Buffered(body),
        }),
        Err(undecodable) => {
            let message = request.redactor().apply(&undecodable.0).into_owned();
            Err(Failure::new(ErrorKind::ResponseDecode, Fact::UnusableReply, message)
                .with_reached(Reached::Answered(status.as_u16()))
                .with_excerpt(excerpt(&body, content_type.as_deref(), request.redactor()))
                .with_received(Some(kept(status.as_u16(), content_type, body))))
        }
    }
}

fn error_status(
    request: &Prepared,
    status: http::StatusCode,
    headers: &HeaderMap,
    content_type: Option<&str>,
    body: &Bytes,
    wall: Wall,
) -> Failure {
    let wait = retry_after(headers, wall);
    let problem = problem(body, content_type, request.redactor());
    let mut message = status.to_string();
    if let Some(text) =
        problem.as_ref().and_then(|problem| problem.title.as_ref().or(problem.detail.as_ref()))
    {
        message = format!("{message}: {text}");
    }
    if let Some(wait) = wait {
        message = format!("{message}; it asks to wait {} s", wait.as_secs_f64());
    }
    let excerpt = if problem.is_none() { excerpt(body, content_type, request.redactor()) } else { None };
    let failure = Failure::new(ErrorKind::HttpStatus, Fact::Status(status.as_u16()), message)
        .with_phase(Phase::Reply)
        .with_retry_after(wait)
        .with_problem(problem)
        .with_excerpt(excerpt)
        .with_received(Some(kept(status.as_u16(), content_type.map(str::to_owned), body.clone())));
    match headers.get(LOCATION) {
        Some(_) if status.is_redirection() => failure.with_hint("redirects are not followed"),
        _ => failure,
    }
}

fn kept(
    status: u16,
    content_type: Option<String>,
    body: Bytes,
) -> schemarouter_kernel::base::error::Received {
    schemarouter_kernel::base::error::Received { status, content_type, body: body.into() }
}

/// Headers that may be shown, credentials taken out of them.
pub(super) fn shown(headers: &HeaderMap, request: &Prepared) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| SHOWN.contains(&name.as_str()))
        .filter_map(|(name, value)| {
            let value = request.redactor().apply(value.to_str().ok()?).into_owned();
            Some((name.as_str().to_owned(), value))
        })
        .collect()
}
