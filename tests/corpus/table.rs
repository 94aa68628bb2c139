//! What came of each document, as a committed table: a change of the compiler shows as a change of its rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::survey::{Compiled, Outcome, survey};

/// Operations that have no endpoint, by the code of each error; one with errors of two codes counts under both.
fn lost(compiled: &Compiled) -> BTreeMap<&'static str, usize> {
    let lost: BTreeSet<(&'static str, &String)> =
        compiled.errors.iter().filter_map(|(code, about)| Some((*code, about.as_ref()?))).collect();
    counted(lost.into_iter().map(|(code, _)| code))
}

/// Errors about something that would hold operations, such as a path item that is not there.
fn places(compiled: &Compiled) -> BTreeMap<&'static str, usize> {
    counted(compiled.errors.iter().filter(|(_, about)| about.is_none()).map(|(code, _)| *code))
}

fn counted(codes: impl Iterator<Item = &'static str>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for code in codes {
        *counts.entry(code).or_default() += 1;
    }
    counts
}

fn written(counts: &BTreeMap<&'static str, usize>) -> String {
    let parts: Vec<String> = counts.iter().map(|(code, count)| format!("{code} {count}")).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
}

/// Sums over documents.
#[derive(Default)]
struct Totals {
    documents: usize,
    declared: usize,
    endpoints: usize,
    lost: BTreeMap<&'static str, usize>,
}

impl Totals {
    fn add(&mut self, compiled: &Compiled) {
        self.documents += 1;
        self.declared += compiled.declared.len();
        self.endpoints += compiled.endpoints.len();
        for (code, count) in lost(compiled) {
            *self.lost.entry(code).or_default() += count;
        }
    }

    /// Of a thousand declared operations, how many are endpoints.
    fn per_mille(&self) -> usize {
        self.endpoints * 1000 / self.declared.max(1)
    }
}

#[test]
fn what_came_of_each_document() {
    if survey().is_empty() {
        return;
    }
    let mut table =
        "document\tversion\tdeclared\tendpoints\toperations lost\tpath items lost\twarnings\n".to_owned();
    let (mut single, mut several, mut refused) = (Totals::default(), Totals::default(), 0);
    for document in survey() {
        write!(table, "{}\t{}\t", document.name, document.version).expect("a string");
        match &document.outcome {
            Outcome::Refused { code, .. } => {
                refused += 1;
                writeln!(table, "refused: {code}").expect("a string");
            }
            Outcome::Compiled(compiled) => {
                let totals = if document.files == 1 { &mut single } else { &mut several };
                totals.add(compiled);
                let columns = [
                    compiled.declared.len().to_string(),
                    compiled.endpoints.len().to_string(),
                    written(&lost(compiled)),
                    written(&places(compiled)),
                    written(&compiled.warnings),
                ];
                writeln!(table, "{}", columns.join("\t")).expect("a string");
            }
        }
    }
    table.push('\n');
    for (kind, totals) in [("one file", &single), ("several files", &several)] {
        writeln!(
            table,
            "{} documents of {kind}: {} declared, {} endpoints ({}.{} %); lost: {}",
            totals.documents,
            totals.declared,
            totals.endpoints,
            totals.per_mille() / 10,
            totals.per_mille() % 10,
            written(&totals.lost)
        )
        .expect("a string");
    }
    writeln!(table, "{refused} documents of versions that are refused").expect("a string");
    // Only what needs several files, or is not built yet, may be missing.
    assert!(single.per_mille() >= 950, "{} of 1000 declared operations are endpoints", single.per_mille());
    insta::assert_snapshot!(table);
}
