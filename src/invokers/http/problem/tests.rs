use proptest::prelude::*;

use super::*;

fn of(content_type: &str, body: &str) -> Option<Problem> {
    problem(body.as_bytes(), Some(content_type), &Redactor::default())
}

#[test]
fn case_052_problem_details_whatever_is_declared() {
    let body = r#"{"type":"https://e.test/oos","title":"Out of stock","status":422,"detail":"sku 9"}"#;
    let problem = of("application/problem+json", body).expect("a problem");
    assert_eq!(problem.kind.as_deref(), Some("https://e.test/oos"));
    assert_eq!(problem.title.as_deref(), Some("Out of stock"));
    assert_eq!(problem.status, Some(422));
    assert_eq!(problem.detail.as_deref(), Some("sku 9"));
    assert_eq!(problem.instance, None);
}

#[test]
fn what_counts_as_a_problem() {
    let table = [
        ("application/problem+json; charset=utf-8", r#"{"title":"t"}"#, Some((Some("t"), None))),
        ("application/json", "\u{feff}{\"title\":\"t\"}", Some((Some("t"), None))),
        ("application/json", r#"{"message":"Not Found"}"#, Some((None, Some("Not Found")))),
        ("application/json", r#"{"detail":"d","message":"m"}"#, Some((None, Some("d")))),
        ("application/json", r#"{"title":1,"detail":["d"],"status":"422"}"#, None),
        ("application/json", r#"{"status":422}"#, None),
        ("application/problem+json", r#"{"status":422}"#, Some((None, None))),
        ("application/problem+json", "{}", None),
        ("application/problem+json", r#"{"status":99999}"#, None),
        ("application/problem+json", "not json", None),
        ("application/json", r#"["title"]"#, None),
        ("text/html", r#"{"title":"t"}"#, None),
        ("nonsense", r#"{"title":"t"}"#, None),
    ];
    for (content_type, body, expected) in table {
        let problem = of(content_type, body);
        let got = problem.as_ref().map(|problem| (problem.title.as_deref(), problem.detail.as_deref()));
        assert_eq!(got, expected, "{content_type} {body}");
    }
    assert_eq!(problem(br#"{"title":"t"}"#, None, &Redactor::default()), None);
}

#[test]
fn excerpts_are_short_readable_and_on_one_line() {
    let cut = |text: &str| excerpt(text.as_bytes(), Some("text/plain"), &Redactor::default());
    assert_eq!(cut("  a\r\nb\u{1b}[31mc\u{202e}d  ").as_deref(), Some("a  b [31mc d"));
    assert_eq!(cut(""), None);
    assert_eq!(cut(" \n "), None);
    assert_eq!(cut(&"x".repeat(1024)), Some("x".repeat(1024)));
    assert_eq!(cut(&"x".repeat(1025)), Some("x".repeat(1021) + "…"));
    assert_eq!(cut(&"é".repeat(1000)), Some("é".repeat(510) + "…"));

    let kinds: &[(Option<&str>, &[u8], Option<&str>)] = &[
        (Some("text/html; charset=iso-8859-1"), b"caf\xe9", Some("café")),
        (Some("application/json"), br#"{"a":1}"#, Some(r#"{"a":1}"#)),
        (Some("application/soap+xml"), b"<a/>", Some("<a/>")),
        (Some("text/plain"), b"a\xffb", Some("a\u{fffd}b")),
        (Some("image/png"), b"text", None),
        (Some("application/octet-stream"), b"text", None),
        (None, b"text", Some("text")),
        (None, b"\xff\xd8\xff", None),
    ];
    for (content_type, body, expected) in kinds {
        assert_eq!(
            excerpt(body, *content_type, &Redactor::default()).as_deref(),
            *expected,
            "{content_type:?}"
        );
    }
}

#[test]
fn case_051_a_long_page_is_cut() {
    let page = "<!doctype html>".to_owned() + &"é".repeat(50_000);
    for content_type in [Some("text/html"), None] {
        let line = excerpt(page.as_bytes(), content_type, &Redactor::default()).expect("an excerpt");
        assert!(line.starts_with("<!doctype html>é") && line.len() <= MOST_BYTES);
    }
}

#[test]
fn case_096_an_echoed_key_is_replaced_before_anything_is_cut() {
    let mut redactor = Redactor::default();
    redactor.add("S3CR3T-key");
    let body = "x".repeat(MOST_BYTES - 5) + "S3CR3T-key";
    let line = excerpt(body.as_bytes(), None, &redactor).expect("an excerpt");
    assert!(!line.contains("S3C") && line.ends_with("***"));
    let told =
        problem(br#"{"detail":"bad S3CR3T-key"}"#, Some("application/json"), &redactor).expect("a problem");
    assert_eq!(told.detail.as_deref(), Some("bad ***"));
}

proptest! {
    #[test]
    fn no_body_makes_an_excerpt_too_long(body in proptest::collection::vec(any::<u8>(), 0..3000)) {
        for content_type in [None, Some("text/plain"), Some("text/plain; charset=utf-16")] {
            if let Some(line) = excerpt(&body, content_type, &Redactor::default()) {
                prop_assert!(!line.is_empty() && line.len() <= MOST_BYTES);
                prop_assert!(!line.contains(char::is_control));
            }
        }
    }
}
