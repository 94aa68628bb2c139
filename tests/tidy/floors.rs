//! Who may import whom: the floors of the library, and what each must not know.

use super::source::{File, Finding, Path, paths};

const RULE: &str = "floors";

/// A folder of the library, the other floors that it may import, and what it must not name.
struct Floor {
    name: &'static str,
    may_import: &'static [&'static str],
    /// Crates or paths (`a`, `a::b`), and types by their name.
    must_not_name: &'static [&'static str],
}

/// From the lowest floor up. The kernel is a crate of its own and open to all.
const FLOORS: &[Floor] = &[
    Floor { name: "catalog", may_import: &[], must_not_name: &["tokio", "hyper", "reqwest"] },
    Floor {
        name: "compile",
        may_import: &["catalog"],
        must_not_name: &["tokio", "hyper", "reqwest", "std::fs", "std::net", "std::env"],
    },
    Floor { name: "executor", may_import: &["catalog"], must_not_name: &["http", "hyper", "reqwest"] },
    Floor {
        name: "invokers",
        may_import: &["catalog", "executor"],
        must_not_name: &["RetryPolicy", "ExecutionBudget", "CircuitPolicy"],
    },
    Floor {
        name: "router",
        may_import: &["catalog", "compile", "executor", "invokers"],
        must_not_name: ABOVE,
    },
    Floor { name: "testing", may_import: &["executor", "router"], must_not_name: ABOVE },
];

/// What belongs to the surfaces above the library.
const ABOVE: &[&str] = &["clap", "rmcp", "pyo3"];

/// The kernel decides; it does not wait, read a clock, draw a number or touch the world.
const KERNEL: &str = "crates/kernel/src";
const KERNEL_MUST_NOT_NAME: &[&str] =
    &["async", "tokio", "rand", "std::net", "std::fs", "std::env", "time::Instant", "time::SystemTime"];

pub(super) fn check(file: &File<'_>) -> Vec<Finding> {
    let paths = paths(&file.code());
    if file.is_under(KERNEL) {
        return named(file, &paths, "the kernel", KERNEL_MUST_NOT_NAME);
    }
    let Some(tail) = file.path.strip_prefix("src/").filter(|tail| *tail != "lib.rs") else {
        return Vec::new();
    };
    let name = tail.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    let Some(floor) = FLOORS.iter().find(|floor| floor.name == name) else {
        return vec![file.finding(1, RULE, format!("`{name}` is not in the table of floors"))];
    };
    let depth = tail.trim_end_matches("/mod.rs").split('/').count();
    let mut findings: Vec<_> = paths.iter().filter_map(|path| import(file, floor, depth, path)).collect();
    findings.extend(named(file, &paths, floor.name, floor.must_not_name));
    findings
}

/// A path from the root of the crate has to start in the floor itself or in one that it may import.
fn import(file: &File<'_>, floor: &Floor, depth: usize, path: &Path<'_>) -> Option<Finding> {
    let supers = path.segments.iter().take_while(|segment| **segment == "super").count();
    let from_crate = path.segments.first() == Some(&"crate");
    // Enough `super` lead to the root too; inside an inline module they may stop short of it, so a floor has to follow.
    let is_floor = |name: &str| FLOORS.iter().any(|floor| floor.name == name);
    let target = match path.segments.get(if from_crate { 1 } else { supers }) {
        Some(target) if from_crate || (supers >= depth && is_floor(target)) => *target,
        _ => return None,
    };
    if target == floor.name || floor.may_import.contains(&target) {
        return None;
    }
    let allowed =
        if floor.may_import.is_empty() { "no other floor".to_owned() } else { floor.may_import.join(", ") };
    let message = format!("`{}` imports `crate::{target}`; it may import {allowed}", floor.name);
    Some(file.finding(path.line, RULE, message))
}

fn named(file: &File<'_>, paths: &[Path<'_>], who: &str, banned: &[&str]) -> Vec<Finding> {
    let hit = |path: &Path<'_>, name: &str| match name.split("::").collect::<Vec<_>>().as_slice() {
        // A keyword or a type is meant wherever it stands, a crate only where a path starts.
        [word] if *word == "async" || word.starts_with(char::is_uppercase) => path.segments.contains(word),
        [krate] => path.starts_in(krate),
        several => path.has(several),
    };
    let message = |name: &str| format!("`{name}` is named, and {who} must not know it");
    paths
        .iter()
        .flat_map(|path| banned.iter().filter(|name| hit(path, name)).map(|name| (path.line, message(name))))
        .map(|(line, message)| file.finding(line, RULE, message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{File, check};

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&File::parse(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_floor_imports_only_what_the_table_allows() {
        let all = "use crate::catalog::A;\nuse crate::compile::B;\nuse crate::executor::C;\nuse crate::invokers::D;\n\
                   use crate::router::E;\nuse crate::fixtures::F;\nuse crate::G;\nuse schemarouter_kernel::H;";
        for (path, findings) in [
            ("src/catalog/mod.rs", vec![2, 3, 4, 5, 6, 7]),
            ("src/compile/openapi/paths.rs", vec![3, 4, 5, 6, 7]),
            ("src/executor/mod.rs", vec![2, 4, 5, 6, 7]),
            ("src/invokers/http/plan.rs", vec![2, 5, 6, 7]),
            ("src/router.rs", vec![6, 7]),
            ("src/testing/mod.rs", vec![1, 2, 4, 6, 7]),
            ("src/lib.rs", vec![]),
            ("crates/cli/src/main.rs", vec![]),
        ] {
            assert_eq!(lines(path, all), findings, "{path}");
        }
    }

    #[test]
    fn groups_expressions_and_supers_are_imports_too() {
        assert_eq!(lines("src/catalog/a.rs", "use crate::{\n  catalog::A,\n  router::B,\n};"), [3]);
        assert_eq!(lines("src/catalog/a.rs", "fn f() {\n  crate::router::g();\n}"), [2]);
        assert_eq!(lines("src/catalog/a.rs", "use super::super::router::A;\nuse super::b::C;"), [1]);
        assert_eq!(lines("src/catalog/mod.rs", "use super::router::A;\nuse super::lint::B;"), [1]);
        assert_eq!(lines("src/catalog/a.rs", "// crate::router\nlet a = \"crate::router\";"), [0_usize; 0]);
    }

    #[test]
    fn each_floor_is_kept_from_what_it_must_not_know() {
        for (path, text) in [
            ("src/catalog/a.rs", "use reqwest::Client;"),
            ("src/compile/a.rs", "std::fs::read(path)"),
            ("src/executor/a.rs", "fn f(status: http::StatusCode) {}"),
            ("src/invokers/http/a.rs", "fn f(policy: &RetryPolicy) {}"),
            ("src/router/a.rs", "use clap::Parser;"),
            ("crates/kernel/src/a.rs", "async fn f() {}"),
            ("crates/kernel/src/a.rs", "use std::{time::{Duration, Instant}};"),
            ("crates/kernel/src/a.rs", "use std::time; fn f() -> time::SystemTime {}"),
            ("crates/kernel/src/a.rs", "use std::net;"),
            ("crates/kernel/src/a.rs", "let value = rand::random();"),
            ("crates/kernel/src/a.rs", "std::env::var(name)"),
        ] {
            assert_eq!(lines(path, text), [1], "{path}: {text}");
        }
        assert_eq!(lines("crates/kernel/src/a.rs", "use std::time::Duration; let rand = 1;"), [0_usize; 0]);
        assert_eq!(lines("src/executor/a.rs", "let http = kinds.http;"), [0_usize; 0]);
    }

    #[test]
    fn a_folder_outside_the_table_is_found() {
        assert_eq!(lines("src/helpers/mod.rs", ""), [1]);
        assert_eq!(lines("src/helpers.rs", ""), [1]);
    }
}
