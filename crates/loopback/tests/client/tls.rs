//! HTTPS.

use crate::{client, outcome};
use schemarouter_loopback::tls::{Authority, Certificate};
use schemarouter_loopback::{Action, Connection, End, Reply, Script, Server};

/// A failure of the handshake: its last links.
fn handshake(rest: &str) -> String {
    format!("not sent: connect request | legacy(connect) > io(Other) > {rest}")
}

#[tokio::test]
async fn case_093_each_bad_certificate_sent_nothing() {
    let authority = Authority::new().unwrap();
    let (trusting, distrusting) = (client(Some(&authority)).build().unwrap(), client(None).build().unwrap());
    let table = [
        (Certificate::Expired, &trusting, "ExpiredContext"),
        (Certificate::NotYetValid, &trusting, "NotValidYetContext"),
        (Certificate::WrongHost, &trusting, "NotValidForNameContext"),
        (Certificate::SelfSigned, &trusting, "UnknownIssuer)"),
        (Certificate::Sound, &distrusting, "UnknownIssuer)"),
    ];
    for (certificate, client, variant) in table {
        let identity = authority.issue(certificate).unwrap();
        let server = Server::start_tls(Reply::status(204), &identity).await.unwrap();
        let expected = handshake(&format!("io(InvalidData) > rustls(InvalidCertificate({variant})"));
        assert_eq!(outcome(client, &server.url()).await, expected, "{certificate:?}");
        assert_eq!(server.requests(), [], "{certificate:?}");
    }
    let identity = authority.issue(Certificate::Sound).unwrap();
    let server = Server::start_tls(Reply::status(204), &identity).await.unwrap();
    assert_eq!(outcome(&trusting, &server.url()).await, "204, 0 bytes");
}

#[tokio::test]
async fn case_093_each_broken_handshake_sent_nothing() {
    let authority = Authority::new().unwrap();
    let client = client(Some(&authority)).build().unwrap();
    let not_tls = "io(InvalidData) > rustls(InvalidMessage(InvalidContentType))";
    let table = [
        ("reset", Connection::reset_on_arrival(), "io(ConnectionReset)"),
        ("closed", Connection::close_on_arrival(), "io(ConnectionReset)"),
        ("garbage", Connection::speak("HTTP/1.1 400 Bad Request\r\n\r\n"), not_tls),
    ];
    for (name, connection, rest) in table {
        let script = Script::repeat(Reply::status(204)).other_connections(connection);
        let server = Server::start(script).await.unwrap();
        let url = server.url().replace("http:", "https:");
        assert_eq!(outcome(&client, &url).await, handshake(rest), "{name}");
    }
    let server = Server::start(Reply::status(204)).await.unwrap();
    let url = server.url().replace("http:", "https:");
    assert_eq!(outcome(&client, &url).await, handshake(not_tls), "a plain server");
}

#[tokio::test]
async fn after_the_handshake_the_chains_are_those_of_plain_http() {
    let authority = Authority::new().unwrap();
    let client = client(Some(&authority)).build().unwrap();
    let identity = authority.issue(Certificate::Sound).unwrap();
    let cut = |end| Action::from(Reply::json(200, "[1,2]").cut_after(2, end));
    let table = [
        (Action::close(), "maybe sent: request | legacy > hyper(incomplete)"),
        (Action::reset(), "maybe sent: request | legacy > hyper() > io(ConnectionReset)"),
        (
            cut(End::Close),
            r#"200, then decode | hyper() > io(UnexpectedEof) > "end of file before message length reached""#,
        ),
        (cut(End::Reset), "200, then decode | hyper() > io(ConnectionReset)"),
    ];
    for (action, expected) in table {
        let server = Server::start_tls(action, &identity).await.unwrap();
        assert_eq!(outcome(&client, &server.url()).await, expected);
    }
}
