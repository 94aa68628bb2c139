//! What each step came to, and the table that is printed at the end.

use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How a step ended. The words of a failure or a skip are the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(why) => write!(f, "failed: {why}"),
            Self::Skipped(why) => write!(f, "skipped: {why}"),
        }
    }
}

struct Step {
    name: String,
    outcome: Outcome,
    took: Duration,
}

/// The steps so far, in the order in which they ran.
#[derive(Default)]
pub(crate) struct Report {
    steps: Vec<Step>,
}

impl Report {
    /// Announces, runs and times a step. A failure is recorded and the next step still runs.
    pub(crate) fn step(&mut self, name: impl Into<String>, run: impl FnOnce() -> Outcome) {
        let name = name.into();
        println!("\n==> {name}");
        let start = Instant::now();
        let outcome = run();
        if outcome != Outcome::Passed {
            println!("{outcome}");
        }
        self.steps.push(Step { name, outcome, took: start.elapsed() });
    }

    /// 1 if any step failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(u8::from(self.count(|outcome| matches!(outcome, Outcome::Failed(_))) > 0))
    }

    fn count(&self, matches: impl Fn(&Outcome) -> bool) -> usize {
        self.steps.iter().filter(|step| matches(&step.outcome)).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.steps.iter().map(|step| step.name.chars().count()).max().unwrap_or_default();
        for step in &self.steps {
            writeln!(f, "{:<width$}  {:>7.1} s  {}", step.name, step.took.as_secs_f64(), step.outcome)?;
        }
        let passed = self.count(|outcome| *outcome == Outcome::Passed);
        let failed = self.count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let skipped = self.count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        writeln!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::{ExitCode, Outcome, Report, Step};
    use std::time::Duration;

    fn report(outcomes: &[Outcome]) -> Report {
        let steps = outcomes.iter().zip(["tests", "corpus", "README.md:7"]);
        let steps = steps.map(|(outcome, name)| Step {
            name: name.to_owned(),
            outcome: outcome.clone(),
            took: Duration::from_millis(12_340),
        });
        Report { steps: steps.collect() }
    }

    #[test]
    fn the_table_names_every_step_with_its_reason() {
        let outcomes = [
            Outcome::Passed,
            Outcome::Skipped("needs jq".to_owned()),
            Outcome::Failed("exit status: 1".to_owned()),
        ];
        let expected = "tests           12.3 s  passed\n\
                        corpus          12.3 s  skipped: needs jq\n\
                        README.md:7     12.3 s  failed: exit status: 1\n\
                        1 passed, 1 failed, 1 skipped\n";
        assert_eq!(report(&outcomes).to_string(), expected);
    }

    #[test]
    fn only_a_failure_fails_the_run() {
        let skipped = Outcome::Skipped(String::new());
        assert_eq!(report(&[Outcome::Passed, skipped.clone()]).exit_code(), ExitCode::SUCCESS);
        let failed = Outcome::Failed(String::new());
        assert_eq!(report(&[failed, Outcome::Passed, skipped]).exit_code(), ExitCode::from(1));
    }

    #[test]
    fn a_failing_step_does_not_stop_the_next() {
        let mut report = Report::default();
        report.step("a", || Outcome::Failed(String::new()));
        report.step("b", || Outcome::Passed);
        assert_eq!(report.steps.len(), 2);
    }
}
