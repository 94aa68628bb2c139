//! `demo`: calls against a server on this machine that fails on purpose; offline, in seconds.

mod api;
mod scenes;

use std::io;

use clap::Parser as _;
use schemarouter::compile::Options;
use schemarouter_loopback::Server;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::invoke::{Done, Given, InvokeArgs, Timeline, carry_out, ending};
use crate::print::{Console, tell};
use crate::{failure, load};
use scenes::{SCENES, Scene};

/// The name under which the document is shown.
const FILE: &str = "orders.json";

/// Plays the scenes. Code 1 where one of them does not end as told.
pub(crate) fn run(console: &mut Console) -> Exit {
    let server = match Server::start_on_thread(api::script()) {
        Ok(server) => server,
        Err(error) => {
            console.talk(format_args!("error: no server can be started on this machine: {error}"));
            return Exit::Unavailable;
        }
    };
    console.data(format_args!(
        "An orders API on {} that fails on purpose. Every call is a real one.",
        server.url()
    ));
    let mut exit = Exit::Success;
    for (number, scene) in (1..).zip(&SCENES) {
        match play(number, scene, &server, console) {
            Ended::AsTold => {}
            Ended::Otherwise => exit = Exit::Findings,
            Ended::Interrupted => return Exit::Interrupted,
        }
    }
    exit
}

enum Ended {
    AsTold,
    Otherwise,
    Interrupted,
}

fn play(number: usize, scene: &Scene, server: &Server, console: &mut Console) -> Ended {
    console.data("");
    console.data(format_args!("{number}. {}", scene.title));
    console.data("");
    let url = server.url();
    let reach = ["--server", &url, "--allow-private"];
    let words: Vec<&str> = ["invoke", FILE].iter().chain(scene.words).chain(&reach).copied().collect();
    console.data(format_args!("   $ schemarouter {} --trace", shell(&words)));
    // The timeline writes past the console while the call runs.
    console.flush();
    let before = server.requests().len();
    let Some(args) = parsed(&words) else { return Ended::Otherwise };
    let Some((exit, end)) = call(&args, console) else { return Ended::Interrupted };
    let requests = server.requests().len() - before;
    console.data(format_args!("   {end}"));
    console.data("");
    let plural = if requests == 1 { "" } else { "s" };
    console.data(format_args!("   Exit code {}; the server got {requests} request{plural}.", exit.code()));
    for line in wrapped(scene.why) {
        console.data(format_args!("   {line}"));
    }
    if exit == scene.exit && requests == scene.requests { Ended::AsTold } else { Ended::Otherwise }
}

/// The same words, understood as the command line understands them: what is shown is what is done.
fn parsed(words: &[&str]) -> Option<Box<InvokeArgs>> {
    match Cli::try_parse_from(std::iter::once(&"schemarouter").chain(words)) {
        Ok(Cli { command: Command::Invoke(args) }) => Some(args),
        _ => None,
    }
}

/// Makes the call; its exit code and the last line of its timeline. `None` after Ctrl-C.
fn call(args: &InvokeArgs, console: &mut Console) -> Option<(Exit, String)> {
    let timeline = Timeline::new(|line| tell(&mut io::stdout(), format_args!("   {line}")));
    let compiled = match load::from_bytes(api::DOCUMENT, &Options::new("orders"), FILE) {
        Ok(compiled) => compiled,
        Err(error) => return Some((failure::tell(&error, false, console), String::new())),
    };
    match carry_out(Given::of(compiled.into()), args, Some(timeline), console) {
        Done::Interrupted => None,
        Done::Shown => Some((Exit::Success, String::new())),
        Done::Listed(exit) => Some((exit, String::new())),
        Done::Outcome(outcome) => Some((Exit::Success, ending(Ok(&outcome)))),
        Done::Failed(error) => {
            let report = error.report();
            // The timeline tells what attempts met; what forbade them only the error does.
            let reason =
                if report.attempts.is_empty() { format!(" {}.", report.message) } else { String::new() };
            let end = format!("{}{reason}", ending(Err(&error)));
            Some((Exit::of_error(&error), end))
        }
    }
}

/// The words as they are typed.
fn shell(words: &[&str]) -> String {
    let typed =
        words.iter().map(|word| if word.contains('"') { format!("'{word}'") } else { (*word).to_owned() });
    typed.collect::<Vec<_>>().join(" ")
}

/// Lines of at most 96 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| line.is_empty() || line.len() + 1 + word.len() <= 96);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
