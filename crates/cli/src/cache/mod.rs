//! Compiled documents in a folder, so that the next start with one of them is quick.

mod unchanged;

use std::fs::{DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use schemarouter::catalog::{DocumentDigest, Source};
use schemarouter::compile::{Compiled, Options};

use crate::print::Console;
use crate::replace::replace;

/// Where compiled documents are kept.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CacheArgs {
    /// A folder for compiled documents: one that has not changed since is not compiled again. Whoever can write there
    /// decides where requests go.
    #[arg(long, value_name = "DIR", env = "SCHEMAROUTER_CACHE")]
    cache: Option<PathBuf>,
}

impl CacheArgs {
    /// What is kept of a document. Anything that does not fit (another state of the document, other options, another
    /// version of this program, a damaged beginning) is as good as nothing: the document is compiled, and kept anew.
    /// Damage further on shows when that part is used, before anything is sent, and is told.
    pub(crate) fn kept(&self, document: &Path, options: &Options) -> Option<Source> {
        let file = self.file(document, options)?;
        let kept = File::open(&file).ok()?;
        let digest = unchanged::digest(document, &file.with_extension("note")).ok()?;
        Source::open(kept, &options.catalog_key(digest)).ok()
    }

    /// Keeps what was compiled. It is not needed for anything now, so a failure is told and no more.
    pub(crate) fn keep(
        &self,
        document: &Path,
        options: &Options,
        compiled: &Compiled,
        console: &mut Console,
    ) {
        let Some(file) = self.file(document, options) else { return };
        let kept = compiled.save().map_err(io::Error::other).and_then(|saved| {
            create(file.parent().unwrap_or(Path::new("")))?;
            replace(&file, &saved)
        });
        if let Err(error) = kept {
            console.talk(format_args!("`{}` is not written: {error}", file.display()));
        }
    }

    /// One file for each document, by where it is, and the options, so that a new state of a document takes the place
    /// of the old one.
    fn file(&self, document: &Path, options: &Options) -> Option<PathBuf> {
        let folder = self.cache.as_ref().filter(|folder| !folder.as_os_str().is_empty())?;
        let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let name: String =
            options.source.chars().map(|c| if is_plain(c) { c } else { '_' }).take(64).collect();
        let place = document.canonicalize().unwrap_or_else(|_| document.to_owned());
        let place = DocumentDigest::of(place.as_os_str().as_encoded_bytes()).ok()?.to_string();
        Some(folder.join(format!("{name}-{}-{}.jsonl", &place[..12], options.digest().short())))
    }
}

/// Creates the folder for its owner alone, where there is none.
fn create(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
