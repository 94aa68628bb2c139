//! A compiled catalog as a file, so that a large document starts in milliseconds.
//!
//! Compiling reads a whole document; a call needs one endpoint of it. So a saved catalog is lines of JSON: a header, an
//! index of all that follows, and then one part on each line (endpoints first, then what they share: schemas, servers,
//! replies). Opening it reads the first two lines; a part is read, checked and turned into what it stands for when
//! somebody first asks for it. Before a call all that endpoints share is read and checked, so that a reply never meets
//! a schema that cannot be read. `schemas/catalog.schema.json` has the shape of each line.
//!
//! A file is tied to the document and the options that it was made from ([`CatalogKey`]). One that does not fit, or is
//! damaged, is an error and never a guess; whoever opened it compiles the document instead.

mod error;
mod file;
mod key;
mod load;
mod read_at;
mod schemas;
mod shape;
mod texts;
mod write;

pub(crate) use error::NEXT_STEP;
pub use error::{SavedError, SavedErrorKind};
pub use key::{CatalogKey, DocumentDigest};
pub(super) use load::Saved;
pub use read_at::ReadAt;
#[cfg(feature = "schema")]
pub use shape::CatalogLine;
pub(crate) use write::write as save;

/// The version of the shape of the lines, and of what they mean.
const VERSION: u32 = 1;
