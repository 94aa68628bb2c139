//! The two programs that are measured: the command line, and the helper that holds what it is compared with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{cargo, program, run as execute};
use crate::report::Outcome;

/// Release builds, in the folder where cargo puts them.
pub(super) struct Programs {
    folder: PathBuf,
}

impl Programs {
    pub(super) fn build() -> Result<Self, Outcome> {
        // This program is `<target>/<profile>/xtask`, whatever names the target folder.
        let this = std::env::current_exe().map_err(|error| Outcome::Failed(error.to_string()))?;
        let target = this.ancestors().nth(2).unwrap_or(Path::new("target"));
        // One build of both, so that both stand on the same library.
        let mut build = cargo("build --release --locked -p schemarouter-cli -p schemarouter-bench");
        match execute(build.arg("--target-dir").arg(target)) {
            Outcome::Passed => Ok(Self { folder: target.join("release") }),
            failed => Err(failed),
        }
    }

    /// The command line with these words.
    pub(super) fn command_line(&self, words: &[&OsStr]) -> Command {
        let mut command = program(self.folder.join("schemarouter"));
        command.args(words);
        command
    }

    /// A folder for what the programs keep between runs.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.join("bench").join(name)
    }

    /// The helper, doing one thing to one thing.
    pub(super) fn helper(&self, what: &str, of: impl AsRef<OsStr>) -> Command {
        let mut command = program(self.folder.join("schemarouter-bench"));
        command.arg(what).arg(of);
        command
    }
}
