//! Numbers by value, at any size and precision.

/// Writes a JSON number as ECMAScript lays numbers out (RFC 8785 section 3.2.2.3), but keeps every digit: a double
/// would make one of 2^64 and 2^64 + 1 (ruling 16).
pub(super) fn write(text: &str, out: &mut Vec<u8>) {
    // The longest integer that is laid out without an exponent; JSON has no leading zeros to remove.
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    if magnitude.len() <= LONGEST && magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
        let written = if magnitude == "0" { magnitude } else { text };
        out.extend_from_slice(written.as_bytes());
        return;
    }
    match Decimal::parse(text) {
        Some(decimal) => decimal.write(out),
        // An exponent of forty digits is no two people's spelling of one number.
        None => out.extend_from_slice(text.as_bytes()),
    }
}

/// Digits before the decimal point that ECMAScript writes out.
const LONGEST: usize = 21;
/// Zeros after the decimal point that it does.
const MOST_ZEROS: i128 = 5;

/// 0.`digits` x 10^`point`; no zero at either end of the digits, and none at all for zero.
struct Decimal {
    is_negative: bool,
    digits: String,
    point: i128,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (is_negative, magnitude) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [integer, fraction].concat();
        let leading = all.trim_start_matches('0');
        let digits = leading.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, point: 1 });
        }
        let length = |text: &str| i128::try_from(text.len()).ok();
        let shift = length(leading)?.checked_sub(length(fraction)?)?;
        let point = exponent.parse::<i128>().ok()?.checked_add(shift)?;
        Some(Self { is_negative, digits, point })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let Self { is_negative, digits, point } = self;
        let zeros = |count: i128| "0".repeat(usize::try_from(count).unwrap_or_default());
        if *is_negative {
            out.push(b'-');
        }
        let text = match usize::try_from(*point) {
            _ if digits.is_empty() => "0".to_owned(),
            Ok(point @ 1..=LONGEST) if digits.len() > point => {
                format!("{}.{}", &digits[..point], &digits[point..])
            }
            Ok(1..=LONGEST) => {
                let more = point - i128::try_from(digits.len()).unwrap_or_default();
                format!("{digits}{}", zeros(more))
            }
            _ if (-MOST_ZEROS..=0).contains(point) => format!("0.{}{digits}", zeros(-point)),
            _ => {
                let (first, rest) = digits.split_at(1);
                let dot = if rest.is_empty() { "" } else { "." };
                format!("{first}{dot}{rest}e{:+}", point - 1)
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::write;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write(text, &mut out);
        String::from_utf8(out).expect("numbers are ASCII")
    }

    #[test]
    fn one_value_has_one_spelling() {
        for (spellings, due) in [
            (&["0", "-0", "0.0", "-0.000", "0e9", "0E-400"][..], "0"),
            (&["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000"], "1"),
            (&["100", "1e2", "1E+2", "100.00"], "100"),
            (&["1e-7", "0.0000001", "0.10e-6"], "1e-7"),
            (&["0.000001", "1e-6"], "0.000001"),
            (&["-12.50", "-125e-1", "-1.25E1"], "-12.5"),
            (&["1e20", "100000000000000000000"], "100000000000000000000"),
            (&["1e21", "1000000000000000000000", "10e20"], "1e+21"),
            (&["1.5e300", "15e299"], "1.5e+300"),
            (&["123456789012345678901234567890"], "1.2345678901234567890123456789e+29"),
        ] {
            for spelling in spellings {
                assert_eq!(written(spelling), due, "{spelling}");
            }
        }
    }

    #[test]
    fn numbers_that_a_double_makes_one_are_kept_apart() {
        let mut all: Vec<String> = [
            "9007199254740992",
            "9007199254740993",
            "18446744073709551616",
            "18446744073709551617",
            "1e400",
            "1e401",
            "0.1",
            "0.1000000000000000055",
            "1e-400",
            "1e99999999999999999999",
            "1e99999999999999999998",
            "1e9999999999999999999999999999999999999999",
            "1e9999999999999999999999999999999999999998",
        ]
        .map(written)
        .to_vec();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "{all:?}");
    }

    #[test]
    fn doubles_are_written_as_ecmascript_does() {
        // RFC 8785, appendix B.
        for number in [
            "5e-324",
            "1.7976931348623157e+308",
            "9007199254740992",
            "295147905179352830000",
            "9.999999999999997e+22",
            "1e+23",
            "1.0000000000000001e+23",
            "999999999999999900000",
            "9.999999999999997e-7",
            "0.000001",
            "333333333.33333325",
            "0.30000000000000004",
        ] {
            assert_eq!(written(number), number);
        }
    }
}
