//! Two programs on one document, measured as whole processes.

use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4 as _;

use super::rounds::interleaved;
use super::table::{Row, Table};
use crate::report::Outcome;

/// Ours and the floor, and what is expected of their ratios.
pub(super) struct Contest {
    pub(super) document: String,
    /// What ours does, and what the floor does.
    pub(super) what: &'static str,
    pub(super) contenders: [Command; 2],
    pub(super) goals: Goals,
    /// Why ours may refuse the document: then there is nothing to measure.
    pub(super) refused: Option<&'static str>,
}

/// The most that each ratio should be.
#[derive(Clone, Copy, Default)]
pub(super) struct Goals {
    pub(super) cpu: Option<f64>,
    pub(super) peak: Option<f64>,
}

/// What a process has used: time in user mode and in the kernel, and the most memory at any one time.
#[derive(Debug, Clone, Copy)]
struct Usage {
    cpu: Duration,
    peak_kib: u32,
}

impl Contest {
    pub(super) fn name(&self) -> String {
        format!("{}: {}", self.document, self.what)
    }

    /// Warms up, which also fills what a first run leaves to later ones, then measures.
    pub(super) fn run(mut self, table: &mut Table) -> Outcome {
        match (measured(&mut self.contenders[0]), self.refused) {
            (Ok(_), _) => {}
            (Err(_), Some(why)) => return Outcome::Skipped(why.to_owned()),
            (Err(why), None) => return Outcome::Failed(why),
        }
        let rounds = measured(&mut self.contenders[1])
            .and_then(|_| interleaved(|contender| measured(&mut self.contenders[contender])));
        let rounds = match rounds {
            Ok(rounds) => rounds,
            Err(why) => return Outcome::Failed(why),
        };
        let mut row = |measure: &str, unit, goal, of: fn(Usage) -> f64| {
            let pairs = rounds.iter().map(|usages| usages.map(of)).collect();
            let what = format!("{}: {measure}", self.what);
            table.0.push(Row { document: self.document.clone(), what, unit, pairs, goal });
        };
        row("CPU", "ms", self.goals.cpu, |usage| usage.cpu.as_secs_f64() * 1e3);
        row("peak", "MiB", self.goals.peak, |usage| f64::from(usage.peak_kib) / 1024.0);
        Outcome::Passed
    }
}

/// Runs a program to its end, its output thrown away; one that ends badly has not done what was to be measured.
///
/// A process begins with the peak of the one that started it, which is this small program.
fn measured(command: &mut Command) -> Result<Usage, String> {
    let named = |error: &dyn std::fmt::Display, command: &Command| format!("{command:?}: {error}");
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let ended = child.and_then(|mut child| child.wait4()).map_err(|error| named(&error, command))?;
    if !ended.status.success() {
        return Err(named(&ended.status, command));
    }
    let used = ended.rusage;
    let peak_kib = u32::try_from(used.maxrss / 1024).unwrap_or(u32::MAX);
    Ok(Usage { cpu: used.utime + used.stime, peak_kib })
}

/// Whether a program ends well.
pub(super) fn succeeds(command: &mut Command) -> bool {
    measured(command).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Command, Contest, Goals, Outcome, Table, measured};
    use crate::process::program;

    fn bash(script: &str) -> Command {
        let mut command = program("bash");
        command.args(["-c", script]);
        command
    }

    fn contest(ours: &str, refused: Option<&'static str>) -> (Outcome, usize) {
        let contenders = [bash(ours), bash("true")];
        let goals = Goals::default();
        let contest = Contest { document: "d".to_owned(), what: "a / b", contenders, goals, refused };
        let mut table = Table::default();
        (contest.run(&mut table), table.0.len())
    }

    #[test]
    fn work_and_memory_of_the_child_are_seen() {
        let idle = measured(&mut bash("true")).expect("it runs");
        let busy =
            measured(&mut bash("for ((i = 0; i < 100000; i++)); do :; done; x=$(printf %30000000d 1)"))
                .expect("it runs");
        assert!(busy.cpu > idle.cpu, "{busy:?} {idle:?}");
        assert!(busy.peak_kib > idle.peak_kib + 20_000, "{busy:?} {idle:?}");
    }

    #[test]
    fn a_contest_gives_two_rows_or_says_why_not() {
        assert_eq!(contest("true", None), (Outcome::Passed, 2));
        assert_eq!(contest("exit 2", Some("refused")), (Outcome::Skipped("refused".to_owned()), 0));
        let (Outcome::Failed(why), 0) = contest("exit 2", None) else { panic!("it cannot be run") };
        assert!(why.contains("exit 2") && why.ends_with("exit status: 2"), "{why}");
    }
}
