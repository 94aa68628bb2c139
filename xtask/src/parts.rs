//! Parts: programs from outside that some step works with. Where one is missing the step is skipped, or fails
//! where parts are required.

use std::env;

use crate::process;
use crate::report::{Outcome, Report};

/// Set to `1` where every part has to be there, so that nothing is skipped unseen.
pub(crate) const REQUIRE: &str = "SCHEMAROUTER_REQUIRE_PARTS";

/// A program that tests start for themselves.
struct Part {
    /// The program as found on `PATH`.
    program: &'static str,
    /// The tests that say `skipped` without it.
    needed_by: &'static str,
}

/// The parts of today's tests.
const PARTS: &[Part] = &[];

/// Adds a step for each missing part: tests pass without their part, so only this tells that they proved nothing.
pub(crate) fn run(report: &mut Report) {
    for part in PARTS.iter().filter(|part| !is_on_path(part.program)) {
        report.step(part.needed_by, || missing(part.program));
    }
}

/// What becomes of a step whose program is not there.
pub(crate) fn missing(program: &str) -> Outcome {
    judge(program, env::var(REQUIRE).is_ok_and(|value| value == "1"))
}

fn judge(program: &str, required: bool) -> Outcome {
    if required {
        Outcome::Failed(format!("needs {program}, and {REQUIRE}=1"))
    } else {
        Outcome::Skipped(format!("needs {program}"))
    }
}

/// True for what the shell can start under this name, its own commands included.
pub(crate) fn is_on_path(program: &str) -> bool {
    let probe = ["-c", "command -v -- \"$1\" >/dev/null", "probe", program];
    process::run(process::program("bash").args(probe)) == Outcome::Passed
}

#[cfg(test)]
mod tests {
    use super::{Outcome, is_on_path, judge};

    #[test]
    fn a_missing_part_is_a_skip_or_a_failure() {
        assert_eq!(judge("jq", false), Outcome::Skipped("needs jq".to_owned()));
        assert_eq!(
            judge("jq", true),
            Outcome::Failed("needs jq, and SCHEMAROUTER_REQUIRE_PARTS=1".to_owned())
        );
    }

    #[test]
    fn programs_and_shell_commands_are_found() {
        assert!(is_on_path("bash") && is_on_path("cd"));
        assert!(!is_on_path("schemarouter-no-such-program") && !is_on_path("-v"));
    }
}
