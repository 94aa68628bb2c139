//! What an HTTP client's error reveals, read from the types beneath it.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;

/// The error and its sources, looking into the errors that an `io::Error` carries.
pub(super) fn links<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error: &&'a (dyn Error + 'static)| {
        // `io::Error::source` is the source of the error it was made from, not that error itself.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// The first link of this type.
pub(super) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    links(error).find_map(|link| link.downcast_ref::<E>())
}

/// Whether the error proves that nothing of the request was sent.
///
/// Either no connection was handed to the request (hyper-util sets `connect_info` exactly when one was), or the
/// request came back unstarted (hyper says `is_canceled` only then).
pub(super) fn proves_not_sent(error: &(dyn Error + 'static)) -> bool {
    links(error).any(|link| {
        link.downcast_ref::<legacy::Error>().is_some_and(|e| e.connect_info().is_none())
            || link.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
    })
}

/// Why no connection came about, from the innermost cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectFailure {
    /// The other side refused.
    Refused,
    /// The certificate is not acceptable; it will not be next time either.
    BadCertificate,
    /// The TLS handshake did not come to an end.
    Handshake,
    /// The connection was cut off while it was being made.
    CutOff,
    /// Anything else.
    Other,
}

/// Reads why no connection came about; `tls` says whether one was to be encrypted.
pub(super) fn connect_failure(error: &(dyn Error + 'static), tls: bool) -> ConnectFailure {
    if let Some(error) = find::<rustls::Error>(error) {
        return match error {
            rustls::Error::InvalidCertificate(_) => ConnectFailure::BadCertificate,
            _ => ConnectFailure::Handshake,
        };
    }
    let innermost = links(error).filter_map(|link| link.downcast_ref::<io::Error>()).last();
    match innermost.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => ConnectFailure::Refused,
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe)
            if tls =>
        {
            ConnectFailure::Handshake
        }
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe) => {
            ConnectFailure::CutOff
        }
        _ => ConnectFailure::Other,
    }
}
