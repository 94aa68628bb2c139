//! When the other side says to come again.

use std::time::{Duration, UNIX_EPOCH};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use schemarouter_kernel::base::time::Wall;

/// The wait that a `Retry-After` field asks for, counted from `now`; `None` where it says nothing usable.
///
/// Seconds and all three forms of HTTP-date are understood (RFC 9110 sections 10.2.3 and 5.6.7). A date that has
/// passed is a wait of zero; more seconds than can be told are the most that can; anything else is ignored, and
/// the first usable field counts.
pub fn retry_after(headers: &HeaderMap, now: Wall) -> Option<Duration> {
    headers.get_all(RETRY_AFTER).iter().find_map(|value| {
        let text = value.to_str().ok()?.trim_matches([' ', '\t']);
        seconds(text).or_else(|| date(text, now))
    })
}

fn seconds(text: &str) -> Option<Duration> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Only too many digits can fail to parse.
    digits.then(|| Duration::from_secs(text.parse().unwrap_or(u64::MAX)))
}

fn date(text: &str, now: Wall) -> Option<Duration> {
    let at = httpdate::parse_http_date(text).ok()?;
    let since_epoch = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Wall::from_epoch(since_epoch).saturating_since(now))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    /// Sun, 03 Jan 2027 10:00:00 GMT.
    const NOW: Wall = Wall::from_epoch(Duration::from_hours(499_714));

    fn asked(values: &[&str]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_bytes(value.as_bytes()).expect("a field value"));
        }
        retry_after(&headers, NOW)
    }

    #[test]
    fn case_073_all_forms() {
        let table: &[(&[&str], Option<u64>)] = &[
            (&["7"], Some(7)),
            (&["  7\t"], Some(7)),
            (&["007"], Some(7)),
            (&["0"], Some(0)),
            (&["Sun, 03 Jan 2027 10:00:07 GMT"], Some(7)),
            (&["Sunday, 03-Jan-27 10:00:07 GMT"], Some(7)),
            (&["Sun Jan  3 10:00:07 2027"], Some(7)),
            (&["Sun, 03 Jan 2027 09:59:00 GMT"], Some(0)),
            (&["Sun, 03 Jan 2027 10:00:00 GMT"], Some(0)),
            (&["Thu, 01 Jan 1970 00:00:00 GMT"], Some(0)),
            (&["99999999999999999999999999"], Some(u64::MAX)),
            (&["18446744073709551615"], Some(u64::MAX)),
            (&[], None),
            (&[""], None),
            (&["-1"], None),
            (&["+1"], None),
            (&["1.5"], None),
            (&["soon"], None),
            (&["7 seconds"], None),
            (&["Sun, 32 Jan 2027 10:00:07 GMT"], None),
            (&["\u{fffd}"], None),
            (&["soon", "7"], Some(7)),
            (&["7", "9"], Some(7)),
        ];
        for (values, expected) in table {
            assert_eq!(asked(values), expected.map(Duration::from_secs), "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn no_value_makes_it_panic(value in "[ -~]{0,40}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT") {
            let _ = asked(&[&value]);
        }
    }
}
