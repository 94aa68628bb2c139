//! The cases, reports about other tools turned into documents of ours, and the tests that show them.
//!
//! `tests/cases.txt` says of each case whether it is shown (`fn case_054_...`), a gap that a test holds open
//! (`fn gap_028_...`, which fails when the gap is closed), or for later. The list and the tests agree both ways.

use std::collections::BTreeMap;

use super::proofs::test_names;
use super::source::{File, Finding};

const RULE: &str = "cases";

/// What the list says of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Shown,
    Gap,
    Later,
}

/// Compares the list with the names of the tests.
pub(super) fn check(list_path: &str, list: &str, files: &[File<'_>]) -> Vec<Finding> {
    let finding =
        |line: usize, message: String| Finding { file: list_path.to_owned(), line, rule: RULE, message };
    let (mut findings, mut listed) = (Vec::new(), BTreeMap::new());
    for (at, line) in list.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        match entry(line) {
            None => {
                findings.push(finding(at + 1, format!("`{line}` is no `028 area shown | gap: why | later`")));
            }
            Some((id, standing)) => {
                if listed.insert(id, (standing, at + 1)).is_some() {
                    findings.push(finding(at + 1, format!("case {id} is listed twice")));
                }
            }
        }
    }
    // The first test of each kind for each case.
    let mut tests = BTreeMap::new();
    for file in files {
        for token in test_names(&file.code()) {
            for carried in carried(token.text) {
                tests.entry(carried).or_insert((file, token));
            }
        }
    }
    for (id, (standing, line)) in &listed {
        let missing = match standing {
            Standing::Shown => Some("case"),
            Standing::Gap => Some("gap"),
            Standing::Later => None,
        };
        if let Some(kind) = missing.filter(|kind| !tests.contains_key(&(*kind, *id))) {
            findings.push(finding(*line, format!("no test is named `{kind}_{id}_...`")));
        }
    }
    for ((kind, id), (file, token)) in &tests {
        let due = if *kind == "gap" { Standing::Gap } else { Standing::Shown };
        let standing = listed.get(id).map(|(standing, _)| *standing);
        // A case may be shown in part while a gap stays.
        if standing != Some(due) && standing != Some(Standing::Gap) {
            let message = format!("`{}` is about case {id}, of which {list_path} says otherwise", token.text);
            findings.push(file.finding(token.line, RULE, message));
        }
    }
    findings
}

/// Number and standing: `028 param-style gap: why`.
fn entry(line: &str) -> Option<(&str, Standing)> {
    let mut words = line.splitn(3, ' ');
    let (id, area, standing) = (words.next()?, words.next()?, words.next()?);
    let standing = match standing {
        "shown" => Standing::Shown,
        "later" => Standing::Later,
        _ if standing.strip_prefix("gap: ").is_some_and(|why| !why.trim().is_empty()) => Standing::Gap,
        _ => return None,
    };
    (is_id(id) && !area.is_empty()).then_some((id, standing))
}

fn is_id(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The cases that a name carries: `case_092_093_fails`, `cases_055_and_056_join`, `case_054_case_101_stays`, `gap_028_x`.
fn carried(name: &str) -> Vec<(&'static str, &str)> {
    let kind = |word: &str| match word {
        "case" | "cases" => Some("case"),
        "gap" => Some("gap"),
        _ => None,
    };
    let mut words = name.split('_');
    let Some(kind) = words.next().and_then(kind) else { return Vec::new() };
    let leading = words.take_while(|word| is_id(word) || ["and", "case"].contains(word));
    leading.filter(|word| is_id(word)).map(|id| (kind, id)).collect()
}

#[cfg(test)]
mod tests {
    use super::{File, check};

    const LIST: &str = "# What is shown.\n028 param-style gap: Swagger 2.0\n054 url shown\n055 url shown\n062 read-only later\n";
    const TESTS: &str =
        "#[test] fn case_054_and_055_both() {}\n#[tokio::test]\nasync fn gap_028_refused() {}";

    fn messages(list: &str, text: &str) -> Vec<String> {
        let files = [File::parse("src/a.rs", text)];
        check("tests/cases.txt", list, &files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_list_that_matches_the_tests_is_clean() {
        assert_eq!(messages(LIST, TESTS), [""; 0]);
        for names in ["case_054_055_x", "cases_054_055_x", "case_054_case_055_x"] {
            assert_eq!(
                messages(LIST, &format!("#[test] fn {names}() {{}} #[test] fn gap_028_y() {{}}")),
                [""; 0]
            );
        }
        assert_eq!(messages(LIST, &format!("{TESTS}\n#[test] fn case_028_in_part() {{}}")), [""; 0]);
    }

    #[test]
    fn a_case_without_its_test_is_found() {
        let missing = "tests/cases.txt:4: cases: no test is named `case_055_...`";
        for text in ["", "fn case_055_helper() {}", "#[test] fn is_case_055_x() {}", "// fn case_055_x"] {
            assert_eq!(
                messages(
                    LIST,
                    &TESTS.replace("_and_055", "").replace("both() {}", &format!("both() {{}} {text}"))
                ),
                [missing]
            );
        }
        let closed = "tests/cases.txt:2: cases: no test is named `gap_028_...`";
        assert_eq!(messages(LIST, &TESTS.replace("gap_028", "case_028")), [closed]);
    }

    #[test]
    fn a_test_that_the_list_does_not_expect_is_found() {
        for (test, id) in [("case_062_later", "062"), ("case_999_unknown", "999"), ("gap_054_open", "054")] {
            let due = format!(
                "src/a.rs:3: cases: `{test}` is about case {id}, of which tests/cases.txt says otherwise"
            );
            assert_eq!(messages(LIST, &format!("{TESTS} #[test] fn {test}() {{}}")), [due]);
        }
    }

    #[test]
    fn a_broken_list_is_found() {
        for line in ["28 url shown", "056 url", "056 url gap: ", "056 url maybe", "054 url shown"] {
            assert_eq!(messages(&format!("{LIST}{line}"), TESTS).len(), 1, "{line}");
        }
    }
}
