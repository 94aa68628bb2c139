//! What the operator sets, outside the code: files, environment, overlays.

mod file;
mod layers;
mod origin;
mod read;
pub(super) mod seconds;

pub use file::{CredentialVariables, HttpValues, SourceValues, Values};
pub use layers::{Layers, OverlayFile, Settings};
pub use origin::{Origin, Setting};
pub use read::read_file;
