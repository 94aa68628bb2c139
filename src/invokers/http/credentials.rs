//! Which credentials go where, and into which part of the request.

use base64::Engine as _;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderName, HeaderValue};
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::secret::Secret;

use crate::catalog::{Location, Scheme, SchemeUse, Security};
use crate::executor::{Credential, Credentials};

use super::expand::encode;
use super::field::field_value;
use super::redact::Redactor;
use super::refusal::{Refusal, shown};

/// The parts of a request that prove identity.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// Header fields, all marked sensitive, at most one of each name.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Query pairs, percent-encoded.
    pub query: Vec<(String, Secret)>,
    /// Knows every secret in them.
    pub redactor: Redactor,
}

impl Proof {
    /// Whether it fills this parameter, so that no argument may.
    pub fn fills(&self, location: Location, name: &str) -> bool {
        match location {
            Location::Header => self.headers.iter().any(|(mine, _)| mine.as_str().eq_ignore_ascii_case(name)),
            Location::Query if self.query.is_empty() => false,
            Location::Query => {
                let name = encode(name);
                self.query.iter().any(|(mine, _)| *mine == name)
            }
            Location::Cookie => self.cookies().is_some_and(|cookies| {
                let mut names =
                    cookies.split(';').map(|pair| pair.split('=').next().unwrap_or_default().trim());
                names.any(|mine| mine == name)
            }),
            Location::Path => false,
        }
    }

    /// What it sends as cookies.
    pub(super) fn cookies(&self) -> Option<&str> {
        let field = self.headers.iter().find(|(name, _)| name == COOKIE);
        field.and_then(|(_, value)| value.to_str().ok())
    }

    fn header(&mut self, name: HeaderName, mut value: HeaderValue) {
        value.set_sensitive(true);
        self.headers.push((name, value));
    }
}

/// Chooses the first alternative that is complete, and writes it out.
///
/// A credential is found by the scheme's own name, else by its kind (bearer, basic), else in a header that the
/// operator named and that the scheme would use. An empty alternative counts only where no other is complete.
/// Credentials of a scheme go where that scheme is demanded and nowhere else (cases 036 and 040); headers that
/// the operator named go with every call, and give way to a scheme's own.
///
/// # Errors
/// `missing_credentials`, where no alternative is complete or a credential cannot be sent; it names the schemes.
pub fn select(security: &Security, credentials: &Credentials) -> Result<Proof, Refusal> {
    let mut proof = match security {
        Security::Public => Proof::default(),
        Security::Undeclared => undeclared(credentials)?,
        Security::Alternatives(alternatives) => {
            let complete = alternatives
                .iter()
                .filter(|alternative| !alternative.is_empty())
                .find_map(|alternative| resolve(alternative, credentials));
            match complete {
                Some(sources) => write(&sources)?,
                None if alternatives.is_empty() || alternatives.iter().any(Vec::is_empty) => Proof::default(),
                None => return Err(missing(alternatives, credentials)),
            }
        }
    };
    for (name, value) in credentials.headers() {
        let what = format!("the header `{}` that the operator names", shown(name));
        let field = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| unusable(&what, "is no header field name (RFC 9110 section 5.1)"))?;
        if !proof.fills(Location::Header, name) {
            let value = secret_value(&what, value.expose(), &mut proof.redactor)?;
            proof.header(field, value);
        }
    }
    Ok(proof)
}

/// Where the credential for a scheme comes from.
enum Source<'a> {
    Token(&'a Secret),
    Basic(&'a Secret, &'a Secret),
    /// A header that the operator named; it is sent in any case.
    Named,
}

fn resolve<'a>(
    alternative: &'a [SchemeUse],
    credentials: &'a Credentials,
) -> Option<Vec<(&'a SchemeUse, Source<'a>)>> {
    alternative.iter().map(|demanded| Some((demanded, find(demanded, credentials).ok()?))).collect()
}

/// The credential for this scheme, or what is wrong.
fn find<'a>(demanded: &SchemeUse, credentials: &'a Credentials) -> Result<Source<'a>, &'static str> {
    let header = match &demanded.scheme {
        Scheme::Unsupported(_) => return Err("not supported"),
        Scheme::ApiKey { location: Location::Path, .. } => return Err("in the path, which no scheme may be"),
        Scheme::ApiKey { location: Location::Header, name } => Some(name.as_str()),
        Scheme::ApiKey { .. } => None,
        Scheme::Basic | Scheme::Bearer => Some(AUTHORIZATION.as_str()),
    };
    let by_kind = || match demanded.scheme {
        Scheme::Bearer => credentials.bearer().map(Source::Token),
        Scheme::Basic => credentials.basic().and_then(pair),
        _ => None,
    };
    let named = || {
        let named = credentials
            .headers()
            .iter()
            .any(|(name, _)| header.is_some_and(|h| h.eq_ignore_ascii_case(name)));
        named.then_some(Source::Named)
    };
    match (credentials.for_scheme(&demanded.name), &demanded.scheme) {
        (Some(Credential::Token(token)), Scheme::ApiKey { .. } | Scheme::Bearer) => Ok(Source::Token(token)),
        (Some(basic @ Credential::Basic { .. }), Scheme::Basic) => pair(basic).ok_or("absent"),
        (Some(Credential::Token(_)), _) => Err("given as a token, and needs a user name and a password"),
        (Some(Credential::Basic { .. }), _) => Err("given as user name and password, and needs a token"),
        (None, _) => by_kind().or_else(named).ok_or("absent"),
    }
}

fn pair(credential: &Credential) -> Option<Source<'_>> {
    match credential {
        Credential::Basic { user, password } => Some(Source::Basic(user, password)),
        Credential::Token(_) => None,
    }
}

/// Ruling 22: where the document declares nothing, what the operator gives by kind is sent.
fn undeclared(credentials: &Credentials) -> Result<Proof, Refusal> {
    let mut proof = Proof::default();
    let value = match (credentials.bearer(), credentials.basic().and_then(pair)) {
        (Some(token), _) => bearer("the bearer token", token.expose(), &mut proof.redactor)?,
        (None, Some(Source::Basic(user, password))) => {
            basic("the basic credential", user.expose(), password.expose(), &mut proof.redactor)?
        }
        _ => return Ok(proof),
    };
    proof.header(AUTHORIZATION, value);
    Ok(proof)
}

fn write(sources: &[(&SchemeUse, Source<'_>)]) -> Result<Proof, Refusal> {
    let mut proof = Proof::default();
    let mut cookies = Vec::new();
    for (demanded, source) in sources {
        let what = format!("the credential for scheme `{}`", shown(&demanded.name));
        let (name, value) = match (&demanded.scheme, source) {
            (Scheme::ApiKey { location: Location::Query, name }, Source::Token(token)) => {
                let token = non_empty(&what, token.expose())?;
                if proof.fills(Location::Query, name) {
                    return Err(unusable(&what, "goes where that of another scheme goes"));
                }
                proof.redactor.add(token);
                proof.query.push((encode(name), Secret::new(encode(token))));
                continue;
            }
            (Scheme::ApiKey { location: Location::Cookie, name }, Source::Token(token)) => {
                cookies.push(cookie(&what, name, token.expose(), &mut proof.redactor)?);
                continue;
            }
            (Scheme::ApiKey { name, .. }, Source::Token(token)) => {
                let field = HeaderName::from_bytes(name.as_bytes())
                    .map_err(|_| unusable(&what, "belongs in a header whose name is no header field name"))?;
                (field, secret_value(&what, token.expose(), &mut proof.redactor)?)
            }
            (_, Source::Token(token)) => (AUTHORIZATION, bearer(&what, token.expose(), &mut proof.redactor)?),
            (_, Source::Basic(user, password)) => {
                (AUTHORIZATION, basic(&what, user.expose(), password.expose(), &mut proof.redactor)?)
            }
            (_, Source::Named) => continue,
        };
        if proof.fills(Location::Header, name.as_str()) {
            return Err(unusable(&what, "goes where that of another scheme goes"));
        }
        proof.header(name, value);
    }
    if !cookies.is_empty() {
        // One field for all cookies (RFC 6265 section 5.4).
        let value =
            field_value(&cookies.join("; ")).map_err(|rule| unusable("the cookie credential", rule))?;
        proof.header(COOKIE, value);
    }
    Ok(proof)
}

/// `name=value`; neither may hold what ends a cookie (RFC 6265 section 4.1.1).
fn cookie(what: &str, name: &str, value: &str, redactor: &mut Redactor) -> Result<String, Refusal> {
    let ends = |c: char| c == ';' || !c.is_ascii_graphic();
    if name.is_empty() || name.contains(|c| ends(c) || c == '=') {
        return Err(unusable(what, "belongs in a cookie whose name is no cookie name"));
    }
    if non_empty(what, value)?.contains(ends) {
        return Err(unusable(what, "holds a character that no cookie can carry (RFC 6265 section 4.1.1)"));
    }
    redactor.add(value);
    Ok(format!("{name}={value}"))
}

/// RFC 6750 section 2.1. A blank in the token is a mistake, mostly the word `Bearer` in front of it.
fn bearer(what: &str, token: &str, redactor: &mut Redactor) -> Result<HeaderValue, Refusal> {
    if non_empty(what, token)?.contains(|c: char| !c.is_ascii_graphic()) {
        return Err(unusable(what, "holds a character that no bearer token has (RFC 6750 section 2.1)")
            .with_hint("give the token alone: without `Bearer`, blanks or a line break at its end"));
    }
    redactor.add(token);
    field_value(&format!("Bearer {token}")).map_err(|rule| unusable(what, rule))
}

/// RFC 7617 section 2: the first colon ends the user name, and neither part holds control characters; as UTF-8.
fn basic(what: &str, user: &str, password: &str, redactor: &mut Redactor) -> Result<HeaderValue, Refusal> {
    if user.contains(':') {
        return Err(unusable(what, "has a colon in its user name (RFC 7617 section 2)"));
    }
    if user.contains(char::is_control) || password.contains(char::is_control) {
        return Err(unusable(what, "holds a control character (RFC 7617 section 2)"));
    }
    let encoded = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    redactor.add(password);
    redactor.add(&encoded);
    field_value(&format!("Basic {encoded}")).map_err(|rule| unusable(what, rule))
}

fn secret_value(what: &str, value: &str, redactor: &mut Redactor) -> Result<HeaderValue, Refusal> {
    let field = field_value(non_empty(what, value)?).map_err(|rule| unusable(what, rule))?;
    let value = value.trim();
    redactor.add(value);
    // The secret part of `Token abc` is `abc`.
    if let Some((_, credential)) = value.split_once(' ') {
        redactor.add(credential.trim());
    }
    Ok(field)
}

fn non_empty<'a>(what: &str, value: &'a str) -> Result<&'a str, Refusal> {
    if value.trim().is_empty() { Err(unusable(what, "is empty")) } else { Ok(value) }
}

fn unusable(what: &str, rule: &str) -> Refusal {
    Refusal::new(ErrorKind::MissingCredentials, format!("{what} {rule}"))
}

fn missing(alternatives: &[Vec<SchemeUse>], credentials: &Credentials) -> Refusal {
    let wanted = alternatives
        .iter()
        .map(|alternative| {
            alternative
                .iter()
                .map(|demanded| match find(demanded, credentials) {
                    Ok(_) => format!("`{}` (given)", shown(&demanded.name)),
                    Err(lack) => {
                        format!("`{}` ({}; {lack})", shown(&demanded.name), describe(&demanded.scheme))
                    }
                })
                .collect::<Vec<_>>()
                .join(" and ")
        })
        .collect::<Vec<_>>()
        .join(", or ");
    Refusal::new(
        ErrorKind::MissingCredentials,
        format!("no security alternative is complete: it takes {wanted}"),
    )
    .with_hint("give the credential under the name of its scheme; arguments never carry one")
}

fn describe(scheme: &Scheme) -> String {
    match scheme {
        Scheme::ApiKey { location, name } => format!("API key in {} `{}`", location.word(), shown(name)),
        Scheme::Basic => "HTTP Basic".to_owned(),
        Scheme::Bearer => "bearer token".to_owned(),
        Scheme::Unsupported(what) => shown(what),
    }
}

#[cfg(test)]
mod tests;
