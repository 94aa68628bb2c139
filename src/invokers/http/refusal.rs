//! Why nothing was sent.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

/// Why a request cannot be built or may not be sent; nothing was sent.
///
/// Holds no value of an argument and no credential: names and rules only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The argument that is at fault, where one is.
    pub argument: Option<String>,
    /// One line that names the thing and the rule.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal that no single argument is to blame for.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, argument: None, message: message.into(), hint: None }
    }

    /// An argument that cannot be sent; `rule` completes the sentence "argument `name` ...".
    pub fn of_argument(argument: &str, rule: impl std::fmt::Display) -> Self {
        Self {
            kind: ErrorKind::InvalidArguments,
            argument: Some(argument.to_owned()),
            message: format!("argument `{}` {rule}", shown(argument)),
            hint: None,
        }
    }

    /// The same refusal as another kind.
    #[must_use]
    pub fn as_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let mut error = Self::rejected(refusal.kind, refusal.message);
        if let Some(hint) = refusal.hint {
            error = error.with_hint(hint);
        }
        match refusal.argument {
            Some(argument) => error.with_detail("argument", shown(&argument)),
            None => error,
        }
    }
}

/// A name that somebody else chose, fit for one line: control characters escaped, not endless.
pub(super) fn shown(name: &str) -> String {
    const MOST: usize = 100;
    let mut text = String::new();
    for c in name.chars().take(MOST) {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    if name.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}
