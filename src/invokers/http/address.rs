//! Finished components become a URL that is exactly what they say.

use schemarouter_kernel::base::kind::ErrorKind;
use url::{Position, Url};

use super::credentials::Proof;
use super::expand;
use super::origin::{Origin, safe_url};
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

/// Puts the URL together from finished components, and makes sure that the parser left them as they were.
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
    let path = format!("{}{path}", server.path().trim_end_matches('/'));
    // The URL parser encodes a quote in a query; so it is encoded here, to compare like with like.
    let fixed = fixed_query.map(|query| expand::literal(query.trim_matches('&'), b"#'[]"));
    let query = |secret: &dyn Fn(&str) -> String| {
        let fixed = fixed.iter().filter(|fixed| !fixed.is_empty()).cloned();
        let given = pairs.iter().map(|(name, value, _)| format!("{name}={value}"));
        let secrets = proof.query.iter().map(|(name, value)| format!("{name}={}", secret(value.expose())));
        let all: Vec<String> = fixed.chain(given).chain(secrets).collect();
        (!all.is_empty()).then(|| all.join("&"))
    };
    let (sent, shown) = (query(&str::to_owned), query(&|_| "***".to_owned()));
    let mut text = format!("{}{path}", &server[..Position::BeforePath]);
    if let Some(query) = &sent {
        text.push('?');
        text.push_str(query);
    }
    if text.len() > MAX_URL_BYTES {
        let message = format!("the URL would have {} bytes, and {MAX_URL_BYTES} are the most", text.len());
        return Err(Refusal::new(ErrorKind::InvalidArguments, message));
    }
    let url = Url::parse(&text).ok().filter(|url| {
        url.path() == path
            && url.query() == sent.as_deref()
            && Origin::of(url) == Origin::of(server)
            && http::Uri::try_from(url.as_str()).is_ok()
    });
    match url {
        Some(url) => Ok((url, shown)),
        None => Err(Refusal::new(
            ErrorKind::InvalidArguments,
            format!("no URL keeps the path `{}` as it is", shown_path(&path)),
        )),
    }
}

fn shown_path(path: &str) -> String {
    shown(path.split(['?', '#']).next().unwrap_or_default())
}
