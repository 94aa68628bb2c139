//! The decisions of schemarouter: errors, policies, the verdict table and the call machine.
