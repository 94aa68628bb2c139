//! What a saved catalog was made from.

use std::fmt;
use std::io;

use schemarouter_kernel::base::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What a saved catalog was made from: the bytes of a document, and everything else that the result depends on.
///
/// [`Options::catalog_key`](crate::compile::Options::catalog_key) makes it for a document that is not compiled,
/// [`Compiled::key`](crate::compile::Compiled::key) for one that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogKey {
    pub(super) document: DocumentDigest,
    /// The digest of the options, and of the version of the compiler.
    pub(super) options: Fingerprint,
}

impl CatalogKey {
    pub(crate) const fn new(document: DocumentDigest, options: Fingerprint) -> Self {
        Self { document, options }
    }
}

/// The SHA-256 digest of a document's bytes, as they stand in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct DocumentDigest(Fingerprint);

impl DocumentDigest {
    /// The digest of a document.
    ///
    /// # Errors
    /// Where it cannot be read.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::catalog::DocumentDigest;
    ///
    /// let digest = DocumentDigest::of("{}".as_bytes())?;
    /// assert!(digest.to_string().starts_with("44136fa355b3"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn of(mut document: impl io::Read) -> io::Result<Self> {
        // A buffer that stays in the processor's cache; a large document need not be in memory for this.
        let mut buffer = vec![0; 128 << 10];
        let mut digest = Sha256::new();
        loop {
            match document.read(&mut buffer) {
                Ok(0) => return Ok(Self(Fingerprint::from_bytes(digest.finalize().into()))),
                Ok(count) => digest.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn of_bytes(document: &[u8]) -> Self {
        Self(Fingerprint::from_bytes(Sha256::digest(document).into()))
    }
}

impl fmt::Display for DocumentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Tells damage: four bytes of a digest.
pub(super) fn check(bytes: &[u8]) -> u32 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}
