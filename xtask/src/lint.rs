//! Formatting, clippy and documentation, each without a warning.

use crate::process::{cargo, run as execute};
use crate::report::Report;

pub(crate) fn run(report: &mut Report) {
    report.step("format", || execute(&mut cargo("fmt --all --check")));
    report.step("clippy", || {
        execute(&mut cargo("clippy --locked --workspace --all-targets --all-features -- -D warnings"))
    });
    // Libraries only: the command line shares its name, and so its pages, with the library.
    report.step("docs", || {
        let mut docs = cargo("doc --locked --workspace --lib --no-deps --all-features");
        execute(docs.env("RUSTDOCFLAGS", "-D warnings"))
    });
}
