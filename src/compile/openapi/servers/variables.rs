//! The variables of server URLs: the operator's values, else the document's defaults.

use std::collections::{BTreeMap, BTreeSet};

use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::Node;

/// Why a server has no URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The document is wrong: the server is left out.
    Document(String),
    /// A value of the operator's is wrong: nothing is compiled, since another server would be a guess.
    Operator(String),
}

/// A piece of a server URL.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<'d> {
    Text(&'d str),
    Variable(&'d str),
}

/// Cuts a server URL into pieces.
pub(super) fn pieces(template: &str) -> Result<Vec<Piece<'_>>, Fault> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}').ok_or_else(|| {
            Fault::Document("braces in a server URL stand in pairs around a variable's name".to_owned())
        })?;
        pieces.extend([Piece::Text(text), Piece::Variable(name)]);
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The names of the variables.
pub(super) fn names<'d>(pieces: &[Piece<'d>]) -> BTreeSet<&'d str> {
    let names = pieces.iter().filter_map(|piece| match piece {
        Piece::Variable(name) => Some(*name),
        Piece::Text(_) => None,
    });
    names.collect()
}

/// The URL with a value for each variable.
pub(super) fn filled_in(
    pieces: &[Piece<'_>],
    variables: Option<Node<'_>>,
    given: &BTreeMap<String, String>,
    sink: &mut Sink,
) -> Result<String, Fault> {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        let name = match piece {
            Piece::Text(literal) => {
                text.push_str(literal);
                continue;
            }
            Piece::Variable(name) => *name,
        };
        let behind = pieces.get(at + 1);
        let variable = variables.and_then(|variables| variables.get(name));
        let value = match given.get(name) {
            Some(value) => checked(name, value, variable)
                .and_then(|()| in_its_place(name, "value", value, &text, behind).map(|()| value.as_str()))
                .map_err(Fault::Operator),
            None => default_of(name, variable, sink)
                .and_then(|value| in_its_place(name, "default", value, &text, behind).map(|()| value))
                .map_err(Fault::Document),
        };
        text.push_str(value?);
    }
    Ok(text)
}

/// A value of the operator's is one of the `enum` (Server Variable Object).
fn checked(name: &str, value: &str, variable: Option<Node<'_>>) -> Result<(), String> {
    let Some(allowed) = variable.and_then(allowed) else { return Ok(()) };
    if allowed.contains(&value) {
        return Ok(());
    }
    let allowed: Vec<String> = allowed.iter().map(|value| format!("`{value}`")).collect();
    let allowed = allowed.join(", ");
    Err(format!("server variable `{name}` has to be one of {allowed}, and `{value}` is given"))
}

/// The `enum`; an empty one, which must not be, limits nothing.
fn allowed(variable: Node<'_>) -> Option<Vec<&str>> {
    let allowed = variable.get("enum").filter(|allowed| !allowed.is_empty())?;
    Some(allowed.items().filter_map(Node::scalar_text).collect())
}

/// The default of a server variable: required, and one of its enum.
fn default_of<'d>(name: &str, variable: Option<Node<'d>>, sink: &mut Sink) -> Result<&'d str, String> {
    let variable =
        variable.ok_or_else(|| format!("server variable `{name}` is not declared under `variables`"))?;
    let default = variable
        .get("default")
        .ok_or_else(|| format!("server variable `{name}` has no `default`; give it one"))?;
    let value = default
        .scalar_text()
        .ok_or_else(|| format!("the default of server variable `{name}` has to be a string"))?;
    if default.as_str().is_none() {
        let message =
            format!("the default of server variable `{name}` has to be a string; read as `{value}`");
        sink.warn(DiagnosticCode::ReadByIntent, default, None, message);
    }
    if allowed(variable).is_none_or(|allowed| allowed.contains(&value)) {
        Ok(value)
    } else {
        Err(format!("the default of server variable `{name}` is not in its `enum`"))
    }
}

/// A value must not change what the template says about scheme and authority (RFC 3986 sections 3.1 and 3.2).
fn in_its_place(
    name: &str,
    what: &str,
    value: &str,
    before: &str,
    behind: Option<&Piece<'_>>,
) -> Result<(), String> {
    let is_scheme = before.is_empty() && matches!(behind, Some(Piece::Text(text)) if text.starts_with(':'));
    let forbidden: &[char] = match before.split_once("://") {
        Some((_, after)) if after.contains('/') => &['?', '#', '\\'],
        Some(_) => &['/', '?', '#', '\\', '@'],
        None if is_scheme => &[':', '/', '?', '#', '\\', '@'],
        // The template begins with the variable, or is relative: where it leads is the value's own word.
        None => &['?', '#', '\\'],
    };
    match value.chars().find(|c| forbidden.contains(c) || c.is_whitespace() || c.is_control()) {
        Some(c) => Err(format!(
            "the {what} of server variable `{name}` holds `{}`, which would change the host or the path",
            c.escape_debug()
        )),
        None => Ok(()),
    }
}
