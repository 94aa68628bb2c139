//! Documents become endpoints: pure, without network or file system.
//!
//! A document is read by a list of formats; the first that recognises it compiles it. Whatever cannot be compiled
//! exactly is absent and has a [`Diagnostic`]; one bad operation never costs the others.

mod diagnostic;
pub mod document;
mod openapi;

use std::collections::BTreeMap;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use schemarouter_kernel::base::kind::ErrorKind;
use url::Url;

use crate::catalog::{
    self, Absent, CatalogKey, DocumentDigest, Domain, Endpoint, Lock, SavedError, Source, SourceInfo,
};
use document::{Document, Node, NodeId};

pub(crate) use openapi::registered as registered_fingerprints;

pub use diagnostic::{Diagnostic, DiagnosticCode, Severity};

/// Raised whenever a document may compile to something else than before, so that saved catalogs of before are not used.
const REVISION: u32 = 1;

/// What the compiler has to know besides the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The source's name, the first part of every key; see [`source_name`](crate::catalog::source_name).
    pub source: String,
    /// Where the document was fetched from; absent for a file. Relative server URLs resolve against it.
    pub document_url: Option<Url>,
    /// Values for the variables of server URLs, by name, in place of the document's defaults.
    ///
    /// They are a part of where requests go, and so of the destination's fingerprint.
    pub server_variables: BTreeMap<String, String>,
    /// What becomes of values whose wire form the specification leaves undefined.
    pub undefined_styles: UndefinedStyles,
}

/// What becomes of values whose wire form the specification leaves undefined: anything but an object of scalars in
/// `deepObject`, and lists of lists or objects in an exploded `form`; in queries and URL-encoded bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UndefinedStyles {
    /// They are refused before anything is sent, and an operation that requires one is absent.
    #[default]
    Refuse,
    /// They are written as `a[b][c]=1` and `a[0][b]=1`, as many servers read them.
    ///
    /// This is for sources that are known to: others take such names for parameters of their own.
    Brackets,
}

impl Options {
    /// The options for a document that comes from a file.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            document_url: None,
            server_variables: BTreeMap::new(),
            undefined_styles: UndefinedStyles::default(),
        }
    }

    /// Says where the document was fetched from.
    #[must_use]
    pub fn with_document_url(mut self, url: Url) -> Self {
        self.document_url = Some(url);
        self
    }

    /// Chooses a wire form where the specification defines none.
    #[must_use]
    pub const fn with_undefined_styles(mut self, styles: UndefinedStyles) -> Self {
        self.undefined_styles = styles;
        self
    }

    /// What a [saved](Compiled::save) catalog is tied to: the digest of the document,
    /// these options, and the version of the compiler, which may compile otherwise than the next.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::catalog::{DocumentDigest, Source};
    /// use schemarouter::compile::document::{Document, Limits};
    /// use schemarouter::compile::{Options, compile};
    ///
    /// let text = r#"{"openapi": "3.1.0", "servers": [{"url": "https://pets.test"}], "paths": {"/pets": {
    ///     "get": {"operationId": "list", "responses": {"200": {"description": "ok"}}}
    /// }}}"#;
    /// let options = Options::new("pets");
    /// let document = Document::from_json(text, &Limits::default())?;
    /// let saved: Vec<u8> = compile(document, &options)?.save()?;
    /// // The next time, and without the compiler:
    /// let key = options.catalog_key(DocumentDigest::of(text.as_bytes())?);
    /// let source = Source::open(saved, &key)?;
    /// assert_eq!(source.endpoints().next().expect("there is one")?.key.as_str(), "pets.list");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn catalog_key(&self, document: DocumentDigest) -> CatalogKey {
        CatalogKey::new(document, self.digest())
    }

    /// The digest of these options, and of the version of the compiler.
    pub fn digest(&self) -> Fingerprint {
        let Self { source, document_url, server_variables, undefined_styles } = self;
        let options = serde_json::json!([
            env!("CARGO_PKG_VERSION"),
            REVISION,
            Lock::VERSION,
            source,
            document_url.as_ref().map(Url::as_str),
            server_variables,
            *undefined_styles == UndefinedStyles::Brackets,
        ]);
        catalog::digest(Domain::Options, [options.to_string().as_bytes()])
    }

    /// Gives a variable of the server URLs this value, in every server that has it.
    ///
    /// A value that is not in the variable's `enum`, that would change the host beyond its place, or that no server has
    /// a variable for is an error of [`compile`].
    ///
    /// # Examples
    /// ```
    /// use schemarouter::compile::document::{Document, Limits};
    /// use schemarouter::compile::{Options, compile};
    ///
    /// let text = r#"{
    ///     "openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
    ///     "servers": [{"url": "https://{region}.pets.test", "variables": {"region": {"default": "eu", "enum": ["eu", "us"]}}}],
    ///     "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok"}}}}}
    /// }"#;
    /// let document = Document::from_json(text, &Limits::default()).expect("this is JSON");
    /// let compiled = compile(document.clone(), &Options::new("pets").with_server_variable("region", "us"))?;
    /// assert_eq!(*compiled.endpoints[0].http().expect("HTTP").servers, ["https://us.pets.test"]);
    ///
    /// let error = compile(document, &Options::new("pets").with_server_variable("region", "mars")).unwrap_err();
    /// assert_eq!(error.message(), "server variable `region` has to be one of `eu`, `us`, and `mars` is given");
    /// # Ok::<(), schemarouter::kernel::base::error::Error>(())
    /// ```
    #[must_use]
    pub fn with_server_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.server_variables.insert(name.into(), value.into());
        self
    }
}

/// A compiled document.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The source and its counts.
    pub info: SourceInfo,
    /// What can be called, in document order.
    pub endpoints: Vec<Endpoint>,
    /// What is declared and cannot be called, in document order; the errors among the diagnostics say more.
    pub absent: Vec<Absent>,
    /// What there is to say, in document order.
    pub diagnostics: Vec<Diagnostic>,
    /// Requests that the other side sends to us (ruling 24): listed, not callable.
    pub incoming: Vec<Incoming>,
    /// The document, for the places of diagnostics; cheap to clone.
    pub document: Document,
    /// The digest of the options that it was compiled with.
    pub(crate) options: Fingerprint,
}

impl Compiled {
    /// The endpoints as a file that [`Source::open`] opens; the diagnostics are not in it.
    ///
    /// # Errors
    /// Where it would be larger, or nested deeper, than can be read again.
    pub fn save(&self) -> Result<Vec<u8>, SavedError> {
        catalog::save(&self.info, &self.endpoints, &self.absent, &self.key())
    }

    /// What a saved catalog of it is tied to.
    pub fn key(&self) -> CatalogKey {
        CatalogKey::new(DocumentDigest::of_bytes(self.document.text().as_bytes()), self.options)
    }
}

impl From<Compiled> for Source {
    fn from(compiled: Compiled) -> Self {
        Self::new(compiled.info, compiled.endpoints, compiled.absent)
    }
}

/// A webhook or callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Which of the two.
    pub kind: IncomingKind,
    /// Its name in the document.
    pub name: String,
    /// Its method, upper case.
    pub method: String,
    /// The operation that brings a callback about, as `METHOD path`.
    pub operation: Option<String>,
    /// Where it is described.
    pub node: NodeId,
}

/// A kind of request that the other side sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncomingKind {
    /// Sent when something happens.
    Webhook,
    /// Sent in the course of an operation.
    Callback,
}

/// A document format: to add one, write its module and a line in [`FORMATS`].
struct Format {
    /// Whether the document claims to be of this format.
    recognises: fn(Node<'_>) -> bool,
    compile: fn(&Document, &Options) -> Result<Compiled, Error>,
}

const FORMATS: &[Format] = &[Format { recognises: openapi::recognises, compile: openapi::compile }];

/// Compiles a document.
///
/// # Errors
/// `compile_error`, for a document that is refused as a whole: of no known format, or of a version that is not
/// supported; and for a value of a server variable that the document does not allow. Anything less costs single operations, and is told by [`Compiled::diagnostics`].
///
/// # Examples
/// ```
/// use schemarouter::compile::document::{Document, Limits};
/// use schemarouter::compile::{Options, compile};
///
/// let text = r#"{
///     "openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
///     "servers": [{"url": "https://pets.test/v1"}],
///     "paths": {"/pets/{id}": {"get": {
///         "operationId": "showPet",
///         "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
///         "responses": {"200": {"description": "ok"}}
///     }}}
/// }"#;
/// let document = Document::from_json(text, &Limits::default()).expect("this is JSON");
/// let compiled = compile(document, &Options::new("pets")).expect("this is OpenAPI");
/// assert_eq!(compiled.endpoints[0].key.as_str(), "pets.showPet");
/// assert!(compiled.diagnostics.is_empty());
/// ```
#[expect(clippy::needless_pass_by_value, reason = "the compiled endpoints keep the document")]
pub fn compile(document: Document, options: &Options) -> Result<Compiled, Error> {
    let root = document.root();
    match FORMATS.iter().find(|format| (format.recognises)(root)) {
        Some(format) => (format.compile)(&document, options),
        None => Err(Error::rejected(
            ErrorKind::CompileError,
            "the document is of no known format: it has no `openapi` member",
        )
        .with_hint("give an OpenAPI 3.0 or 3.1 document")),
    }
}
