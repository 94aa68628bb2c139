//! The lock as a file.

use std::fs;
use std::path::{Path, PathBuf};

use schemarouter::catalog::{Drift, Lock, LockError, Part};
use schemarouter::compile::Compiled;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::replace::replace;

/// The file, where none is named.
pub(crate) const FILE: &str = "schemarouter.lock";

/// An endpoint that is not as it was locked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DriftReport {
    /// `source.operation`.
    key: String,
    /// What became of it.
    #[schemars(extend("enum" = ["added", "removed", "changed"]))]
    change: &'static str,
    /// The parts that are others, where it is `changed`.
    #[schemars(extend("items" = {"enum": ["request", "reply", "security", "destination", "prose"]}))]
    parts: Vec<&'static str>,
}

impl DriftReport {
    pub(crate) fn of(drift: &Drift) -> Self {
        let parts = drift.change.parts().iter().map(|part: &Part| part.word()).collect();
        Self { key: drift.key.clone(), change: drift.change.word(), parts }
    }
}

/// The lock of compiled documents.
pub(crate) fn of(compiled: &[Compiled]) -> Lock {
    Lock::of(compiled.iter().map(|compiled| (&compiled.info, compiled.endpoints.as_slice())))
}

/// Reads a lock file.
pub(crate) fn read(file: &Path) -> Result<Lock, Error> {
    let text = fs::read_to_string(file).map_err(|error| {
        unusable(format!("the lock `{}` cannot be read: {error}", file.display()))
            .with_hint("`compile ... --lock` writes one")
    })?;
    Lock::from_json(&text).map_err(|refused| told(file, &refused))
}

/// An error names the file, then line and column, or the member.
fn told(file: &Path, refused: &LockError) -> Error {
    let at = refused.position().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    let field = refused.field().map_or(String::new(), |field| format!("`{field}`: "));
    let message = format!("{}{at}: {field}{}", file.display(), refused.message());
    unusable(message).with_hint(refused.next_step())
}

/// Writes a lock file: all of it or nothing, so that whoever reads it finds a whole one.
pub(crate) fn write(file: &Path, lock: &Lock, documents: &[PathBuf]) -> Result<(), Error> {
    let refuse = |rule: String| unusable(format!("the lock `{}` {rule}", file.display()));
    // The file itself, where the name is a link to it.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if documents.iter().any(|document| fs::canonicalize(document).is_ok_and(|document| document == target)) {
        return Err(refuse("would take the place of a document".to_owned()).with_hint("name another file"));
    }
    replace(&target, lock.to_json().as_bytes()).map_err(|error| refuse(format!("cannot be written: {error}")))
}

fn unusable(message: String) -> Error {
    Error::rejected(ErrorKind::CompileError, message)
}
