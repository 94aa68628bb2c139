//! Why a text was refused.

use std::fmt;

use super::limits::LimitExceeded;
use super::position::{self, Position};

/// A broken rule and the byte where it shows, as a reader says it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: ReadErrorKind,
    pub(super) offset: usize,
    /// What the rule's own words do not tell: a tag, the words of a parser.
    pub(super) detail: Option<String>,
}

impl Fault {
    pub(super) fn new(kind: impl Into<ReadErrorKind>, offset: usize) -> Self {
        Self { kind: kind.into(), offset, detail: None }
    }

    pub(super) fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// The error to hand out; `text` is the whole text.
    pub(super) fn in_text(self, text: &[u8]) -> ReadError {
        let Self { kind, offset, detail } = self;
        let found = text.get(offset..).and_then(first_character);
        ReadError { kind, offset, position: position::locate(text, offset), found, detail }
    }
}

/// The character that `bytes` begin with, if they begin with one.
fn first_character(bytes: &[u8]) -> Option<char> {
    let chunk = bytes.utf8_chunks().next()?;
    chunk.valid().chars().next()
}

/// A text that is not a document: the rule it breaks, where, and what to do about it.
///
/// # Examples
///
/// ```
/// use schemarouter::compile::document::{Document, Limits, ReadErrorKind};
///
/// let refused = Document::from_json("{\n  \"a\": [1, 2,]\n}", &Limits::default()).unwrap_err();
/// assert_eq!(refused.kind(), ReadErrorKind::TrailingComma);
/// assert_eq!(
///     refused.to_string(),
///     "line 2, column 14 (byte 15): a comma is followed by another member or item, found `]`; \
///      remove the comma before it"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    offset: usize,
    position: Position,
    found: Option<char>,
    detail: Option<String>,
}

impl ReadError {
    /// The rule that the text breaks.
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Where, as a byte offset in the text as given.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Where, as line and column.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The rule and what was found instead, in one clause.
    pub fn reason(&self) -> String {
        let Self { kind, detail, found, .. } = self;
        match (detail, found.filter(|_| kind.shows_found())) {
            (Some(detail), _) => format!("{kind}: {detail}"),
            (None, Some(found)) if found.is_control() => format!("{kind}, found U+{:04X}", u32::from(found)),
            (None, Some(found)) => format!("{kind}, found `{found}`"),
            (None, None) => kind.to_string(),
        }
    }

    /// What to do about it, in one clause.
    pub fn next_step(&self) -> &'static str {
        self.kind.next_step()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, position, .. } = self;
        write!(f, "{position} (byte {offset}): {}; {}", self.reason(), self.next_step())
    }
}

impl std::error::Error for ReadError {}

/// The rules that a text can break. Their `Display` states the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// A byte that UTF-8 does not allow (RFC 8259, section 8.1).
    #[error("the text has to be UTF-8")]
    NotUtf8,
    /// Nothing but white space.
    #[error("the text has to hold one value, and it is empty")]
    Empty,
    /// The first character begins no JSON value: another format, most likely.
    #[error("the text does not begin with a JSON value")]
    NotJson,
    /// The text stops inside a value.
    #[error("the text ends inside a value")]
    UnexpectedEnd,
    /// Something follows the value.
    #[error("nothing may follow the document's value")]
    TrailingData,
    /// No value begins here.
    #[error("a value is expected")]
    ExpectedValue,
    /// A word other than `true`, `false` and `null`.
    #[error("a value is a string, number, object, array, true, false or null")]
    UnknownWord,
    /// A string or key in single quotes.
    #[error("strings and keys stand in double quotes")]
    SingleQuote,
    /// A comment.
    #[error("JSON has no comments")]
    Comment,
    /// A comma before a closing bracket.
    #[error("a comma is followed by another member or item")]
    TrailingComma,
    /// A member without a quoted key.
    #[error("a key in double quotes is expected")]
    ExpectedKey,
    /// A key without its colon.
    #[error("a colon is expected after a key")]
    ExpectedColon,
    /// Neither the next item nor the end of an array.
    #[error("`,` or `]` is expected after an item")]
    ExpectedCommaOrBracket,
    /// Neither the next member nor the end of an object.
    #[error("`,` or `}}` is expected after a member")]
    ExpectedCommaOrBrace,
    /// A number that departs from the grammar (RFC 8259, section 6).
    #[error("a number is an integer part, then an optional fraction and exponent, each with digits")]
    InvalidNumber,
    /// A number such as `007`.
    #[error("a number has no leading zeros")]
    LeadingZero,
    /// A character below U+0020 in a string (RFC 8259, section 7).
    #[error("control characters in a string are escaped")]
    ControlCharacter,
    /// A backslash followed by something else than an escape (RFC 8259, section 7).
    #[error("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits")]
    InvalidEscape,
    /// Half of a surrogate pair, which stands for no character (RFC 8259, section 8.2).
    #[error("a surrogate escape comes as a pair of \\ud800..\\udbff and \\udc00..\\udfff")]
    LoneSurrogate,
    /// The text is longer than [`Limits::max_bytes`](super::Limits::max_bytes).
    #[error("the text is longer than max_bytes = {limit}")]
    TooManyBytes {
        /// The limit, in bytes.
        limit: u32,
    },
    /// A rule of YAML 1.2 without a kind of its own here; the message has the parser's words.
    #[error("the text breaks a rule of YAML")]
    InvalidYaml,
    /// A tab where YAML counts spaces (YAML 1.2.2, section 6.1).
    #[error("YAML is indented with spaces, not with tabs")]
    YamlTab,
    /// A second `: ` on a line that is no key, mostly in a text without quotes.
    #[error("a plain text holds no colon followed by a space")]
    UnquotedColon,
    /// A quote or bracket that is never closed; the place is where it opens, or where that shows.
    #[error("every quote and bracket is closed")]
    Unclosed,
    /// More than one document in the stream (YAML 1.2.2, section 9.2).
    #[error("the text has to hold one document, and a second begins here")]
    SeveralDocuments,
    /// A key that is a list or an object.
    #[error("a key is a text")]
    ComplexKey,
    /// An alias without an anchor before it.
    #[error("an alias repeats an anchor that stands before it")]
    UnknownAnchor,
    /// An alias within the value of its own anchor, which would have no end.
    #[error("an alias stands outside the value that it repeats")]
    RecursiveAlias,
    /// A `<<` whose value is neither an object nor a list of objects.
    #[error("a merge key `<<` takes an object or a list of objects")]
    InvalidMerge,
    /// A tag other than those of the core schema and `!!binary`.
    #[error("the tag is not known")]
    UnknownTag,
    /// A value that is not what its tag says.
    #[error("the value is not what its tag says")]
    TagMismatch,
    /// `.inf` or `.nan`, which JSON does not have.
    #[error("a number is finite")]
    NotFinite,
    /// A hexadecimal or octal integer beyond 128 bits.
    #[error("a hexadecimal or octal integer has at most 128 bits")]
    IntegerTooLong,
    /// Nested deeper than [`Limits::max_depth`](super::Limits::max_depth).
    #[error("the document is nested deeper than max_depth = {limit}")]
    TooDeep {
        /// The limit, in containers.
        limit: u32,
    },
    /// More values and keys than [`Limits::max_nodes`](super::Limits::max_nodes).
    #[error("the document has more values and keys than max_nodes = {limit}")]
    TooManyNodes {
        /// The limit, in values and keys.
        limit: u32,
    },
    /// Aliases repeat more than [`Limits::max_alias_nodes`](super::Limits::max_alias_nodes).
    #[error("the aliases repeat more values and keys than max_alias_nodes = {limit}")]
    TooManyAliasNodes {
        /// The limit, in values and keys.
        limit: u32,
    },
}

impl ReadErrorKind {
    fn next_step(self) -> &'static str {
        match self {
            Self::NotUtf8 => "save the file as UTF-8",
            Self::Empty => "give the file that holds the document",
            Self::NotJson => "give a JSON document, or read this one as the format it is in",
            Self::UnexpectedEnd => "check that the file is complete and every quote and bracket is closed",
            Self::TrailingData => "remove what follows, or give each document in a file of its own",
            Self::ExpectedValue => "write the missing value",
            Self::UnknownWord => "put it in double quotes, or write true, false or null",
            Self::SingleQuote => "use double quotes",
            Self::Comment => "remove the comment",
            Self::TrailingComma => "remove the comma before it",
            Self::ExpectedKey => "put the key in double quotes",
            Self::ExpectedColon => "write a colon between key and value",
            Self::ExpectedCommaOrBracket => "write the missing comma, or close the array",
            Self::ExpectedCommaOrBrace => "write the missing comma, or close the object",
            Self::InvalidNumber => "write it as -12, 0.5 or 1e-3 are written, or put it in double quotes",
            Self::LeadingZero => "remove the zeros, or put it in double quotes if it is a text",
            Self::ControlCharacter => {
                "write it as an escape (\\n, \\t, \\u0000), or close the string before it"
            }
            Self::InvalidEscape => "write \\\\ for a backslash",
            Self::LoneSurrogate => "write both halves, or the character itself",
            Self::InvalidYaml => {
                "correct it there; a text that holds `: `, ` #` or begins with one of []{}&*!|>'\"%@` needs quotes"
            }
            Self::YamlTab => "write spaces instead",
            Self::UnquotedColon => "put the whole text in quotes, or check the indentation",
            Self::Unclosed => "close it, and check that the file is complete",
            Self::SeveralDocuments => "give each document in a file of its own",
            Self::ComplexKey => "write the key as a text",
            Self::UnknownAnchor => "define the anchor above, or put a text that begins with `*` in quotes",
            Self::RecursiveAlias => "use `$ref` for what refers to itself",
            Self::InvalidMerge => "give it an alias of an object, or put the key in quotes",
            Self::UnknownTag => "remove the tag, or put a text that begins with `!` in quotes",
            Self::TagMismatch => "correct the value, or remove the tag",
            Self::NotFinite => "write a finite number, or put it in quotes if it is a text",
            Self::IntegerTooLong => "write it in decimal, or put it in quotes if it is a text",
            Self::TooManyBytes { .. }
            | Self::TooManyAliasNodes { .. }
            | Self::TooDeep { .. }
            | Self::TooManyNodes { .. } => "raise that limit for this document if you trust it",
        }
    }

    /// Whether the character at the offset tells more than the rule does.
    fn shows_found(self) -> bool {
        matches!(
            self,
            Self::NotJson
                | Self::TrailingData
                | Self::ExpectedValue
                | Self::UnknownWord
                | Self::TrailingComma
                | Self::ExpectedKey
                | Self::ExpectedColon
                | Self::ExpectedCommaOrBracket
                | Self::ExpectedCommaOrBrace
                | Self::InvalidNumber
                | Self::ControlCharacter
        )
    }
}

impl From<LimitExceeded> for ReadErrorKind {
    fn from(exceeded: LimitExceeded) -> Self {
        match exceeded {
            LimitExceeded::Depth { limit } => Self::TooDeep { limit },
            LimitExceeded::Nodes { limit } => Self::TooManyNodes { limit },
            LimitExceeded::AliasNodes { limit } => Self::TooManyAliasNodes { limit },
        }
    }
}
