//! What can be called: compiled, immutable, and without knowledge of any document format.

mod argument;
#[expect(clippy::module_inception, reason = "the catalog itself is the room's main word")]
mod catalog;
mod diff;
mod endpoint;
mod fingerprints;
mod http_plan;
mod key;
mod lock;
mod next_page;
mod reply;
mod saved;
mod schema;
mod source;

pub use argument::{Argument, Support};
pub(crate) use catalog::nearest;
pub use catalog::{Catalog, CatalogBuilder, Found};
pub use diff::{ContractChange, Judgement, compare};
pub use endpoint::{Binding, DeclaredBy, Endpoint};
pub use fingerprints::Fingerprints;
pub(crate) use fingerprints::{Digesting, Domain, digest};
pub use http_plan::{
    BodyFormat, BodyPlan, Delimiter, HttpPlan, Location, Parameter, PathPart, Scheme, SchemeUse, Security,
    Style,
};
pub use key::{Key, source_name};
pub use lock::{Change, Drift, Lock, LockError, Part};
pub use next_page::NextPage;
pub use reply::{Content, Replies, ReplySpec, StatusMatch};
#[cfg(feature = "schema")]
pub use saved::CatalogLine;
pub(crate) use saved::NEXT_STEP as SAVED_NEXT_STEP;
pub(crate) use saved::save;
pub use saved::{CatalogKey, DocumentDigest, ReadAt, SavedError, SavedErrorKind};
pub use schema::{Bundle, Direction, Schema, SchemaError, SchemaId, SchemaSource, Schemas, Violation};
pub use source::{Absent, Listed, Source, SourceInfo};
