//! What the compiler has to say about a document.

use std::collections::BTreeMap;
use std::fmt;

use super::document::Node;

/// One remark: the thing, the rule, what to do; and where.
///
/// Line and column are found only when somebody prints it, by
/// [`Document::position`](super::document::Document::position).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether something is lost.
    pub severity: Severity,
    /// The rule, as a stable word.
    pub code: DiagnosticCode,
    /// Where it is, as a byte offset in the document's text.
    pub offset: u32,
    /// Where it is, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The operation that it concerns, as `METHOD path`; absent where several share the place.
    pub operation: Option<String>,
    /// One line.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.code)?;
        if let Some(operation) = &self.operation {
            write!(f, ": {}", one_line(operation.clone()))?;
        }
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, ": {} (at {})", self.message, one_line(pointer.to_owned()))
    }
}

/// Whether something is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An operation is absent, because it cannot be compiled exactly.
    Error,
    /// Everything is there; something was read by intent, ignored as the specification demands, or cannot be used.
    Warning,
}

impl Severity {
    /// The stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        /// The rules that remarks are about. Their words are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl DiagnosticCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable word.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }
        }
    };
}

codes! {
    /// A reference leads nowhere, or to a thing of another kind.
    UnresolvedReference = "unresolved_reference";
    /// A reference leads to another document, which is not read.
    ExternalReference = "external_reference";
    /// References lead in a circle without anything in between.
    ReferenceCycle = "reference_cycle";
    /// A parameter is written in a way that has no exact wire form here yet.
    UnsupportedParameter = "unsupported_parameter";
    /// The specification does not say how such a value is written in a parameter.
    UndefinedSerialization = "undefined_serialization";
    /// A parameter is not written as the specification demands.
    InvalidParameter = "invalid_parameter";
    /// A parameter is declared twice.
    DuplicateParameter = "duplicate_parameter";
    /// A header parameter that the specification says to ignore.
    ReservedHeader = "reserved_header";
    /// The path template names a parameter that is not declared.
    UndeclaredPathParameter = "undeclared_path_parameter";
    /// A path parameter is declared that the path template does not name.
    UnusedPathParameter = "unused_path_parameter";
    /// A path template that is not written as the specification demands.
    InvalidPath = "invalid_path";
    /// A path template with a parameter where none can be filled in.
    UnsupportedPath = "unsupported_path";
    /// A request body of a media type that cannot be sent yet.
    UnsupportedBody = "unsupported_body";
    /// A request body that is not written as the specification demands.
    InvalidBody = "invalid_body";
    /// A reply that is not written as the specification demands.
    InvalidReply = "invalid_reply";
    /// An operation declares no replies.
    MissingReplies = "missing_replies";
    /// A reply declares one media type several times, with different schemas.
    AmbiguousMediaType = "ambiguous_media_type";
    /// No absolute server is known.
    MissingServer = "missing_server";
    /// A server that cannot be used.
    InvalidServer = "invalid_server";
    /// An operation demands a security scheme that is not declared.
    UnknownSecurityScheme = "unknown_security_scheme";
    /// No way of proving one's identity that is declared can be used here yet.
    UnsupportedSecurity = "unsupported_security";
    /// A security requirement that is not written as the specification demands.
    InvalidSecurity = "invalid_security";
    /// A method that has no endpoint.
    UnsupportedMethod = "unsupported_method";
    /// A path item or operation that is not written as the specification demands.
    InvalidOperation = "invalid_operation";
    /// Several operations have the same `operationId`.
    DuplicateOperationId = "duplicate_operation_id";
    /// A key is written twice in one object; the last one counts, but of two replies for one status neither does.
    DuplicateKey = "duplicate_key";
    /// A schema that is not written as the specification demands, and whose intent is not plain.
    InvalidSchema = "invalid_schema";
    /// A schema keyword that cannot be obeyed yet.
    UnsupportedSchema = "unsupported_schema";
    /// A dialect of JSON Schema other than that of the specification.
    UnsupportedDialect = "unsupported_dialect";
    /// Not written as the specification demands, but what is meant is plain.
    ReadByIntent = "read_by_intent";
    /// Ignored, as the specification demands or because it says nothing.
    IgnoredKeyword = "ignored_keyword";
    /// More remarks of one kind than are listed.
    MoreRemarks = "more_remarks";
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Warnings of one code that are listed one by one; the rest is counted. Errors are never cut.
const LISTED_WARNINGS: usize = 1000;

/// Messages longer than this, in characters, are cut: names and references in a document have any length.
const LONGEST_MESSAGE: usize = 400;

/// The message on one line: what a document holds must not break lines or speak to a terminal.
fn one_line(message: String) -> String {
    if message.len() <= LONGEST_MESSAGE && !message.contains(char::is_control) {
        return message;
    }
    let mut line = String::new();
    for (at, c) in message.chars().enumerate() {
        if at == LONGEST_MESSAGE {
            line.push('…');
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Collects remarks.
#[derive(Debug, Default)]
pub(super) struct Sink {
    list: Vec<Diagnostic>,
    warnings: BTreeMap<DiagnosticCode, usize>,
    /// How often something was said, also where it is not listed.
    pub(super) said: usize,
}

impl Sink {
    pub(super) fn error(
        &mut self,
        code: DiagnosticCode,
        node: Node<'_>,
        operation: Option<&str>,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic {
            severity: Severity::Error,
            code,
            offset: node.offset(),
            pointer: node.pointer(),
            operation: operation.map(str::to_owned),
            message: message.into(),
        });
    }

    pub(super) fn warn(
        &mut self,
        code: DiagnosticCode,
        node: Node<'_>,
        operation: Option<&str>,
        message: impl Into<String>,
    ) {
        if self.counts(code) {
            self.push(Diagnostic {
                severity: Severity::Warning,
                code,
                offset: node.offset(),
                pointer: node.pointer(),
                operation: operation.map(str::to_owned),
                message: message.into(),
            });
        }
    }

    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        self.said += 1;
        diagnostic.message = one_line(diagnostic.message);
        self.list.push(diagnostic);
    }

    /// Counts a warning; whether it is to be listed.
    fn counts(&mut self, code: DiagnosticCode) -> bool {
        let count = self.warnings.entry(code).or_default();
        *count += 1;
        self.said += 1;
        *count <= LISTED_WARNINGS
    }

    /// All remarks in document order.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for (code, count) in std::mem::take(&mut self.warnings) {
            if let Some(more) = count.checked_sub(LISTED_WARNINGS).filter(|more| *more > 0) {
                self.push(Diagnostic {
                    severity: Severity::Warning,
                    code: DiagnosticCode::MoreRemarks,
                    offset: u32::MAX,
                    pointer: String::new(),
                    operation: None,
                    message: format!(
                        "{more} more warnings of `{code}` are not listed; fix the listed ones first"
                    ),
                });
            }
        }
        self.list.sort_by_key(|diagnostic| diagnostic.offset);
        self.list
    }
}
