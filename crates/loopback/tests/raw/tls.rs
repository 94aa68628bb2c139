//! HTTPS.

use super::*;
use schemarouter_loopback::tls::{Authority, Certificate};
use schemarouter_loopback::{Action, Connection, Reply};
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A handshake that trusts the authority.
async fn shake(server: &Server, authority: &Authority) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = TcpStream::connect(server.address()).await?;
    let host = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(host, tcp).await
}

#[tokio::test]
async fn each_certificate_is_what_it_says() {
    let authority = Authority::new().unwrap();
    let table = [
        (Certificate::Sound, ""),
        (Certificate::Expired, "certificate expired"),
        (Certificate::NotYetValid, "certificate not valid yet"),
        (Certificate::WrongHost, "certificate not valid for name"),
        (Certificate::SelfSigned, "UnknownIssuer"),
    ];
    for (certificate, text) in table {
        let identity = authority.issue(certificate).unwrap();
        let server = Server::start_tls(Reply::status(204), &identity).await.unwrap();
        let shaken = shake(&server, &authority).await;
        let error = shaken.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(text) && error.is_empty() == text.is_empty(), "{certificate:?}: {error}");
    }
}

#[tokio::test]
async fn actions_work_over_tls() {
    let authority = Authority::new().unwrap();
    let identity = authority.issue(Certificate::Sound).unwrap();
    let script = Script::sequence([Reply::status(204).into(), Action::reset()]);
    let server = Server::start_tls(script, &identity).await.unwrap();
    let mut client = shake(&server, &authority).await.unwrap();
    client.write_all(GET.as_bytes()).await.unwrap();
    let mut reply = [0; 27];
    client.read_exact(&mut reply).await.unwrap();
    assert_eq!(&reply, b"HTTP/1.1 204 No Content\r\n\r\n");
    client.write_all(GET.as_bytes()).await.unwrap();
    assert_eq!(client.read(&mut reply).await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_handshake_is_cut_off_or_hangs() {
    let authority = Authority::new().unwrap();
    let identity = authority.issue(Certificate::Sound).unwrap();
    let plans = [Connection::reset_on_arrival(), Connection::stall()];
    let script = Script::repeat(Reply::status(204)).connections(plans);
    let server = Server::start_tls(script, &identity).await.unwrap();
    let cut = shake(&server, &authority).await.unwrap_err();
    assert_eq!(cut.kind(), io::ErrorKind::ConnectionReset);
    tokio::select! {
        biased;
        _ = server.until(|p| p.stalls == 1) => {}
        _ = shake(&server, &authority) => panic!("the handshake ended"),
    }
}
