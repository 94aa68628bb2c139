//! `OpenAPI` 3.0 and 3.1 documents.
//!
//! First every declared operation is read into a draft ([`walk`], [`operation`]); on the way each schema that an
//! operation reaches is looked at once. Then the drafts become endpoints ([`assemble`]): names need all operations,
//! and a broken schema costs exactly those that reach it.

mod assemble;
mod body;
mod context;
mod effects;
mod fingerprint;
mod form;
mod keys;
mod known;
mod maps;
mod media;
mod names;
mod object;
mod operation;
mod params;
mod probe;
mod refs;
mod repeated;
mod replies;
mod schema;
mod security;
mod seen;
mod servers;
mod style;
mod template;
mod version;
mod walk;

#[cfg(test)]
pub(super) mod tests;

use schemarouter_kernel::base::error::Error;

use super::document::{Document, Node};
use super::{Compiled, Options};

pub(crate) use fingerprint::registered;

/// Whether the document calls itself `OpenAPI`, of any version.
pub(super) fn recognises(root: Node<'_>) -> bool {
    root.get("openapi").is_some() || root.get("swagger").is_some()
}

/// Compiles an `OpenAPI` document.
pub(super) fn compile(document: &Document, options: &Options) -> Result<Compiled, Error> {
    let (version, version_text) = version::detect(document.root())?;
    let mut context = context::Context::new(document, options, version);
    let walked = walk::walk(&mut context);
    context.servers.verdict(document)?;
    Ok(assemble::assemble(context, walked, options, &version_text))
}
