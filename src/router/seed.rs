//! Where names of runs, the randomness of waits and idempotency keys come from.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::rng::Jitter;
use sha2::{Digest as _, Sha256};

/// Gives every run a name and a seed, the same sequence for the same start, and every call its key.
#[derive(Debug)]
pub(super) struct Seeds {
    start: u64,
    /// What nobody can guess of keys.
    secret: [u8; 32],
    runs: AtomicU64,
    keys: AtomicU64,
}

impl Seeds {
    /// From this start, or from one that nobody else has.
    ///
    /// Keys of calls never depend on a start that was chosen: used again, it would make the other side take new calls
    /// for old ones.
    pub(super) fn new(start: Option<u64>) -> Result<Self, Error> {
        let (mut own, mut secret) = ([0; 8], [0; 32]);
        getrandom::fill(&mut own).and_then(|()| getrandom::fill(&mut secret)).map_err(|error| {
            Error::rejected(ErrorKind::Unclassified, format!("the system gives no randomness: {error}"))
        })?;
        let start = start.unwrap_or_else(|| u64::from_be_bytes(own));
        Ok(Self { start, secret, runs: AtomicU64::new(0), keys: AtomicU64::new(0) })
    }

    pub(super) fn next(&self) -> (RunId, u64) {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut source = Jitter::seeded(self.start.wrapping_add(run));
        (RunId(source.bits()), source.bits())
    }

    /// A new idempotency key: 128 bits, in hexadecimal.
    ///
    /// It depends on nothing of the call: two calls that look the same are two calls.
    pub(super) fn idempotency_key(&self) -> String {
        let number = self.keys.fetch_add(1, Ordering::Relaxed);
        let digest = Sha256::new()
            .chain_update("schemarouter/idempotency-key\n")
            .chain_update(self.secret)
            .chain_update(number.to_be_bytes())
            .finalize();
        digest[..16].iter().fold(String::with_capacity(32), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
