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

/// Whether text of this type can be sent as UTF-8: its charset is that or is not said.
pub(super) fn is_utf8(media_type: &str) -> bool {
    let charset = media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    charset.is_none_or(|charset| charset.eq_ignore_ascii_case("utf-8"))
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

/// More than this many types are not asked for: a header has its length.
const MOST_ASKED_FOR: usize = 12;

/// The types to ask for, each once: JSON ones first, else in the given order.
pub(super) fn best<'a>(declared: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (mut json, mut other): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for media_type in declared {
        let types = if is_json(media_type) { &mut json } else { &mut other };
        if types.len() < MOST_ASKED_FOR && !types.contains(&media_type) {
            types.push(media_type);
        }
    }
    json.extend(other);
    json.truncate(MOST_ASKED_FOR);
    json
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
    fn json_is_asked_for_first() {
        assert_eq!(best([].into_iter()), Vec::<&str>::new());
        let declared = ["text/html", "application/problem+json", "text/html", "application/json"];
        assert_eq!(best(declared.into_iter()), ["application/problem+json", "application/json", "text/html"]);
        let many: Vec<String> = (0..100).map(|n| format!("a/{n}")).collect();
        let many = many.iter().map(String::as_str).chain(["application/json"]);
        assert_eq!(best(many.clone()).len(), MOST_ASKED_FOR);
        assert_eq!(best(many)[0], "application/json");
    }
}
