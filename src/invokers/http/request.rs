//! A plan and arguments become one request, decided to the last byte before anything is sent.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::safe_url::SafeUrl;
use serde_json::{Map, Value};
use url::{Position, Url};

use crate::catalog::{BodyPlan, HttpPlan, Location, Parameter, Style};
use crate::executor::Credentials;

use super::credentials::{self, Proof};
use super::origin::{Origin, safe_url};
use super::redact::Redactor;
use super::refusal::{Refusal, shown};
use super::{expand, field, media, path};

/// The longest URL that is sent, in bytes; more than servers take, and what `http::Uri` can hold.
pub const MAX_URL_BYTES: usize = 65_534;

/// The name of the argument that is the body (ruling 13).
pub const BODY: &str = "body";

/// Whose credentials go into the request.
#[derive(Debug, Clone, Copy)]
pub enum Auth<'a> {
    /// These; what the document demands must be among them.
    With(&'a Credentials),
    /// None, whatever the document demands: for a request that is shown and not sent.
    Without,
}

/// A request that can be sent as often as needed, each time with the same bytes (case 067).
///
/// Cheap to clone. Its `Debug` and the `shown_*` methods hold no credential; the public fields do.
#[derive(Clone)]
pub struct Prepared {
    /// The method.
    pub method: Method,
    /// Where it goes; its query may hold a credential.
    pub url: Url,
    /// The header fields; those that hold credentials are marked sensitive.
    pub headers: HeaderMap,
    /// The body, if there is one.
    pub body: Option<Bytes>,
    shown_query: Option<String>,
    redactor: Redactor,
}

impl Prepared {
    /// The URL without its query, for messages and logs.
    pub fn safe_url(&self) -> SafeUrl {
        safe_url(&self.url)
    }

    /// The URL with its query, credentials as `***`, for people who asked to see the request.
    pub fn shown_url(&self) -> String {
        match &self.shown_query {
            Some(query) => format!("{}?{query}", self.safe_url()),
            None => self.safe_url().to_string(),
        }
    }

    /// The header fields in order, credentials as `***`.
    pub fn shown_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| {
            let value = if value.is_sensitive() { "***" } else { value.to_str().unwrap_or("(not text)") };
            (name.as_str(), value)
        })
    }

    /// Takes this request's credentials out of what the other side wrote.
    pub const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The same request at another URL; beyond its own origin it goes without credentials (ruling 14, case 039).
    ///
    /// The query is that of `url`: what a redirect says is complete. Whether it may be followed at all is asked
    /// elsewhere, see [`super::egress::confine`].
    #[must_use]
    pub fn redirected_to(&self, url: Url) -> Self {
        let mut headers = self.headers.clone();
        if Origin::of(&url) != Origin::of(&self.url) {
            headers = headers.into_iter().fold(HeaderMap::new(), |mut kept, (name, value)| {
                // Only `build` makes the map, and it holds one value for each name.
                if let Some(name) = name.filter(|_| !value.is_sensitive()) {
                    kept.insert(name, value);
                }
                kept
            });
        }
        Self { url, headers, shown_query: None, ..self.clone() }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("method", &self.method)
            .field("url", &self.safe_url())
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .finish_non_exhaustive()
    }
}

/// Builds the request that calls `plan` at `server` with these arguments.
///
/// # Errors
/// Arguments that have no exact wire form, a server URL that cannot be built on, credentials that are missing or
/// cannot be sent, a URL over [`MAX_URL_BYTES`]. Messages name arguments, never their values.
pub fn build(
    plan: &HttpPlan,
    server: &Url,
    arguments: &Map<String, Value>,
    auth: Auth<'_>,
) -> Result<Prepared, Refusal> {
    known(plan, arguments)?;
    usable(server)?;
    let method = Method::from_bytes(plan.method.as_bytes())
        .map_err(|_| Refusal::new(ErrorKind::CompileError, "the method is no HTTP method"))?;
    let path = path::expand(plan, arguments)?;
    let body = plan.body.as_ref().map(|body| self::body(body, arguments)).transpose()?.flatten();
    let proof = match auth {
        Auth::With(credentials) => credentials::select(&plan.security, credentials),
        Auth::Without => Ok(Proof::default()),
    };
    let mut parts = Parts::default();
    for parameter in &plan.parameters {
        let filled = proof.as_ref().is_ok_and(|proof| proof.fills(parameter.location, &parameter.name));
        parts.parameter(parameter, arguments, filled)?;
    }
    let proof = proof?;
    parts.without_collision(&proof)?;
    let (url, shown_query) = address(server, &path, plan.fixed_query.as_deref(), &parts.query, &proof)?;
    let mut headers = fixed_headers(plan, body.is_some())?;
    for (name, value, _) in parts.headers {
        put(&mut headers, name, value)?;
    }
    for (name, value) in proof.headers {
        put(&mut headers, name, value)?;
    }
    Ok(Prepared { method, url, headers, body, shown_query, redactor: proof.redactor })
}

/// Unknown arguments are errors: nothing that a caller says is dropped (case 038).
fn known(plan: &HttpPlan, arguments: &Map<String, Value>) -> Result<(), Refusal> {
    let taken = |name: &str| {
        plan.parameters.iter().any(|parameter| parameter.argument == name)
            || name == BODY && plan.body.is_some()
    };
    match arguments.keys().find(|name| !taken(name)) {
        Some(name) => Err(Refusal::of_argument(name, "is not known to this operation")),
        None => Ok(()),
    }
}

/// A server URL is scheme, host, port and path; whatever else it has would be lost or leaked by appending to it.
fn usable(server: &Url) -> Result<(), Refusal> {
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

/// The arguments, expanded; each part remembers where it came from.
#[derive(Default)]
struct Parts<'a> {
    query: Vec<(String, String, &'a str)>,
    headers: Vec<(HeaderName, HeaderValue, &'a str)>,
}

impl<'a> Parts<'a> {
    /// Expands one parameter; `filled` says that a credential takes its place on the wire.
    fn parameter(
        &mut self,
        parameter: &'a Parameter,
        arguments: &Map<String, Value>,
        filled: bool,
    ) -> Result<(), Refusal> {
        let argument = parameter.argument.as_str();
        // Null is undefined (RFC 6570 section 2.3), so an optional null is left out (case 025).
        let value = arguments.get(argument).filter(|value| !value.is_null());
        let sent = match (parameter.location, value) {
            (Location::Path, _) => return Ok(()),
            (_, None) => false,
            (Location::Query, Some(value)) => {
                let pairs = query_pairs(parameter, value)?;
                let sent = !pairs.is_empty();
                self.query.extend(pairs.into_iter().map(|(name, value)| (name, value, argument)));
                sent
            }
            (Location::Header, Some(value)) => {
                let field = field::field(parameter, value)?;
                let sent = field.is_some();
                self.headers.extend(field.map(|(name, value)| (name, value, argument)));
                sent
            }
            (Location::Cookie, Some(_)) => {
                return Err(Refusal::of_argument(argument, "goes into a cookie, which is not supported")
                    .as_kind(ErrorKind::UnsupportedSerialization));
            }
        };
        if parameter.required && !sent && !filled {
            return Err(Refusal::of_argument(argument, "is required, and absent, null or empty"));
        }
        Ok(())
    }

    /// Credentials never come from arguments, not even under the name of another argument's member.
    fn without_collision(&self, proof: &Proof) -> Result<(), Refusal> {
        let query =
            self.query.iter().filter(|(name, _, _)| proof.query.iter().any(|(secret, _)| secret == name));
        let headers =
            self.headers.iter().filter(|(name, _, _)| proof.headers.iter().any(|(secret, _)| secret == name));
        let culprit =
            query.map(|(_, _, argument)| argument).chain(headers.map(|(_, _, argument)| argument)).next();
        match culprit {
            Some(argument) => Err(Refusal::of_argument(argument, "would take the place of a credential")
                .with_hint("leave it out: the credential is sent without it")),
            None => Ok(()),
        }
    }
}

fn query_pairs(parameter: &Parameter, value: &Value) -> Result<Vec<(String, String)>, Refusal> {
    let unsupported = |rule: &str| {
        Refusal::of_argument(&parameter.argument, rule).as_kind(ErrorKind::UnsupportedSerialization)
    };
    if parameter.style != Style::FormExploded {
        return Err(unsupported("has no wire form in a query here"));
    }
    let flat = expand::flatten(value)
        .map_err(|expand::Nested| unsupported("holds nested values, which form style has no form for"))?;
    Ok(flat.map(|flat| expand::form_exploded(&parameter.name, &flat)).unwrap_or_default())
}

/// The JSON body, written once; `None` where an optional one is absent. An explicit null is a body (case 033).
fn body(plan: &BodyPlan, arguments: &Map<String, Value>) -> Result<Option<Bytes>, Refusal> {
    let Some(value) = arguments.get(BODY) else {
        return if plan.required { Err(Refusal::of_argument(BODY, "is required")) } else { Ok(None) };
    };
    let unsupported =
        |rule: String| Refusal::of_argument(BODY, rule).as_kind(ErrorKind::UnsupportedSerialization);
    if !media::MediaType::parse(&plan.media_type).is_some_and(|media| media.is_json()) {
        return Err(unsupported(format!("is declared as `{}`, which is not JSON", shown(&plan.media_type))));
    }
    let bytes = serde_json::to_vec(value).map_err(|_| unsupported("cannot be written as JSON".to_owned()))?;
    Ok(Some(Bytes::from(bytes)))
}

/// Puts the URL together from finished components, and makes sure that the parser left them as they were.
///
/// The path is appended to the server's own, with one slash between them (cases 055 and 056): reference
/// resolution would drop the server's path. The second value is the query with credentials as `***`.
fn address(
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

fn fixed_headers(plan: &HttpPlan, has_body: bool) -> Result<HeaderMap, Refusal> {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("schemarouter/", env!("CARGO_PKG_VERSION"))));
    let declared = [
        (ACCEPT, plan.accept.as_deref()),
        // Without a body there is nothing to describe.
        (CONTENT_TYPE, plan.body.as_ref().filter(|_| has_body).map(|body| body.media_type.as_str())),
    ];
    for (name, value) in declared {
        let Some(value) = value else { continue };
        let value = field::field_value(value).map_err(|rule| {
            Refusal::new(ErrorKind::CompileError, format!("the declared media type for `{name}` {rule}"))
        })?;
        headers.insert(name, value);
    }
    Ok(headers)
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) -> Result<(), Refusal> {
    headers.try_insert(name, value).map(|_| ()).map_err(|_| {
        Refusal::new(ErrorKind::InvalidArguments, "the request has more header fields than fit into one")
    })
}

#[cfg(test)]
mod tests;
