//! Where the bytes of a saved catalog are.

use std::fmt::Debug;
use std::fs::File;
use std::io;

/// Bytes that can be read anywhere, by many at a time.
///
/// They must not change while they are used: a file is replaced by another one, never written over.
pub trait Shelf: Send + Sync + Debug {
    /// How many bytes there are.
    ///
    /// # Errors
    /// Where that cannot be known.
    fn size(&self) -> io::Result<u64>;

    /// The bytes from `at` that fill the buffer.
    ///
    /// # Errors
    /// Where they cannot be read, or there are not so many.
    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl Shelf for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..)?.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl Shelf for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, at)
    }

    #[cfg(windows)]
    fn read(&self, mut at: u64, mut buffer: &mut [u8]) -> io::Result<()> {
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
