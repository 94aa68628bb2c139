//! Which settings hold: those of files and of the environment.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Layers, Settings};

use crate::environment;

/// Where settings come from.
///
/// Nothing is read that is not named: a file that lies about in some folder must not open permissions.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingsArgs {
    /// The configuration file. Variables such as `SCHEMAROUTER_RETRY__MAX_ATTEMPTS` go over it.
    #[arg(long, value_name = "FILE", env = "SCHEMAROUTER_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// A file that says more of endpoints than their document does; may be repeated.
    #[arg(long = "overlay", value_name = "FILE")]
    pub(crate) overlays: Vec<PathBuf>,
}

impl SettingsArgs {
    /// The settings that hold.
    pub(crate) fn read(&self) -> Result<Settings, Error> {
        let mut layers = Layers::default().environment(environment::variables())?;
        if let Some(file) = &self.config {
            layers = layers.file(&file.display().to_string(), bytes(file)?)?;
        }
        for file in &self.overlays {
            layers = layers.overlay(&file.display().to_string(), bytes(file)?)?;
        }
        layers.resolve()
    }
}

fn bytes(file: &PathBuf) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Error::rejected(ErrorKind::InvalidSettings, message)
    })
}
