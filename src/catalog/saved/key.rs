//! What a saved catalog was made from.

use std::io;

use schemarouter_kernel::base::fingerprint::Fingerprint;
use sha2::{Digest as _, Sha256};

/// What a saved catalog was made from: the bytes of a document, and everything else that the result depends on.
///
/// [`Options::catalog_key`](crate::compile::Options::catalog_key) makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogKey {
    /// The digest of the document's bytes.
    pub document: Fingerprint,
    /// The digest of the options and of the version of this library.
    pub options: Fingerprint,
}

/// The SHA-256 digest of a document's bytes, as they stand in its file.
///
/// # Errors
/// Where they cannot be read.
///
/// # Examples
/// ```
/// use schemarouter::catalog::document_digest;
///
/// let digest = document_digest("{}".as_bytes())?;
/// assert_eq!(digest.short(), "44136fa355b3");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn document_digest(mut document: impl io::Read) -> io::Result<Fingerprint> {
    // A buffer that stays in the processor's cache; a large document need not be in memory for this.
    let mut buffer = vec![0; 128 << 10];
    let mut digest = Sha256::new();
    loop {
        match document.read(&mut buffer) {
            Ok(0) => return Ok(Fingerprint::from_bytes(digest.finalize().into())),
            Ok(count) => digest.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Tells damage: four bytes of a digest.
pub(super) fn check(bytes: &[u8]) -> u32 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}
