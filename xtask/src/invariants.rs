//! What holds of every call, over many random scenarios.

use crate::process::{cargo, run as execute};
use crate::report::Report;

/// How many the tests play, where they are told.
const VARIABLE: &str = "SCHEMAROUTER_SCENARIOS";
/// How many where the command does not say it.
const SCENARIOS: u64 = 1_000_000;

pub(crate) fn run(report: &mut Report, scenarios: Option<u64>) {
    report.step("invariants", || {
        let mut tests = cargo(
            "test --release --locked -p schemarouter --test main -- --nocapture invariants::what_always_holds",
        );
        execute(tests.env(VARIABLE, scenarios.unwrap_or(SCENARIOS).to_string()).env_remove("SCHEMAROUTER_SEED"))
    });
}
