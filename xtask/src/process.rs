//! Starting cargo and other programs from the root of the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::report::Outcome;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").components().collect()
}

/// A program that starts in the root of the workspace, as if from the user's shell.
pub(crate) fn program(name: impl Into<OsString>) -> Command {
    let mut command = Command::new(name.into());
    command.current_dir(root()).stdin(Stdio::null());
    // `cargo run` describes this package in its environment. Build scripts watch some of these variables, so a cargo
    // started with them would build dependencies again that the user's own cargo has built, and the reverse.
    for (name, _) in std::env::vars_os().filter(|(name, _)| describes_package(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

/// The cargo that runs this program, with arguments that white space separates.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    command
}

fn describes_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| variable.starts_with(prefix))
}

/// Runs a command whose output goes straight to the terminal.
pub(crate) fn run(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(status.to_string()),
        Err(error) => {
            Outcome::Failed(format!("cannot start {}: {error}", command.get_program().to_string_lossy()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, program, root, run};

    #[test]
    fn the_root_holds_the_workspace_and_this_package() {
        assert!(root().join("Cargo.lock").is_file() && root().join("xtask").is_dir());
    }

    #[test]
    fn a_command_fails_with_its_status_or_with_why_it_did_not_start() {
        assert_eq!(run(program("bash").args(["-c", "true"])), Outcome::Passed);
        assert_eq!(run(program("bash").args(["-c", "exit 3"])), Outcome::Failed("exit status: 3".to_owned()));
        let Outcome::Failed(why) = run(&mut program("schemarouter-no-such-program")) else {
            panic!("a program that does not exist cannot pass");
        };
        assert!(why.starts_with("cannot start schemarouter-no-such-program: "), "{why}");
    }

    #[test]
    fn children_do_not_see_this_package() {
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some(), "cargo test describes the package");
        assert_eq!(
            run(program("bash").args(["-c", "test -z \"${CARGO_PKG_NAME-}${CARGO_MANIFEST_DIR-}\""])),
            Outcome::Passed
        );
    }
}
