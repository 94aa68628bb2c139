//! Files that others read while they are written.

use std::io::{self, Write as _};
use std::path::Path;

/// Puts a new file in the place of an old one, in one step: all of it or nothing.
pub(crate) fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut options = tempfile::Builder::new();
    options.prefix(".schemarouter-");
    // As any other file that the user creates: what they may not share is not ours to decide.
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    options.permissions(permissions);
    // In the same folder, since a file is not renamed from one file system to another.
    let mut new = options.tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(target)?;
    Ok(())
}
