//! What is JSON and what is not, by RFC 8259, and what a refusal says.

use std::fmt::Write as _;

use super::read;
use crate::compile::document::ReadErrorKind::{self as Rule, *};
use crate::compile::document::{Document, Limits, Position};

const ACCEPTED: &[&str] = &[
    "null",
    " \t\r\n true \n",
    "false",
    "\u{FEFF}{}",
    "\"\"",
    "\"caf\u{e9} \u{1F600} \u{7F}\u{80}\u{2028}\"",
    r#""\" \\ \/ \b \f \n \r \t""#,
    r#""\u0000\u00e9\uD83D\ude00\uFFFF""#,
    "0",
    "-0",
    "-0.0e-0",
    "1234567890",
    "1E400",
    "1e+05",
    "0.1000000000000000055",
    "18446744073709551617",
    "[]",
    "[ ]",
    "[[],{}]",
    "[1 , 2\n,\t3]",
    "{ }",
    r#"{"":{"":[]}}"#,
    r#"{ "a" : 1 , "a" : 2 }"#,
];

#[test]
fn accepts_rfc_8259() {
    for text in ACCEPTED {
        let read = Document::from_json(*text, &Limits::default());
        assert!(read.is_ok(), "{text:?}: {read:?}");
    }
}

/// Text, rule, byte offset.
const REFUSED: &[(&str, Rule, usize)] = &[
    ("", Empty, 0),
    (" \n", Empty, 2),
    ("\u{FEFF}", Empty, 3),
    ("openapi: 3.1.0", NotJson, 0),
    ("\u{FEFF}\u{FEFF}{}", NotJson, 3),
    ("<!doctype html>", NotJson, 0),
    ("# comment", NotJson, 0),
    ("'a'", NotJson, 0),
    (",", NotJson, 0),
    ("{} {}", TrailingData, 3),
    ("[1]]", TrailingData, 3),
    ("1 2", TrailingData, 2),
    ("{}\0", TrailingData, 2),
    ("[", UnexpectedEnd, 1),
    ("[1", UnexpectedEnd, 2),
    ("[1,", UnexpectedEnd, 3),
    ("{\"a", UnexpectedEnd, 3),
    ("{\"a\"", UnexpectedEnd, 4),
    ("{\"a\":", UnexpectedEnd, 5),
    ("{\"a\":1,", UnexpectedEnd, 7),
    ("\"\\", UnexpectedEnd, 2),
    ("\"\\u00", UnexpectedEnd, 5),
    ("\"\\ud83d\\u", UnexpectedEnd, 9),
    ("tru", UnexpectedEnd, 3),
    ("-", UnexpectedEnd, 1),
    ("1.", UnexpectedEnd, 2),
    ("1e", UnexpectedEnd, 2),
    ("1e+", UnexpectedEnd, 3),
    ("[,1]", ExpectedValue, 1),
    ("[1,,2]", ExpectedValue, 3),
    ("{\"a\":}", ExpectedValue, 5),
    ("[\u{e9}]", ExpectedValue, 1),
    ("[True]", UnknownWord, 1),
    ("[nul]", UnknownWord, 1),
    ("[nulls]", UnknownWord, 1),
    ("[NaN, Infinity]", UnknownWord, 1),
    ("{\"a\": undefined}", UnknownWord, 6),
    ("['a']", SingleQuote, 1),
    ("{'a': 1}", SingleQuote, 1),
    ("// c\n{}", Comment, 0),
    ("[1, /* one */ 2]", Comment, 4),
    ("{\"a\": 1 // one\n}", Comment, 8),
    ("{} // end", Comment, 3),
    ("[1,]", TrailingComma, 3),
    ("{\"a\":1, }", TrailingComma, 8),
    ("{a: 1}", ExpectedKey, 1),
    ("{1: 1}", ExpectedKey, 1),
    ("{,}", ExpectedKey, 1),
    ("{\"a\":1,,}", ExpectedKey, 7),
    ("{\"a\" 1}", ExpectedColon, 5),
    ("{\"a\"}", ExpectedColon, 4),
    ("{\"a\"::1}", ExpectedValue, 5),
    ("[1 2]", ExpectedCommaOrBracket, 3),
    ("[1}", ExpectedCommaOrBracket, 2),
    ("[\"a\":1]", ExpectedCommaOrBracket, 4),
    ("{\"a\":1 \"b\":2}", ExpectedCommaOrBrace, 7),
    ("{\"a\":1]", ExpectedCommaOrBrace, 6),
    ("[+1]", InvalidNumber, 1),
    ("[.5]", InvalidNumber, 1),
    ("[-]", InvalidNumber, 2),
    ("[- 1]", InvalidNumber, 2),
    ("[1.]", InvalidNumber, 3),
    ("[1.e1]", InvalidNumber, 3),
    ("[1e]", InvalidNumber, 3),
    ("[1e+]", InvalidNumber, 4),
    ("[1.2.3]", InvalidNumber, 4),
    ("[0x1F]", InvalidNumber, 2),
    ("[1_000]", InvalidNumber, 2),
    ("[2020-01-01]", InvalidNumber, 5),
    ("[007]", LeadingZero, 1),
    ("[-01]", LeadingZero, 2),
    ("[00.5]", LeadingZero, 1),
    ("\"a\nb\"", ControlCharacter, 2),
    ("\"a\tb\"", ControlCharacter, 2),
    ("\"\0\"", ControlCharacter, 1),
    ("{\"a\\n\u{1f}\":1}", ControlCharacter, 5),
    (r#""\d+""#, InvalidEscape, 1),
    (r#""\'""#, InvalidEscape, 1),
    (r#""\u12G4""#, InvalidEscape, 1),
    (r#""\u+123""#, InvalidEscape, 1),
    (r#""\U0041""#, InvalidEscape, 1),
    (r#""a\ud800""#, LoneSurrogate, 2),
    (r#""a\udc00\ud800""#, LoneSurrogate, 2),
    (r#""\ud800A""#, LoneSurrogate, 1),
    (r#""\ud800\n""#, LoneSurrogate, 1),
    (r#""\ud800\ud800""#, LoneSurrogate, 1),
];

#[test]
fn refuses_everything_else_where_it_shows() {
    for (text, rule, offset) in REFUSED {
        let error = Document::from_json(*text, &Limits::default()).expect_err(text);
        assert_eq!((error.kind(), error.offset()), (*rule, *offset), "{text:?}: {error}");
    }
}

#[test]
fn refuses_what_is_not_utf_8() {
    let cases: &[(&[u8], usize)] = &[
        (b"\"a\xFF\"", 2),
        (b"\"\xED\xA0\x80\"", 1), // a surrogate, encoded as if it were a character
        (b"\"\xC0\x80\"", 1),     // NUL in two bytes
        (b"\"\xE2\x82", 1),
        (b"\xFF\xFE{\0}\0", 0), // UTF-16
    ];
    for (bytes, offset) in cases {
        let error = Document::from_json(*bytes, &Limits::default()).expect_err("not UTF-8");
        assert_eq!((error.kind(), error.offset()), (NotUtf8, *offset), "{bytes:?}");
    }
}

#[test]
fn every_refusal_names_place_rule_and_next_step() {
    let mut seen = Vec::new();
    let mut messages = String::new();
    for (text, rule, _) in REFUSED {
        if !seen.contains(rule) {
            seen.push(*rule);
            let error = Document::from_json(*text, &Limits::default()).expect_err(text);
            writeln!(messages, "{text:?}\n  {error}").expect("a string takes any text");
        }
    }
    let limits = Limits::default().with_max_bytes(8).with_max_depth(1).with_max_nodes(4);
    for text in ["[1, 2, 3]", "[[]]", "[1,2,3,4"] {
        let error = Document::from_json(text, &limits).expect_err(text);
        writeln!(messages, "{text:?}\n  {error}").expect("a string takes any text");
    }
    insta::assert_snapshot!(messages);
}

#[test]
fn positions_count_characters_and_lines() {
    let cases: &[(&str, usize, (u32, u32))] = &[
        ("[1,]", 0, (1, 1)),
        ("[1,]", 3, (1, 4)),
        ("[\r\n  1]", 3, (2, 1)),
        ("[\r\n  1]", 5, (2, 3)),
        ("[\n\n\n1]", 4, (4, 1)),
        ("[\"\u{e9}\u{1F600}\", 1]", 10, (1, 7)),
        ("\u{FEFF}[1]", 3, (1, 1)),
        ("\u{FEFF}[1]", 4, (1, 2)),
        ("[1]", 99, (1, 4)),
    ];
    for (text, offset, (line, column)) in cases {
        let expected = Position { line: *line, column: *column };
        let bytes = text.as_bytes();
        assert_eq!(
            crate::compile::document::position::locate(bytes, *offset),
            expected,
            "{text:?} at {offset}"
        );
    }
    let document = read("\u{FEFF}{\n  \"\u{e9}\": 1}");
    let one = document.at("/\u{e9}").expect("the member is there");
    assert_eq!(document.position(one.offset()), Position { line: 2, column: 8 });
}

#[test]
fn limits_hold_at_their_edge() {
    let depth = Limits::default().with_max_depth(3);
    assert!(Document::from_json("[{\"a\":[1]}]", &depth).is_ok());
    let error = Document::from_json("[{\"a\":[[]]}]", &depth).expect_err("four levels");
    assert_eq!((error.kind(), error.offset()), (TooDeep { limit: 3 }, 7));

    let nodes = Limits::default().with_max_nodes(3);
    assert!(Document::from_json("{\"a\":1}", &nodes).is_ok());
    let error = Document::from_json("{\"a\":[1]}", &nodes).expect_err("four values and keys");
    assert_eq!((error.kind(), error.offset()), (TooManyNodes { limit: 3 }, 6));

    let bytes = Limits::default().with_max_bytes(4);
    assert!(Document::from_json("1234", &bytes).is_ok());
    let error = Document::from_json("12345", &bytes).expect_err("five bytes");
    assert_eq!((error.kind(), error.offset()), (TooManyBytes { limit: 4 }, 4));
}

#[test]
fn depth_is_bounded_whatever_the_setting() {
    let limits = Limits::default().with_max_depth(u32::MAX);
    assert_eq!(limits.max_depth(), Limits::DEPTH_CEILING);
    for open in ["[", "{\"a\":"] {
        let error = Document::from_json(open.repeat(1_000_000), &limits).expect_err("a million levels");
        assert_eq!(error.kind(), TooDeep { limit: Limits::DEPTH_CEILING });
    }
}
