//! The digest of a document without reading it, where it cannot have changed.
//!
//! Reading and digesting a large document takes longer than everything else at a start from a saved catalog. As git
//! does for its index, we take a file for unchanged that has the same identity, size and times, the time of the last
//! change of its state among them, which no program can set. A change within the clock's resolution might not show
//! there, so times that were young when they were noted do not count.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use schemarouter::catalog::document_digest;
use schemarouter::kernel::base::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::replace::replace;

/// From this age on, in seconds, a change has another time: longer than the resolution of any file system in use.
const SETTLED: i64 = 2;

/// The digest that a document had, and what the file system said of it then.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    document: Fingerprint,
    stamp: Stamp,
}

/// What the file system says of a file that is another one after every change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// The same, of the last change to the file or its state.
    changed: (i64, i64),
}

/// The digest of the document, which is read unless the note says that it is the same as then; the note is renewed.
pub(super) fn digest(document: &Path, note: &Path) -> io::Result<Fingerprint> {
    // Before it is read: a change in between makes the stamp another one at the next start.
    let stamp = Stamp::of(&fs::metadata(document)?);
    if let Some(known) = stamp.and_then(|stamp| noted(note, stamp)) {
        return Ok(known);
    }
    let digest = document_digest(File::open(document)?)?;
    if let Some(stamp) = stamp {
        let text = serde_json::to_string(&Note { document: digest, stamp })?;
        // Without a note the next start reads the document again, and is right all the same.
        let _ = replace(note, text.as_bytes());
    }
    Ok(digest)
}

/// The digest that was noted for this stamp, if the stamp was settled by then.
fn noted(note: &Path, stamp: Stamp) -> Option<Fingerprint> {
    let written = Stamp::of(&fs::metadata(note).ok()?)?;
    let Note { document, stamp: then } = serde_json::from_slice(&fs::read(note).ok()?).ok()?;
    (then == stamp && written.changed.0 - stamp.changed.0 >= SETTLED).then_some(document)
}

impl Stamp {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// The time of the last change cannot be had everywhere; without it the document is read at every start.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const NOTHING: [u8; 32] = [0; 32];

    /// A document with a note that tells another digest than it has, so that it shows which was taken.
    fn noted_as_nothing(folder: &Path, stamp: impl Fn(Stamp) -> Stamp) -> Fingerprint {
        let (document, note) = (folder.join("document"), folder.join("note"));
        fs::write(&document, "{}").expect("it can be written");
        let now = Stamp::of(&fs::metadata(&document).expect("it is there")).expect("a stamp");
        let text =
            serde_json::to_string(&Note { document: Fingerprint::from_bytes(NOTHING), stamp: stamp(now) });
        fs::write(&note, text.expect("JSON")).expect("it can be written");
        digest(&document, &note).expect("it can be read")
    }

    #[test]
    fn a_note_that_is_young_or_of_another_stamp_is_not_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = document_digest("{}".as_bytes()).expect("it is in memory");
        // Written in the same moment as the document.
        assert_eq!(noted_as_nothing(folder.path(), |stamp| stamp), real);
        for other in [
            |stamp: Stamp| Stamp { size: stamp.size + 1, ..stamp },
            |stamp: Stamp| Stamp { inode: stamp.inode + 1, ..stamp },
            |stamp: Stamp| Stamp { changed: (stamp.changed.0 - 9, stamp.changed.1), ..stamp },
        ] {
            assert_eq!(noted_as_nothing(folder.path(), other), real);
        }
    }

    #[test]
    fn a_settled_note_is_taken_and_a_missing_one_is_written() {
        // The manifest was not changed a moment ago: it was, at the latest, when this test was compiled.
        let document = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let folder = tempfile::tempdir().expect("a folder");
        let note = folder.path().join("note");
        let real = digest(document, &note).expect("it can be read");
        let stamp = Stamp::of(&fs::metadata(document).expect("it is there")).expect("a stamp");
        assert_eq!(noted(&note, stamp), Some(real));
        let text = fs::read_to_string(&note).expect("it was written");
        fs::write(&note, text.replace(&real.to_string(), &"0".repeat(64))).expect("it can be written");
        assert_eq!(digest(document, &note).expect("it can be had"), Fingerprint::from_bytes(NOTHING));
    }
}
