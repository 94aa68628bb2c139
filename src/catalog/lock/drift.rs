//! How what is there differs from what was locked.

use std::fmt;

use schemarouter_kernel::base::fingerprint::Fingerprint;

use crate::catalog::Fingerprints;

/// One endpoint that is not as it was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// `source.operation`.
    pub key: String,
    /// What became of it.
    pub change: Change,
}

/// What became of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not locked.
    Added,
    /// It is not there any more, or its document was not compiled.
    Removed,
    /// These parts of it are others, in the order of [`Part::ALL`].
    Changed(Vec<Part>),
}

/// A part of an endpoint that has a fingerprint of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// What is sent.
    Request,
    /// What may be received.
    Reply,
    /// What is demanded as proof of identity.
    Security,
    /// Where requests go.
    Destination,
    /// What people and models read.
    Prose,
}

impl Part {
    /// All parts: the contract first, then what stands beside it.
    pub const ALL: [Self; 5] = [Self::Request, Self::Reply, Self::Security, Self::Destination, Self::Prose];

    /// The parts of the contract, which a pin is of.
    pub const CONTRACT: [Self; 3] = [Self::Request, Self::Reply, Self::Security];

    /// The stable word, as in the file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reply => "reply",
            Self::Security => "security",
            Self::Destination => "destination",
            Self::Prose => "prose",
        }
    }

    /// The fingerprint of this part.
    pub const fn of(self, fingerprints: &Fingerprints) -> Fingerprint {
        match self {
            Self::Request => fingerprints.request,
            Self::Reply => fingerprints.reply,
            Self::Security => fingerprints.security,
            Self::Destination => fingerprints.destination,
            Self::Prose => fingerprints.prose,
        }
    }

    /// The parts that differ; `None` if none does.
    pub(super) fn differing(before: &Fingerprints, now: &Fingerprints) -> Option<Vec<Self>> {
        let differ = |part: &Self| part.of(before) != part.of(now);
        Some(Self::ALL.into_iter().filter(differ).collect::<Vec<_>>()).filter(|parts| !parts.is_empty())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Change {
    /// The stable word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed(_) => "changed",
        }
    }

    /// The parts that are others; empty for what was added or removed.
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::Changed(parts) => parts,
            Self::Added | Self::Removed => &[],
        }
    }
}

impl Drift {
    /// All of it in one line, such as `3 endpoints differ from the lock: 1 added, 2 changed`.
    ///
    /// Where nothing but prose has changed it says so: calls are as before, and what models are told is not.
    pub fn summary(all: &[Self]) -> String {
        let counted = |word: &str| {
            let count = all.iter().filter(|drift| drift.change.word() == word).count();
            (count > 0).then(|| format!("{count} {word}"))
        };
        let endpoints = if all.len() == 1 { "endpoint differs" } else { "endpoints differ" };
        let counts: Vec<String> = ["added", "removed", "changed"].into_iter().filter_map(counted).collect();
        let only_prose = all.iter().all(|drift| drift.change.parts() == [Part::Prose]);
        match (all.len(), only_prose) {
            (0, _) => "nothing differs from the lock".to_owned(),
            (count, false) => format!("{count} {endpoints} from the lock: {}", counts.join(", ")),
            (count, true) => {
                format!("{count} {endpoints} from the lock, in prose only: what people and models read")
            }
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.change.word())?;
        for (at, part) in self.change.parts().iter().enumerate() {
            write!(f, "{}{part}", if at == 0 { ": " } else { ", " })?;
        }
        Ok(())
    }
}
