//! The digest of a document without reading it, where it cannot have changed.
//!
//! Reading and digesting a large document takes longer than everything else at a start from a saved catalog. As git
//! does for its index, we take a file for unchanged that has the same identity, size and times, the time of the last
//! change of its state among them, which programs cannot set. A change within the resolution of the clock might not
//! show there, so a file is only noted when its last change is old enough by the clock of its own file system.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use schemarouter::catalog::DocumentDigest;
use serde::{Deserialize, Serialize};

use crate::replace::replace;

/// From this age on, in seconds, a later change has another time; clocks of file systems tick in two seconds at most.
const SETTLED: i64 = 4;

/// The digest that a document had, and what the file system said of it then.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    document: DocumentDigest,
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
pub(super) fn digest(document: &Path, note: &Path) -> io::Result<DocumentDigest> {
    // The name may lead to another file a moment later, so everything is asked of this one.
    let file = File::open(document)?;
    let stamp = Stamp::of(&file.metadata()?);
    if let Some(known) = stamp.and_then(|stamp| noted(note, stamp)) {
        return Ok(known);
    }
    // The time before the document is read, by the clock of the folder of notes.
    let before =
        note.parent().and_then(|folder| Stamp::of(&tempfile::tempfile_in(folder).ok()?.metadata().ok()?));
    let digest = DocumentDigest::of(&file)?;
    let after = Stamp::of(&file.metadata()?);
    if let (Some(stamp), Some(before), Some(after)) = (stamp, before, after)
        && is_settled(stamp, before, after)
    {
        let text = serde_json::to_string(&Note { document: digest, stamp })?;
        // Without a note the next start reads the document again, and is right all the same.
        let _ = replace(note, text.as_bytes());
    }
    Ok(digest)
}

/// Whether a file of this stamp can be noted: the same after it was read as it was before, of an age, and on the file
/// system whose clock tells that age.
const fn is_settled(stamp: Stamp, before: Stamp, after: Stamp) -> bool {
    stamp.is(after) && stamp.device == before.device && before.changed.0 - stamp.changed.0 >= SETTLED
}

fn noted(note: &Path, stamp: Stamp) -> Option<DocumentDigest> {
    let Note { document, stamp: then } = serde_json::from_slice(&fs::read(note).ok()?).ok()?;
    stamp.is(then).then_some(document)
}

impl Stamp {
    const fn is(self, other: Self) -> bool {
        let same_times = self.modified.0 == other.modified.0
            && self.modified.1 == other.modified.1
            && self.changed.0 == other.changed.0
            && self.changed.1 == other.changed.1;
        same_times && self.device == other.device && self.inode == other.inode && self.size == other.size
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp { device: 1, inode: 2, size: 3, modified: (100, 5), changed: (200, 7) };

    /// `STAMP` with one thing another.
    fn others() -> [Stamp; 7] {
        [
            Stamp { device: 9, ..STAMP },
            Stamp { inode: 9, ..STAMP },
            Stamp { size: 9, ..STAMP },
            Stamp { modified: (101, 5), ..STAMP },
            Stamp { modified: (100, 6), ..STAMP },
            Stamp { changed: (201, 7), ..STAMP },
            Stamp { changed: (200, 8), ..STAMP },
        ]
    }

    #[test]
    fn a_file_is_the_same_where_everything_about_it_is() {
        assert!(STAMP.is(STAMP));
        assert!(others().iter().all(|other| !STAMP.is(*other) && !other.is(STAMP)));
    }

    #[test]
    fn only_what_is_old_and_was_not_changed_while_it_was_read_is_noted() {
        let at = |seconds| Stamp { inode: 77, changed: (seconds, 0), ..STAMP };
        assert!(is_settled(STAMP, at(204), STAMP));
        assert!(!is_settled(STAMP, at(203), STAMP), "a change in the same tick would not show");
        assert!(!is_settled(STAMP, at(190), STAMP), "its time is to come");
        assert!(!is_settled(STAMP, Stamp { device: 9, ..at(900) }, STAMP), "by another clock");
        assert!(
            others().iter().all(|after| !is_settled(STAMP, at(900), *after)),
            "changed while it was read"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_note_is_taken_for_its_file_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (document, note) = (folder.path().join("document"), folder.path().join("note"));
        let real = |text: &str| DocumentDigest::of(text.as_bytes()).expect("it is in memory");
        let write_note = || {
            let stamp = Stamp::of(&fs::metadata(&document).expect("it is there")).expect("a stamp");
            let text = serde_json::to_string(&Note { document: real("noted"), stamp }).expect("JSON");
            fs::write(&note, text).expect("it can be written");
        };
        fs::write(&document, "one").expect("it can be written");
        assert_eq!(digest(&document, &note).expect("it can be read"), real("one"));
        write_note();
        assert_eq!(digest(&document, &note).expect("it can be had"), real("noted"));
        // Another file of the same name, as editors and `mv` leave it.
        fs::write(folder.path().join("new"), "two").expect("it can be written");
        fs::rename(folder.path().join("new"), &document).expect("they are beside each other");
        assert_eq!(digest(&document, &note).expect("it can be read"), real("two"));
        // A link that leads elsewhere and back again.
        write_note();
        let (link, other) = (folder.path().join("link"), folder.path().join("other"));
        fs::write(&other, "other").expect("it can be written");
        std::os::unix::fs::symlink(&other, &link).expect("links can be made");
        assert_eq!(digest(&link, &note).expect("it can be read"), real("other"));
        // Where the machine has stood still for seconds, the other file is noted by now.
        write_note();
        fs::remove_file(&link).expect("it is there");
        std::os::unix::fs::symlink(&document, &link).expect("links can be made");
        assert_eq!(digest(&link, &note).expect("it can be had"), real("noted"));
    }
}
