//! The house rules that no compiler checks: floors, homes, file shape, and the tests behind numbered rules.
//!
//! The checks are pure, from text to findings, and each shows on bad input that it can fail.

mod bullets;
mod cases;
mod floors;
mod homes;
mod lexer;
mod proofs;
mod shape;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use source::{File, Finding};

const RULES: &str = "tests/rules.txt";
const CASES: &str = "tests/cases.txt";
const REQUIREMENTS: &str = "tests/requirements.txt";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file of the workspace, as (path, text). Build output and hidden folders are none of ours.
fn sources() -> Vec<(String, String)> {
    let (mut folders, mut files) = (vec![root().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the workspace can be listed") {
            let path = entry.expect("the workspace can be listed").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" && name != "node_modules" {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.into_iter().map(|path| (relative(&path), read(&path))).collect()
}

fn relative(path: &Path) -> String {
    let inside: PathBuf = path.strip_prefix(root()).expect("the file is in the workspace").to_owned();
    inside.to_string_lossy().replace('\\', "/")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a check over the whole workspace and fails with every finding.
fn assert_tidy(check: impl Fn(&[File<'_>]) -> Vec<Finding>) {
    let sources = sources();
    let files: Vec<_> = sources.iter().map(|(path, text)| File::parse(path, text)).collect();
    for expected in ["src/lib.rs", "crates/kernel/src/lib.rs", "crates/cli/src/main.rs", "xtask/src/main.rs"]
    {
        assert!(files.iter().any(|file| file.path == expected), "{expected} was not read");
    }
    let findings: Vec<_> = check(&files).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} finding(s):\n{}", findings.len(), findings.join("\n"));
}

fn each(check: fn(&File<'_>) -> Vec<Finding>) -> impl Fn(&[File<'_>]) -> Vec<Finding> {
    move |files| files.iter().flat_map(check).collect()
}

#[test]
fn floors_import_only_what_the_table_allows() {
    assert_tidy(each(floors::check));
}

#[test]
fn what_has_one_home_is_named_only_there() {
    assert_tidy(homes::check);
}

#[test]
fn files_are_short() {
    assert_tidy(each(shape::length));
}

#[test]
fn public_async_functions_document_their_cancel_safety() {
    assert_tidy(each(shape::cancel_safety));
}

#[test]
fn nothing_is_left_unfinished() {
    // These checks name what they look for.
    assert_tidy(each(|file| if file.is_under("tests/tidy") { Vec::new() } else { shape::leftovers(file) }));
}

#[test]
fn each_listed_rule_has_a_test_and_each_numbered_test_is_listed() {
    assert_tidy(|files| proofs::check(RULES, &read(&root().join(RULES)), files));
}

#[test]
fn each_case_is_shown_or_listed_as_a_gap_or_for_later() {
    assert_tidy(|files| cases::check(CASES, &read(&root().join(CASES)), files));
}

#[test]
fn each_requirement_has_a_test_that_shows_it() {
    let list = read(&root().join(REQUIREMENTS));
    assert_tidy(|files| bullets::check(REQUIREMENTS, &list, files, |path| root().join(path).is_file()));
}
