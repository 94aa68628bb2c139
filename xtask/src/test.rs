//! Everything that this machine can run.

use crate::process::{cargo, run as execute};
use crate::report::Report;
use crate::{corpus, examples, parts, readme};

pub(crate) fn run(report: &mut Report) {
    // Every step selects the same packages, so that cargo resolves the same features and builds each dependency once.
    report.step("tests", || {
        let mut tests = cargo("test --locked --workspace --no-fail-fast --lib --bins --tests");
        execute(tests.env_remove(corpus::VARIABLE))
    });
    report.step("doctests", || execute(&mut cargo("test --locked --workspace --no-fail-fast --doc")));
    parts::run(report);
    examples::run(report);
    readme::run(report);
    corpus::run(report);
}
