//! The demonstration: what it shows, offline and in seconds.

use std::time::{Duration, Instant};

use crate::support::run;

#[test]
fn the_demonstration_shows_what_it_promises() {
    let started = Instant::now();
    let ran = run(&["demo"]).ends_with(0);
    assert!(started.elapsed() < Duration::from_secs(5), "it takes seconds");
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(normalised(&ran.out));
}

/// Without what differs from run to run: the port, when things happened, how long an attempt took.
fn normalised(text: &str) -> String {
    text.lines().map(|line| measured(&port(line))).collect::<Vec<_>>().join("\n")
}

fn port(line: &str) -> String {
    let mut pieces = line.split("127.0.0.1:");
    let mut normal = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        normal.push_str("127.0.0.1:PORT");
        normal.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    normal
}

fn measured(line: &str) -> String {
    let Some((time, what)) = line.trim_start().split_once("  ") else { return line.to_owned() };
    if !(time.starts_with(|c: char| c.is_ascii_digit()) && time.ends_with('s')) {
        return line.to_owned();
    }
    let what = match what.split_once(" after ") {
        Some((before, after)) if before.starts_with("attempt ") => match after.split_once(": ") {
            Some((_, message)) => format!("{before} after TIME: {message}"),
            None => format!("{before} after TIME"),
        },
        _ => what.to_owned(),
    };
    format!("        TIME  {what}")
}
