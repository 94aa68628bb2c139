//! `invoke`: one call, from words to an outcome.

mod credentials;
mod flags;
mod interrupt;
mod pages;
mod prepare;
mod timeline;
mod values;

use std::io;
use std::sync::Arc;

use schemarouter::catalog::{Lock, Source};
use schemarouter::kernel::base::error::Error;
use schemarouter::router::{Outcome, Settings};

use crate::exit::Exit;
use crate::print::{Console, tell};
use crate::{failure, load, lock};
use interrupt::{Sent, interrupted};
use prepare::Prepared;

pub(crate) use flags::InvokeArgs;
pub(crate) use timeline::{Timeline, ending};

/// Carries out one call.
pub(crate) fn run(args: &InvokeArgs, console: &mut Console) -> Exit {
    let source = match load::source(&args.document, args.wants_json(), console) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let given = match Given::read(source, args) {
        Ok(given) => given,
        Err(error) => {
            failure::tell(&error, args.wants_json(), console);
            // A file that cannot be read is not a call that was refused (ruling 6).
            return Exit::Usage;
        }
    };
    let timeline = args.trace.then(|| Timeline::new(|line| tell(&mut io::stderr(), line)));
    match carry_out(given, args, timeline.clone(), console) {
        Done::Shown => Exit::Success,
        Done::Interrupted => Exit::Interrupted,
        Done::Listed(exit) => exit,
        Done::Outcome(outcome) => {
            if timeline.is_some() {
                console.talk(ending(Ok(&outcome)));
            }
            print_outcome(&outcome, args, console);
            Exit::Success
        }
        Done::Failed(error) => {
            if timeline.is_some() {
                console.talk(ending(Err(&error)));
            }
            failure::tell(&error, args.wants_json(), console)
        }
    }
}

/// What a call is made of, besides its words.
pub(crate) struct Given {
    source: Source,
    /// The object of arguments, as text.
    all: Option<String>,
    /// What the document has to be.
    lock: Option<Lock>,
    /// What files and the environment set.
    settings: Settings,
}

impl Given {
    /// A document alone.
    pub(crate) fn of(source: Source) -> Self {
        Self { source, all: None, lock: None, settings: Settings::default() }
    }

    fn read(source: Source, args: &InvokeArgs) -> Result<Self, Error> {
        let all = args.args.as_deref().map(values::text).transpose()?;
        // A lock may be of several documents; a call is about one.
        let lock = args.locked.as_deref().map(lock::read).transpose()?;
        let lock = lock.map(|lock| lock.only([source.info().name.as_str()]));
        let settings = args.settings.read()?;
        Ok(Self { source, all, lock, settings })
    }
}

/// What came of a call.
pub(crate) enum Done {
    /// It was a dry run; the request was printed.
    Shown,
    /// The user stopped it, and was told what may have been sent.
    Interrupted,
    /// It was a listing; its pages were printed, and why it failed if it did.
    Listed(Exit),
    /// It succeeded.
    Outcome(Box<Outcome>),
    /// It failed.
    Failed(Error),
}

/// Carries out a call on a compiled document; prints only what a dry run shows, pages as they come, and what an
/// interruption leaves.
pub(crate) fn carry_out(
    given: Given,
    args: &InvokeArgs,
    timeline: Option<Timeline>,
    console: &mut Console,
) -> Done {
    match try_carry_out(given, args, timeline, console) {
        Ok(done) => done,
        Err(error) => Done::Failed(error),
    }
}

fn try_carry_out(
    given: Given,
    args: &InvokeArgs,
    timeline: Option<Timeline>,
    console: &mut Console,
) -> Result<Done, Error> {
    let mut prepared = prepare::prepare(given, args)?;
    if args.dry_run {
        console.json(&prepared.router.dry_run(&prepared.request)?);
        return Ok(Done::Shown);
    }
    let sent = Sent::default();
    prepared.config = prepared.config.with_observer(sent.clone());
    if let Some(timeline) = timeline {
        prepared.config = prepared.config.with_observer(timeline);
    }
    let endpoint = Arc::clone(&prepared.endpoint);
    let done = if args.pages.is_listing() {
        pages::list(prepared, args, console)?
    } else {
        one(prepared, args)?.map(|outcome| Done::Outcome(Box::new(outcome)))
    };
    match done {
        Some(done) => Ok(done),
        None => {
            let error = interrupted(&endpoint, sent.maybe());
            if args.wants_json() {
                console.json(error.report());
            }
            console.talk(format_args!("interrupted: {}", error.message()));
            Ok(Done::Interrupted)
        }
    }
}

/// Makes one call; `None` where the user stopped it.
fn one(prepared: Prepared, args: &InvokeArgs) -> Result<Option<Outcome>, Error> {
    let Prepared { router, request, config, .. } = prepared;
    let call = async {
        match &args.output {
            Some(file) => router.download(request, &config, file).await.map(|download| download.outcome),
            None => router.ainvoke(request, &config).await,
        }
    };
    interrupt::unless_interrupted(call)?.transpose()
}

fn print_outcome(outcome: &Outcome, args: &InvokeArgs, console: &mut Console) {
    for warning in &outcome.warnings {
        console.talk(format_args!("warning: {warning}"));
    }
    for place in outcome.cut.iter().flat_map(|cut| &cut.places) {
        console.talk(format_args!("cut: {place}"));
    }
    if args.json {
        console.json(&outcome.report());
        return;
    }
    if let Some(file) = &args.output {
        console.talk(format_args!("done: the reply is in `{}`", file.display()));
        return;
    }
    if let Some(handle) = &outcome.next_page {
        console.talk(format_args!("there is more: --next-page {handle}, or --all-pages"));
    }
    match outcome.data.bytes() {
        Some(bytes) if !bytes.is_empty() => console.received(bytes),
        _ => console.talk(match outcome.status {
            Some(status) => format!("done: {status}, no data"),
            None => "done: no data".to_owned(),
        }),
    }
}
