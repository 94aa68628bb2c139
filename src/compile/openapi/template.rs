//! Path templates: cut into what is sent as it stands and what is filled in.

use std::sync::Arc;

use crate::catalog::PathPart;
use crate::compile::diagnostic::DiagnosticCode;

use super::maps::TextMap;

/// A path template, cut into parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template<'d> {
    /// Shared by all operations of the path.
    pub(super) parts: Arc<[PathPart]>,
    /// The names of the parameters, each once, in the order of the template; the parts refer to them by place.
    pub(super) names: Vec<&'d str>,
    /// What follows `?`; a fragment is dropped, since it never reaches the other side (RFC 9110 section 7.1).
    pub(super) fixed_query: Option<String>,
    /// Whether the leading slash was missing.
    pub(super) slash_added: bool,
}

/// Why a template has no meaning here.
pub(super) type Refusal = (DiagnosticCode, String);

/// Cuts a template.
pub(super) fn parse(template: &str) -> Result<Template<'_>, Refusal> {
    let before_fragment = cut(template, '#').0;
    let (path, query) = cut(before_fragment, '?');
    if query.is_some_and(|query| query.contains(['{', '}'])) {
        let message = "the path has a parameter after `?`; declare it as a query parameter instead";
        return Err((DiagnosticCode::UnsupportedPath, message.to_owned()));
    }
    let slash_added = !path.starts_with('/');
    let mut parts = Vec::new();
    let (mut names, mut places) = (Vec::new(), TextMap::default());
    let mut literal = if slash_added { "/".to_owned() } else { String::new() };
    let mut rest = path;
    while let Some(open) = rest.find(['{', '}']) {
        literal.push_str(&rest[..open]);
        let Some(close) = rest[open..].strip_prefix('{').and_then(|inner| inner.find(['{', '}', '/'])) else {
            return Err(unbalanced());
        };
        let name = &rest[open + 1..open + 1 + close];
        if name.is_empty() || !rest[open + 1 + close..].starts_with('}') {
            return Err(unbalanced());
        }
        if !literal.is_empty() {
            parts.push(PathPart::Literal(encoded(&std::mem::take(&mut literal), is_path_byte)));
        }
        let place = *places.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        });
        parts.push(PathPart::Parameter(place));
        rest = &rest[open + close + 2..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(PathPart::Literal(encoded(&literal, is_path_byte)));
    }
    if let Some(segment) = path.split('/').find(|segment| is_dot_segment(segment)) {
        let message = format!(
            "the path segment `{segment}` is removed on the way, so another path would be called; write the path without it"
        );
        return Err((DiagnosticCode::InvalidPath, message));
    }
    let fixed_query = query.filter(|query| !query.is_empty()).map(|query| encoded(query, is_query_byte));
    Ok(Template { parts: parts.into(), names, fixed_query, slash_added })
}

/// Cuts at the first `at` outside braces: a parameter's name may hold any character.
fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    if !text.contains(at) {
        return (text, None);
    }
    let mut inside = false;
    for (index, c) in text.char_indices() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            c if c == at && !inside => return (&text[..index], Some(&text[index + c.len_utf8()..])),
            _ => {}
        }
    }
    (text, None)
}

fn unbalanced() -> Refusal {
    (
        DiagnosticCode::InvalidPath,
        "braces in a path stand in pairs around a parameter's name; write a lone brace as %7B or %7D"
            .to_owned(),
    )
}

/// `.` and `..`, also percent-encoded, are removed by whoever normalises the path (RFC 3986 section 5.2.4).
fn is_dot_segment(segment: &str) -> bool {
    // A dot is one character or three, so nothing longer can be two of them.
    const LONGEST: usize = "%2e%2e".len();
    segment.len() <= LONGEST
        && segment.starts_with(['.', '%'])
        && matches!(segment.replace("%2e", ".").replace("%2E", ".").as_str(), "." | "..")
}

/// RFC 3986 section 3.3: `pchar`, and the slash between segments.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*')
        || matches!(byte, b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/')
}

/// RFC 3986 section 3.4.
fn is_query_byte(byte: u8) -> bool {
    is_path_byte(byte) || byte == b'?'
}

/// Percent-encodes what the grammar demands and keeps what is encoded already.
fn encoded(text: &str, is_plain: impl Fn(u8) -> bool) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let bytes = text.as_bytes();
    if bytes.iter().all(|byte| is_plain(*byte)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        let is_escape = byte == b'%'
            && bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if is_plain(byte) || is_escape {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts in one line: literals as they are sent, names in braces.
    fn cut_up(template: &str) -> String {
        match parse(template) {
            Ok(Template { parts, names, fixed_query, slash_added }) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| match part {
                        PathPart::Literal(text) => text.clone(),
                        PathPart::Parameter(place) => format!("{{{}}}", names[*place]),
                    })
                    .collect();
                let query = fixed_query.map(|query| format!(" ?{query}")).unwrap_or_default();
                format!("{}{query}{}", parts.join(" "), if slash_added { " (slash added)" } else { "" })
            }
            Err((code, _)) => code.to_string(),
        }
    }

    #[test]
    fn templates_are_cut_into_parts() {
        let table: Vec<String> = [
            "/",
            "/a//b/",
            "/users/{id}",
            "/{a}/{b}.json",
            "/x/{a}{b}:go",
            "/repos/{owner}#stream",
            "/responses?beta=true",
            "/a?b=c d#e?f",
            "/stadt/größe/{größe}",
            "/a b/%41%zz/{v}",
            "/{a?b#c}",
            "pets/{id}",
            "/a/{id",
            "/a/{i/d}",
            "/a/{}",
            "/a/b}",
            "/a/{b}}",
            "/a?x={x}",
            "/a/../b",
            "/a/%2E%2e/b",
            "/a/./b",
            "/a/...",
            "",
        ]
        .iter()
        .map(|template| format!("{template:24} | {}", cut_up(template)))
        .collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn case_054_concrete_dot_segments_are_refused() {
        for template in ["/v1/../admin", "/v1/%2e%2E/admin", "/v1/.", "/.%2e/{id}"] {
            assert_eq!(
                parse(template).map_err(|(code, _)| code),
                Err(DiagnosticCode::InvalidPath),
                "{template}"
            );
        }
    }
}
