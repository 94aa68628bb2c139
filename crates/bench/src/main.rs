//! What the benchmarks compare against, one thing a process; run by `cargo xtask bench`.

// Its answer goes to the process that measures it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod calls;
mod exchange;
mod null;
mod readers;

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

const USAGE: &str = "\
schemarouter-bench value FILE    parses JSON into a serde_json::Value
schemarouter-bench events FILE   reads the events of a YAML parser
schemarouter-bench yaml FILE     reads YAML into our tree
schemarouter-bench call N        nanoseconds of a call in a catalog of N operations, and of 1, several times
schemarouter-bench exchange N    nanoseconds of a call over loopback, N at once, and of the bare client, several times
schemarouter-bench null 1        nanoseconds of a call of code that answers at once, and of its validations, several times";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [what, of] = arguments.as_slice() else { return refused(&USAGE) };
    let answer = match what.as_str() {
        "value" => readers::value(of),
        "events" => readers::events(of),
        "yaml" => readers::yaml(of),
        "call" => calls::measure(of),
        "exchange" => exchange::measure(of),
        "null" => null::measure(of),
        _ => return refused(&USAGE),
    };
    match answer {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => refused(&error),
    }
}

/// What one of the things answers: a text that depends on its result, so that the work is not optimised away.
type Answer = Result<String, Box<dyn Error>>;

fn refused(why: &dyn Display) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}
