//! Ways of reaching the world, one folder each.

pub mod http;
