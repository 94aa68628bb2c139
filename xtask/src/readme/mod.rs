//! The README's commands are run as they stand, so that it cannot promise what is not so.
//!
//! Each command runs in a shell of its own from the root of the workspace. Its output is shown where it fails.

mod extract;

use std::fs;

use crate::parts;
use crate::process::{program, root};
use crate::report::{Outcome, Report};

const FILE: &str = "README.md";

/// Commands that would start this run again.
const COVERED: &[&str] = &["cargo xtask test", "bash .ci/run", ".ci/run", "./.ci/run"];

pub(crate) fn run(report: &mut Report) {
    let path = root().join(FILE);
    if !path.is_file() {
        return report.step(FILE, || Outcome::Skipped(format!("there is no {FILE}")));
    }
    match fs::read_to_string(path) {
        Err(error) => report.step(FILE, || Outcome::Failed(error.to_string())),
        Ok(markdown) => {
            for command in extract::commands(&markdown) {
                let text = command.text.lines().next().unwrap_or_default();
                report.step(format!("{FILE}:{} {text}", command.line), || check(&command));
            }
        }
    }
}

fn check(command: &extract::Command) -> Outcome {
    if let Some(reason) = &command.not_run {
        return Outcome::Skipped(format!("not run: {reason}"));
    }
    if COVERED.iter().any(|covered| starts_with_words(&command.text, covered)) {
        return Outcome::Skipped("covered by this run".to_owned());
    }
    match first_program(&command.text) {
        Some(program) if !parts::is_on_path(program) => parts::missing(program),
        _ => execute(&command.text),
    }
}

fn starts_with_words(command: &str, words: &str) -> bool {
    command.strip_prefix(words).is_some_and(|tail| tail.is_empty() || tail.starts_with(char::is_whitespace))
}

/// The program that a command starts, after any `NAME=value`; none where the shell has to work it out.
fn first_program(command: &str) -> Option<&str> {
    let word = command.split_whitespace().find(|word| !word.contains('='))?;
    word.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c)).then_some(word)
}

/// Runs a command with both of its outputs in one, in order.
fn execute(command: &str) -> Outcome {
    let script = format!("exec 2>&1\n{command}");
    match program("bash").args(["-o", "pipefail", "-c", &script]).output() {
        Ok(output) if output.status.success() => Outcome::Passed,
        Ok(output) => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            Outcome::Failed(output.status.to_string())
        }
        Err(error) => Outcome::Failed(format!("cannot start bash: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::extract::Command;
    use super::{Outcome, check, first_program};

    fn outcome(text: &str) -> Outcome {
        check(&Command { line: 1, text: text.to_owned(), not_run: None })
    }

    #[test]
    fn a_command_passes_or_fails_by_its_status() {
        assert_eq!(outcome("test -f Cargo.lock && A=b \\\ntrue"), Outcome::Passed);
        assert_eq!(outcome("(exit 12)"), Outcome::Failed("exit status: 12".to_owned()));
        assert_eq!(outcome("false | true"), Outcome::Failed("exit status: 1".to_owned()));
    }

    #[test]
    fn this_run_is_not_started_again() {
        for command in ["cargo xtask test", "bash .ci/run", "bash .ci/run | tee log"] {
            assert_eq!(outcome(command), Outcome::Skipped("covered by this run".to_owned()), "{command}");
        }
        assert!(!super::starts_with_words("cargo xtask tests", "cargo xtask test"));
    }

    #[test]
    fn what_the_author_keeps_back_is_skipped_with_the_reason() {
        let command =
            Command { line: 1, text: "false".to_owned(), not_run: Some("needs a server".to_owned()) };
        assert_eq!(check(&command), Outcome::Skipped("not run: needs a server".to_owned()));
    }

    #[test]
    fn a_program_that_is_not_there_is_a_missing_part() {
        assert_eq!(
            outcome("schemarouter-no-such-program --x"),
            crate::parts::missing("schemarouter-no-such-program")
        );
        for (command, program) in [
            ("cargo run -- x", Some("cargo")),
            ("A=b C=d curl x=y", Some("curl")),
            ("./a/b-c_d.sh", Some("./a/b-c_d.sh")),
            ("(exit 1)", None),
            ("A=b", None),
        ] {
            assert_eq!(first_program(command), program, "{command}");
        }
    }
}
