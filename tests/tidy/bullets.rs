//! Requirements in words, and the tests that show them: `tests/requirements.txt` names for each a test or a fixture
//! case that is there.

use std::collections::BTreeSet;

use super::proofs::test_names;
use super::source::{File, Finding};

const RULE: &str = "requirements";

/// Compares the list with the names of tests, and with the files that are there.
///
/// A requirement is a line that begins with `- `; the indented lines after it are names of tests, or paths of fixture
/// cases. `#` starts a comment or a heading.
pub(super) fn check(
    list_path: &str,
    list: &str,
    files: &[File<'_>],
    is_there: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let finding =
        |line: usize, message: String| Finding { file: list_path.to_owned(), line, rule: RULE, message };
    let names: BTreeSet<String> = files
        .iter()
        .flat_map(|file| test_names(&file.code()).into_iter().map(|token| token.text.to_owned()))
        .collect();
    let (mut findings, mut open): (Vec<Finding>, Option<usize>) = (Vec::new(), None);
    for (at, line) in (1..).zip(list.lines()) {
        match line {
            heading if heading.is_empty() || heading.starts_with('#') => {}
            bullet if bullet.starts_with("- ") => {
                findings.extend(open.map(|at| finding(at, "no test shows it".to_owned())));
                open = Some(at);
            }
            shown if shown.starts_with("  ") => {
                let shown = shown.trim();
                let exists = if shown.contains('/') { is_there(shown) } else { names.contains(shown) };
                if !exists {
                    findings.push(finding(at, format!("there is no test `{shown}`")));
                }
                open = None;
            }
            other => findings.push(finding(at, format!("`{other}` is no heading, requirement or test"))),
        }
    }
    findings.extend(open.map(|at| finding(at, "no test shows it".to_owned())));
    findings
}

#[cfg(test)]
mod tests {
    use super::{File, check};

    #[test]
    fn a_requirement_has_a_test_that_is_there() {
        let files = [File::parse("tests/a.rs", "#[test]\nfn it_works() {}\nfn helper() {}")];
        let found = |list: &str| {
            let findings = check("list", list, &files, |path| path == "fixtures/a.yaml");
            findings.into_iter().map(|finding| (finding.line, finding.message)).collect::<Vec<_>>()
        };
        assert_eq!(found("# Words\n\n- one\n  it_works\n- two\n  fixtures/a.yaml\n  it_works\n"), []);
        let none = |line: usize| (line, "no test shows it".to_owned());
        assert_eq!(found("- one\n- two\n  it_works\n- three\n"), [none(1), none(4)]);
        let missing = |line: usize, name: &str| (line, format!("there is no test `{name}`"));
        assert_eq!(
            found("- one\n  helper\n  fixtures/b.yaml\n"),
            [missing(2, "helper"), missing(3, "fixtures/b.yaml")]
        );
        assert_eq!(found("one\n")[0].0, 1);
    }
}
