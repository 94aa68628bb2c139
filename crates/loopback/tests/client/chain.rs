//! An error and everything beneath it.

use hyper_util::client::legacy;
use std::error::Error;
use std::io;

/// Whether an error proves that nothing of the request was sent.
///
/// - No connection was handed to the request: a `legacy::Error` without `connect_info`. This covers every failure
///   of connecting, and also a connection that died before it was ready, where `is_connect` is false.
/// - The request came back unstarted: hyper's `is_canceled`.
/// - The request could not be built.
///
/// reqwest's own total timeout leaves no such trace, wherever it struck.
pub(crate) fn not_sent(error: &reqwest::Error) -> bool {
    error.is_builder()
        || links(error).into_iter().any(|link| {
            link.downcast_ref::<legacy::Error>().is_some_and(|e| e.connect_info().is_none())
                || link.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
        })
}

/// The error and its sources, looking into the errors that an `io::Error` carries.
pub(crate) fn links<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut links = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        links.push(error);
        // `io::Error::source` is the source of the error it was made from, not that error itself.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    links
}

/// The flags that are set, then the chain: types where they can be told, texts elsewhere.
pub(crate) fn shown(error: &reqwest::Error) -> String {
    let flags = set(&[
        (error.is_builder(), "builder"),
        (error.is_connect(), "connect"),
        (error.is_dns(), "dns"),
        (error.is_request(), "request"),
        (error.is_timeout(), "timeout"),
        (error.is_body(), "body"),
        (error.is_decode(), "decode"),
    ]);
    let links: Vec<String> = links(error).into_iter().skip(1).map(link).collect();
    format!("{flags} | {}", links.join(" > "))
}

fn link(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<legacy::Error>() {
        return if error.is_connect() { "legacy(connect)" } else { "legacy" }.to_owned();
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        let flags = set(&[
            (error.is_canceled(), "canceled"),
            (error.is_incomplete_message(), "incomplete"),
            (error.is_parse(), "parse"),
        ]);
        return format!("hyper({flags})");
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return format!("io({:?})", error.kind());
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        let text = format!("{error:?}");
        return format!("rustls({})", text.split(" {").next().unwrap_or_default());
    }
    if error.is::<reqwest::Error>() {
        return "reqwest".to_owned();
    }
    format!("{:?}", error.to_string())
}

fn set(flags: &[(bool, &'static str)]) -> String {
    let set: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    set.join(" ")
}
