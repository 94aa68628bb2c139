//! A lock as text: JSON that is the same for the same content, and is read with suspicion.
//!
//! Locks are merged by tools and edited by hand, so whatever the program would not have written is refused: an
//! endpoint that stands twice, a pin that is not that of its parts.

use std::collections::BTreeMap;
use std::fmt;

use schemarouter_kernel::base::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{Lock, Source};
use crate::catalog::Fingerprints;

/// The fingerprints of the endpoints of documents, as they were reviewed.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct LockFile {
    /// The version of this shape and of the rules that fingerprints follow.
    version: u32,
    /// The documents, by name.
    sources: Vec<LockedSource>,
}

/// A document.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LockedSource {
    /// Its name, the first part of every key.
    name: String,
    /// The format and version of the document, for the reader; not compared.
    format: String,
    /// Its endpoints, by key.
    endpoints: Vec<LockedEndpoint>,
}

/// An endpoint.
///
/// In this order every changed line has the key within the three lines before it, where a comparison of two files
/// shows it: a contract changes with its pin.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LockedEndpoint {
    /// `source.operation`.
    key: String,
    /// What people and models read.
    prose: Fingerprint,
    /// Where requests go.
    destination: Fingerprint,
    /// The contract: request, reply and security.
    pin: Fingerprint,
    /// What is sent.
    request: Fingerprint,
    /// What may be received.
    reply: Fingerprint,
    /// What is demanded as proof of identity.
    security: Fingerprint,
}

/// A text that is no lock of this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    /// The member that is wrong, such as `sources[0].endpoints[2].pin`; absent where the text is no JSON.
    field: Option<String>,
    /// Line and column, from 1, where they are known.
    position: Option<(usize, usize)>,
    message: String,
    next_step: &'static str,
}

const WRITE_ANEW: &str = "write the lock anew (`compile ... --lock`), and review what has changed";
const OTHER_VERSION: &str =
    "use the version of schemarouter that wrote it, or write the lock anew (`compile ... --lock`)";

impl LockError {
    /// The rule that is broken, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The member that is wrong, such as `sources[0].endpoints[2].pin`; `None` where the text is no JSON.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Line and column, from 1, where they are known.
    pub const fn position(&self) -> Option<(usize, usize)> {
        self.position
    }

    /// What to do about it, in one clause.
    pub const fn next_step(&self) -> &'static str {
        self.next_step
    }

    fn of_json(error: &serde_json::Error, field: Option<String>) -> Self {
        // The position is a part of serde_json's text, and is told apart from it here.
        let text = error.to_string();
        let end = format!(" at line {} column {}", error.line(), error.column());
        Self {
            field,
            position: (error.line() > 0).then(|| (error.line(), error.column())),
            message: text.strip_suffix(&end).unwrap_or(&text).to_owned(),
            next_step: WRITE_ANEW,
        }
    }

    fn of_member(field: String, message: String) -> Self {
        Self { field: Some(field), position: None, message, next_step: WRITE_ANEW }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "`{field}`: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for LockError {}

impl Lock {
    /// The lock as JSON, sorted by source and key, with a newline at the end: the same bytes for the same content.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them always have a JSON form.
        let mut text = serde_json::to_string_pretty(&LockFile::of(self)).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a lock.
    ///
    /// # Errors
    /// Where the text is no JSON, of another version, or not as [`to_json`](Self::to_json) would write it, the order
    /// and white space aside.
    pub fn from_json(text: &str) -> Result<Self, LockError> {
        version(text)?;
        let mut reader = serde_json::Deserializer::from_str(text);
        let file: LockFile = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = error.path().to_string();
            LockError::of_json(error.inner(), Some(field).filter(|field| field != "."))
        })?;
        file.checked()
    }
}

/// Whether the text is JSON of our version, before anything else is expected of it.
fn version(text: &str) -> Result<(), LockError> {
    let value: Value = serde_json::from_str(text).map_err(|error| LockError::of_json(&error, None))?;
    let Some(version) = value.get("version") else {
        let message = "a lock has a `version`, and this is none".to_owned();
        return Err(LockError::of_member("version".to_owned(), message));
    };
    if version.as_u64() == Some(u64::from(Lock::VERSION)) {
        return Ok(());
    }
    let message = format!("the lock is of version {version}, and {} is what is read here", Lock::VERSION);
    Err(LockError { next_step: OTHER_VERSION, ..LockError::of_member("version".to_owned(), message) })
}

impl LockFile {
    fn of(lock: &Lock) -> Self {
        let sources = lock.sources.iter().map(|(name, source)| LockedSource {
            name: name.clone(),
            format: source.format.clone(),
            endpoints: source.endpoints.iter().map(|(key, parts)| LockedEndpoint::of(key, parts)).collect(),
        });
        Self { version: Lock::VERSION, sources: sources.collect() }
    }

    fn checked(self) -> Result<Lock, LockError> {
        let mut sources = BTreeMap::new();
        for (at, LockedSource { name, format, endpoints }) in self.sources.into_iter().enumerate() {
            let place = format!("sources[{at}]");
            let mut source = Source { format, endpoints: BTreeMap::new() };
            for (at, endpoint) in endpoints.into_iter().enumerate() {
                let place = format!("{place}.endpoints[{at}]");
                let (key, parts) = endpoint.checked(&name, &place)?;
                if source.endpoints.contains_key(&key) {
                    return Err(LockError::of_member(
                        format!("{place}.key"),
                        format!("`{key}` stands twice"),
                    ));
                }
                source.endpoints.insert(key, parts);
            }
            if sources.contains_key(&name) {
                return Err(LockError::of_member(format!("{place}.name"), format!("`{name}` stands twice")));
            }
            sources.insert(name, source);
        }
        Ok(Lock { sources })
    }
}

impl LockedEndpoint {
    fn of(key: &str, parts: &Fingerprints) -> Self {
        let Fingerprints { request, reply, security, destination, prose } = *parts;
        Self { key: key.to_owned(), prose, destination, pin: parts.pin(), request, reply, security }
    }

    fn checked(self, source: &str, place: &str) -> Result<(String, Fingerprints), LockError> {
        let Self { key, prose, destination, pin, request, reply, security } = self;
        if key.split_once('.').is_none_or(|(of, _)| of != source) {
            let message = format!("`{key}` is no key of the source `{source}`");
            return Err(LockError::of_member(format!("{place}.key"), message));
        }
        let parts = Fingerprints { request, reply, security, destination, prose };
        if parts.pin() != pin {
            let message = format!("the pin of `{key}` is not that of its request, reply and security");
            return Err(LockError::of_member(format!("{place}.pin"), message));
        }
        Ok((key, parts))
    }
}

impl Serialize for Lock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        LockFile::of(self).serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Lock {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lock".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        LockFile::json_schema(generator)
    }
}
