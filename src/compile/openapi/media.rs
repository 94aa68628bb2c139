//! Media types (RFC 9110 section 8.3.1), as far as a compiler must understand them.

/// The type without parameters, lower case: `application/json` for `Application/JSON; charset=utf-8`.
///
/// `None` where the text is no media type or range.
pub(super) fn essence(media_type: &str) -> Option<String> {
    let plain = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (kind, subtype) = plain.split_once('/')?;
    (is_token(kind) && is_token(subtype)).then_some(plain)
}

/// Whether values of this type are JSON (RFC 8259, RFC 6839 section 3.1); takes an essence.
pub(super) fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.ends_with("+json")
}

/// Whether the text can stand in a header as it is: visible ASCII and spaces.
pub(super) fn is_field_value(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// RFC 9110 section 5.6.2; `*` is a token too.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The `Accept` header for these declared types: JSON ones first, `application/json` where there is none.
pub(super) fn accept<'a>(declared: impl Iterator<Item = &'a str>) -> String {
    let mut types: Vec<&str> = Vec::new();
    for media_type in declared {
        if !types.contains(&media_type) {
            types.push(media_type);
        }
    }
    // Stable: within the two groups the document's order stays.
    types.sort_by_key(|media_type| !is_json(media_type));
    if types.is_empty() { "application/json".to_owned() } else { types.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_046_types_are_compared_without_case_and_parameters() {
        for (written, due) in [
            ("application/json", Some("application/json")),
            ("Application/JSON;charset=UTF-8", Some("application/json")),
            ("application/vnd.acme.item+json; version=2", Some("application/vnd.acme.item+json")),
            ("*/*", Some("*/*")),
            ("text/*", Some("text/*")),
            ("json", None),
            ("", None),
            ("a/b\r\nX: y", None),
        ] {
            assert_eq!(essence(written).as_deref(), due, "{written}");
        }
        assert!(is_json("application/vnd.acme.item+json") && !is_json("application/notjson"));
    }

    #[test]
    fn accept_puts_json_first() {
        assert_eq!(accept([].into_iter()), "application/json");
        let declared = ["text/html", "application/problem+json", "text/html", "application/json"];
        assert_eq!(accept(declared.into_iter()), "application/problem+json, application/json, text/html");
    }
}
