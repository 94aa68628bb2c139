//! From a file to a compiled document; what is wrong with it names file, line and column.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use schemarouter::catalog::{Source, source_name};
use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Compiled, Options, UndefinedStyles, compile};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;

use crate::cache::CacheArgs;
use crate::exit::Exit;
use crate::failure;
use crate::print::Console;

/// Which document.
#[derive(Debug, Clone, Args)]
pub(crate) struct DocumentArgs {
    /// The API document: OpenAPI in JSON or YAML.
    pub(crate) file: PathBuf,
    /// The source's name, the first part of every key; made from the file's name by default.
    #[arg(long, value_parser = name)]
    pub(crate) name: Option<String>,
    /// A value for a variable of the document's server URLs; may be repeated.
    #[arg(long = "server-variable", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) server_variables: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) styles: StyleArgs,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
}

/// How values are written whose wire form the specification leaves undefined.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct StyleArgs {
    /// What becomes of nested values whose wire form the specification leaves undefined.
    #[arg(long, value_name = "HOW", default_value = "refuse")]
    pub(crate) undefined_styles: Undefined,
}

/// What becomes of values whose wire form is undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Undefined {
    /// They are refused.
    #[default]
    Refuse,
    /// They are written as `a[b][c]=1` and `a[0][b]=1`.
    Brackets,
}

impl From<Undefined> for UndefinedStyles {
    fn from(undefined: Undefined) -> Self {
        match undefined {
            Undefined::Refuse => Self::Refuse,
            Undefined::Brackets => Self::Brackets,
        }
    }
}

impl DocumentArgs {
    /// The source's name.
    pub(crate) fn source(&self) -> String {
        self.name.clone().unwrap_or_else(|| name_of(&self.file))
    }

    fn options(&self) -> Result<Options, Error> {
        let mut options =
            Options::new(self.source()).with_undefined_styles(self.styles.undefined_styles.into());
        for (name, value) in &self.server_variables {
            if options.server_variables.insert(name.clone(), value.clone()).is_some() {
                let message = format!("server variable `{name}` is given twice");
                return Err(Error::rejected(ErrorKind::InvalidArguments, message).with_hint("give it once"));
            }
        }
        Ok(options)
    }
}

/// A source name: the first dot of a key separates, so it has none (ruling 20).
pub(crate) fn name(text: &str) -> Result<String, String> {
    match text {
        "" => Err("a source has a name".to_owned()),
        dotted if dotted.contains('.') => Err("a source's name has no dot".to_owned()),
        name => Ok(name.to_owned()),
    }
}

/// A server variable and its value; the value may be empty.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected is the name of a server variable, `=`, and its value".to_owned()),
    }
}

/// The document's endpoints, or the exit code after the reason was told.
pub(crate) fn source(args: &DocumentArgs, json: bool, console: &mut Console) -> Result<Source, Exit> {
    let source = args.options().and_then(|options| match args.cache.kept(&args.file, &options) {
        Some(kept) => Ok(kept),
        None => compiled(args, &options, console).map(Source::from),
    });
    source.map_err(|error| {
        failure::tell(&error, json, console);
        // Whatever the reason: it is the file that cannot be used (ruling 6).
        Exit::Usage
    })
}

/// The compiled document.
pub(crate) fn read(args: &DocumentArgs, console: &mut Console) -> Result<Compiled, Error> {
    compiled(args, &args.options()?, console)
}

/// The document of a file, under the name that the file gives it.
pub(crate) fn compiled_file(file: &Path) -> Result<Compiled, Error> {
    from_bytes(bytes(file)?, &Options::new(name_of(file)), &file.display().to_string())
}

fn bytes(file: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(file).map_err(|error| {
        Error::rejected(ErrorKind::CompileError, format!("`{}` cannot be read: {error}", file.display()))
    })
}

fn compiled(args: &DocumentArgs, options: &Options, console: &mut Console) -> Result<Compiled, Error> {
    let shown = args.file.display();
    let compiled = from_bytes(bytes(&args.file)?, options, &shown.to_string())?;
    args.cache.keep(&args.file, options, &compiled, console);
    Ok(compiled)
}

/// Compiles a document that is in memory; `shown` is what it is called in errors.
pub(crate) fn from_bytes(
    bytes: impl Into<Vec<u8>>,
    options: &Options,
    shown: &str,
) -> Result<Compiled, Error> {
    let document = Document::from_text(bytes, &Limits::default()).map_err(|refused| {
        let at = refused.position();
        let message = format!("{shown}:{}:{}: {}", at.line, at.column, refused.reason());
        Error::rejected(ErrorKind::CompileError, message).with_hint(refused.next_step())
    })?;
    compile(document, options).map_err(|refused| {
        let error = Error::rejected(refused.kind(), format!("{shown}: {}", refused.message()));
        match &refused.report().hint {
            Some(hint) => error.with_hint(hint.clone()),
            None => error,
        }
    })
}

fn name_of(file: &Path) -> String {
    source_name(&file.file_name().map(std::ffi::OsStr::to_string_lossy).unwrap_or_default())
}
