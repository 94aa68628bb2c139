//! The library against a folder of published API documents, which is no part of the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{cargo, root, run as execute};
use crate::report::{Outcome, Report};

/// Names the folder; the tests read it too.
pub(crate) const VARIABLE: &str = "SCHEMAROUTER_CORPUS";
/// Where the folder may stand beside the workspace.
const NEIGHBOUR: &str = "../shared/corpus";

pub(crate) fn run(report: &mut Report) {
    report.step("corpus", || match folder() {
        Ok(folder) => test(&folder),
        Err(outcome) => outcome,
    });
}

/// The folder, or what becomes of a step that needs it.
pub(crate) fn folder() -> Result<PathBuf, Outcome> {
    locate(std::env::var_os(VARIABLE), &root())
}

/// The folder as an absolute path. A folder that is named and not there is a mistake, not a reason to skip.
fn locate(named: Option<OsString>, root: &Path) -> Result<PathBuf, Outcome> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        let folder = root.join(named);
        return folder
            .canonicalize()
            .map_err(|error| Outcome::Failed(format!("{VARIABLE} names {}: {error}", folder.display())));
    }
    root.join(NEIGHBOUR).canonicalize().map_err(|_| {
        Outcome::Skipped(format!("needs a corpus: {VARIABLE} is not set and {NEIGHBOUR} is not there"))
    })
}

fn test(folder: &Path) -> Outcome {
    let corpus_tests = |arguments: &[&str]| -> Command {
        let mut command = cargo("test --locked -p schemarouter -p schemarouter-cli --test main --");
        command.args(arguments).arg("corpus::").env(VARIABLE, folder);
        command
    };
    match corpus_tests(&["--list"]).output() {
        Ok(output) if output.status.success() && count(&String::from_utf8_lossy(&output.stdout)) == 0 => {
            Outcome::Failed(format!("{} is there and no test reads it", folder.display()))
        }
        // A list that fails says why when the tests themselves are run.
        _ => execute(&mut corpus_tests(&["--nocapture"])),
    }
}

/// The number of tests in the answer of `--list`.
fn count(list: &str) -> usize {
    list.lines().filter(|line| line.ends_with(": test")).count()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, count, locate};
    use crate::process::root;

    #[test]
    fn a_named_folder_is_found_from_the_root_or_fails() {
        let source = root().join("xtask/src").canonicalize().expect("this file is in it");
        assert_eq!(locate(Some("xtask/src".into()), &root()), Ok(source.clone()));
        assert_eq!(locate(Some(source.clone().into()), &root()), Ok(source));
        assert!(matches!(locate(Some("no-such-folder".into()), &root()), Err(Outcome::Failed(_))));
    }

    #[test]
    fn without_a_name_or_neighbour_the_step_is_skipped() {
        let nowhere = root().join("xtask/src");
        for unnamed in [None, Some("".into())] {
            let Err(Outcome::Skipped(why)) = locate(unnamed, &nowhere) else {
                panic!("there is no corpus there")
            };
            assert!(why.starts_with("needs a corpus: "), "{why}");
        }
    }

    #[test]
    fn listed_tests_are_counted_and_other_lines_are_not() {
        assert_eq!(count("corpus::reads: test\ncorpus::speed: benchmark\n\n1 test, 1 benchmark\n"), 1);
        assert_eq!(count("0 tests, 0 benchmarks\n"), 0);
    }
}
