use std::fmt::Write as _;
use std::net::Ipv6Addr;

use proptest::prelude::*;

use super::*;

const CLOSED: EgressPolicy =
    EgressPolicy { allow_private: false, allow_loopback: false, allow_plain_http: false };
const PLAIN: EgressPolicy = EgressPolicy { allow_plain_http: true, ..CLOSED };
const LOOPBACK: EgressPolicy = EgressPolicy { allow_loopback: true, ..CLOSED };
const PRIVATE: EgressPolicy = EgressPolicy { allow_private: true, ..CLOSED };
const OPEN: EgressPolicy = EgressPolicy { allow_private: true, allow_loopback: true, allow_plain_http: true };

/// Every spelling of case 098, then some of its neighbours.
const SPELLINGS: &[&str] = &[
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1]",
    "0.0.0.0",
    "[::]",
    "[fd00:ec2::254]",
    "0xa9.254.0251.254",
    "169.254.169.254.",
    "１６９.254.169.254",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:5601:5601]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[::ffff:0:169.254.169.254]",
    "168.63.129.16",
    "100.100.100.200",
    "255.255.255.255",
    "224.0.0.1",
    "[ff02::1]",
    "0",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "app.localhost",
    "127.1",
    "0x7f000001",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "100.64.0.1",
    "198.18.0.1",
    "[fc00::1]",
    "[::ffff:10.0.0.1]",
    "93.184.215.14",
    "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]",
    "[::ffff:93.184.215.14]",
    "[4000::1]",
    "api.test",
    "notlocalhost",
    "localhost.evil.test",
];

fn word(result: &Result<(), Refusal>) -> &str {
    if result.is_ok() { "yes" } else { "-" }
}

#[test]
fn case_098_every_spelling_under_every_policy() {
    let mut table =
        String::from("host, over http | plain http allowed | loopback allowed | all allowed | why not\n");
    for host in SPELLINGS {
        let url: Url = format!("http://{host}/latest").parse().expect("a URL");
        let under = |policy| check_url(&url, &policy);
        let (plain, loopback, open) = (under(PLAIN), under(LOOPBACK), under(OPEN));
        let why = [&open, &plain].into_iter().find_map(|result| result.as_ref().err());
        let why = why.map_or("", |refusal| {
            assert_eq!(refusal.kind, ErrorKind::EgressDenied);
            refusal.message.split_once("denied: ").expect("names the URL, then the rule").1
        });
        writeln!(table, "{host} | {} | {} | {} | {why}", word(&plain), word(&loopback), word(&open))
            .expect("strings take text");
    }
    insta::assert_snapshot!(table);
}

#[test]
fn case_098_what_is_never_opened() {
    for host in &SPELLINGS[..13] {
        for policy in [PLAIN, OPEN] {
            let url: Url = format!("http://{host}/latest").parse().expect("a URL");
            let refusal = check_url(&url, &policy).expect_err("always denied");
            assert!(refusal.message.contains(url.host_str().expect("a host")), "{refusal}");
        }
    }
    // A name that resolves to a metadata service.
    let address: IpAddr = "169.254.169.254".parse().expect("an address");
    let refusal = check_resolved("meta.test", address, &OPEN).expect_err("always denied");
    assert!(refusal.message.contains("meta.test") && refusal.message.contains("169.254.169.254"));
}

#[test]
fn addresses_at_the_edges_of_every_class() {
    let table = [
        ("0.255.255.255", "---"),
        ("1.0.0.0", "yyy"),
        ("9.255.255.255", "yyy"),
        ("10.0.0.0", "-y-"),
        ("10.255.255.255", "-y-"),
        ("11.0.0.0", "yyy"),
        ("100.63.255.255", "yyy"),
        ("100.64.0.0", "-y-"),
        ("100.127.255.255", "-y-"),
        ("100.128.0.0", "yyy"),
        ("126.255.255.255", "yyy"),
        ("127.0.0.0", "--y"),
        ("127.255.255.255", "--y"),
        ("128.0.0.0", "yyy"),
        ("168.63.129.15", "yyy"),
        ("168.63.129.16", "---"),
        ("169.253.255.255", "yyy"),
        ("169.254.0.0", "---"),
        ("169.254.255.255", "---"),
        ("169.255.0.0", "yyy"),
        ("172.15.255.255", "yyy"),
        ("172.16.0.0", "-y-"),
        ("172.31.255.255", "-y-"),
        ("172.32.0.0", "yyy"),
        ("192.0.0.1", "---"),
        ("192.0.1.0", "yyy"),
        ("192.0.2.1", "---"),
        ("192.88.99.1", "---"),
        ("192.167.255.255", "yyy"),
        ("192.168.0.0", "-y-"),
        ("192.168.255.255", "-y-"),
        ("192.169.0.0", "yyy"),
        ("198.17.255.255", "yyy"),
        ("198.18.0.0", "-y-"),
        ("198.19.255.255", "-y-"),
        ("198.20.0.0", "yyy"),
        ("198.51.100.1", "---"),
        ("203.0.113.1", "---"),
        ("223.255.255.255", "yyy"),
        ("224.0.0.0", "---"),
        ("240.0.0.0", "---"),
        ("255.255.255.255", "---"),
        ("::", "---"),
        ("::1", "--y"),
        ("::2", "---"),
        ("100::1", "---"),
        ("1fff::", "---"),
        ("2000::", "yyy"),
        ("2001:200::", "yyy"),
        ("2001:1ff::", "---"),
        ("2001:db8::1", "---"),
        ("3ffe::", "yyy"),
        ("3fff::1", "---"),
        ("4000::", "---"),
        ("5f00::1", "---"),
        ("fbff::", "---"),
        ("fc00::", "-y-"),
        ("fdff::", "-y-"),
        ("fd00:ec2::254", "---"),
        ("fd00:ec2::253", "-y-"),
        ("fd20:ce::254", "---"),
        ("fd00:42::42", "---"),
        ("fe00::", "---"),
        ("fe80::", "---"),
        ("febf::", "---"),
        ("fec0::", "---"),
        ("ff02::1", "---"),
    ];
    for (address, expected) in table {
        let address: IpAddr = address.parse().expect("an address");
        let got: String = [CLOSED, PRIVATE, LOOPBACK]
            .iter()
            .map(|policy| if check_address(address, policy).is_ok() { 'y' } else { '-' })
            .collect();
        assert_eq!(got, expected, "{address}");
    }
}

#[test]
fn urls_that_are_refused_before_their_host_is_looked_at() {
    let table = [
        ("ftp://api.test/", "ftp://api.test/"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("data:text/plain,S3CR3T", "data://"),
        ("https://user:S3CR3T@api.test/f?q=S3CR3T", "https://api.test/f"),
        ("https://S3CR3T@api.test/", "https://api.test/"),
        ("http://api.test/f", "http://api.test/f"),
        ("http://10.0.0.1/f", "http://10.0.0.1/f"),
    ];
    for (url, named) in table {
        let refusal = check_url(&url.parse().expect("a URL"), &CLOSED).expect_err("refused");
        assert!(refusal.message.contains(named) && !refusal.message.contains("S3CR3T"), "{refusal}");
        assert_eq!(refusal.kind, ErrorKind::EgressDenied);
    }
    for url in ["https://api.test/", "https://api.test:8443/", "https://93.184.215.14/"] {
        assert_eq!(check_url(&url.parse().expect("a URL"), &CLOSED), Ok(()));
    }
}

#[test]
fn a_name_of_this_machine_resolves_to_this_machine() {
    let resolve = |name, address: &str, policy| {
        check_resolved(name, address.parse().expect("an address"), &policy).is_ok()
    };
    assert!(resolve("localhost", "127.0.0.1", LOOPBACK));
    assert!(resolve("a.localhost.", "::1", LOOPBACK));
    assert!(!resolve("localhost", "127.0.0.1", CLOSED));
    assert!(!resolve("localhost", "93.184.215.14", OPEN));
    assert!(!resolve("localhost", "::ffff:93.184.215.14", OPEN));
    assert!(!resolve("api.test", "127.0.0.1", PRIVATE));
    assert!(resolve("api.test", "127.0.0.1", LOOPBACK));
    assert!(resolve("api.test", "93.184.215.14", CLOSED));
}

#[test]
fn case_039_confined_to_the_origin_and_listed_hosts() {
    let home = Origin::of(&"https://api.test/go".parse().expect("a URL")).expect("an origin");
    let hosts = ["api.test".to_owned(), "CDN.test".to_owned()];
    let table = [
        ("https://api.test/go2", true, true),
        ("https://API.test:443/go2", true, true),
        ("https://cdn.test/f", false, true),
        ("https://api.test:8443/f", false, true),
        ("https://evil.test/f", false, false),
        ("https://api.test./f", false, true),
        ("https://api.test.evil.test/f", false, false),
        ("https://evil-api.test/f", false, false),
    ];
    for (url, alone, listed) in table {
        let url = url.parse().expect("a URL");
        assert_eq!(confine(&url, &home, &[]).is_ok(), alone, "{url}");
        assert_eq!(confine(&url, &home, &hosts).is_ok(), listed, "{url}");
    }
    let refusal =
        confine(&"https://cdn.test/f?key=S3CR3T".parse().expect("a URL"), &home, &[]).expect_err("other");
    assert!(refusal.message.contains("cdn.test") && refusal.message.contains("https://api.test"));
    assert!(!refusal.message.contains("S3CR3T"));
}

#[test]
fn the_table_has_one_row_for_each_net() {
    for (at, row) in table::TABLE.iter().enumerate() {
        assert_eq!(row.net, row.net.trunc(), "a network has no host bits");
        assert!(table::TABLE[..at].iter().all(|other| other.net != row.net), "{} twice", row.net);
    }
}

fn low(prefix: u128, v4: Ipv4Addr) -> Ipv6Addr {
    Ipv6Addr::from_bits(prefix | u128::from(v4.to_bits()))
}

proptest! {
    /// An address that embeds an IPv4 address gets its verdict, whatever it looks like.
    #[test]
    fn case_098_embedded_addresses_share_one_verdict(
        bits in prop_oneof![any::<u32>(), proptest::sample::select(vec![
            0xa9fe_a9fe_u32, 0x7f00_0001, 0x0a00_0001, 0xc0a8_0101, 0x6464_64c8, 0xa83f_8110, 0xffff_ffff, 0xe000_0001,
        ])],
        policy in proptest::sample::select(vec![CLOSED, PRIVATE, LOOPBACK, OPEN]),
        low_bits in any::<u64>(),
    ) {
        let v4 = Ipv4Addr::from_bits(bits);
        let wide = u128::from(bits);
        let verdict = check_address(IpAddr::V4(v4), &policy).is_ok();
        let server: u128 = 0x4136_e378;
        let mut forms = vec![
            ("mapped", low(0xffff << 32, v4)),
            ("translated", low(0xffff << 48, v4)),
            ("NAT64", low(0x64_ff9b << 96, v4)),
            ("6to4", Ipv6Addr::from_bits(0x2002 << 112 | wide << 80 | u128::from(low_bits))),
            ("Teredo", Ipv6Addr::from_bits(0x2001 << 112 | server << 64 | u128::from(!bits))),
        ];
        // `::` and `::1` are addresses of their own; and zeros at the end fit several prefix lengths.
        if bits > 1 {
            forms.push(("compatible", low(0, v4)));
        }
        if bits & 0x00ff_ffff != 0 {
            forms.push(("local NAT64, 96 bits", low(0x64_ff9b_0001 << 80, v4)));
        }
        for (form, v6) in forms {
            prop_assert_eq!(check_address(IpAddr::V6(v6), &policy).is_ok(), verdict, "{} {} {}", form, v6, v4);
        }
    }

    /// Behind any prefix length that a site may choose for its NAT64, a denied address stays denied.
    #[test]
    fn case_098_local_nat64_never_opens_a_denied_address(
        v4 in proptest::sample::select(vec![[169, 254, 169, 254], [127, 0, 0, 1], [10, 1, 2, 3], [224, 0, 0, 1]]),
    ) {
        let v4 = u128::from(Ipv4Addr::from(v4).to_bits());
        let base: u128 = 0x64_ff9b_0001 << 80;
        let (high, rest) = (|n: u32| v4 >> (32 - n), |n: u32| v4 & ((1 << (32 - n)) - 1));
        for (prefix, address) in [
            (48, base | high(16) << 64 | rest(16) << 40),
            (56, base | high(8) << 64 | rest(8) << 32),
            (64, base | v4 << 24),
        ] {
            let address = IpAddr::V6(Ipv6Addr::from_bits(address));
            prop_assert!(check_address(address, &CLOSED).is_err(), "{} {}", prefix, address);
        }
    }

    #[test]
    fn nothing_makes_it_panic(bits in any::<u128>()) {
        let _ = check_address(IpAddr::V6(Ipv6Addr::from_bits(bits)), &OPEN);
        let _ = check_address(IpAddr::V6(Ipv6Addr::from_bits((0x64_ff9b_0001 << 80) | (bits >> 48))), &OPEN);
    }
}
