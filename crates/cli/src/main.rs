//! The command line of schemarouter: data on stdout, talk on stderr, the exit code says what a failure means.

mod args;
mod cache;
mod compile;
mod config;
mod demo;
mod describe;
mod environment;
mod exit;
mod failure;
mod invoke;
mod list;
mod load;
mod lock;
mod places;
mod print;
mod replace;
mod sample;
mod shapes;
mod types;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use print::Console;

fn main() -> ExitCode {
    let mut console = Console::of_process();
    let exit = match Cli::parse().command {
        Command::Compile(args) => compile::run(&args, &mut console),
        Command::List(args) => list::run(&args, &mut console),
        Command::Describe(args) => describe::run(&args, &mut console),
        Command::Invoke(args) => invoke::run(&args, &mut console),
        Command::Config(command) => config::run(&command, &mut console),
        Command::Demo => demo::run(&mut console),
        Command::Schema { shape } => shapes::run(shape, &mut console),
    };
    console.finish(exit).into()
}
