//! What reqwest 0.13 on hyper 1.12 says when each thing goes wrong.
//!
//! The verdict on a failed call rests on these facts: above all, whether the request was provably not sent.
//! When an upgrade changes one of them, a table here shows it.
#![allow(clippy::unwrap_used)]

mod chain;
mod connector;
mod failures;
mod tls;

use reqwest::{Client, Method};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use schemarouter_loopback::tls::Authority;
use std::sync::Arc;

/// A client that repeats nothing, follows nothing and keeps no connection, trusting the authority alone.
///
/// A TLS configuration of its own also lets it be built where the system has no certificates.
fn client(authority: Option<&Authority>) -> reqwest::ClientBuilder {
    let mut roots = RootCertStore::empty();
    if let Some(authority) = authority {
        roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Client::builder()
        .tls_backend_preconfigured(config)
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .pool_max_idle_per_host(0)
        .http1_only()
}

/// One POST and what became of it: the status and the length of the body, or the chain of the error.
///
/// Without a status it also says whether nothing was sent.
async fn outcome(client: &Client, url: &str) -> String {
    let reply = match client.request(Method::POST, url).body(r#"{"a":1}"#).send().await {
        Ok(reply) => reply,
        Err(error) => {
            let verdict = if chain::not_sent(&error) { "not sent" } else { "maybe sent" };
            return format!("{verdict}: {}", chain::shown(&error));
        }
    };
    let status = reply.status().as_u16();
    match reply.bytes().await {
        Ok(body) => format!("{status}, {} bytes", body.len()),
        Err(error) => format!("{status}, then {}", chain::shown(&error)),
    }
}
