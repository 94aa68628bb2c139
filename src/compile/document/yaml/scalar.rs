//! What a plain scalar means: the core schema of YAML 1.2.2, section 10.3.

use std::borrow::Cow;

/// The meaning of a scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    Null,
    Bool(bool),
    /// A number in the grammar of RFC 8259, section 6; borrowed where it is written so.
    Number(Cow<'a, str>),
    /// `.inf` or `.nan`.
    NotFinite,
    /// A hexadecimal or octal integer beyond 128 bits.
    TooLong,
    /// A string of these characters.
    Text,
}

/// The meaning of a scalar without quotes and without a tag.
pub(super) fn plain(text: &str) -> Meaning<'_> {
    match text.as_bytes().first() {
        None => Meaning::Null,
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text),
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => word(text),
        Some(_) => Meaning::Text,
    }
}

/// Only these spellings: `yes`, `Off` and `n` are strings since YAML 1.2.
fn word(text: &str) -> Meaning<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Meaning::Null,
        "true" | "True" | "TRUE" => Meaning::Bool(true),
        "false" | "False" | "FALSE" => Meaning::Bool(false),
        _ => Meaning::Text,
    }
}

/// The meaning of a text that begins as a number does.
fn number(text: &str) -> Meaning<'_> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" | ".nan"
        | ".NaN" | ".NAN" => return Meaning::NotFinite,
        _ => {}
    }
    let radix = |prefix: &str, radix: u32| text.strip_prefix(prefix).map(|digits| (digits, radix));
    match radix("0x", 16).or_else(|| radix("0o", 8)) {
        Some((digits, radix)) => of_radix(digits, radix),
        None => Decimal::parse(text).map_or(Meaning::Text, |decimal| decimal.meaning(text)),
    }
}

fn of_radix(digits: &str, radix: u32) -> Meaning<'_> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Meaning::Text;
    }
    match u128::from_str_radix(digits, radix) {
        Ok(value) => Meaning::Number(Cow::Owned(value.to_string())),
        Err(_) => Meaning::TooLong,
    }
}

/// The parts of `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, which takes the integers in.
struct Decimal<'a> {
    sign: &'a str,
    integer: &'a str,
    /// With its point; empty without one.
    fraction: &'a str,
    /// With its `e`; empty without one.
    exponent: &'a str,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (sign, rest) = text.split_at(run(text, 1, |byte| matches!(byte, b'-' | b'+')));
        let (integer, rest) = rest.split_at(digits(rest));
        let point = usize::from(rest.starts_with('.'));
        let (fraction, exponent) = rest.split_at(point + digits(&rest[point..]));
        let has_digits = !integer.is_empty() || fraction.len() > 1;
        (has_digits && is_exponent(exponent)).then_some(Self { sign, integer, fraction, exponent })
    }

    /// JSON has no plus sign, no leading zeros, and digits on both sides of a point.
    fn meaning(&self, written: &'a str) -> Meaning<'a> {
        let sign = if self.sign == "-" { "-" } else { "" };
        let significant = self.integer.trim_start_matches('0');
        let integer = if significant.is_empty() { "0" } else { significant };
        let fraction = if self.fraction == "." { ".0" } else { self.fraction };
        let as_json = sign == self.sign && integer == self.integer && fraction == self.fraction;
        Meaning::Number(if as_json {
            Cow::Borrowed(written)
        } else {
            Cow::Owned([sign, integer, fraction, self.exponent].concat())
        })
    }
}

fn is_exponent(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return text.is_empty() };
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    !rest.is_empty() && digits(rest) == rest.len()
}

fn digits(text: &str) -> usize {
    run(text, usize::MAX, |byte| byte.is_ascii_digit())
}

/// The length of the run of such bytes at the start, at most `limit`.
fn run(text: &str, limit: usize, is_such: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(limit).take_while(|byte| is_such(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match plain(text) {
            Meaning::Null => "null".to_owned(),
            Meaning::Bool(value) => value.to_string(),
            Meaning::Number(Cow::Borrowed(number)) => format!("number {number}"),
            Meaning::Number(Cow::Owned(number)) => format!("number {number} (respelled)"),
            Meaning::NotFinite => "not finite".to_owned(),
            Meaning::TooLong => "too long".to_owned(),
            Meaning::Text => "text".to_owned(),
        }
    }

    /// YAML 1.2.2, section 10.3.2, and what YAML 1.1 read otherwise (case 004).
    #[test]
    fn case_004_the_core_schema() {
        let table: &[(&str, &[&str])] = &[
            ("null", &["", "~", "null", "Null", "NULL"]),
            ("true", &["true", "True", "TRUE"]),
            ("false", &["false", "False", "FALSE"]),
            ("number 0 (respelled)", &["+0", "00", "0x0", "0o0", "0x00000000000000000000000000000000000000"]),
            ("number -0", &["-0"]),
            ("number 12", &["12"]),
            ("number 12 (respelled)", &["012", "+12", "+0012", "0xC", "0xc", "0o14"]),
            ("number -12 (respelled)", &["-012"]),
            ("number 31 (respelled)", &["0x1F"]),
            ("number 15 (respelled)", &["0o17"]),
            ("number 1.10", &["1.10"]),
            ("number 1.0 (respelled)", &["1.", "+1.", "01.0"]),
            ("number 0.5 (respelled)", &[".5", "+.5", "+0.5"]),
            ("number -0.5 (respelled)", &["-.5", "-00.5"]),
            ("number 1e-08", &["1e-08"]),
            ("number 1E+05", &["1E+05"]),
            ("number 1.0e3 (respelled)", &["1.e3"]),
            ("number 0.5e3 (respelled)", &[".5e3"]),
            ("number 1e400", &["1e400"]),
            ("number 18446744073709551617", &["18446744073709551617"]),
            (
                "number 340282366920938463463374607431768211455 (respelled)",
                &["0xffffffffffffffffffffffffffffffff"],
            ),
            ("too long", &["0x100000000000000000000000000000000"]),
            ("not finite", &[".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"]),
            (
                "text",
                &[
                    "yes",
                    "Yes",
                    "no",
                    "NO",
                    "y",
                    "n",
                    "on",
                    "Off",
                    "nULL",
                    "tRUE",
                    "none",
                    "nan",
                    "inf",
                    "Nan",
                    "1_000",
                    "12:30:45",
                    "2020-01-01",
                    "1.2.3",
                    "3.1.0",
                    "0x",
                    "0o",
                    "0o8",
                    "0xG",
                    "-0x1",
                    "+0x1",
                    "0b1",
                    "0X1",
                    "+",
                    "-",
                    ".",
                    "-.",
                    "+-1",
                    "1e",
                    "1e+",
                    ".e5",
                    "1.5e",
                    "1 000",
                    "1,5",
                    "+.nan",
                    "1f",
                    "１",
                ],
            ),
        ];
        for (meaning, texts) in table {
            for text in *texts {
                assert_eq!(shown(text), *meaning, "{text:?}");
            }
        }
    }
}
