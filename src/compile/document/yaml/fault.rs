//! The parser's refusals in our words.

use granit_parser::{ErrorKind, ScanError};

use crate::compile::document::error::{Fault, ReadErrorKind};
use crate::compile::document::limits::Limits;

/// Mistakes that people make have a rule and a next step of their own; the rest keep the parser's words.
pub(super) fn refusal(error: &ScanError, limits: &Limits) -> Fault {
    let offset = error.marker().byte_offset().unwrap_or_default();
    let kind = match error.kind() {
        ErrorKind::RecursionLimitExceeded => ReadErrorKind::TooDeep { limit: limits.max_depth() },
        ErrorKind::UnknownAnchor => ReadErrorKind::UnknownAnchor,
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => ReadErrorKind::YamlTab,
        ErrorKind::MappingValueNotAllowed => ReadErrorKind::UnquotedColon,
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::UnexpectedEof => ReadErrorKind::Unclosed,
        _ => return Fault::new(ReadErrorKind::InvalidYaml, offset).with_detail(error.info()),
    };
    Fault::new(kind, offset)
}
