//! Finds the shell commands in a Markdown text.

/// One command of a fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Where it starts, counted from 1.
    pub(super) line: usize,
    /// As a shell reads it: lines that end in a backslash carry on.
    pub(super) text: String,
    /// Why the author keeps it from being run.
    pub(super) not_run: Option<String>,
}

/// What a fenced block holds, told by the first word after its fence.
#[derive(Clone, Copy)]
enum Block {
    /// A session: commands after `$ `, and what they print.
    Console,
    /// Commands only.
    Script,
    Other,
}

impl Block {
    fn of(info: &str) -> Self {
        match info.split_whitespace().next().unwrap_or_default() {
            "console" => Self::Console,
            "sh" | "bash" | "shell" => Self::Script,
            _ => Self::Other,
        }
    }

    /// The command that starts on this line, if one does.
    fn command(self, line: &str) -> Option<&str> {
        let text = match self {
            Self::Console => line.strip_prefix("$ ")?,
            Self::Script => line,
            Self::Other => return None,
        };
        Some(text.trim()).filter(|text| !text.is_empty() && !text.starts_with('#'))
    }
}

/// Every command in `console` and `sh` blocks. The comment `<!-- not run: reason -->` on the last line with text before
/// a block keeps the whole block from being run.
pub(super) fn commands(markdown: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut last_text = "";
    let mut lines = markdown.lines().zip(1..);
    while let Some((line, _)) = lines.next() {
        let text = line.trim();
        let Some((fence, info)) = fence(text) else {
            last_text = if text.is_empty() { last_text } else { text };
            continue;
        };
        let body = lines
            .by_ref()
            .map(|(line, number)| (line.trim(), number))
            .take_while(|(line, _)| !closes(line, fence));
        read_block(Block::of(info), not_run(last_text), body, &mut commands);
        last_text = "";
    }
    commands
}

fn read_block<'a>(
    block: Block,
    not_run: Option<&str>,
    mut body: impl Iterator<Item = (&'a str, usize)>,
    commands: &mut Vec<Command>,
) {
    while let Some((line, number)) = body.next() {
        let Some(first) = block.command(line) else { continue };
        let mut text = first.to_owned();
        while text.ends_with('\\') {
            let Some((next, _)) = body.next() else { break };
            text.push('\n');
            // A session shows the shell's prompt for more.
            text.push_str(next.strip_prefix("> ").unwrap_or(next));
        }
        commands.push(Command { line: number, text, not_run: not_run.map(str::to_owned) });
    }
}

/// An opening fence of three or more backticks or tildes, and the words after it.
fn fence(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let fence = &line[..line.len() - info.len()];
    // Inline code may stand at the start of a line; the words after a fence have no backtick.
    (fence.len() >= 3 && !(mark == '`' && info.contains('`'))).then_some((fence, info))
}

/// The same mark, at least as often, and nothing else.
fn closes(line: &str, fence: &str) -> bool {
    line.starts_with(fence) && line.chars().all(|c| fence.starts_with(c))
}

fn not_run(line: &str) -> Option<&str> {
    Some(line.strip_prefix("<!-- not run:")?.strip_suffix("-->")?.trim())
}

#[cfg(test)]
mod tests {
    use super::commands;

    /// `line text`, and `# reason` where it is not run.
    fn found(markdown: &str) -> Vec<String> {
        let reason = |reason| format!(" # {reason}");
        let show = |c: super::Command| {
            format!("{} {}{}", c.line, c.text, c.not_run.map_or_else(String::new, reason))
        };
        commands(markdown).into_iter().map(show).collect()
    }

    #[test]
    fn a_session_shows_commands_and_what_they_print() {
        let text = "# Title\n\n```console\n$ cargo run -- a\nok\n# printed\n$  cargo run -- b \n$ # a remark\n```\n$ not here\n";
        assert_eq!(found(text), ["4 cargo run -- a", "7 cargo run -- b"]);
    }

    #[test]
    fn every_line_of_a_script_is_a_command() {
        for word in ["sh", "bash", "shell", "sh title=\"x\"", " sh"] {
            let text = format!("```{word}\none\n\n# remark\n  two # three\n```");
            assert_eq!(found(&text), ["2 one", "5 two # three"], "{word}");
        }
    }

    #[test]
    fn other_blocks_hold_no_commands() {
        for word in ["", "rust", "text", "shellfish", "json"] {
            assert_eq!(found(&format!("```{word}\n$ one\n```")), [""; 0], "{word}");
        }
        assert_eq!(found("`sh` is\n```` ```sh ````\n$ one\n"), [""; 0]);
    }

    #[test]
    fn a_backslash_carries_on() {
        assert_eq!(
            found("```sh\none \\\n  two \\\n  three\nfour\n```"),
            ["2 one \\\ntwo \\\nthree", "5 four"]
        );
        assert_eq!(found("```console\n$ one \\\n> two\n> printed\n```"), ["2 one \\\ntwo"]);
        assert_eq!(found("```sh\none \\\n```"), ["2 one \\"]);
    }

    #[test]
    fn fences_close_with_their_own_mark() {
        assert_eq!(
            found("````sh\none\n```\n````\n~~~sh\ntwo\n```\n~~~~\n$ no"),
            ["2 one", "3 ```", "6 two", "7 ```"]
        );
        assert_eq!(found("- item\n\n  ```sh\n  one\n  ```\n  two"), ["4 one"]);
        assert_eq!(found("```sh\none"), ["2 one"]);
    }

    #[test]
    fn a_comment_keeps_the_next_block_from_being_run() {
        let comment = "<!-- not run: needs a network -->";
        assert_eq!(
            found(&format!("{comment}\n\n```sh\none\ntwo\n```")),
            ["4 one # needs a network", "5 two # needs a network"]
        );
        assert_eq!(found(&format!("{comment}\n```text\n```\n```sh\none\n```")), ["5 one"]);
        assert_eq!(found(&format!("{comment}\ntext\n```sh\none\n```")), ["4 one"]);
    }
}
