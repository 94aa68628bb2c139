//! A call as a line per attempt and wait, told while it happens.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemarouter::executor::{Event, Observer};
use schemarouter::kernel::base::disposition::Reached;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::report::AttemptReport;
use schemarouter::kernel::kernel::{GiveUp, WaitPlan, WaitReason};
use schemarouter::router::Outcome;

/// Writes a line for each attempt that ended and each wait that began; cheap to clone.
#[derive(Clone)]
pub(crate) struct Timeline(Arc<Inner>);

struct Inner {
    line: Box<dyn Fn(&str) + Send + Sync>,
    /// When the last attempt ended, in seconds from the start of the run: where a wait begins.
    last_end: Mutex<f64>,
}

impl Timeline {
    /// A timeline whose lines go to `line`.
    pub(crate) fn new(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { line: Box::new(line), last_end: Mutex::new(0.0) }))
    }

    fn at(&self, seconds: f64, what: &str) {
        (self.0.line)(&format!("{:>9}  {what}", shown(seconds)));
    }
}

impl Observer for Timeline {
    fn on_event(&self, event: &Event) {
        let mut last_end = self.0.last_end.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::AttemptEnded { report, .. } => {
                *last_end = report.started_seconds + report.elapsed_seconds;
                self.at(report.started_seconds, &attempt(report));
            }
            Event::Waiting { plan, .. } => self.at(*last_end, &wait(plan)),
            Event::Dropped { under_way, .. } => {
                let sent = under_way.is_some_and(|(_, reached)| reached != Reached::NotSent);
                let what = if sent { "interrupted while a request was under way" } else { "interrupted" };
                self.at(*last_end, what);
            }
            _ => {}
        }
    }
}

fn attempt(report: &AttemptReport) -> String {
    let (number, took) = (report.number, shown(report.elapsed_seconds));
    let status = report.status.map(|status| format!("{status}, ")).unwrap_or_default();
    match &report.failure {
        None => format!("attempt {number}: {status}success after {took}"),
        Some(failure) => {
            format!("attempt {number}: {status}{} after {took}: {}", failure.disposition, failure.message)
        }
    }
}

fn wait(plan: &WaitPlan) -> String {
    let why = if plan.why == WaitReason::RetryAfter { "the server's Retry-After" } else { plan.why.code() };
    let cut = if plan.truncated { ", cut short by the deadline" } else { "" };
    format!("wait {} ({why}{cut})", shown(plan.requested.as_secs_f64()))
}

/// How it ended and, for a failure, the rule that ended the attempts.
pub(crate) fn ending(done: Result<&Outcome, &Error>) -> String {
    match done {
        Ok(outcome) => {
            let attempts = outcome.attempts.len();
            let plural = if attempts == 1 { "" } else { "s" };
            format!("{:>9}  done after {attempts} attempt{plural}", shown(outcome.elapsed.as_secs_f64()))
        }
        Err(error) => {
            let report = error.report();
            let sentence = match report.reason.as_deref().and_then(rule) {
                Some(rule) => rule.sentence(),
                None => "Refused before any attempt.",
            };
            format!("{:>9}  {sentence}", shown(report.elapsed_seconds.unwrap_or_default()))
        }
    }
}

/// The rule that a report names.
pub(crate) fn rule(code: &str) -> Option<GiveUp> {
    GiveUp::ALL.iter().copied().find(|rule| rule.code() == code)
}

/// A duration for people, to the millisecond.
fn shown(seconds: f64) -> String {
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let rounded = exact.saturating_add(Duration::from_micros(500));
    let millis = u64::try_from(rounded.as_millis()).unwrap_or(u64::MAX);
    if millis == 0 {
        "0ms".to_owned()
    } else {
        humantime::format_duration(Duration::from_millis(millis)).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_to_the_millisecond() {
        let table = [
            (0.0, "0ms"),
            (0.0004, "0ms"),
            (0.0006, "1ms"),
            (0.25, "250ms"),
            (1.5, "1s 500ms"),
            (60.0, "1m"),
        ];
        for (seconds, text) in table {
            assert_eq!(shown(seconds), text);
        }
    }

    #[test]
    fn every_rule_that_ends_a_call_is_found_by_its_code() {
        for known in GiveUp::ALL {
            assert_eq!(rule(known.code()), Some(*known));
        }
    }
}
