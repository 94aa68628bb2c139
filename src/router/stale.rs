//! Calls that were planned against another contract, and what has changed since.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::fingerprint::Fingerprint;
use schemarouter_kernel::base::kind::ErrorKind;

use super::sources::{Before, Sources};
use crate::catalog::{ContractChange, Endpoint, Fingerprints, Judgement, Part, compare};

/// How many changes an error tells.
const MOST_TOLD: usize = 20;

/// Refuses a call that was planned against another contract: arguments that fit it would mean something else.
pub(super) fn pinned(endpoint: &Endpoint, pin: Option<Fingerprint>, sources: &Sources) -> Result<(), Error> {
    let Some(pin) = pin else { return Ok(()) };
    let current = endpoint.fingerprints.pin();
    if pin == current {
        return Ok(());
    }
    // A pin of another endpoint is no earlier contract of this one.
    let before = sources.retired(pin).filter(|before| match before {
        Before::Whole(before) => before.key == endpoint.key,
        Before::Parts(_) => true,
    });
    let changes = match &before {
        Some(Before::Whole(before)) => compare(before, endpoint),
        _ => Vec::new(),
    };
    let parts = before.as_ref().map(|before| match before {
        Before::Whole(before) => differing(&before.fingerprints, endpoint),
        Before::Parts(before) => differing(before, endpoint),
    });
    let what = match &parts {
        Some(parts) => format!("its {parts}"),
        None => "the request, replies or security".to_owned(),
    };
    let message = format!(
        "the contract of `{}` has changed: {what}, pinned as {} and {} now",
        endpoint.key,
        pin.short(),
        current.short()
    );
    let mut error = Error::rejected(ErrorKind::StaleFingerprint, message)
        .with_hint(next_step(&changes))
        .with_detail("pinned", pin.to_string())
        .with_detail("current", current.to_string());
    if let Some(parts) = parts {
        error = error.with_detail("changed", parts);
    }
    Err(told(error, &changes))
}

fn differing(before: &Fingerprints, endpoint: &Endpoint) -> String {
    let differ = |part: &&Part| part.of(before) != part.of(&endpoint.fingerprints);
    Part::CONTRACT.iter().filter(differ).map(|part| part.word()).collect::<Vec<_>>().join(", ")
}

/// What to do depends on what the changes mean.
fn next_step(changes: &[ContractChange]) -> &'static str {
    let is_compatible = |change: &ContractChange| change.judgement == Judgement::Compatible;
    if !changes.is_empty() && changes.iter().all(is_compatible) {
        return "every change that is told is compatible, and header fields and discriminators are not compared; describe \
                the endpoint, then pin that";
    }
    "describe the endpoint to see its contract, then pin that"
}

/// The changes in the details of an error, those that break something first.
fn told(error: Error, changes: &[ContractChange]) -> Error {
    if changes.is_empty() {
        return error;
    }
    let count = |judgement| changes.iter().filter(|change| change.judgement == judgement).count();
    let counts = [Judgement::Breaking, Judgement::Undecided, Judgement::Compatible]
        .map(|judgement| (count(judgement), judgement.word()));
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let error = error.with_detail("changes", counts.collect::<Vec<_>>().join(", "));
    let mut sorted: Vec<&ContractChange> = changes.iter().collect();
    sorted.sort_by_key(|change| change.judgement);
    (1..).zip(sorted.into_iter().take(MOST_TOLD)).fold(error, |error, (number, change): (u32, _)| {
        error.with_detail(&format!("change {number:02}"), change.to_string())
    })
}
