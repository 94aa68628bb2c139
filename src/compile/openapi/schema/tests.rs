//! Schemas as written out.
