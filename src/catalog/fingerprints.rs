//! What an endpoint is, by content: what enters a fingerprint.

use schemarouter_kernel::base::fingerprint::Fingerprint;
use sha2::{Digest as _, Sha256};

/// The fingerprints of an endpoint, part by part, so that a change is told by what it changes.
///
/// They stand for what a document means, not for how it is written: the order of keys and operations, the names of
/// components and the spelling of numbers do not matter (rulings 16 and 18). The effect is policy and stays outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprints {
    /// What is sent: method, path, parameters, body.
    pub request: Fingerprint,
    /// What may be received: statuses, media types, headers, schemas.
    pub reply: Fingerprint,
    /// What is demanded as proof of identity.
    pub security: Fingerprint,
    /// Where requests go.
    pub destination: Fingerprint,
    /// What people and models read: summaries, descriptions, titles, examples, tags.
    pub prose: Fingerprint,
}

impl Fingerprints {
    /// The contract as one fingerprint: request, reply and security.
    ///
    /// The destination is left out, since the operator may choose a server, and prose, since it binds nobody.
    pub fn pin(&self) -> Fingerprint {
        let parts = [&self.request, &self.reply, &self.security].map(|part| part.as_bytes().as_slice());
        digest(Domain::Pin, parts)
    }
}

/// What a digest is of: digests of different things never meet, whatever their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    /// The canonical text of one object, references apart.
    Text,
    /// An object with the digests of what it refers to.
    Node,
    /// An object with what is known of its references before its group is known.
    Place,
    /// Objects that refer to each other.
    Group,
    /// One of them.
    Member,
    /// The same for prose, which has a graph of its own.
    Prose,
    /// The parts.
    Request,
    Reply,
    Security,
    Destination,
    Pin,
    /// What a compiled catalog depends on besides its document.
    Options,
}

impl Domain {
    /// The version is part of the name: a change of any rule is a new version, changes every fingerprint, and makes a new
    /// [version of locks](super::Lock::VERSION).
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "schemarouter/1/text\n",
            Self::Node => "schemarouter/1/node\n",
            Self::Place => "schemarouter/1/place\n",
            Self::Group => "schemarouter/1/group\n",
            Self::Member => "schemarouter/1/member\n",
            Self::Prose => "schemarouter/1/prose\n",
            Self::Request => "schemarouter/1/request\n",
            Self::Reply => "schemarouter/1/reply\n",
            Self::Security => "schemarouter/1/security\n",
            Self::Destination => "schemarouter/1/destination\n",
            Self::Pin => "schemarouter/1/pin\n",
            Self::Options => "schemarouter/1/options\n",
        }
    }
}

/// The digest of these bytes, one after another.
///
/// All of `parts` but one have a fixed length wherever this is used, so that no two lists run together to the same
/// bytes.
pub(crate) fn digest<'p>(domain: Domain, parts: impl IntoIterator<Item = &'p [u8]>) -> Fingerprint {
    let mut writing = Digesting::of(domain);
    parts.into_iter().for_each(|part| writing.part(part));
    writing.finish()
}

/// A digest that is written part by part.
#[derive(Debug)]
pub(crate) struct Digesting(Sha256);

impl Digesting {
    pub(crate) fn of(domain: Domain) -> Self {
        Self(Sha256::new_with_prefix(domain.name()))
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Fingerprint {
        Fingerprint::from_bytes(self.0.finalize().into())
    }
}
