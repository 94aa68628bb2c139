//! What the library costs, as ratios within one run: each row of a table sets it beside something else that does
//! comparable work on the same machine at the same time. A missed goal is printed and fails nothing.

mod calls;
mod contest;
mod documents;
mod programs;
mod rounds;
mod table;

use crate::corpus;
use crate::report::{Outcome, Report};
use programs::Programs;
use table::Table;

/// Whole processes on published documents, and the cost of a call in a small and in a large catalog.
pub(crate) fn compile(report: &mut Report) {
    measured(report, |programs, table, report| {
        match corpus::folder() {
            Ok(corpus) => {
                for contest in documents::contests(programs, &corpus) {
                    report.step(contest.name(), || contest.run(table));
                }
            }
            Err(outcome) => report.step("documents", || outcome),
        }
        report.step("calls", || calls::catalogs(programs, table));
    });
}

/// The cost of a call over HTTP beside the bare client.
pub(crate) fn call(report: &mut Report) {
    measured(report, |programs, table, report| {
        report.step("pipeline", || calls::pipeline(programs, table));
        report.step("exchanges", || calls::exchanges(programs, table));
    });
}

/// Builds what is measured, and prints what came of it.
fn measured(report: &mut Report, measure: impl FnOnce(&Programs, &mut Table, &mut Report)) {
    let mut built = None;
    report.step("programs", || match Programs::build() {
        Ok(programs) => {
            built = Some(programs);
            Outcome::Passed
        }
        Err(failed) => failed,
    });
    let Some(programs) = built else { return };
    let mut table = Table::default();
    measure(&programs, &mut table, report);
    println!(
        "\nMedians of interleaved rounds, the least and the largest ratio of one round, and the goals:\n"
    );
    print!("{table}");
}
