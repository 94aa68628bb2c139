//! What the operator supplies as proof of identity; never taken from arguments.

use std::collections::BTreeMap;

use schemarouter_kernel::base::secret::Secret;

/// One credential.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// A key, or a token to send as it is.
    Token(Secret),
    /// A user name and a password (RFC 7617).
    Basic {
        /// The user name; it must not hold a colon.
        user: Secret,
        /// The password.
        password: Secret,
    },
}

/// Credentials, found by the name of the scheme that demands them, or by its kind.
///
/// # Examples
/// ```
/// use schemarouter::executor::{Credential, Credentials};
/// use schemarouter::kernel::base::secret::Secret;
///
/// let credentials = Credentials::default()
///     .with_scheme("api_key", Credential::Token(Secret::new("k1".to_owned())))
///     .with_bearer(Secret::new("token".to_owned()));
/// assert!(credentials.for_scheme("api_key").is_some());
/// assert!(!format!("{credentials:?}").contains("token\""));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    schemes: BTreeMap<String, Credential>,
    bearer: Option<Secret>,
    basic: Option<Credential>,
    headers: Vec<(String, Secret)>,
}

impl Credentials {
    /// Adds the credential for the scheme of this name in the document.
    #[must_use]
    pub fn with_scheme(mut self, name: impl Into<String>, credential: Credential) -> Self {
        self.schemes.insert(name.into(), credential);
        self
    }

    /// Adds a token for any bearer, oauth2 or openIdConnect scheme (ruling 22).
    #[must_use]
    pub fn with_bearer(mut self, token: Secret) -> Self {
        self.bearer = Some(token);
        self
    }

    /// Adds a user name and password for any HTTP Basic scheme.
    #[must_use]
    pub fn with_basic(mut self, user: Secret, password: Secret) -> Self {
        self.basic = Some(Credential::Basic { user, password });
        self
    }

    /// Adds a header that the operator names, sent with every call.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: Secret) -> Self {
        self.headers.push((name.into(), value));
        self
    }

    /// The credential for the scheme of this name.
    pub fn for_scheme(&self, name: &str) -> Option<&Credential> {
        self.schemes.get(name)
    }

    /// The token for any bearer scheme.
    pub const fn bearer(&self) -> Option<&Secret> {
        self.bearer.as_ref()
    }

    /// The user name and password for any HTTP Basic scheme.
    pub const fn basic(&self) -> Option<&Credential> {
        self.basic.as_ref()
    }

    /// The headers that the operator names.
    pub fn headers(&self) -> &[(String, Secret)] {
        &self.headers
    }

    /// These credentials over `base`: what is given here wins.
    #[must_use]
    pub fn over(mut self, base: &Self) -> Self {
        for (name, credential) in &base.schemes {
            self.schemes.entry(name.clone()).or_insert_with(|| credential.clone());
        }
        self.bearer = self.bearer.or_else(|| base.bearer.clone());
        self.basic = self.basic.or_else(|| base.basic.clone());
        for (name, value) in &base.headers {
            if !self.headers.iter().any(|(mine, _)| mine.eq_ignore_ascii_case(name)) {
                self.headers.push((name.clone(), value.clone()));
            }
        }
        self
    }
}
