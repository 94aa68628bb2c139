//! Where references lead, within the document.

use url::Url;

use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::{Document, Kind, Node};

use super::maps::TextMap;

/// Longer chains of references than this are taken for circles.
const LONGEST_CHAIN: usize = 64;

/// Something that costs an operation: told once for each operation that it costs.
#[derive(Debug, Clone)]
pub(super) struct Problem<'d> {
    pub(super) code: DiagnosticCode,
    pub(super) node: Node<'d>,
    pub(super) message: String,
}

impl<'d> Problem<'d> {
    pub(super) fn new(code: DiagnosticCode, node: Node<'d>, message: impl Into<String>) -> Self {
        Self { code, node, message: message.into() }
    }
}

/// Why a reference leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    Missing,
    WholeDocument,
    Anchor,
    External,
}

impl Unresolved {
    pub(super) fn problem<'d>(self, node: Node<'d>, reference: &str) -> Problem<'d> {
        let (code, why) = match self {
            Self::Missing => {
                (DiagnosticCode::UnresolvedReference, "names nothing in this document; correct it")
            }
            Self::WholeDocument => {
                (DiagnosticCode::UnresolvedReference, "names the whole document; name a part of it")
            }
            Self::Anchor => (
                DiagnosticCode::UnresolvedReference,
                "names an anchor, which is not supported; write a JSON pointer such as #/components/schemas/Pet",
            ),
            Self::External => (
                DiagnosticCode::ExternalReference,
                "leads to another document, which is not read; bundle the documents into one",
            ),
        };
        Problem::new(code, node, format!("`$ref: {reference}` {why}"))
    }
}

/// The node that a reference names.
pub(super) fn target<'d>(
    document: &'d Document,
    document_url: Option<&Url>,
    reference: &str,
) -> Result<Node<'d>, Unresolved> {
    let (before, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    if !before.is_empty() && !is_same_document(document_url, before) {
        return Err(Unresolved::External);
    }
    if fragment.is_empty() {
        return Err(Unresolved::WholeDocument);
    }
    if !fragment.starts_with('/') && !fragment.starts_with('%') {
        return Err(Unresolved::Anchor);
    }
    document.resolve_fragment(&reference[before.len()..]).ok_or(Unresolved::Missing)
}

/// A reference may spell out the document's own URL, or its last part.
fn is_same_document(document_url: Option<&Url>, before: &str) -> bool {
    document_url.is_some_and(|url| {
        let mut own = url.clone();
        own.set_fragment(None);
        own.join(before).is_ok_and(|joined| joined == own)
    })
}

/// The references of one document, each resolved once.
#[derive(Debug)]
pub(super) struct Refs<'d> {
    document: &'d Document,
    document_url: Option<&'d Url>,
    known: TextMap<'d, Result<Node<'d>, Unresolved>>,
}

impl<'d> Refs<'d> {
    pub(super) fn new(document: &'d Document, document_url: Option<&'d Url>) -> Self {
        Self { document, document_url, known: TextMap::default() }
    }

    /// The node that the reference at `at` names.
    pub(super) fn target(&mut self, at: Node<'d>, reference: &'d str) -> Result<Node<'d>, Problem<'d>> {
        let (document, url) = (self.document, self.document_url);
        self.known
            .entry(reference)
            .or_insert_with(|| target(document, url, reference))
            .map_err(|why| why.problem(at, reference))
    }

    /// The object that `node` is or, through any chain of references, leads to.
    pub(super) fn object(&mut self, node: Node<'d>) -> Result<Node<'d>, Problem<'d>> {
        let mut at = node;
        for _ in 0..LONGEST_CHAIN {
            if at.kind() != Kind::Object {
                let code = DiagnosticCode::UnresolvedReference;
                return Err(Problem::new(code, node, format!("an object is due, found {}", a(at.kind()))));
            }
            let Some(reference) = at.get("$ref") else { return Ok(at) };
            let Some(text) = reference.as_str() else {
                let code = DiagnosticCode::UnresolvedReference;
                return Err(Problem::new(code, reference, "`$ref` has to be a string"));
            };
            at = self.target(reference, text)?;
        }
        Err(circle(node))
    }
}

/// A kind with its article, for messages.
pub(super) fn a(kind: Kind) -> String {
    let article = if matches!(kind, Kind::Array | Kind::Object) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// References that lead in a circle.
pub(super) fn circle(node: Node<'_>) -> Problem<'_> {
    Problem::new(
        DiagnosticCode::ReferenceCycle,
        node,
        "references lead in a circle without anything in between; describe the thing in one of these places",
    )
}
