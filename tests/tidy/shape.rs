//! How a file looks: its length, what is left lying in it, and what an async function promises.

use super::lexer::{Kind, Token};
use super::source::{File, Finding, paths};

/// A file has one reason to change; past this many lines it rarely has.
const MOST_LINES: usize = 500;
/// An example is read in one look.
const MOST_EXAMPLE_LINES: usize = 79;
const SECTION: &str = "# Cancel safety";

pub(super) fn length(file: &File<'_>) -> Vec<Finding> {
    let most = if file.is_under("examples") { MOST_EXAMPLE_LINES } else { MOST_LINES };
    let lines = file.lines_outside_tests();
    if lines <= most {
        return Vec::new();
    }
    vec![file.finding(most + 1, "length", format!("{lines} lines outside tests, and {most} is the most"))]
}

/// Nothing unfinished, switched off or slept away, in tests neither.
pub(super) fn leftovers(file: &File<'_>) -> Vec<Finding> {
    const RULE: &str = "leftovers";
    let code = file.code();
    let mut findings = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let next = |text| code.get(at + 1).is_some_and(|next| next.is(text));
        let macro_call =
            token.kind == Kind::Ident && ["todo", "unimplemented", "dbg"].contains(&token.text) && next("!");
        if macro_call {
            findings.push(file.finding(token.line, RULE, format!("`{}!` is unfinished code", token.text)));
        }
        if token.is("[") && at > 0 && code[at - 1].is("#") && next("ignore") {
            findings.push(file.finding(token.line, RULE, "an ignored test proves nothing"));
        }
    }
    for path in paths(&code).iter().filter(|path| path.has(&["thread", "sleep"])) {
        findings.push(file.finding(
            path.line,
            RULE,
            "`thread::sleep` waits on real time; wait for the event instead",
        ));
    }
    for comment in file.tokens.iter().filter(|token| token.kind == Kind::Comment) {
        for (offset, line) in comment.text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if let Some(word) = words.find(|word| ["TODO", "FIXME", "XXX"].contains(word)) {
                findings.push(file.finding(comment.line + offset, RULE, format!("a comment says {word}")));
            }
        }
    }
    findings
}

/// Every async function of the public API says what dropping its future leaves behind.
pub(super) fn cancel_safety(file: &File<'_>) -> Vec<Finding> {
    if !file.is_product() {
        return Vec::new();
    }
    let tokens = file.outside_tests();
    let traits = public_traits(&tokens);
    let mut findings = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is("fn") || !tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Ident) {
            continue;
        }
        let start = item_start(&tokens, at);
        let public = tokens[start].is("pub") && !tokens[start + 1].is("(");
        let in_trait = traits.iter().any(|range| range.contains(&at));
        let is_async =
            tokens[start..at].iter().any(|token| token.is("async")) || returns_future(&tokens[at..]);
        if is_async && (public || in_trait) && !docs(&tokens[..start]).any(|doc| doc.contains(SECTION)) {
            let message =
                format!("`{}` is async and its docs have no section `{SECTION}`", tokens[at + 1].text);
            findings.push(file.finding(token.line, "cancel safety", message));
        }
    }
    findings
}

/// Where the visibility and modifiers before a `fn` begin.
fn item_start(tokens: &[Token<'_>], at: usize) -> usize {
    let part = |token: &&Token<'_>| {
        ["pub", "(", ")", "crate", "super", "async", "const", "unsafe", "extern"]
            .iter()
            .any(|word| token.is(word))
    };
    at - tokens[..at].iter().rev().take_while(part).count()
}

/// The doc comments just before an item, between its attributes.
fn docs<'a>(before: &'a [Token<'a>]) -> impl Iterator<Item = &'a str> {
    let mut inside = 0_usize;
    before
        .iter()
        .rev()
        .take_while(move |token| {
            inside += usize::from(token.is("]"));
            let belongs = inside > 0 || token.kind == Kind::Comment || token.is("#");
            inside -= usize::from(token.is("["));
            belongs
        })
        .filter(|token| {
            token.kind == Kind::Comment && ["///", "/**"].iter().any(|open| token.text.starts_with(open))
        })
        .map(|token| token.text)
}

/// The signature that starts at `fn` answers `impl Future`.
fn returns_future(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    let mut signature = tokens.iter().take_while(|token| {
        depth += usize::from(token.is("(") || token.is("["));
        depth -= usize::from(depth > 0 && (token.is(")") || token.is("]")));
        depth > 0 || !(token.is("{") || token.is(";") || token.is("where"))
    });
    // A closure argument has an arrow of its own; the return type follows the last parenthesis of the arguments.
    let mut nested = 0_usize;
    let arrow = signature.any(|token| {
        nested += usize::from(token.is("("));
        nested -= usize::from(nested > 0 && token.is(")"));
        nested == 0 && token.is("->")
    });
    let answer: Vec<_> = signature.collect();
    arrow
        && answer.first().is_some_and(|token| token.is("impl"))
        && answer.iter().any(|token| token.is("Future"))
}

/// The token ranges of the bodies of public traits.
fn public_traits(tokens: &[Token<'_>]) -> Vec<std::ops::Range<usize>> {
    let starts = (1..tokens.len()).filter(|at| tokens[*at].is("trait") && tokens[at - 1].is("pub"));
    starts
        .map(|start| {
            let mut depth = 0_usize;
            let body = tokens[start..].iter().position(|token| {
                depth += usize::from(token.is("{"));
                token.is("}") && {
                    depth -= 1;
                    depth == 0
                }
            });
            start..body.map_or(tokens.len(), |length| start + length)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{File, Finding, cancel_safety, leftovers, length};

    fn lines(check: fn(&File<'_>) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        check(&File::parse(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn long_files_are_found_and_tests_are_not_counted() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "a;\n".repeat(600));
        for (path, body, found) in [
            ("src/a.rs", 500, false),
            ("src/a.rs", 501, true),
            ("examples/a.rs", 79, false),
            ("examples/a.rs", 80, true),
        ] {
            let text = "a;\n".repeat(body) + &tests;
            assert_eq!(!lines(length, path, &text).is_empty(), found, "{path} of {body} lines");
        }
    }

    #[test]
    fn leftovers_are_found_in_code_and_comments() {
        for text in [
            "todo!()",
            "unimplemented!(\"x\")",
            "dbg!(x)",
            "#[ignore] fn f() {}",
            "#[ignore = \"slow\"] fn f() {}",
            "std::thread::sleep(x)",
            "use std::thread::{self, sleep};",
            "// TODO: x",
            "/// FIXME x",
            "/* XXX */",
        ] {
            assert_eq!(lines(leftovers, "tests/a.rs", text), [1], "{text}");
        }
        for text in ["\"todo!() TODO\"", "// todo!() or XXXL", "tokio::time::sleep(x)", "todo(x); ignore[0]"]
        {
            assert!(lines(leftovers, "tests/a.rs", text).is_empty(), "{text}");
        }
        assert_eq!(lines(leftovers, "src/a.rs", "/* a\n b\n TODO */"), [3]);
    }

    #[test]
    fn a_public_async_function_documents_its_cancel_safety() {
        let section = "/// Waits.\n///\n/// # Cancel safety\n///\n/// Loses nothing.\n";
        for item in [
            "pub async fn f() {}",
            "#[must_use]\npub async fn f() {}",
            "pub fn f(g: impl Fn() -> u8) -> impl Future<Output = ()> + Send {}",
            "pub async unsafe fn f() {}",
        ] {
            assert_eq!(lines(cancel_safety, "src/a.rs", item).len(), 1, "{item}");
            assert_eq!(lines(cancel_safety, "src/a.rs", &format!("/// Waits.\n{item}")).len(), 1, "{item}");
            assert!(lines(cancel_safety, "src/a.rs", &format!("{section}{item}")).is_empty(), "{item}");
        }
        let elsewhere = format!("{section}pub fn g() {{}}\npub async fn f() {{}}");
        assert_eq!(lines(cancel_safety, "src/a.rs", &elsewhere), [7]);
        for item in ["async fn f() {}", "pub(crate) async fn f() {}", "pub fn f(x: impl Future) -> u8 {}"] {
            assert!(lines(cancel_safety, "src/a.rs", item).is_empty(), "{item}");
        }
        assert!(lines(cancel_safety, "tests/a.rs", "pub async fn f() {}").is_empty());
    }

    #[test]
    fn a_public_trait_documents_it_too() {
        let method = "fn f(&self) -> impl Future<Output = ()> + Send;";
        let open =
            format!("pub trait T: Send {{\n  fn g() {{}}\n  {method}\n}}\nimpl T for U {{\n  {method}\n}}");
        assert_eq!(lines(cancel_safety, "src/a.rs", &open), [3]);
        assert!(lines(cancel_safety, "src/a.rs", &format!("trait T {{ {method} }}")).is_empty());
        let documented = format!("pub trait T {{\n/// # Cancel safety\n#[inline]\n{method}\n}}");
        assert!(lines(cancel_safety, "src/a.rs", &documented).is_empty());
    }
}
