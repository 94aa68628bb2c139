//! Bytes that can be read anywhere.

use std::fmt::Debug;
use std::io;

/// Bytes of a saved catalog, read anywhere and by many at a time.
///
/// They must not change while they are used: a file is replaced by another one, never written over. They are read when
/// something of them is first needed, within the function that needs it, asynchronous or not; so they should be near.
pub trait ReadAt: Send + Sync + Debug {
    /// How many bytes there are.
    ///
    /// # Errors
    /// Where that cannot be known.
    fn size(&self) -> io::Result<u64>;

    /// Fills the buffer with the bytes from `at` on.
    ///
    /// # Errors
    /// Where they cannot be read, or there are not so many.
    fn read_exact_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
}

macro_rules! in_memory {
    ($($bytes:ty),*) => {$(
        impl ReadAt for $bytes {
            fn size(&self) -> io::Result<u64> {
                Ok(self.len() as u64)
            }

            fn read_exact_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
                let from = usize::try_from(at).ok().and_then(|at| self.get(at..)?.get(..buffer.len()));
                buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    )*};
}

in_memory!(Vec<u8>, &'static [u8], std::sync::Arc<[u8]>, bytes::Bytes);

#[cfg(unix)]
impl ReadAt for std::fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, at)
    }
}

#[cfg(windows)]
impl ReadAt for std::fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, mut at: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => {
                    at += count as u64;
                    buffer = &mut buffer[count..];
                }
            }
        }
        Ok(())
    }
}
