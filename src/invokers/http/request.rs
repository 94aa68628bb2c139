//! A plan and arguments become one request, decided to the last byte before anything is sent.

use http::header::{ACCEPT, CONTENT_TYPE, COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};
use url::Url;

use crate::catalog::{HttpPlan, Location, Parameter};
use crate::executor::Credentials;

pub use super::address::MAX_URL_BYTES;
use super::address::{self, address};
pub use super::body::BODY;
use super::cookie::cookie;
use super::credentials::{self, Proof};
use super::pairs::pairs;
pub use super::prepared::Prepared;
use super::refusal::Refusal;
use super::{body, field, path};

/// Whose credentials go into the request.
#[derive(Debug, Clone, Copy)]
pub enum Auth<'a> {
    /// These; what the document demands must be among them.
    With(&'a Credentials),
    /// None, whatever the document demands: for a request that is shown and not sent.
    Without,
}

/// Builds the request that calls `plan` at `server` with these arguments.
///
/// # Errors
/// Arguments that have no exact wire form, a server URL that cannot be built on, credentials that are missing or
/// cannot be sent, a URL over [`MAX_URL_BYTES`]. Messages name arguments, never their values.
///
/// # Examples
/// ```
/// use schemarouter::catalog::{HttpPlan, Location, Parameter, PathPart, Security, Style};
/// use schemarouter::invokers::http::request::{Auth, build};
///
/// let plan = HttpPlan {
///     method: "GET".to_owned(),
///     template: "/files/{id}".to_owned(),
///     path: [PathPart::Literal("/files/".to_owned()), PathPart::Parameter(0)].into(),
///     fixed_query: None,
///     parameters: vec![Parameter {
///         name: "id".into(),
///         argument: "id".into(),
///         location: Location::Path,
///         style: Style::Simple { explode: false },
///         required: true,
///     }],
///     body: None,
///     servers: [].into(),
///     security: Security::Public,
///     accept: None,
/// };
/// let server = "https://api.test/v1/".parse()?;
/// let arguments = serde_json::from_str(r#"{"id": "../admin"}"#)?;
/// let request = build(&plan, &server, &arguments, Auth::Without)?;
/// assert_eq!(request.url.as_str(), "https://api.test/v1/files/..%2Fadmin");
///
/// let refusal = build(&plan, &server, &serde_json::from_str(r#"{"id": ".."}"#)?, Auth::Without).unwrap_err();
/// assert_eq!(refusal.argument.as_deref(), Some("id"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(
    plan: &HttpPlan,
    server: &Url,
    arguments: &Map<String, Value>,
    auth: Auth<'_>,
) -> Result<Prepared, Refusal> {
    known(plan, arguments)?;
    address::usable(server)?;
    let method = Method::from_bytes(plan.method.as_bytes())
        .map_err(|_| Refusal::new(ErrorKind::CompileError, "the method is no HTTP method"))?;
    let path = path::expand(plan, arguments)?;
    let body = plan.body.as_ref().map(|body| body::write(body, arguments)).transpose()?.flatten();
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
    let cookies = parts.cookie_field(&proof)?;
    for (name, value, _) in parts.headers {
        put(&mut headers, name, value)?;
    }
    for (name, value) in &proof.headers {
        put(&mut headers, name.clone(), value.clone())?;
    }
    if let Some(value) = cookies {
        put(&mut headers, COOKIE, value)?;
    }
    let Proof { query: secret_query, redactor, .. } = proof;
    Ok(Prepared { method, url, headers, body, shown_query, secret_query, redactor })
}

/// Unknown arguments are errors: nothing that a caller says is dropped (case 038).
fn known(plan: &HttpPlan, arguments: &Map<String, Value>) -> Result<(), Refusal> {
    let taken = |name: &str| {
        plan.parameters.iter().any(|parameter| &*parameter.argument == name)
            || name == BODY && plan.body.is_some()
    };
    match arguments.keys().find(|name| !taken(name)) {
        Some(name) => Err(Refusal::of_argument(name, "is not known to this operation")),
        None => Ok(()),
    }
}

/// The arguments, expanded; each part remembers where it came from.
#[derive(Default)]
struct Parts<'a> {
    query: Vec<(String, String, &'a str)>,
    headers: Vec<(HeaderName, HeaderValue, &'a str)>,
    cookies: Vec<(String, String, &'a str)>,
}

impl<'a> Parts<'a> {
    /// Expands one parameter; `filled` says that a credential takes its place on the wire.
    fn parameter(
        &mut self,
        parameter: &'a Parameter,
        arguments: &Map<String, Value>,
        filled: bool,
    ) -> Result<(), Refusal> {
        let argument = &*parameter.argument;
        // Null is undefined (RFC 6570 section 2.3), so an optional null is left out (case 025).
        let value = arguments.get(argument).filter(|value| !value.is_null());
        let sent = match (parameter.location, value) {
            (Location::Path, _) => return Ok(()),
            (_, None) => false,
            (Location::Query, Some(value)) => {
                let pairs = pairs(parameter.style, &parameter.name, value)
                    .map_err(|no_form| no_form.refuse(argument, None))?;
                let sent = !pairs.is_empty();
                self.query.extend(pairs.into_iter().map(|(name, value)| (name, value, argument)));
                sent
            }
            (Location::Header, Some(value)) => {
                let field = field::field(parameter, value)?;
                let sent = field.is_some();
                if field
                    .as_ref()
                    .is_some_and(|(name, _)| self.headers.iter().any(|(other, ..)| other == name))
                {
                    return Err(Refusal::of_argument(argument, "fills a header that another argument fills"));
                }
                self.headers.extend(field.map(|(name, value)| (name, value, argument)));
                sent
            }
            (Location::Cookie, Some(value)) => {
                let cookie = cookie(parameter, value)?;
                let sent = cookie.is_some();
                self.cookies.extend(cookie.map(|(name, value)| (name, value, argument)));
                sent
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
        let cookies = self.cookies.iter().filter(|(name, _, _)| proof.fills(Location::Cookie, name));
        let culprit = query
            .map(|(_, _, argument)| argument)
            .chain(headers.map(|(_, _, argument)| argument))
            .chain(cookies.map(|(_, _, argument)| argument))
            .next();
        match culprit {
            Some(argument) => Err(Refusal::of_argument(argument, "would take the place of a credential")
                .with_hint("leave it out: the credential is sent without it")),
            None => Ok(()),
        }
    }

    /// The one field for all cookies (RFC 6265 section 5.4): those of arguments, then those of credentials.
    fn cookie_field(&self, proof: &Proof) -> Result<Option<HeaderValue>, Refusal> {
        let Some((_, _, argument)) = self.cookies.first() else { return Ok(None) };
        if self.headers.iter().any(|(name, ..)| name == COOKIE) {
            return Err(Refusal::of_argument(argument, "is a cookie, and another argument fills `Cookie`"));
        }
        let secret = proof.cookies();
        let own = self.cookies.iter().map(|(name, value, _)| format!("{name}={value}"));
        let all: Vec<String> = own.chain(secret.map(str::to_owned)).collect();
        let mut value = field::field_value(&all.join("; "))
            .map_err(|rule| Refusal::of_argument(argument, format!("{rule}, as a cookie")))?;
        value.set_sensitive(secret.is_some());
        Ok(Some(value))
    }
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
