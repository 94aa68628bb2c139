//! HTTPS with certificates made on the spot, good and bad.
//!
//! A handshake that is cut off, hangs, or meets a server that speaks no TLS needs none of this: see
//! [`Connection::reset_on_arrival`](crate::Connection::reset_on_arrival),
//! [`Connection::stall`](crate::Connection::stall) and a plain [`Server`].

use crate::wire::{Handshake, Stream};
use crate::{Script, Server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use std::fmt::Display;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// What is right or wrong about a server's certificate.
///
/// All of them are for `localhost` and 127.0.0.1 unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Signed by the authority and sound.
    Sound,
    /// Signed by the authority, valid until the year 2001.
    Expired,
    /// Signed by the authority, valid from the year 4000.
    NotYetValid,
    /// Signed by the authority for `wrong.test`.
    WrongHost,
    /// Signed by nobody else.
    SelfSigned,
}

/// A certificate authority for tests: trust its PEM in the client.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::tls::{Authority, Certificate};
/// use schemarouter_loopback::{Reply, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let authority = Authority::new()?;
/// let server = Server::start_tls(Reply::status(204), &authority.issue(Certificate::Expired)?).await?;
/// assert!(server.url().starts_with("https://127.0.0.1:"));
/// assert!(authority.pem().starts_with("-----BEGIN CERTIFICATE-----"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A server's certificate with its key.
#[derive(Clone, Debug)]
pub struct Identity {
    config: Arc<ServerConfig>,
}

impl Authority {
    /// Makes an authority with a fresh key.
    ///
    /// # Errors
    ///
    /// When the key or the certificate cannot be made.
    pub fn new() -> io::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "schemarouter loopback authority");
        let key = KeyPair::generate().map_err(other)?;
        Ok(Self { issuer: CertifiedIssuer::self_signed(params, key).map_err(other)? })
    }

    /// Its certificate in PEM.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Makes a server's certificate.
    ///
    /// # Errors
    ///
    /// When the key or the certificate cannot be made.
    pub fn issue(&self, certificate: Certificate) -> io::Result<Identity> {
        let names = match certificate {
            Certificate::WrongHost => vec!["wrong.test".to_owned()],
            _ => vec!["localhost".to_owned(), Ipv4Addr::LOCALHOST.to_string()],
        };
        let mut params = CertificateParams::new(names).map_err(other)?;
        match certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Certificate::NotYetValid => params.not_before = date_time_ymd(4000, 1, 1),
            Certificate::Sound | Certificate::WrongHost | Certificate::SelfSigned => {}
        }
        let key = KeyPair::generate().map_err(other)?;
        let signed = match certificate {
            Certificate::SelfSigned => params.self_signed(&key),
            _ => params.signed_by(&key, &self.issuer),
        };
        let chain = vec![signed.map_err(other)?.der().clone()];
        Identity::new(chain, PrivateKeyDer::Pkcs8(key.serialize_der().into()))
    }
}

impl Identity {
    /// An identity of one's own making.
    ///
    /// # Errors
    ///
    /// When the key does not fit the certificate.
    pub fn new(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> io::Result<Self> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(other)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(other)?;
        // The server speaks nothing newer.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config) })
    }

    fn handshake(&self) -> Handshake {
        let acceptor = TlsAcceptor::from(Arc::clone(&self.config));
        Arc::new(move |tcp| {
            let accepting = acceptor.accept(tcp);
            Box::pin(async move { Ok(Box::new(accepting.await?) as Box<dyn Stream>) })
        })
    }
}

impl Server {
    /// Starts an HTTPS server on a free port of 127.0.0.1, as a task of the current runtime.
    ///
    /// # Errors
    ///
    /// When no port can be bound.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready starts nothing.
    pub async fn start_tls(script: impl Into<Script>, identity: &Identity) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Self::spawn(listener, script.into(), "https", identity.handshake())
    }
}

impl Stream for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

fn other(error: impl Display) -> io::Error {
    io::Error::other(error.to_string())
}
