//! `compile`: what documents hold, what is wrong with them, and whether they are as they were locked.

mod report;

use std::collections::HashSet;
use std::path::Path;

use schemarouter::catalog::Drift;
use schemarouter::compile::Compiled;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;

use crate::args::CompileArgs;
use crate::exit::Exit;
use crate::failure;
use crate::load::{self, DocumentArgs};
use crate::lock;
use crate::print::Console;
use report::Remark;

pub(crate) use report::CompileReport;

/// What came of the documents.
struct Done {
    compiled: Vec<Compiled>,
    /// How they differ from the lock that was asked for.
    drift: Option<Vec<Drift>>,
    /// Whether something was found that had to be absent.
    findings: bool,
}

/// Compiles documents and tells what came of it.
pub(crate) fn run(args: &CompileArgs, console: &mut Console) -> Exit {
    let done = match compile(args, console) {
        Ok(done) => done,
        Err(error) => {
            failure::tell(&error, args.json, console);
            // Whatever the reason: it is the command line or a file that cannot be used (ruling 6).
            return Exit::Usage;
        }
    };
    let report = CompileReport::of(&done);
    if args.json {
        console.json(&report);
    } else {
        tell(&report, args, console);
        if let (Some(drift), Some(file)) = (&done.drift, &args.locked) {
            tell_drift(drift, file, console);
        }
    }
    let exit = if done.findings { Exit::Findings } else { Exit::Success };
    // The process is about to end, and the system takes memory back faster than a large document is taken apart.
    std::mem::forget(done);
    exit
}

fn compile(args: &CompileArgs, console: &mut Console) -> Result<Done, Error> {
    let compiled = documents(args)?
        .iter()
        .map(|document| load::read(document, console))
        .collect::<Result<Vec<_>, Error>>()?;
    let kept = args.locked.as_deref().map(lock::read).transpose()?;
    let drift = kept.map(|kept| kept.compare(&lock::of(&compiled)));
    let remarks = compiled.iter().any(|compiled| !compiled.diagnostics.is_empty());
    let findings = args.strict && remarks || drift.as_ref().is_some_and(|drift| !drift.is_empty());
    match &args.lock {
        // What is not accepted is not locked.
        Some(file) if findings => {
            console.talk(format_args!("`{}` is not written: `--strict` has found something", file.display()));
        }
        Some(file) => {
            let (before, current) = (lock::read(file).ok(), lock::of(&compiled));
            lock::write(file, &current, &args.files)?;
            console.talk(format_args!("`{}` is written", file.display()));
            for drift in before.iter().flat_map(|before| before.compare(&current)) {
                console.talk(format_args!("  {drift}"));
            }
        }
        None => {}
    }
    Ok(Done { compiled, drift, findings })
}

/// The documents, each with the name of its source.
fn documents(args: &CompileArgs) -> Result<Vec<DocumentArgs>, Error> {
    let invalid = |message: String, hint: &str| {
        Err(Error::rejected(ErrorKind::InvalidArguments, message).with_hint(hint))
    };
    if !args.names.is_empty() && args.names.len() != args.files.len() {
        let message = format!("{} names are given for {} documents", args.names.len(), args.files.len());
        return invalid(message, "give `--name` once for each document, in their order, or not at all");
    }
    let names = args.names.iter().map(Some).chain(std::iter::repeat(None));
    let mut documents: Vec<DocumentArgs> = args
        .files
        .iter()
        .zip(names)
        .map(|(file, name)| DocumentArgs {
            file: file.clone(),
            name: name.cloned(),
            server_variables: Vec::new(),
            styles: args.styles,
            cache: args.cache.clone(),
        })
        .collect();
    give_variables(&mut documents, &args.server_variables);
    let mut seen = HashSet::new();
    match documents.iter().map(DocumentArgs::source).find(|name| !seen.insert(name.clone())) {
        Some(name) => invalid(
            format!("several documents have the source name `{name}`"),
            "give `--name` once for each document, in their order",
        ),
        None => Ok(documents),
    }
}

/// Gives each document its server variables: `source.name` to that source, any other name to all.
fn give_variables(documents: &mut [DocumentArgs], given: &[(String, String)]) {
    let sources: Vec<String> = documents.iter().map(DocumentArgs::source).collect();
    for (name, value) in given {
        let (owner, name) = match name.split_once('.') {
            Some((source, name)) if sources.iter().any(|known| known == source) => (Some(source), name),
            _ => (None, name.as_str()),
        };
        for (document, source) in documents.iter_mut().zip(&sources) {
            if owner.is_none_or(|owner| owner == source) {
                document.server_variables.push((name.to_owned(), value.clone()));
            }
        }
    }
}

fn tell(report: &CompileReport<'_>, args: &CompileArgs, console: &mut Console) {
    for source in &report.sources {
        console.data(source.line(report.remarks(source).count()));
    }
    for (source, file) in report.sources.iter().zip(&args.files) {
        for remark in report.remarks(source) {
            let Remark { severity, code, line, column, message, operation, .. } = remark;
            let about = operation.map_or(String::new(), |operation| format!("{operation}: "));
            let place = format!("{}:{line}:{column}", file.display());
            console.data(format_args!("{place}: {severity}: {code}: {about}{message}"));
        }
    }
}

fn tell_drift(drift: &[Drift], lock: &Path, console: &mut Console) {
    console.data(format_args!("{}: {}", lock.display(), Drift::summary(drift)));
    for drift in drift {
        console.data(format_args!("  {drift}"));
    }
    if !drift.is_empty() {
        console
            .talk("hint: review what has changed in the documents, then write the lock anew with `--lock`");
    }
}
