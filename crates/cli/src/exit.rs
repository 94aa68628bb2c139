//! What the exit code of the process says.

use std::process::ExitCode;

use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};

/// The exit codes; scripts may rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    Findings,
    Usage,
    Transient,
    Unavailable,
    Indeterminate,
    NonRetryable,
    NotAttempted,
    Budget,
    Interrupted,
}

/// Every code, its number, and what it says; `--help` prints it.
pub(crate) const TABLE: [(Exit, u8, &str); 10] = [
    (Exit::Success, 0, "done"),
    (Exit::Findings, 1, "`--strict` or `--locked` has found something"),
    (Exit::Usage, 2, "the command line or a file cannot be read"),
    (Exit::Transient, 10, "failed by accident; the same call may succeed at once"),
    (Exit::Unavailable, 11, "cannot be reached now; later it may"),
    (Exit::Indeterminate, 12, "may or may not have taken effect; find out before calling again"),
    (Exit::NonRetryable, 13, "would fail the same way"),
    (Exit::NotAttempted, 14, "refused before anything was sent: arguments, permission, credentials, address"),
    (Exit::Budget, 15, "a limit of the budget is reached"),
    (Exit::Interrupted, 130, "interrupted"),
];

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        TABLE.iter().find(|(exit, ..)| *exit == self).map_or(u8::MAX, |(_, code, _)| *code)
    }

    /// The code of a failed call: indeterminate beats budget beats refused beats the rest, because what may have
    /// happened matters most, and then what the caller can change.
    pub(crate) const fn of(kind: ErrorKind, disposition: Disposition, phase: Phase) -> Self {
        match (disposition, kind, phase) {
            (Disposition::Indeterminate, _, _) => Self::Indeterminate,
            (_, ErrorKind::BudgetExceeded, _) => Self::Budget,
            (_, _, Phase::BeforeSending) => Self::NotAttempted,
            (Disposition::Transient, _, _) => Self::Transient,
            (Disposition::Unavailable, _, _) => Self::Unavailable,
            (Disposition::NonRetryable, _, _) => Self::NonRetryable,
        }
    }

    /// The code of this error.
    pub(crate) fn of_error(error: &Error) -> Self {
        Self::of(error.kind(), error.disposition(), error.phase())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// The table as text.
pub(crate) fn help() -> String {
    let lines = TABLE.map(|(_, code, meaning)| format!("{code:>5}  {meaning}"));
    format!("Exit codes:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISPOSITIONS: [Disposition; 4] = [
        Disposition::Transient,
        Disposition::Unavailable,
        Disposition::Indeterminate,
        Disposition::NonRetryable,
    ];
    const PHASES: [Phase; 3] = [Phase::BeforeSending, Phase::Sending, Phase::Reply];

    /// Ruling 6, written as the order of precedence that it states.
    fn ruled(kind: ErrorKind, disposition: Disposition, phase: Phase) -> u8 {
        let by_disposition = match disposition {
            Disposition::Transient => 10,
            Disposition::Unavailable => 11,
            Disposition::Indeterminate => 12,
            Disposition::NonRetryable => 13,
        };
        let rules = [
            (by_disposition == 12, 12),
            (kind.code() == "budget_exceeded", 15),
            (phase == Phase::BeforeSending, 14),
        ];
        rules.iter().find(|(holds, _)| *holds).map_or(by_disposition, |(_, code)| *code)
    }

    #[test]
    fn every_kind_disposition_and_phase_has_the_code_of_ruling_6() {
        for &kind in ErrorKind::ALL {
            for disposition in DISPOSITIONS {
                for phase in PHASES {
                    let code = Exit::of(kind, disposition, phase).code();
                    assert_eq!(code, ruled(kind, disposition, phase), "{kind} {disposition} {phase:?}");
                }
            }
        }
    }

    #[test]
    fn codes_are_those_of_ruling_6_and_each_is_told_apart() {
        let codes: Vec<u8> = TABLE.iter().map(|(exit, ..)| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 10, 11, 12, 13, 14, 15, 130]);
    }
}
