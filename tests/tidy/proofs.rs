//! Numbered rules and the tests that prove them: `tests/rules.txt` lists a rule exactly when a test carries its number.

use std::collections::BTreeMap;

use super::lexer::{Kind, Token};
use super::source::{File, Finding};

const RULE: &str = "proofs";

/// Compares the list (one `R-303` a line, `#` starts a comment) with the names of the tests (`r_303_...`).
pub(super) fn check(list_path: &str, list: &str, files: &[File<'_>]) -> Vec<Finding> {
    let finding =
        |line: usize, message: String| Finding { file: list_path.to_owned(), line, rule: RULE, message };
    let (mut findings, mut listed, mut proven) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for (at, line) in list.lines().enumerate() {
        let entry = line.split('#').next().unwrap_or_default().trim();
        match entry.strip_prefix("R-").filter(|number| is_number(number)) {
            _ if entry.is_empty() => {}
            None => findings.push(finding(at + 1, format!("`{entry}` is no rule number such as R-303"))),
            Some(number) => {
                if listed.insert(number, at + 1).is_some() {
                    findings.push(finding(at + 1, format!("R-{number} is listed twice")));
                }
            }
        }
    }
    for file in files {
        for token in test_names(&file.code()) {
            for number in rules_of(token.text) {
                proven.entry(number).or_insert((file, token));
            }
        }
    }
    let unproven = listed.iter().filter(|(number, _)| !proven.contains_key(*number));
    findings
        .extend(unproven.map(|(number, line)| finding(*line, format!("no test is named `r_{number}_...`"))));
    let unlisted = proven.iter().filter(|(number, _)| !listed.contains_key(*number));
    findings.extend(unlisted.map(|(number, (file, token))| {
        file.finding(
            token.line,
            RULE,
            format!("`{}` proves R-{number}, which {list_path} does not list", token.text),
        )
    }));
    findings
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The numbers in a name: `r_303_r_304_waits` carries two.
fn rules_of(name: &str) -> Vec<&str> {
    let parts: Vec<_> = name.split('_').collect();
    let numbered = |pair: &[&str]| pair[0] == "r" && is_number(pair[1]);
    if !parts.get(..2).is_some_and(numbered) || parts.len() < 3 {
        return Vec::new();
    }
    parts.windows(2).filter(|pair| numbered(pair)).map(|pair| pair[1]).collect()
}

/// The names of functions with a test attribute (`#[test]`, `#[tokio::test(...)]`).
pub(super) fn test_names<'a>(code: &[Token<'a>]) -> Vec<Token<'a>> {
    let named =
        (0..code.len().saturating_sub(1)).filter(|at| code[*at].is("fn") && code[at + 1].kind == Kind::Ident);
    named.filter(|at| has_test_attribute(&code[..*at])).map(|at| code[at + 1]).collect()
}

fn has_test_attribute(before: &[Token<'_>]) -> bool {
    let mut inside = 0_usize;
    before
        .iter()
        .rev()
        .skip_while(|token| token.is("async") || token.is("pub"))
        .take_while(|token| {
            inside += usize::from(token.is("]"));
            let belongs = inside > 0 || token.is("#");
            inside -= usize::from(token.is("["));
            belongs
        })
        .any(|token| token.is("test"))
}

#[cfg(test)]
mod tests {
    use super::{File, check};

    const LIST: &str = "# What is proven.\nR-303\nR-310 # the deadline\n";
    const TESTS: &str = "#[test]\nfn r_303_waits() {}\n#[tokio::test(start_paused = true)]\n#[allow(x)]\nasync fn r_310_ends() {}";

    fn messages(list: &str, text: &str) -> Vec<String> {
        check("tests/rules.txt", list, &[File::parse("src/a.rs", text)])
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_list_that_matches_the_tests_is_clean() {
        assert_eq!(messages(LIST, TESTS), [""; 0]);
        assert_eq!(messages("R-303\nR-304", "#[test] fn r_303_r_304_both() {}"), [""; 0]);
    }

    #[test]
    fn a_rule_without_a_test_is_found() {
        let missing = ["tests/rules.txt:4: proofs: no test is named `r_311_...`"];
        assert_eq!(messages(&format!("{LIST}R-311"), TESTS), missing);
        for text in
            ["fn r_311_helper() {}", "// fn r_311_x", "#[test] fn r_311() {}", "#[test] fn for_311_x() {}"]
        {
            assert_eq!(messages(&format!("{LIST}R-311"), &format!("{TESTS}\n{text}")), missing, "{text}");
        }
    }

    #[test]
    fn a_test_without_a_listed_rule_is_found() {
        assert_eq!(
            messages("R-303", TESTS),
            ["src/a.rs:5: proofs: `r_310_ends` proves R-310, which tests/rules.txt does not list"]
        );
    }

    #[test]
    fn a_broken_list_is_found() {
        assert_eq!(messages("R-303\nR-310\nR-303\n303", TESTS).len(), 2);
    }
}
