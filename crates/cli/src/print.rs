//! Where text goes: data to stdout, talk to stderr.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, Stdout, Write};

use serde::Serialize;

use crate::exit::Exit;

/// How many bytes of output are written at once: a report may have millions.
const HELD_BACK: usize = 1 << 16;

/// The two streams of the process; a write that fails is remembered and ends nothing.
pub(crate) struct Console {
    out: BufWriter<Stdout>,
    failed: Option<io::Error>,
}

impl Console {
    /// The streams of this process.
    pub(crate) fn of_process() -> Self {
        Self { out: BufWriter::with_capacity(HELD_BACK, io::stdout()), failed: None }
    }

    /// A line of data for people.
    pub(crate) fn data(&mut self, line: impl Display) {
        self.write(|out| writeln!(out, "{}", visible(&line.to_string())));
    }

    /// A JSON value on lines of its own.
    pub(crate) fn json(&mut self, value: &impl Serialize) {
        self.write(|out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            writeln!(out)
        });
    }

    /// A JSON value on one line.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) {
        self.write(|out| {
            serde_json::to_writer(&mut *out, value)?;
            writeln!(out)
        });
    }

    /// Bytes as they were received; text is ended as a line.
    pub(crate) fn received(&mut self, bytes: &[u8]) {
        let open_line = !bytes.is_empty() && !bytes.ends_with(b"\n") && std::str::from_utf8(bytes).is_ok();
        self.write(|out| {
            out.write_all(bytes)?;
            if open_line { writeln!(out) } else { Ok(()) }
        });
    }

    /// A line for whoever watches.
    #[expect(clippy::unused_self, reason = "who may talk is who has the console")]
    pub(crate) fn talk(&mut self, line: impl Display) {
        tell(&mut io::stderr(), line);
    }

    /// Puts out what was held back, so that other writers of stdout come after it.
    pub(crate) fn flush(&mut self) {
        self.write(Write::flush);
    }

    /// The end: a reader who has left is no failure, any other lost output is one.
    pub(crate) fn finish(mut self, exit: Exit) -> Exit {
        self.flush();
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.talk(format_args!("error: the output could not be written: {error}"));
                if exit == Exit::Success { Exit::Usage } else { exit }
            }
            _ => exit,
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(&mut self.out).err();
        }
    }
}

/// Writes a line to whom it may concern; nobody has to listen.
pub(crate) fn tell(to: &mut impl Write, line: impl Display) {
    // One write per line, so that lines of several writers do not mix.
    let line = format!("{}\n", visible(&line.to_string()));
    let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
}

/// One line without control characters: what documents and servers say must not steer a terminal.
fn visible(line: &str) -> Cow<'_, str> {
    if !line.contains(char::is_control) {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => shown.push(c),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_steers_a_terminal_is_shown_and_not_done() {
        assert_eq!(visible("über\ttabs"), "über\ttabs");
        assert_eq!(visible("a\x1b[2Jb\r\nc\u{9b}d"), "a\\u{1b}[2Jb\\r\\nc\\u{9b}d");
    }
}
