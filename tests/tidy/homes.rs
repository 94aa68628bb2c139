//! What the product names in one place only, so that one file can be replaced or faked.

use super::source::{File, Finding, Path};

const RULE: &str = "one home";

/// Something with a home: where it is looked for, where it may stand, and in how many files.
struct Home {
    what: &'static str,
    names: fn(&Path<'_>) -> bool,
    looked_for: &'static [&'static str],
    /// Empty where any folder will do.
    belongs_under: &'static str,
    most_files: usize,
}

const HOMES: &[Home] = &[
    Home {
        what: "the crate `reqwest`",
        names: |path| path.starts_in("reqwest"),
        // The benchmarks compare with it.
        looked_for: &["src", "crates/cli", "crates/kernel", "crates/loopback"],
        belongs_under: "src/invokers",
        most_files: 1,
    },
    Home {
        what: "the crate `jsonschema`",
        names: |path| path.starts_in("jsonschema"),
        looked_for: &["src"],
        belongs_under: "src/catalog",
        most_files: 1,
    },
    Home {
        what: "the environment",
        names: |path| ["var", "var_os", "vars", "vars_os"].iter().any(|read| path.has(&["env", read])),
        looked_for: &["src", "crates/cli/src"],
        belongs_under: "",
        most_files: 1,
    },
    Home {
        what: "the system clock",
        names: |path| ["Instant", "SystemTime"].iter().any(|clock| path.has(&[clock, "now"])),
        looked_for: &["src", "crates"],
        belongs_under: "",
        most_files: 1,
    },
    Home {
        what: "`tokio::time`",
        names: |path| path.has(&["tokio", "time"]),
        looked_for: &["src"],
        belongs_under: "src/executor",
        most_files: usize::MAX,
    },
];

pub(super) fn check(files: &[File<'_>]) -> Vec<Finding> {
    HOMES.iter().flat_map(|home| strays(home, files)).collect()
}

fn strays(home: &Home, files: &[File<'_>]) -> Vec<Finding> {
    let looked_for = |file: &&File<'_>| home.looked_for.iter().any(|folder| file.is_under(folder));
    let first = |file| File::product_paths(file).into_iter().find(home.names).map(|path| (file, path.line));
    let named: Vec<(&File<'_>, usize)> =
        files.iter().filter(|file| file.is_product()).filter(looked_for).filter_map(first).collect();
    let crowded = named.len() > home.most_files;
    let all = named.iter().map(|(file, _)| file.path).collect::<Vec<_>>().join(", ");
    named
        .iter()
        .filter_map(|(file, line)| {
            if !home.belongs_under.is_empty() && !file.is_under(home.belongs_under) {
                Some(file.finding(*line, RULE, format!("{} belongs under {}", home.what, home.belongs_under)))
            } else if crowded {
                let message = format!("{} may be named in {} file, not in {all}", home.what, home.most_files);
                Some(file.finding(*line, RULE, message))
            } else {
                None
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{File, check};

    fn places(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| File::parse(path, text)).collect();
        check(&files).iter().map(|finding| format!("{}:{}", finding.file, finding.line)).collect()
    }

    #[test]
    fn one_file_may_name_each_and_two_may_not() {
        for (text, one, other) in [
            ("use reqwest::Client;", "src/invokers/http/client.rs", "src/invokers/http/wire.rs"),
            ("jsonschema::validator_for(x)", "src/catalog/a.rs", "src/catalog/b.rs"),
            ("use std::env;\nenv::var_os(x)", "src/router/env.rs", "crates/cli/src/env.rs"),
            ("std::time::Instant::now()", "src/executor/clock.rs", "crates/loopback/src/lib.rs"),
            ("SystemTime::now()", "src/executor/clock.rs", "crates/cli/src/main.rs"),
        ] {
            assert!(places(&[(one, text), (other, "")]).is_empty(), "{text}");
            assert_eq!(places(&[(one, text), (other, text)]).len(), 2, "{text}");
        }
    }

    #[test]
    fn a_name_away_from_its_home_is_found() {
        assert_eq!(places(&[("src/router/a.rs", "\nuse reqwest::Client;")]), ["src/router/a.rs:2"]);
        assert_eq!(places(&[("src/compile/a.rs", "use jsonschema;")]), ["src/compile/a.rs:1"]);
        assert_eq!(places(&[("src/router/a.rs", "use tokio::{sync, time};")]), ["src/router/a.rs:1"]);
        assert!(
            places(&[("src/executor/a.rs", "tokio::time::sleep"), ("src/executor/b.rs", "use tokio::time;")])
                .is_empty()
        );
    }

    #[test]
    fn tests_are_free() {
        let text = "#[cfg(test)]\nmod tests { fn f() { SystemTime::now(); reqwest::get(x); } }";
        assert!(places(&[("src/router/a.rs", text), ("src/router/b.rs", text)]).is_empty());
        let text = "jsonschema::is_valid(a, b); std::env::var(c)";
        assert!(places(&[("crates/cli/tests/main.rs", text), ("tests/main.rs", text)]).is_empty());
    }
}
