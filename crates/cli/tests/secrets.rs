//! A secret goes into the request and nowhere else.

use schemarouter_loopback::{Action, Reply, Request, Script};

use crate::support::{Ran, invocation, invoke, schemarouter, server};

const MARK: &str = "canary-7f3a9c51";

/// The mark as `user:canary-7f3a9c51` in base64, without what its neighbours decide.
const MARK_IN_BASE64: &str = "Y2FuYXJ5LTdmM2E5YzUx";

/// The ways of proving identity, with what the server gets.
const WAYS: [(&str, &[&str], &str); 6] = [
    ("withBearer", &["--bearer-env", "SECRET"], "Bearer canary-7f3a9c51"),
    ("withBearer", &["--credential-env", "token=SECRET"], "Bearer canary-7f3a9c51"),
    ("withBasic", &["--basic-env", "PAIR"], "Basic dXNlcjpjYW5hcnktN2YzYTljNTE="),
    ("withBasic", &["--credential-env", "pair=PAIR"], "Basic dXNlcjpjYW5hcnktN2YzYTljNTE="),
    ("withHeaderKey", &["--credential-env", "headerKey=SECRET"], "canary-7f3a9c51"),
    ("withQueryKey", &["--credential-env", "queryKey=SECRET"], "?key=canary-7f3a9c51"),
];

fn with_secrets(url: &str, words: &[&str]) -> Ran {
    let output = schemarouter(&invocation(url, words))
        .env("SECRET", MARK)
        .env("PAIR", format!("user:{MARK}"))
        .output()
        .expect("the binary runs");
    Ran::of(output)
}

/// What the request brought as proof.
fn proof(request: &Request) -> String {
    let header = request.header("authorization").or_else(|| request.header("x-key"));
    header.map_or_else(|| format!("?{}", request.query().unwrap_or_default()), str::to_owned)
}

/// A server that throws every proof back, in the head and in the body.
fn echo(status: u16, kind: &'static str) -> Script {
    Script::route(move |request: &Request| {
        let proof = proof(request);
        let body = match kind {
            "application/problem+json" => {
                format!(r#"{{"title": "no", "detail": "{proof} is wrong", "instance": "{proof}"}}"#)
            }
            _ => format!("{proof} is wrong"),
        };
        Reply::status(status)
            .header("Content-Type", kind)
            .header("WWW-Authenticate", format!("Bearer error=\"{proof}\""))
            .header("Location", format!("/elsewhere?{proof}"))
            .body(body)
    })
}

fn assert_silent(ran: &Ran, about: &str) {
    for (stream, text) in [("stdout", &ran.out), ("stderr", &ran.err)] {
        for mark in [MARK, MARK_IN_BASE64, "dXNlcjpjYW5h"] {
            assert!(!text.contains(mark), "{about}: the secret stands on {stream}: {text}");
        }
    }
}

#[test]
fn no_secret_is_ever_printed() {
    let servers: [(&str, Script, i32); 6] = [
        ("success", Reply::json(200, "{}").into(), 0),
        ("401 text", echo(401, "text/plain"), 13),
        ("401 problem", echo(401, "application/problem+json"), 13),
        ("500", echo(500, "text/html"), 10),
        ("302", echo(302, "text/plain"), 13),
        ("timeout", Action::stall().into(), 11),
    ];
    for (name, script, code) in servers {
        let server = server(script);
        let patience: &[&str] = if name == "timeout" { &["--timeout", "100ms"] } else { &[] };
        for (key, flags, expected) in WAYS {
            for output in [&["--json", "--trace"][..], &["--trace"]] {
                let ran = with_secrets(&server.url(), &[&[key], flags, output, patience].concat());
                let about = format!("{name}, {key}, {output:?}");
                assert_silent(&ran, &about);
                if name == "401 text" {
                    assert!(ran.err.contains("the server says: "), "{about}: the reply is told: {}", ran.err);
                }
                assert_eq!(ran.code, code, "{about}: {}", ran.err);
                let request = server.requests().pop().expect("it was sent");
                assert!(
                    proof(&request).contains(expected),
                    "{about}: the proof was sent: {}",
                    proof(&request)
                );
            }
        }
    }
}

#[test]
fn a_dry_run_reads_no_secret_and_shows_none() {
    for (key, flags, _) in WAYS {
        let ran = with_secrets("http://127.0.0.1:9", &[&[key, "--dry-run"], flags].concat()).ends_with(0);
        assert_silent(&ran, key);
    }
}

#[test]
fn a_header_of_the_operator_is_sent_and_not_shown() {
    let server = server(echo(401, "text/plain"));
    let ran = with_secrets(&server.url(), &["getTool", "id=7", "--header-env", "X-Key=SECRET", "--json"])
        .ends_with(13);
    assert_silent(&ran, "header");
    assert_eq!(server.requests()[0].header("x-key"), Some(MARK));
}

#[test]
fn a_variable_that_cannot_be_used_is_named() {
    let table: [(&str, &[&str], &str); 6] = [
        ("withBearer", &["--bearer-env", "ABSENT"], "`ABSENT` is not set"),
        ("withBearer", &["--bearer-env", "EMPTY"], "`EMPTY` is empty"),
        ("withBasic", &["--basic-env", "SECRET"], "`SECRET` holds no `user:password`"),
        ("withBasic", &["--credential-env", "pair=SECRET"], "`SECRET` holds no `user:password`"),
        ("withBearer", &["--credential-env", "tokens=SECRET"], "knows no security scheme `tokens`"),
        ("withHeaderKey", &["--header-env", "X-Other=ABSENT"], "`ABSENT` is not set"),
    ];
    for (key, flags, message) in table {
        let words = [&[key, "--json"], flags].concat();
        let output = schemarouter(&invocation("http://127.0.0.1:9", &words))
            .env("SECRET", MARK)
            .env("EMPTY", "")
            .output()
            .expect("the binary runs");
        let ran = Ran::of(output).ends_with(14);
        let report = ran.json("error-report");
        assert_eq!(report["kind"], "missing_credentials");
        assert!(report["message"].as_str().unwrap().contains(message), "{report}");
        assert_silent(&ran, message);
    }
}

#[test]
fn a_call_without_the_credential_it_needs_is_not_sent() {
    let server = server(Reply::status(200));
    let report = invoke(&server.url(), &["withBearer", "--json"]).ends_with(14).json("error-report");
    assert_eq!(report["kind"], "missing_credentials");
    assert_eq!(server.connections(), 0);
}
