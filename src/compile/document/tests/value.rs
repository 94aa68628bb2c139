//! `serde_json` values made from nodes.

use serde_json::{Value, json};

use super::read;
use crate::compile::document::{Document, Limits};

#[test]
fn numbers_keep_their_value_or_say_that_they_cannot() {
    // Text, the nearest value, whether it is the same number.
    let table: &[(&str, Value, bool)] = &[
        ("0", json!(0), true),
        ("-0", json!(-0.0), true),
        ("0e9999999999999999999999", json!(0.0), true),
        ("1.10", json!(1.1), true),
        ("1e2", json!(100.0), true),
        ("100e-2", json!(1.0), true),
        ("18446744073709551615", json!(u64::MAX), true),
        ("-9223372036854775808", json!(i64::MIN), true),
        ("9007199254740993", json!(9_007_199_254_740_993_u64), true),
        ("9007199254740993.0", json!(9_007_199_254_740_992.0), false),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0), false),
        ("1e19", json!(1e19), true),
        ("-9223372036854775809", json!(-9_223_372_036_854_775_808.0), false),
        ("0.1", json!(0.1), true),
        ("0.1000000000000000055", json!(0.1), false),
        // Both round to ...893.25, which prints as the first.
        ("1372517771890893.2", json!(1_372_517_771_890_893.2), true),
        ("1372517771890893.3", json!(1_372_517_771_890_893.2), false),
        ("5e-324", json!(5e-324), true),
        ("1e-400", json!(0.0), false),
        ("1e400", json!(f64::MAX), false),
        ("-1e400", json!(f64::MIN), false),
        ("1e99999999999999999999", json!(f64::MAX), false),
        ("1e-99999999999999999999", json!(0.0), false),
    ];
    for (text, nearest, same) in table {
        let document = read(text);
        let root = document.root();
        assert_eq!(root.number_text(), Some(*text));
        assert_eq!(root.to_value(), *nearest, "{text}");
        assert_eq!(root.to_value_exact().ok(), same.then(|| nearest.clone()), "{text}");
    }
}

#[test]
fn an_inexact_number_is_named() {
    let error = read(r#"{"a": [0, {"/": 1e400}]}"#).root().to_value_exact().expect_err("1e400 does not fit");
    assert_eq!(
        error.to_string(),
        "the number 1e400 at `/a/1/~1` (byte 16) does not fit 64 bits exactly; \
         write it with fewer digits, or as a string"
    );
}

#[test]
fn the_deepest_document_fits_an_ordinary_stack() {
    let depth = Limits::DEPTH_CEILING as usize;
    let limits = Limits::default().with_max_depth(Limits::DEPTH_CEILING);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}0{}", open.repeat(depth), close.repeat(depth));
        let work = move || {
            let document = Document::from_json(text, &limits).expect("within the ceiling");
            let exact = document.root().to_value_exact().expect("0 is exact");
            assert!(exact == document.root().to_value(), "both read the same");
        };
        // The default stack of a Rust thread: 2 MiB.
        std::thread::spawn(work).join().expect("no overflow");
    }
}
