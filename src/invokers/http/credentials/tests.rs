use super::*;

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn token(text: &str) -> Credential {
    Credential::Token(secret(text))
}

fn pair_of(user: &str, password: &str) -> Credential {
    Credential::Basic { user: secret(user), password: secret(password) }
}

/// `name:scheme`, the scheme one of `header=N`, `query=N`, `cookie=N`, `basic`, `bearer`, or unsupported.
fn demanded(text: &str) -> SchemeUse {
    let (name, scheme) = text.split_once(':').expect("name and scheme");
    let key = |location, name: &str| Scheme::ApiKey { location, name: name.to_owned() };
    let scheme = match scheme.split_once('=') {
        Some(("header", name)) => key(Location::Header, name),
        Some(("query", name)) => key(Location::Query, name),
        Some(("cookie", name)) => key(Location::Cookie, name),
        Some(("path", name)) => key(Location::Path, name),
        _ if scheme == "basic" => Scheme::Basic,
        _ if scheme == "bearer" => Scheme::Bearer,
        _ => Scheme::Unsupported(scheme.to_owned()),
    };
    SchemeUse { name: name.to_owned(), scheme }
}

/// Alternatives separated by `|`, schemes by `&`; an empty one is optional.
fn any_of(text: &str) -> Security {
    Security::Alternatives(
        text.split('|')
            .map(|alternative| alternative.split('&').filter(|part| !part.is_empty()).map(demanded).collect())
            .collect(),
    )
}

/// Everything that would be sent, in order.
fn sent(security: &Security, credentials: &Credentials) -> Result<Vec<String>, Refusal> {
    let proof = select(security, credentials)?;
    assert!(proof.headers.iter().all(|(_, value)| value.is_sensitive()));
    let headers =
        proof.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().expect("text")));
    let query = proof.query.iter().map(|(name, value)| format!("?{name}={}", value.expose()));
    Ok(headers.chain(query).collect())
}

#[test]
fn case_036_public_optional_and_demanded() {
    let (none, key) = (Credentials::default(), Credentials::default().with_scheme("key", token("k1")));
    let table: &[(&str, &Security, &Credentials, Option<&[&str]>)] = &[
        ("security: []", &Security::Public, &key, Some(&[])),
        ("{} first", &any_of("|key:header=X-Key"), &none, Some(&[])),
        ("{} first, key given", &any_of("|key:header=X-Key"), &key, Some(&["x-key: k1"])),
        ("{} last", &any_of("key:header=X-Key|"), &none, Some(&[])),
        ("private", &any_of("key:header=X-Key"), &none, None),
        ("private, key given", &any_of("key:header=X-Key"), &key, Some(&["x-key: k1"])),
        ("no alternative at all", &Security::Alternatives(Vec::new()), &key, Some(&[])),
        ("undeclared", &Security::Undeclared, &key, Some(&[])),
    ];
    for (what, security, credentials, expected) in table {
        let sent = sent(security, credentials);
        assert_eq!(
            sent.as_deref().ok(),
            expected.map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>()).as_deref(),
            "{what}"
        );
        if let Err(refusal) = sent {
            assert_eq!(refusal.kind, ErrorKind::MissingCredentials);
            assert!(refusal.message.contains("`key`") && refusal.message.contains("X-Key"), "{refusal}");
        }
    }
}

#[test]
fn case_040_a_credential_goes_where_its_scheme_is_demanded() {
    let credentials = Credentials::default().with_scheme("auth", token("A-token"));
    assert_eq!(
        sent(&any_of("auth:bearer"), &credentials).expect("complete"),
        ["authorization: Bearer A-token"]
    );
    for security in [Security::Public, Security::Undeclared, any_of("|other:bearer")] {
        assert_eq!(sent(&security, &credentials).expect("none needed"), [""; 0]);
    }
    let refusal = sent(&any_of("other:bearer"), &credentials).expect_err("incomplete");
    assert!(refusal.message.contains("other") && !format!("{refusal:?}").contains("A-token"));
}

#[test]
fn the_first_complete_alternative_is_taken() {
    let all = Credentials::default()
        .with_scheme("a", token("one"))
        .with_scheme("b", token("two"))
        .with_scheme("u", pair_of("Aladdin", "open sesame"))
        .with_bearer(secret("any"))
        .with_basic(secret("x"), secret("y"));
    let table: &[(&str, &[&str])] = &[
        ("z:header=Z|a:header=A|b:header=B", &["a: one"]),
        ("a:header=A&z:header=Z|b:header=B", &["b: two"]),
        ("a:header=A&b:query=b", &["a: one", "?b=two"]),
        ("a:cookie=sid&b:cookie=t", &["cookie: sid=one; t=two"]),
        ("u:basic", &["authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]),
        ("a:bearer", &["authorization: Bearer one"]),
        ("z:bearer", &["authorization: Bearer any"]),
        ("z:basic", &["authorization: Basic eDp5"]),
        ("z:mutualTLS|b:bearer", &["authorization: Bearer two"]),
        ("a:query=the key", &["?the%20key=one"]),
    ];
    for (security, expected) in table {
        assert_eq!(sent(&any_of(security), &all).expect("complete"), *expected, "{security}");
    }
    let table = [
        ("z:header=Z", "`z` (API key in header `Z`; absent)"),
        (
            "z:header=Z&a:bearer|u:bearer",
            "`z` (API key in header `Z`; absent) and `a` (given), or `u` (bearer token; given as user name and password, and needs a token)",
        ),
        ("z:mutualTLS", "`z` (mutualTLS; not supported)"),
        ("a:basic", "`a` (HTTP Basic; given as a token, and needs a user name and a password)"),
        ("a:path=x", "`a` (API key in path `x`; in the path, which no scheme may be)"),
    ];
    for (security, expected) in table {
        let refusal = sent(&any_of(security), &all).expect_err("incomplete");
        assert_eq!(refusal.message, format!("no security alternative is complete: it takes {expected}"));
    }
}

#[test]
fn two_schemes_for_one_place_are_refused() {
    let both = Credentials::default()
        .with_scheme("a", token("one"))
        .with_scheme("b", token("two"))
        .with_scheme("u", pair_of("x", "y"));
    for security in ["a:bearer&u:basic", "a:header=K&b:header=k", "a:query=k&b:query=k"] {
        let refusal = sent(&any_of(security), &both).expect_err("one place");
        assert!(refusal.message.contains("another scheme"), "{refusal}");
    }
}

#[test]
fn ruling_22_what_the_operator_gives_where_nothing_is_declared() {
    let bearer = Credentials::default().with_bearer(secret("tok"));
    let basic = Credentials::default().with_basic(secret("x"), secret("y"));
    let header = Credentials::default().with_header("X-Key", secret(" k1 "));
    let table: &[(&Security, &Credentials, &[&str])] = &[
        (&Security::Undeclared, &bearer, &["authorization: Bearer tok"]),
        (&Security::Undeclared, &basic, &["authorization: Basic eDp5"]),
        (&Security::Undeclared, &header, &["x-key: k1"]),
        (&Security::Public, &bearer, &[]),
        (&Security::Public, &header, &["x-key: k1"]),
        (&any_of("k:header=x-key"), &header, &["x-key: k1"]),
        (&any_of("k:header=other|"), &header, &["x-key: k1"]),
    ];
    for (security, credentials, expected) in table {
        assert_eq!(sent(security, credentials).expect("complete"), *expected, "{security:?}");
    }
    let named = Credentials::default().with_header("Authorization", secret("Token abcdef"));
    assert_eq!(sent(&any_of("k:bearer"), &named).expect("complete"), ["authorization: Token abcdef"]);
    let both = named.with_scheme("k", token("own"));
    assert_eq!(sent(&any_of("k:bearer"), &both).expect("complete"), ["authorization: Bearer own"]);
}

#[test]
fn a_credential_that_cannot_be_sent_is_refused_without_being_told() {
    let table = [
        ("k:header=K", token("S3CR3T\n")),
        ("k:header=K", token("S3CR3T\r\nX: y")),
        ("k:header=K", token("S3CR3T\0")),
        ("k:header=K", token("S3CR3Té")),
        ("k:header=K", token("")),
        ("k:header=K", token("  ")),
        ("k:header=no name", token("S3CR3T")),
        ("k:query=K", token("")),
        ("k:cookie=K", token("S3CR3T; admin=1")),
        ("k:cookie=K", token("S3CR3T x")),
        ("k:cookie=a=b", token("S3CR3T")),
        ("k:bearer", token("Bearer S3CR3T")),
        ("k:bearer", token("S3CR3T\n")),
        ("k:bearer", token("S3CR3Té")),
        ("k:basic", pair_of("S3CR3T:", "S3CR3T")),
        ("k:basic", pair_of("u", "S3CR3T\n")),
    ];
    for (security, credential) in table {
        let credentials = Credentials::default().with_scheme("k", credential.clone());
        let refusal = sent(&any_of(security), &credentials).expect_err("unusable");
        assert_eq!(refusal.kind, ErrorKind::MissingCredentials);
        assert!(refusal.message.contains("`k`"), "{refusal}");
        assert!(!format!("{refusal:?}").contains("S3CR3T"), "{refusal}");
    }
    let named = Credentials::default().with_header("X-Key", secret("S3CR3T\n"));
    let refusal = sent(&Security::Public, &named).expect_err("unusable");
    assert!(refusal.message.contains("X-Key") && !refusal.message.contains("S3CR3T"));
    // A query carries any text.
    let any = Credentials::default().with_scheme("k", token("é\n&"));
    assert_eq!(sent(&any_of("k:query=K"), &any).expect("complete"), ["?K=%C3%A9%0A%26"]);
    // Basic is base64 over UTF-8 (RFC 7617 section 2.1).
    let any = Credentials::default().with_scheme("k", pair_of("test", "123£"));
    assert_eq!(sent(&any_of("k:basic"), &any).expect("complete"), ["authorization: Basic dGVzdDoxMjPCow=="]);
}

#[test]
fn case_096_the_redactor_knows_every_secret_that_is_sent() {
    let credentials = Credentials::default()
        .with_scheme("h", token("header-secret"))
        .with_scheme("q", token("query/secret"))
        .with_scheme("c", token("cookie-secret"))
        .with_scheme("u", pair_of("user", "pass-secret"))
        .with_header("X-Mine", secret("Token named-secret"));
    let proof = select(&any_of("h:header=H&q:query=Q&c:cookie=C&u:basic"), &credentials).expect("complete");
    let echo = "header-secret query/secret query%2Fsecret cookie-secret pass-secret named-secret dXNlcjpwYXNzLXNlY3JldA==";
    assert_eq!(proof.redactor.apply(echo), "*** *** *** *** *** *** ***");
    assert!(!format!("{proof:?}").contains("secret\""));
}
