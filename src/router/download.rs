//! A reply that goes into a file while it comes.

use std::path::{Path, PathBuf};

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Footing;
use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt as _;

use super::outcome::Outcome;
use crate::executor::{ByteStream, stream_error};

/// A reply that went into a file.
#[derive(Debug)]
pub struct Download {
    /// How it came; its data is in the file.
    pub outcome: Outcome,
    /// The file.
    pub file: PathBuf,
    /// How long it is.
    pub bytes: u64,
}

/// What comes of the data is under this name until it is whole.
fn unfinished(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}

/// Puts the data of an outcome into a file: whole under its name, or what came of it beside it.
pub(super) async fn into_file(mut outcome: Outcome, on: Footing, file: &Path) -> Result<Download, Error> {
    let part = unfinished(file);
    let endpoint = outcome.endpoint.clone();
    let mut bytes = 0;
    let written = match outcome.data.take() {
        Ok(whole) => {
            fs::write(&part, &whole).await.map(|()| bytes = whole.len() as u64).map_err(Stopped::Disk)
        }
        Err(stream) => copy(stream, &part, &mut bytes).await,
    };
    let stopped = match written {
        Ok(()) => match fs::rename(&part, file).await {
            Ok(()) => return Ok(Download { outcome, file: file.to_owned(), bytes }),
            Err(error) => Stopped::Disk(error),
        },
        Err(stopped) => stopped,
    };
    let error = match stopped {
        Stopped::Reply(failure) => stream_error(failure, on),
        Stopped::Disk(error) => {
            let message = format!("the reply could not be written to `{}`: {error}", part.display());
            stream_error(crate::executor::Failure::non_retryable(message), on).with_phase(Phase::Reply)
        }
    };
    Err(error
        .with_endpoint(endpoint)
        .with_history(outcome.attempts, outcome.elapsed, outcome.spent)
        .with_detail("received_bytes", bytes.to_string())
        .with_detail("received_file", part.display().to_string()))
}

enum Stopped {
    Reply(crate::executor::Failure),
    Disk(std::io::Error),
}

async fn copy(mut stream: ByteStream, part: &Path, bytes: &mut u64) -> Result<(), Stopped> {
    let mut file = File::create(part).await.map_err(Stopped::Disk)?;
    while let Some(piece) = stream.next().await {
        let piece = match piece {
            Ok(piece) => piece,
            Err(failure) => {
                // What came before it is kept.
                file.flush().await.map_err(Stopped::Disk)?;
                return Err(Stopped::Reply(failure));
            }
        };
        file.write_all(&piece).await.map_err(Stopped::Disk)?;
        *bytes += piece.len() as u64;
    }
    // A name that is there means that the data is.
    file.sync_all().await.map_err(Stopped::Disk)
}

/// Refuses a file that could not be written, before anything is sent.
pub(super) fn writable(file: &Path) -> Result<(), Error> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if file.file_name().is_some() && folder.is_dir() && !file.is_dir() {
        return Ok(());
    }
    let message = format!("`{}` cannot be written: it is no file in a folder that is there", file.display());
    Err(Error::rejected(ErrorKind::InvalidArguments, message))
}
