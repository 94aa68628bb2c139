//! A Rust file as the checks see it: tokens, the paths they spell, and which part is tests.

use std::fmt;
use std::ops::Range;

use super::lexer::{Kind, Token, lex};

/// One broken rule at one place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) rule: &'static str,
    pub(super) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.message)
    }
}

/// One path with its groups written out: `use a::{b, c::d}` is `a::b` and `a::c::d`.
#[derive(Debug)]
pub(super) struct Path<'a> {
    pub(super) line: usize,
    pub(super) segments: Vec<&'a str>,
    /// A path of one segment is only known to name a crate or module where it is imported.
    imported: bool,
}

impl Path<'_> {
    /// The path is, or starts in, the crate or module `name`; a variable of that name is not meant.
    pub(super) fn starts_in(&self, name: &str) -> bool {
        self.segments.first() == Some(&name) && (self.imported || self.segments.len() > 1)
    }

    /// These segments stand side by side somewhere in the path.
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.segments.windows(wanted.len()).any(|window| window == wanted)
    }
}

/// A Rust file of the workspace.
#[derive(Debug)]
pub(super) struct File<'a> {
    /// Relative to the workspace, with `/`.
    pub(super) path: &'a str,
    /// Every token, comments too.
    pub(super) tokens: Vec<Token<'a>>,
    lines: usize,
    /// Token ranges of the items under `#[cfg(test)]`.
    tests: Vec<Range<usize>>,
}

impl<'a> File<'a> {
    pub(super) fn parse(path: &'a str, text: &'a str) -> Self {
        let tokens = lex(text);
        let tests = test_items(&tokens);
        Self { path, tokens, lines: text.lines().count(), tests }
    }

    pub(super) fn finding(&self, line: usize, rule: &'static str, message: impl Into<String>) -> Finding {
        Finding { file: self.path.to_owned(), line, rule, message: message.into() }
    }

    pub(super) fn is_under(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|tail| tail.starts_with('/'))
    }

    /// Shipped source: `src/` of the library or `crates/<name>/src/`.
    pub(super) fn is_product(&self) -> bool {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("src") => true,
            Some("crates") => parts.nth(1) == Some("src"),
            _ => false,
        }
    }

    /// All code, tests included.
    pub(super) fn code(&self) -> Vec<Token<'a>> {
        self.tokens.iter().filter(|token| token.kind != Kind::Comment).copied().collect()
    }

    /// The tokens outside tests, comments included.
    pub(super) fn outside_tests(&self) -> Vec<Token<'a>> {
        if self.path.ends_with("/tests.rs") || self.path.split('/').any(|part| part == "tests") {
            return Vec::new();
        }
        let in_tests = |at: usize| self.tests.iter().any(|range| range.contains(&at));
        self.tokens.iter().enumerate().filter(|(at, _)| !in_tests(*at)).map(|(_, token)| *token).collect()
    }

    /// The paths spelled by the code outside tests.
    pub(super) fn product_paths(&self) -> Vec<Path<'a>> {
        paths(&self.outside_tests())
    }

    /// Lines that are not inside an item under `#[cfg(test)]`.
    pub(super) fn lines_outside_tests(&self) -> usize {
        let line = |at: usize| self.tokens.get(at).map_or(0, |token| token.line);
        let inside: usize = self.tests.iter().map(|range| line(range.end - 1) - line(range.start) + 1).sum();
        self.lines.saturating_sub(inside)
    }
}

/// The paths in these tokens, in the order of the text.
pub(super) fn paths<'a>(tokens: &[Token<'a>]) -> Vec<Path<'a>> {
    let code: Vec<_> = tokens.iter().filter(|token| token.kind != Kind::Comment).copied().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < code.len() {
        if code[at].is("use") && code.get(at + 1).is_some_and(|token| token.is("{")) {
            at = group(&code, at + 2, &[], &mut found);
        } else if code[at].kind == Kind::Ident {
            let imported = at > 0 && (code[at - 1].is("use") || code[at - 1].is("crate"));
            at = follow(&code, at, &[], imported, &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path that starts at `at` below `prefix`, and answers where it ends.
fn follow<'a>(
    code: &[Token<'a>],
    mut at: usize,
    prefix: &[&'a str],
    imported: bool,
    found: &mut Vec<Path<'a>>,
) -> usize {
    let line = code[at].line;
    let mut segments = prefix.to_vec();
    while let Some(token) = code.get(at) {
        if token.is("{") {
            return group(code, at + 1, &segments, found);
        }
        if token.kind != Kind::Ident && !token.is("*") {
            break;
        }
        segments.push(token.text);
        at += 1;
        if !code.get(at).is_some_and(|token| token.is("::")) {
            break;
        }
        at += 1;
    }
    found.push(Path { line, segments, imported });
    at
}

fn group<'a>(code: &[Token<'a>], mut at: usize, prefix: &[&'a str], found: &mut Vec<Path<'a>>) -> usize {
    while let Some(token) = code.get(at) {
        if token.is("}") {
            return at + 1;
        }
        // The name after `as` is no path of the group.
        let renamed = code[at - 1].is("as");
        at = if (token.kind == Kind::Ident && !token.is("as") && !renamed) || token.is("*") {
            follow(code, at, prefix, true, found)
        } else {
            at + 1
        };
    }
    at
}

/// The items that exist for tests only: each from its `#[cfg(test)]` to its last token.
fn test_items(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    const WHOLE_FILE: [&str; 8] = ["#", "!", "[", "cfg", "(", "test", ")", "]"];
    const ITEM: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let spells = |at: usize, words: &[&str]| {
        tokens
            .get(at..at + words.len())
            .is_some_and(|part| part.iter().zip(words).all(|(token, word)| token.is(word)))
    };
    let (mut items, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if spells(at, &WHOLE_FILE) {
            return std::iter::once(0..tokens.len()).collect();
        }
        if spells(at, &ITEM) {
            let end = item_end(tokens, at + ITEM.len());
            items.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    items
}

/// One past the `;` or the closing brace that ends the item starting at `at`.
fn item_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        if token.kind != Kind::Punct {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            // The enclosing block ends: a field or statement was the item.
            ")" | "]" | "}" if depth == 0 => return index,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(token.text, ";" | "}") {
            return index + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::{File, paths};
    use crate::tidy::lexer::lex;

    fn spelled(source: &str) -> Vec<String> {
        paths(&lex(source)).iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn groups_are_written_out() {
        assert_eq!(
            spelled("use a::{b, c::{self, d as e}, f::*};"),
            ["use", "a::b", "a::c::self", "a::c::d", "a::f::*"]
        );
        assert_eq!(spelled("use {a::b, c};"), ["a::b", "c"]);
        assert_eq!(spelled("let x = ::a::b::<C::D>(y);"), ["let", "x", "a::b", "C::D", "y"]);
    }

    #[test]
    fn a_variable_is_not_a_crate() {
        let named = |source: &str| paths(&lex(source)).iter().any(|path| path.starts_in("rand"));
        assert!(
            named("use rand;")
                && named("rand::rng()")
                && named("use rand::Rng;")
                && named("extern crate rand;")
        );
        assert!(named("use {rand, std::fmt};"));
        assert!(!named("let rand = 1; x.rand; \"rand::rng\" // rand::rng"));
    }

    #[test]
    fn items_under_cfg_test_are_set_apart_and_what_follows_is_not() {
        let text = "a!();\n#[cfg(test)]\nmod tests;\nb!();\n#[cfg(test)]\n#[allow(x)]\nmod more {\n  fn c() { d }\n}\ne!();\n";
        let file = File::parse("src/x.rs", text);
        let words: Vec<_> = file.product_paths().iter().flat_map(|path| path.segments.clone()).collect();
        assert_eq!(words, ["a", "b", "e"]);
        assert_eq!(file.lines_outside_tests(), 3);
    }

    #[test]
    fn a_file_of_tests_has_nothing_outside_tests() {
        for (path, text) in
            [("src/x/tests.rs", "a"), ("crates/y/tests/x.rs", "a"), ("src/x.rs", "#![cfg(test)]\na")]
        {
            assert!(File::parse(path, text).outside_tests().is_empty(), "{path}");
        }
    }

    #[test]
    fn product_code_is_told_by_its_folder() {
        let product = |path| File::parse(path, "").is_product();
        assert!(product("src/lib.rs") && product("crates/kernel/src/base/id.rs"));
        assert!(
            !product("xtask/src/main.rs")
                && !product("crates/cli/tests/main.rs")
                && !product("tests/main.rs")
        );
    }
}
