//! Tasks of the workspace, run as `cargo xtask <command>`; without a command it lists them.

// Talking to the person at the terminal is what this program is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod corpus;
mod examples;
mod invariants;
mod lint;
mod parts;
mod process;
mod readme;
mod report;
mod test;

use std::process::ExitCode;

use report::Report;

struct Command {
    /// One word or two.
    name: &'static str,
    summary: &'static str,
    run: fn(&mut Report),
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        summary: "everything this machine can run, with a table of what was skipped",
        run: test::run,
    },
    Command {
        name: "lint",
        summary: "formatting, clippy and documentation, without a warning",
        run: lint::run,
    },
    Command {
        name: "corpus",
        summary: "the library against a folder of published API documents",
        run: corpus::run,
    },
    Command {
        name: "invariants",
        summary: "what holds of every call, over a million random scenarios, or as many as are said",
        run: |report| invariants::run(report, None),
    },
    Command {
        name: "bench compile",
        summary: "what compiling and calling cost, as ratios to other work of this machine",
        run: bench::compile,
    },
    Command {
        name: "bench call",
        summary: "what a call over HTTP costs beside the bare client, as a ratio",
        run: bench::call,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let name = arguments.join(" ");
    if ["", "help", "--help", "-h"].contains(&name.as_str()) {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    if let Some(count) = name.strip_prefix("invariants ") {
        let Ok(count) = count.parse() else {
            return misused(&format!("`{count}` is no number of scenarios"));
        };
        let mut report = Report::default();
        invariants::run(&mut report, Some(count));
        print!("\n{report}");
        return report.exit_code();
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return misused(&format!("there is no command `{name}`"));
    };
    let mut report = Report::default();
    (command.run)(&mut report);
    print!("\n{report}");
    report.exit_code()
}

fn misused(why: &str) -> ExitCode {
    eprint!("{why}\n\n{}", usage());
    ExitCode::from(2)
}

fn usage() -> String {
    let lines =
        COMMANDS.iter().map(|command| format!("  cargo xtask {:<14} {}\n", command.name, command.summary));
    format!(
        "Tasks of the workspace:\n{}\nWith {}=1 a step that lacks a part fails; with {} the corpus is read from there.\n",
        lines.collect::<String>(),
        parts::REQUIRE,
        corpus::VARIABLE
    )
}
