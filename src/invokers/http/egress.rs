//! Where requests may go: schemes, hosts, addresses (case 098).
//!
//! A host is judged as the URL parser understood it, so every spelling of an address is the same address; a name
//! is judged again, by [`check_resolved`], on each address that a connection would use.

mod table;

use std::net::{IpAddr, Ipv4Addr};

use schemarouter_kernel::base::kind::ErrorKind;
use url::{Host, Url};

use self::table::{Class, embedded, row};
use super::origin::{Origin, safe_url};
use super::refusal::{Refusal, shown};

/// What the operator opens; link-local, metadata, unspecified and reserved addresses cannot be opened.
///
/// # Examples
/// ```
/// use schemarouter::invokers::http::egress::{EgressPolicy, check_url};
///
/// let open = EgressPolicy { allow_private: true, allow_loopback: true, allow_plain_http: true };
/// assert!(check_url(&"http://10.0.0.1/".parse()?, &open).is_ok());
/// assert!(check_url(&"http://0xA9FEA9FE/".parse()?, &open).is_err(), "169.254.169.254, however it is spelled");
/// assert!(check_url(&"http://10.0.0.1/".parse()?, &EgressPolicy::default()).is_err());
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EgressPolicy {
    /// Private, shared and benchmarking ranges.
    pub allow_private: bool,
    /// 127.0.0.0/8, `::1` and the names that mean them.
    pub allow_loopback: bool,
    /// Plain http beyond loopback, where it needs no permission.
    pub allow_plain_http: bool,
}

/// Whether a request may go to this URL at all, before any name is resolved.
///
/// # Errors
/// `egress_denied`: another scheme than http or https, user information, plain http beyond loopback, an address
/// or a name of this machine that the policy does not open.
pub fn check_url(url: &Url, policy: &EgressPolicy) -> Result<(), Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(denied(url, "neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(denied(url, "it holds user information (RFC 9110 section 4.2.4)"));
    }
    let loopback = match url.host() {
        None => return Err(denied(url, "it has no host")),
        Some(Host::Ipv4(address)) => literal(url, IpAddr::V4(address), *policy)?,
        Some(Host::Ipv6(address)) => literal(url, IpAddr::V6(address), *policy)?,
        Some(Host::Domain(name)) => {
            let local = is_local_name(name);
            if local && !policy.allow_loopback {
                return Err(denied(url, "the host is this machine").with_hint(LOOPBACK_HINT));
            }
            local
        }
    };
    if url.scheme() == "http" && !loopback && !policy.allow_plain_http {
        return Err(denied(url, "plain http beyond loopback")
            .with_hint("use https, or set `allow_plain_http` (--allow-plain-http)"));
    }
    Ok(())
}

/// Whether a connection for this host name may use this address.
///
/// Asked for every address right before it is connected to, so that a name cannot change its mind between the
/// check and the connection.
///
/// # Errors
/// As [`check_address`]; and a name of this machine that resolves to anything else (RFC 6761 section 6.3), since
/// plain http needs no permission there.
pub fn check_resolved(name: &str, address: IpAddr, policy: &EgressPolicy) -> Result<(), Refusal> {
    if is_local_name(name) && !is_loopback(address) {
        let message = format!("`{}` resolves to {address}, which is not this machine", shown(name));
        return Err(Refusal::new(ErrorKind::EgressDenied, message));
    }
    check_address(address, policy).map_err(|refusal| Refusal {
        message: format!("`{}` resolves to an address that is denied: {}", shown(name), refusal.message),
        ..refusal
    })
}

/// Whether requests may go to this address.
///
/// An IPv6 address that stands for an IPv4 address is judged as that one, in every form (mapped, compatible,
/// translated, NAT64, 6to4, Teredo): what such an address reaches is the IPv4 host.
///
/// # Errors
/// `egress_denied`, with the class of the address and where it is defined.
pub fn check_address(address: IpAddr, policy: &EgressPolicy) -> Result<(), Refusal> {
    readings(address).into_iter().try_for_each(|reading| {
        let Some(row) = row(reading) else { return Ok(()) };
        let (rule, hint) = match row.class {
            Class::Public => return Ok(()),
            Class::Private if policy.allow_private => return Ok(()),
            Class::Loopback if policy.allow_loopback => return Ok(()),
            Class::Private => ("private", Some(PRIVATE_HINT)),
            Class::Loopback => ("loopback", Some(LOOPBACK_HINT)),
            Class::Never(rule) => (rule, None),
            Class::Embeds(_) => ("reserved", None),
        };
        let stands = if reading == address { String::new() } else { format!(" stands for {reading}, which") };
        let message = format!("the address {address}{stands} is {rule} ({})", row.source);
        Err(Refusal { hint: hint.map(str::to_owned), ..Refusal::new(ErrorKind::EgressDenied, message) })
    })
}

/// Whether a URL stays with the origin that the call is for, or with hosts that the operator lists (ruling 14).
///
/// # Errors
/// `egress_denied`, naming both.
pub fn confine(url: &Url, home: &Origin, hosts: &[String]) -> Result<(), Refusal> {
    let listed = |host: &str| hosts.iter().any(|listed| bare(listed).eq_ignore_ascii_case(bare(host)));
    if Origin::of(url).as_ref() == Some(home) || url.host_str().is_some_and(listed) {
        return Ok(());
    }
    let rule = format!("it is neither at {home} nor on a host that the operator lists");
    Err(denied(url, &rule).with_hint("trusted code may list the host in `allowed_hosts`"))
}

const PRIVATE_HINT: &str = "trusted code may set `allow_private` (--allow-private)";
const LOOPBACK_HINT: &str = "trusted code may set `allow_loopback` (--allow-private)";

fn denied(url: &Url, rule: &str) -> Refusal {
    Refusal::new(ErrorKind::EgressDenied, format!("requests to `{}` are denied: {rule}", safe_url(url)))
}

/// Checks an address in a URL; the answer is whether it is this machine.
fn literal(url: &Url, address: IpAddr, policy: EgressPolicy) -> Result<bool, Refusal> {
    check_address(address, &policy)
        .map_err(|refusal| Refusal { hint: refusal.hint, ..denied(url, &refusal.message) })?;
    Ok(is_loopback(address))
}

/// The addresses that this one is judged by.
fn readings(address: IpAddr) -> Vec<IpAddr> {
    match (address, row(address).map(|row| row.class)) {
        (IpAddr::V6(v6), Some(Class::Embeds(form))) => {
            embedded(v6, form).into_iter().map(IpAddr::V4).collect::<Vec<IpAddr>>()
        }
        _ => vec![address],
    }
}

fn is_loopback(address: IpAddr) -> bool {
    let class = |reading| row(reading).map(|row| row.class);
    readings(address).into_iter().all(|reading| class(reading) == Some(Class::Loopback))
}

/// `localhost` and what ends in it, with or without the root's dot (RFC 6761 section 6.3).
pub(super) fn is_local_name(name: &str) -> bool {
    let name = bare(name).to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|v4| v4.is_loopback())
}

fn bare(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

#[cfg(test)]
mod tests;
