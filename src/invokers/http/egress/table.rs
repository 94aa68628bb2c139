//! What every address is for: one table, the longest prefix counts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Anybody's.
    Public,
    /// Inside a site, a provider or a laboratory: opened by `allow_private`.
    Private,
    /// This machine: opened by `allow_loopback`.
    Loopback,
    /// Never a destination; the text completes "the address is ...".
    Never(&'static str),
    /// Stands for IPv4 addresses, which are judged instead.
    Embeds(Form),
}

/// Where an IPv6 address holds IPv4 addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The last 32 bits.
    Last32,
    /// Bits 16 to 47 (6to4).
    Bits16,
    /// The server in bits 32 to 63, the client inverted in the last 32 (Teredo).
    Teredo,
    /// Any place that RFC 6052 section 2.2 allows behind a prefix of 48 bits or more.
    LocalNat64,
}

/// One row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) net: IpNet,
    pub(super) class: Class,
    /// Where this is said.
    pub(super) source: &'static str,
}

const fn v4(octets: [u8; 4], prefix: u8, class: Class, source: &'static str) -> Row {
    let [a, b, c, d] = octets;
    Row { net: IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix), class, source }
}

const fn v6(groups: [u16; 8], prefix: u8, class: Class, source: &'static str) -> Row {
    let mut bits = 0;
    let mut at = 0;
    while at < groups.len() {
        bits = bits << 16 | groups[at] as u128;
        at += 1;
    }
    Row { net: IpNet::new_assert(IpAddr::V6(Ipv6Addr::from_bits(bits)), prefix), class, source }
}

const UNSPECIFIED: Class = Class::Never("unspecified");
const LINK_LOCAL: Class = Class::Never("link-local");
const METADATA: Class = Class::Never("a cloud metadata service");
const MULTICAST: Class = Class::Never("multicast");
const BROADCAST: Class = Class::Never("broadcast");
const DOCUMENTATION: Class = Class::Never("reserved for documentation");
const RESERVED: Class = Class::Never("reserved");

/// The special-purpose registries of RFC 6890, and the well-known addresses of cloud metadata services.
#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    v4([0, 0, 0, 0], 0, Class::Public, "RFC 791"),
    v4([0, 0, 0, 0], 8, RESERVED, "RFC 791"),
    v4([0, 0, 0, 0], 32, UNSPECIFIED, "RFC 1122"),
    v4([10, 0, 0, 0], 8, Class::Private, "RFC 1918"),
    v4([100, 64, 0, 0], 10, Class::Private, "RFC 6598"),
    v4([100, 100, 100, 200], 32, METADATA, "Alibaba Cloud"),
    v4([127, 0, 0, 0], 8, Class::Loopback, "RFC 1122"),
    v4([168, 63, 129, 16], 32, METADATA, "Azure"),
    v4([169, 254, 0, 0], 16, LINK_LOCAL, "RFC 3927"),
    v4([169, 254, 169, 254], 32, METADATA, "AWS, Azure, Google Cloud and others"),
    v4([172, 16, 0, 0], 12, Class::Private, "RFC 1918"),
    v4([192, 0, 0, 0], 24, RESERVED, "RFC 6890"),
    v4([192, 0, 0, 192], 32, METADATA, "Oracle Cloud"),
    v4([192, 0, 2, 0], 24, DOCUMENTATION, "RFC 5737"),
    v4([192, 88, 99, 0], 24, RESERVED, "RFC 7526"),
    v4([192, 168, 0, 0], 16, Class::Private, "RFC 1918"),
    v4([198, 18, 0, 0], 15, Class::Private, "RFC 2544"),
    v4([198, 51, 100, 0], 24, DOCUMENTATION, "RFC 5737"),
    v4([203, 0, 113, 0], 24, DOCUMENTATION, "RFC 5737"),
    v4([224, 0, 0, 0], 4, MULTICAST, "RFC 5771"),
    v4([240, 0, 0, 0], 4, RESERVED, "RFC 1112"),
    v4([255, 255, 255, 255], 32, BROADCAST, "RFC 919"),

    // Global unicast is 2000::/3; whatever lies outside is nobody's until somebody says so.
    v6([0; 8], 0, RESERVED, "RFC 4291"),
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Class::Public, "RFC 4291"),
    v6([0; 8], 96, Class::Embeds(Form::Last32), "RFC 4291"),
    v6([0; 8], 128, UNSPECIFIED, "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, Class::Loopback, "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, Class::Embeds(Form::Last32), "RFC 4291"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, Class::Embeds(Form::Last32), "RFC 2765"),
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, Class::Embeds(Form::Last32), "RFC 6052"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, Class::Embeds(Form::LocalNat64), "RFC 8215"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, RESERVED, "RFC 2928"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Class::Embeds(Form::Teredo), "RFC 4380"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, DOCUMENTATION, "RFC 3849"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Class::Embeds(Form::Bits16), "RFC 3056"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, DOCUMENTATION, "RFC 9637"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Class::Private, "RFC 4193"),
    v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, METADATA, "Scaleway"),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, METADATA, "AWS"),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, METADATA, "Google Cloud"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, LINK_LOCAL, "RFC 4291"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, RESERVED, "RFC 3879"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, MULTICAST, "RFC 4291"),
];

/// The row for this address: the one with the longest prefix.
pub(super) fn row(address: IpAddr) -> Option<&'static Row> {
    TABLE.iter().filter(|row| row.net.contains(&address)).max_by_key(|row| row.net.prefix_len())
}

/// The IPv4 addresses that an IPv6 address of this form may stand for.
pub(super) fn embedded(address: Ipv6Addr, form: Form) -> Vec<Ipv4Addr> {
    let bits = address.to_bits();
    let at = |first_bit: u32| Ipv4Addr::from_bits(low32(bits >> (96 - first_bit)));
    match form {
        Form::Last32 => vec![at(96)],
        Form::Bits16 => vec![at(16)],
        Form::Teredo => vec![at(32), Ipv4Addr::from_bits(!at(96).to_bits())],
        Form::LocalNat64 => local_nat64(bits),
    }
}

/// The prefix length is the site's own choice, so every reading that fits counts: RFC 6052 section 2.2 puts the
/// address right behind a prefix of 48, 56 or 64 bits, around the zero octet at bits 64 to 71, followed by zeros;
/// or, behind 96 bits, at the end.
fn local_nat64(bits: u128) -> Vec<Ipv4Addr> {
    // Without the octet at bits 64 to 71, what stands before and behind it is in one piece of 120 bits.
    let octet = (bits >> 56) & 0xff;
    let joined = (bits >> 64 << 56) | (bits & ((1 << 56) - 1));
    let mut readings = vec![Ipv4Addr::from_bits(low32(bits))];
    for prefix in [48, 56, 64] {
        let behind = 120 - prefix - 32;
        let reading = low32(joined >> behind);
        if octet == 0 && joined & ((1 << behind) - 1) == 0 && reading != 0 {
            readings.push(Ipv4Addr::from_bits(reading));
        }
    }
    // A shorter prefix leaves zeros at the end; those are no address then.
    if readings.len() > 1 && low32(bits) == 0 {
        readings.remove(0);
    }
    readings
}

fn low32(bits: u128) -> u32 {
    u32::try_from(bits & u128::from(u32::MAX)).unwrap_or_default()
}
