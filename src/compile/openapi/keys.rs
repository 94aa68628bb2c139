//! The names of operations within their source (ruling 20).

use std::borrow::Cow;

use super::maps::TextMap;
use super::names::Taken;

/// What an operation's name is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared<'d> {
    pub(super) method: &'static str,
    pub(super) path: &'d str,
    /// The `operationId`, where it is one.
    pub(super) id: Option<&'d str>,
}

/// The names of all declared operations, in the given order, and the groups that share an `operationId`.
#[derive(Debug)]
pub(super) struct Names<'d> {
    pub(super) names: Vec<Cow<'d, str>>,
    pub(super) duplicates: Vec<Vec<usize>>,
}

/// The operations that have one id.
struct Sharing {
    first: usize,
    others: Vec<usize>,
}

/// Names every operation: its `operationId` where no other has it, else a name derived from method and path.
///
/// Operations that share an id all lose it, so that a name never depends on which of them comes first. Derived names
/// that are taken get `-2` and so on, in the order of path and method.
pub(super) fn operation_names<'d>(operations: &[Declared<'d>]) -> Names<'d> {
    let mut by_id: TextMap<'_, Sharing> = TextMap::default();
    by_id.reserve(operations.len());
    for (at, id) in operations.iter().enumerate().filter_map(|(at, operation)| Some((at, operation.id?))) {
        by_id
            .entry(id)
            .and_modify(|sharing| sharing.others.push(at))
            .or_insert(Sharing { first: at, others: Vec::new() });
    }
    let mut duplicates: Vec<Vec<usize>> = by_id
        .values()
        .filter(|sharing| !sharing.others.is_empty())
        .map(|Sharing { first, others }| std::iter::once(*first).chain(others.iter().copied()).collect())
        .collect();
    duplicates.sort_unstable();
    let mut names: Vec<Cow<'d, str>> =
        operations.iter().map(|operation| Cow::Borrowed(operation.id.unwrap_or_default())).collect();
    duplicates.iter().flatten().for_each(|at| names[*at] = Cow::default());
    let mut unnamed: Vec<usize> = (0..operations.len()).filter(|at| names[*at].is_empty()).collect();
    unnamed.sort_by_key(|at| (operations[*at].path, operations[*at].method));
    let mut taken = Taken::default();
    if !unnamed.is_empty() {
        names.iter().filter(|name| !name.is_empty()).for_each(|name| _ = taken.take(name.clone()));
    }
    for at in unnamed {
        let wanted = derived(operations[at]);
        let is_free = taken.take(wanted.clone().into());
        names[at] = if is_free { wanted } else { taken.numbered(&wanted, '-') }.into();
    }
    Names { names, duplicates }
}

/// `get-users-id` from `GET /users/{id}`: slashes and braces become `-`, and so does what a shell or URL would read
/// as its own (`?`, `#`, white space).
fn derived(operation: Declared<'_>) -> String {
    let mut name = operation.method.to_ascii_lowercase();
    let mut pending = true;
    for c in operation.path.chars() {
        if matches!(c, '/' | '{' | '}' | '?' | '#') || c.is_whitespace() || c.is_control() {
            pending = true;
        } else {
            if pending {
                name.push('-');
                pending = false;
            }
            name.push(c);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(method: &'static str, path: &'static str, id: Option<&'static str>) -> Declared<'static> {
        Declared { method, path, id }
    }

    fn named(operations: &[Declared<'static>]) -> Vec<Cow<'static, str>> {
        let names = operation_names(operations).names;
        let reversed: Vec<_> = operations.iter().rev().copied().collect();
        let mut back = operation_names(&reversed).names;
        back.reverse();
        assert_eq!(back, names, "names do not depend on the order of the document");
        names
    }

    #[test]
    fn ruling_20_ids_are_kept_as_published() {
        let operations = [
            declared("GET", "/a", Some("repos/get")),
            declared("GET", "/b", Some("x.y")),
            declared("GET", "/users/{id}", None),
            declared("GET", "/", None),
            declared("POST", "/chat#stream now", None),
        ];
        assert_eq!(named(&operations), ["repos/get", "x.y", "get-users-id", "get", "post-chat-stream-now"]);
    }

    #[test]
    fn case_007_no_duplicate_keeps_the_id() {
        let operations = [
            declared("GET", "/a", Some("list")),
            declared("POST", "/b", Some("list")),
            declared("GET", "/c", Some("List")),
        ];
        assert_eq!(named(&operations), ["get-a", "post-b", "List"]);
        assert_eq!(operation_names(&operations).duplicates, [vec![0, 1]]);
    }

    #[test]
    fn ruling_20_derived_names_are_numbered_in_a_stable_order() {
        let operations = [
            declared("GET", "/a/{id}", None),
            declared("GET", "/a/id", None),
            declared("GET", "/x", Some("get-b")),
            declared("GET", "/b", None),
        ];
        assert_eq!(named(&operations), ["get-a-id-2", "get-a-id", "get-b", "get-b-2"]);
    }
}
