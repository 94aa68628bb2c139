//! Files that others read while they are written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Puts a new file in the place of an old one, in one step.
pub(crate) fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = target.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    // In the same folder, since a file is not renamed from one file system to another.
    let beside = target.with_file_name(hidden);
    let done = File::create_new(&beside)
        .and_then(|mut new| new.write_all(bytes).and_then(|()| new.sync_all()))
        .and_then(|()| fs::rename(&beside, target));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}
