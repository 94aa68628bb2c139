//! The schemas of the printed shapes are those of the code.
//!
//! After a change of a shape: `UPDATE_SCHEMAS=1 cargo test -p schemarouter-cli schemas`.

use crate::support::{run, schema_file};

const SHAPES: [&str; 12] = [
    "compile",
    "list",
    "describe",
    "outcome",
    "error-report",
    "dry-run",
    "lock",
    "catalog",
    "settings",
    "config",
    "overlay",
    "fixture",
];

#[test]
fn schemas_are_those_of_the_code() {
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    for shape in SHAPES {
        let current = run(&["schema", shape]).ends_with(0).out;
        let file = schema_file(shape);
        if update {
            std::fs::write(&file, &current).expect("the schema can be written");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == current, "{shape} has changed: set UPDATE_SCHEMAS=1 to write the schemas anew");
    }
}
