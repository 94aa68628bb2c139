//! Credentials from environment variables.
//!
//! A command line is visible to every user of the machine, so a secret never stands in it (ruling 22).

use clap::Args;
use schemarouter::catalog::{Endpoint, Scheme, SchemeUse, Security};
use schemarouter::executor::{Credential, Credentials};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::secret::Secret;
use schemarouter::router::CredentialVariables;

use crate::environment;

/// Which environment variables hold what.
#[derive(Debug, Args)]
#[command(next_help_heading = "Credentials, from environment variables")]
#[expect(clippy::struct_field_names, reason = "the names of the flags")]
pub(crate) struct CredentialArgs {
    /// The variable that holds a bearer token.
    #[arg(long, value_name = "NAME")]
    bearer_env: Option<String>,
    /// The variable that holds `user:password` for HTTP Basic.
    #[arg(long, value_name = "NAME")]
    basic_env: Option<String>,
    /// A header and the variable that holds its value; may be repeated.
    #[arg(long, value_name = "HEADER=NAME", value_parser = pair)]
    header_env: Vec<(String, String)>,
    /// A security scheme of the document and the variable that holds its credential; may be repeated.
    #[arg(long, value_name = "SCHEME=NAME", value_parser = pair)]
    credential_env: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((what, variable)) if !what.is_empty() && !variable.is_empty() => {
            Ok((what.to_owned(), variable.to_owned()))
        }
        _ => Err("expected is a name, `=`, and the name of an environment variable".to_owned()),
    }
}

impl CredentialArgs {
    /// What the flags name over what the configuration file names.
    pub(super) fn over(&self, file: CredentialVariables) -> CredentialVariables {
        let mut named = file;
        named.bearer_env = self.bearer_env.clone().or(named.bearer_env);
        named.basic_env = self.basic_env.clone().or(named.basic_env);
        named.header_env.extend(self.header_env.iter().cloned());
        named.credential_env.extend(self.credential_env.iter().cloned());
        named
    }
}

/// Reads what is named.
pub(super) fn read(args: &CredentialVariables, endpoint: &Endpoint) -> Result<Credentials, Error> {
    let mut credentials = Credentials::default();
    if let Some(name) = &args.bearer_env {
        credentials = credentials.with_bearer(Secret::new(variable(name)?));
    }
    if let Some(name) = &args.basic_env {
        let (user, password) = user_and_password(name)?;
        credentials = credentials.with_basic(user, password);
    }
    for (header, name) in &args.header_env {
        credentials = credentials.with_header(header, Secret::new(variable(name)?));
    }
    for (scheme, name) in &args.credential_env {
        let credential = match demanded(endpoint, scheme)?.scheme {
            Scheme::Basic => {
                let (user, password) = user_and_password(name)?;
                Credential::Basic { user, password }
            }
            Scheme::ApiKey { .. } | Scheme::Bearer | Scheme::Unsupported(_) => {
                Credential::Token(Secret::new(variable(name)?))
            }
        };
        credentials = credentials.with_scheme(scheme, credential);
    }
    Ok(credentials)
}

/// The scheme of this name, as the endpoint demands it.
fn demanded<'a>(endpoint: &'a Endpoint, scheme: &str) -> Result<&'a SchemeUse, Error> {
    let alternatives = match endpoint.http().map(|plan| &plan.security) {
        Some(Security::Alternatives(alternatives)) => &alternatives[..],
        _ => &[],
    };
    let schemes = || alternatives.iter().flatten();
    schemes().find(|demanded| demanded.name == scheme).ok_or_else(|| {
        let mut names: Vec<&str> = schemes().map(|demanded| demanded.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let hint = match names.as_slice() {
            [] => "it demands none; leave `--credential-env` out".to_owned(),
            names => format!("it knows `{}`", names.join("`, `")),
        };
        missing(format!("`{}` knows no security scheme `{scheme}`", endpoint.key)).with_hint(hint)
    })
}

fn user_and_password(name: &str) -> Result<(Secret, Secret), Error> {
    let value = variable(name)?;
    let (user, password) = value.split_once(':').ok_or_else(|| {
        missing(format!("the environment variable `{name}` holds no `user:password`"))
            .with_hint("a user name and a password are separated by a colon")
    })?;
    Ok((Secret::new(user.to_owned()), Secret::new(password.to_owned())))
}

/// The value of an environment variable; an error names the variable and never its value.
fn variable(name: &str) -> Result<String, Error> {
    environment::variable(name).map_err(|rule| {
        missing(format!("the environment variable `{name}` {rule}"))
            .with_hint("export it with the credential")
    })
}

fn missing(message: String) -> Error {
    Error::rejected(ErrorKind::MissingCredentials, message)
}
