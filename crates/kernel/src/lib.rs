//! The decisions of schemarouter, without async, clocks, randomness or I/O.
//!
//! Three floors, each importing only those before it:
//!
//! - [`base`]: the words everyone uses (errors, dispositions, time, secrets);
//! - [`policy`]: validated data with no behaviour over time (how often, how long, what is allowed);
//! - [`kernel`]: pure decisions over that data, `(&mut self, now, event) -> answer`.
//!
//! Time and chance are arguments: a test can replay any decision, and a reader can hold all of them
//! against the verdict table.

pub mod base;
pub mod kernel;
pub mod policy;
