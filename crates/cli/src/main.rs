//! The command line of schemarouter.
fn main() {}
