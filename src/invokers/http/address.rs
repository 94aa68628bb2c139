//! Finished components become a URL that is exactly what they say.

use schemarouter_kernel::base::kind::ErrorKind;
use url::{Position, Url};

use super::credentials::Proof;
use super::expand;
use super::origin::safe_url;
use super::refusal::{Refusal, shown};

/// The longest URL that is sent, in bytes; more than servers take, and what `http::Uri` can hold.
pub const MAX_URL_BYTES: usize = 65_534;

/// A server URL is scheme, host, port and path; whatever else it has would be lost or leaked by appending to it.
pub(super) fn usable(server: &Url) -> Result<(), Refusal> {
    let refuse =
        |kind, rule: &str| Refusal::new(kind, format!("the server URL `{}` {rule}", safe_url(server)));
    if !matches!(server.scheme(), "http" | "https") {
        return Err(refuse(ErrorKind::EgressDenied, "is neither http nor https"));
    }
    if !server.username().is_empty() || server.password().is_some() {
        return Err(refuse(ErrorKind::EgressDenied, "holds user information (RFC 9110 section 4.2.4)")
            .with_hint("give the user name and the password as a credential"));
    }
    if server.query().is_some() || server.fragment().is_some() {
        return Err(refuse(ErrorKind::MissingServer, "has a query or a fragment, which no path can follow")
            .with_hint(
                "give a server URL without them: --server on the command line, base_url in the configuration",
            ));
    }
    Ok(())
}

/// Puts the URL together from finished components, and makes sure that they are left as they were.
///
/// The path is appended to the server's own, with one slash between them (cases 055 and 056): reference
/// resolution would drop the server's path. The second value is the query with credentials as `***`.
pub(super) fn address(
    server: &Url,
    path: &str,
    fixed_query: Option<&str>,
    pairs: &[(String, String, &str)],
    proof: &Proof,
) -> Result<(Url, Option<String>), Refusal> {
    let path = [server.path().trim_end_matches('/'), path].concat();
    // What sets a query encodes a quote; so it is encoded here, to compare like with like.
    let fixed = fixed_query.map(|query| expand::literal(query.trim_matches('&'), b"#'[]"));
    let query = |secret: fn(&str) -> &str| {
        let given = pairs.iter().map(|(name, value, _)| (name.as_str(), value.as_str()));
        let secrets = proof.query.iter().map(|(name, value)| (name.as_str(), secret(value.expose())));
        query(fixed.as_deref().unwrap_or_default(), given.chain(secrets))
    };
    let sent = query(|value| value);
    let shown = if proof.query.is_empty() { sent.clone() } else { query(|_| "***") };
    let mut url = server.clone();
    url.set_path(&path);
    url.set_query(sent.as_deref());
    let text = url.as_str();
    if text.len() > MAX_URL_BYTES {
        let message = format!("the URL would have {} bytes, and {MAX_URL_BYTES} are the most", text.len());
        return Err(Refusal::new(ErrorKind::InvalidArguments, message));
    }
    let is_kept = url.path() == path
        && url.query() == sent.as_deref()
        && url[..Position::BeforePath] == server[..Position::BeforePath]
        && is_uri(text);
    if is_kept {
        return Ok((url, shown));
    }
    let message = format!("no URL keeps the path `{}` as it is", shown_path(&path));
    Err(Refusal::new(ErrorKind::InvalidArguments, message))
}

/// What the template fixes and these pairs; `None` where there is neither.
fn query<'p>(fixed: &str, pairs: impl Iterator<Item = (&'p str, &'p str)>) -> Option<String> {
    let mut text = fixed.to_owned();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        text.push_str(name);
        text.push('=');
        text.push_str(value);
    }
    (!text.is_empty()).then_some(text)
}

/// Whether `http` takes it too; what has nothing but the characters of RFC 3986 it takes.
fn is_uri(text: &str) -> bool {
    let is_known = |byte: u8| {
        matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'%' | b'[' | b']')
            || matches!(byte, b':' | b'/' | b'?' | b'@' | b'!' | b'$' | b'&'..=b',' | b';' | b'=')
    };
    text.bytes().all(is_known) || http::Uri::try_from(text).is_ok()
}

fn shown_path(path: &str) -> String {
    shown(path.split(['?', '#']).next().unwrap_or_default())
}
