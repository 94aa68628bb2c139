//! Documents become a catalog: pure, without network or file system.
pub mod document;
