//! The URL of a next page, which the other side names.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use schemarouter_kernel::base::kind::ErrorKind;
use url::Url;

use super::address::MAX_URL_BYTES;
use super::origin::{Origin, safe_url};
use super::prepared::Prepared;
use super::refusal::Refusal;
use crate::catalog::{HttpPlan, Location, Scheme, Security};

/// The URL of a page, without the credentials that its query may repeat: servers write the request's whole query into
/// their links.
///
/// What is left of the query is the other side's, to the letter: it may hold more than the endpoint has parameters.
///
/// # Errors
/// `egress_denied`, where it leads to another origin than that of the request, or to another path, unless that fits
/// `path`: a next page is the same operation, and what the caller may do elsewhere was not asked.
pub(super) fn next_url(
    request: &Prepared,
    plan: &HttpPlan,
    target: &str,
    path: Option<&str>,
) -> Result<Url, Refusal> {
    let mut url = request.url.join(target).map_err(|error| {
        Refusal::new(ErrorKind::EgressDenied, format!("the next page is no URL that can be read: {error}"))
    })?;
    let denied = |rule: String| {
        let message = format!("the next page would be at `{}`: {rule}", safe_url(&url));
        Refusal::new(ErrorKind::EgressDenied, message)
    };
    let length = url.as_str().len();
    if length > MAX_URL_BYTES || http::Uri::try_from(url.as_str()).is_err() {
        return Err(denied(format!("no request can have its URL, of {length} bytes")));
    }
    let home = Origin::of(&request.url);
    if home.is_none() || Origin::of(&url) != home || !url.username().is_empty() || url.password().is_some() {
        return Err(denied(format!("this call goes to `{}`", request.safe_url())));
    }
    let own = request.url.path();
    if !same_path(url.path(), own) && !path.is_some_and(|path| fits(url.path(), path)) {
        return Err(denied(format!("the path of this call is `{own}`")).with_hint(
            "where the server names its pages otherwise, the operator can say so: `path` of `next_page`",
        ));
    }
    url.set_fragment(None);
    let query = url.query().map(|query| without_credentials(query, plan));
    url.set_query(query.as_deref().filter(|query| !query.is_empty()));
    Ok(url)
}

/// Whether two paths have the same segments, however they are encoded.
fn same_path(one: &str, two: &str) -> bool {
    let decoded = |path: &str| path.split('/').map(decode).map(Cow::into_owned).collect::<Vec<_>>();
    one == two || decoded(one) == decoded(two)
}

/// Whether a path fits a pattern in which `*` stands for one segment.
fn fits(path: &str, pattern: &str) -> bool {
    let (path, pattern): (Vec<_>, Vec<_>) = (path.split('/').collect(), pattern.split('/').collect());
    let fits = |(segment, pattern): (&&str, &&str)| {
        *pattern == "*" && !segment.is_empty() || decode(segment) == decode(pattern)
    };
    path.len() == pattern.len() && path.iter().zip(&pattern).all(fits)
}

fn decode(segment: &str) -> Cow<'_, [u8]> {
    percent_decode_str(segment).into()
}

/// The query without the pairs that a security scheme of the endpoint fills.
fn without_credentials(query: &str, plan: &HttpPlan) -> String {
    let Security::Alternatives(alternatives) = &plan.security else { return query.to_owned() };
    let is_credential = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default().replace('+', " ");
        let name = decode(&name);
        alternatives.iter().flatten().any(|demanded| match &demanded.scheme {
            Scheme::ApiKey { location: Location::Query, name: mine } => *name == *mine.as_bytes(),
            _ => false,
        })
    };
    query.split('&').filter(|pair| !is_credential(pair)).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests;
