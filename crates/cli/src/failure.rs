//! How a failure is told: as a report on stdout for programs, in words on stderr for people.

use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::report::{Applied, ErrorReport, ReachedReport};

use crate::exit::Exit;
use crate::print::Console;

/// Tells an error and says with which code to leave.
pub(crate) fn tell(error: &Error, json: bool, console: &mut Console) -> Exit {
    let report = error.report();
    if json {
        console.json(report);
    }
    console.talk(format_args!("error: {}: {}", report.kind, report.message));
    if let Some(line) = answer(report) {
        console.talk(format_args!("  the server says: {line}"));
    }
    if let Some(sentence) = effect_sentence(report) {
        console.talk(format_args!("  {sentence}"));
    }
    if let Some(hint) = &report.hint {
        console.talk(format_args!("  hint: {hint}"));
    }
    Exit::of_error(error)
}

/// What the server says about the failure, in a line.
fn answer(report: &ErrorReport) -> Option<String> {
    const LONGEST: usize = 200;
    let problem =
        report.problem.as_ref().and_then(|problem| problem.detail.as_ref().or(problem.title.as_ref()));
    let line = problem.or(report.excerpt.as_ref())?.lines().find(|line| !line.trim().is_empty())?;
    Some(line.trim().chars().take(LONGEST).collect())
}

/// Whether the operation took effect, in a sentence; silent where the answer is plain.
fn effect_sentence(report: &ErrorReport) -> Option<&'static str> {
    let may_have = report.disposition == Disposition::Indeterminate || report.applied == Some(Applied::Maybe);
    match (report.applied, report.reached) {
        (Some(Applied::Yes), _) => Some("It took effect: the server answered with success."),
        _ if !may_have => None,
        (_, Some(ReachedReport::Answered)) => {
            Some("It may have taken effect: the server answered, and its answer does not tell.")
        }
        _ => Some("It may have taken effect: the request was sent, and no answer tells what became of it."),
    }
}
