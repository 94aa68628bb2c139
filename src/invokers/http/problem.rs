//! What an error reply says of itself.

use schemarouter_kernel::base::report::Problem;
use serde_json::{Map, Value};

use super::media::{self, MediaType};
use super::redact::Redactor;

/// The most of an error reply that an excerpt, or one member of a problem, keeps; in bytes.
pub const MOST_BYTES: usize = 1024;

/// The problem details of a reply, whatever the document declares (RFC 9457, case 052).
///
/// Taken from `application/problem+json`, and from any other JSON object that has a text `title`, `detail` or
/// `message`; the last becomes the detail where there is none. Members of another type are left out, as
/// RFC 9457 section 3.1 demands.
pub fn problem(body: &[u8], content_type: Option<&str>, redactor: &Redactor) -> Option<Problem> {
    let media = MediaType::parse(content_type?).filter(MediaType::is_json)?;
    let text = media::text(body, media.charset()).ok()?;
    let Ok(Value::Object(members)) = serde_json::from_str(&text) else { return None };
    let member = |name: &str| text_member(&members, name, redactor);
    let problem = Problem {
        kind: member("type"),
        title: member("title"),
        status: members
            .get("status")
            .and_then(Value::as_u64)
            .and_then(|status| u16::try_from(status).ok())
            .filter(|status| (100..600).contains(status)),
        detail: member("detail").or_else(|| member("message")),
        instance: member("instance"),
    };
    let says_something = problem.title.is_some() || problem.detail.is_some();
    let declared = media.essence() == "application/problem+json" && problem != Problem::default();
    (says_something || declared).then_some(problem)
}

fn text_member(members: &Map<String, Value>, name: &str, redactor: &Redactor) -> Option<String> {
    let text = members.get(name)?.as_str()?;
    Some(one_line(&redactor.apply(text)))
}

/// The beginning of a reply that people can read, on one line, at most [`MOST_BYTES`]; `None` for binary ones.
pub fn excerpt(body: &[u8], content_type: Option<&str>, redactor: &Redactor) -> Option<String> {
    // Several times what is kept: what is redacted may be longer than what stays, and must not be cut in two.
    const WINDOW: usize = 16 * MOST_BYTES;
    let media = content_type.and_then(MediaType::parse);
    if body.is_empty() || media.as_ref().is_some_and(|media| !media.is_readable()) {
        return None;
    }
    let window = &body[..body.len().min(WINDOW)];
    let text = match media::text(window, media.as_ref().and_then(MediaType::charset)) {
        Ok(text) => text,
        // Without a media type only text that is text counts; a character cut by the window is no fault.
        Err(_) if media.is_none() && !is_cut_utf8(window, body.len()) => return None,
        Err(_) => String::from_utf8_lossy(window),
    };
    let line = one_line(&redactor.apply(&text));
    (!line.is_empty()).then_some(line)
}

fn is_cut_utf8(window: &[u8], whole: usize) -> bool {
    window.len() < whole && std::str::from_utf8(window).is_err_and(|error| error.error_len().is_none())
}

/// One line of at most [`MOST_BYTES`]: what moves a cursor or turns text around becomes a blank.
fn one_line(text: &str) -> String {
    const ENDING: char = '…';
    let moves = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
    };
    let text = text.trim();
    let mut line = String::with_capacity(text.len().min(MOST_BYTES));
    for c in text.chars() {
        if line.len() + c.len_utf8() > MOST_BYTES {
            // Room for the ending, at a character boundary.
            while line.len() + ENDING.len_utf8() > MOST_BYTES {
                line.pop();
            }
            line.push(ENDING);
            break;
        }
        line.push(if moves(c) { ' ' } else { c });
    }
    line
}

#[cfg(test)]
mod tests;
