//! Where we and others disagree about a document: each disagreement is listed with its argument, and no other is.

use std::collections::BTreeSet;

use super::oracles;
use super::survey::{Outcome, survey};

/// One disagreement a line: who, document, what, and the argument; `#` starts a comment.
const LIST: &str = include_str!("known-gaps.txt");

/// Who, document and what of each line.
fn listed(list: &str) -> Vec<[&str; 3]> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
            [who, document, what, argument] if !argument.trim().is_empty() => [who, document, what],
            _ => panic!("no `who | document | what | argument`: {line}"),
        })
        .collect()
}

/// What is found and not listed, and what is listed and not found.
fn differences(listed: &[[&str; 3]], found: &[[&str; 3]]) -> Vec<String> {
    let only = |these: &[[&str; 3]], those: &[[&str; 3]], why: &str| -> Vec<String> {
        let these = these.iter().filter(|gap| !those.contains(gap));
        these.map(|gap| format!("{why}: {}", gap.join(" | "))).collect()
    };
    let mut all = only(found, listed, "not listed");
    all.extend(only(listed, found, "listed and no more so"));
    all
}

/// Declared operations of ours differ from those in the table of documents.
fn about_counts() -> Vec<(String, String)> {
    survey()
        .iter()
        .filter_map(|document| {
            let Outcome::Compiled(compiled) = &document.outcome else { return None };
            let (theirs, ours) = (document.indexed, compiled.declared.len());
            (ours != theirs).then(|| (document.name.clone(), format!("{theirs} operations, {ours} by us")))
        })
        .collect()
}

#[test]
fn every_disagreement_is_listed_with_its_argument() {
    if survey().is_empty() {
        return;
    }
    let mut found: Vec<[String; 3]> = Vec::new();
    found.extend(about_counts().into_iter().map(|(name, what)| ["index".to_owned(), name, what]));
    found.extend(oracles::disagreements());
    let found: Vec<[&str; 3]> = found.iter().map(|gap| gap.each_ref().map(String::as_str)).collect();
    assert_eq!(differences(&listed(LIST), &found), Vec::<String>::new());
}

#[test]
fn known_gaps_are_each_listed_once() {
    let all = listed(LIST);
    let once: BTreeSet<_> = all.iter().collect();
    assert_eq!(once.len(), all.len());
}

#[test]
fn a_list_fails_both_ways() {
    let listed = listed("# who | document | what | argument\n\nindex | a.json | 1 | we are right\n");
    assert_eq!(listed, [["index", "a.json", "1"]]);
    assert_eq!(differences(&listed, &listed), Vec::<String>::new());
    let found = [["index", "b.json", "2"]];
    let due = ["not listed: index | b.json | 2", "listed and no more so: index | a.json | 1"];
    assert_eq!(differences(&listed, &found), due);
}
