//! Media types, and bytes as the text that they say they are.

use std::borrow::Cow;

/// A media type as far as decoding cares: which one, and in which charset.
///
/// # Examples
/// ```
/// use schemarouter::invokers::http::media::MediaType;
///
/// let media = MediaType::parse("Application/Vnd.Acme+JSON; charset=\"UTF-8\"").expect("a media type");
/// assert_eq!(media.essence(), "application/vnd.acme+json");
/// assert_eq!(media.charset(), Some("utf-8"));
/// assert!(media.is_json());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    essence: String,
    charset: Option<String>,
}

impl MediaType {
    /// Reads a `Content-Type` value; `None` for what is no `type/subtype` (RFC 9110 section 8.3.1).
    pub fn parse(text: &str) -> Option<Self> {
        let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
        let essence = essence.trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        (is_token(kind) && is_token(subtype))
            .then(|| Self { charset: charset(parameters), essence: essence.clone() })
    }

    /// Type and subtype, lower case, without parameters.
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// The charset, lower case and without quotes.
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    /// `application/json`, or a type with the suffix `+json` (RFC 6839 section 3.1); `application/notjson` is not.
    pub fn is_json(&self) -> bool {
        self.essence == "application/json" || self.essence.ends_with("+json")
    }

    /// `text/...`.
    pub fn is_text(&self) -> bool {
        self.essence.starts_with("text/")
    }

    /// Whether the bytes are meant to be read by people, more or less.
    pub fn is_readable(&self) -> bool {
        self.is_text()
            || self.is_json()
            || self.essence.ends_with("+xml")
            || matches!(self.essence.as_str(), "application/xml" | "application/x-www-form-urlencoded")
    }
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The first `charset` parameter; a semicolon in the quoted value of another one does not end that one.
fn charset(parameters: &str) -> Option<String> {
    let mut quoted = false;
    let parts = parameters.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    parts.filter_map(|part| part.split_once('=')).find_map(|(name, value)| {
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"').to_ascii_lowercase())
    })
}

/// Why bytes cannot be read as text; completes the sentence "the body ...".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotText(pub String);

/// The bytes as text: by their byte order mark, else by the charset, else as UTF-8; without the mark.
///
/// # Errors
/// Bytes that are not of that encoding, and encodings other than UTF-8, UTF-16, US-ASCII and ISO-8859-1.
pub fn text<'a>(bytes: &'a [u8], charset: Option<&str>) -> Result<Cow<'a, str>, NotText> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8(rest);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    match charset.unwrap_or("utf-8") {
        // US-ASCII is a subset, and servers that say so often send UTF-8.
        "utf-8" | "utf8" | "us-ascii" | "ascii" | "" => utf8(bytes),
        "iso-8859-1" | "latin1" => Ok(Cow::Owned(bytes.iter().copied().map(char::from).collect())),
        // RFC 2781 section 4.3: without a mark, UTF-16 is big-endian.
        "utf-16be" | "utf-16" => utf16(bytes, u16::from_be_bytes),
        "utf-16le" => utf16(bytes, u16::from_le_bytes),
        _ => Err(NotText("is in a charset that is not supported".to_owned())),
    }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    let not_utf8 =
        |error: std::str::Utf8Error| NotText(format!("is not UTF-8 from byte {} on", error.valid_up_to()));
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(not_utf8)
}

fn utf16<'a>(bytes: &[u8], read: impl Fn([u8; 2]) -> u16) -> Result<Cow<'a, str>, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| read(*pair)).collect();
    match String::from_utf16(&units) {
        Ok(text) if rest.is_empty() => Ok(Cow::Owned(text)),
        _ => Err(NotText("is not UTF-16".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parts<'a> = (&'a str, Option<&'a str>, bool);

    #[test]
    fn case_046_media_types() {
        let table: &[(&str, Option<Parts>)] = &[
            ("application/json", Some(("application/json", None, true))),
            ("Application/JSON;charset=UTF-8", Some(("application/json", Some("utf-8"), true))),
            ("application/json; charset=\"utf-8\"", Some(("application/json", Some("utf-8"), true))),
            ("application/vnd.a.item+json; version=2", Some(("application/vnd.a.item+json", None, true))),
            ("application/notjson", Some(("application/notjson", None, false))),
            ("application/json-seq", Some(("application/json-seq", None, false))),
            ("text/plain; a=\";charset=x\"; charset=latin1", Some(("text/plain", Some("latin1"), false))),
            (" text/html ; CharSet = Utf-8 ", Some(("text/html", Some("utf-8"), false))),
            ("json", None),
            ("", None),
            ("a/b/c", None),
            ("a b/c", None),
            ("/json", None),
        ];
        for (text, expected) in table {
            let media = MediaType::parse(text);
            let got = media.as_ref().map(|media| (media.essence(), media.charset(), media.is_json()));
            assert_eq!(got, *expected, "{text}");
        }
    }

    type Row<'a> = (&'a [u8], Option<&'a str>, Option<&'a str>);

    #[test]
    fn text_by_mark_then_by_charset() {
        let table: &[Row] = &[
            (b"\xc3\xa9", None, Some("é")),
            (b"\xef\xbb\xbf{}", None, Some("{}")),
            (b"\xef\xbb\xbf{}", Some("utf-16"), Some("{}")),
            (b"\xe9", Some("iso-8859-1"), Some("é")),
            (b"\xe9", None, None),
            (b"\xff\xfeA\0", None, Some("A")),
            (b"\xfe\xff\0A", None, Some("A")),
            (b"\0A", Some("utf-16"), Some("A")),
            (b"A\0", Some("utf-16le"), Some("A")),
            (b"A\0B", Some("utf-16le"), None),
            (b"\x00\xd8", Some("utf-16le"), None),
            (b"A", Some("ebcdic"), None),
            (b"", None, Some("")),
        ];
        for (bytes, charset, expected) in table {
            let got = text(bytes, *charset);
            assert_eq!(got.as_deref().ok(), *expected, "{bytes:?} {charset:?}");
        }
    }
}
