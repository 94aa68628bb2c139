//! Where operations are served (ruling 21).

use std::sync::Arc;

use url::Url;

use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Document, Kind, Node};

use super::node_map::NodeMap;

/// Reads Server Objects, each list once.
#[derive(Debug)]
pub(super) struct ServerReader<'d> {
    document_url: Option<&'d Url>,
    known: NodeMap<Arc<[String]>>,
    /// Whether it was said that no server is known.
    missing_told: bool,
}

impl<'d> ServerReader<'d> {
    pub(super) fn new(document_url: Option<&'d Url>) -> Self {
        // What a file's name says about servers is nothing.
        let document_url = document_url.filter(|url| matches!(url.scheme(), "http" | "https"));
        Self { document_url, known: NodeMap::default(), missing_told: false }
    }

    /// The server URLs of an operation: the innermost list that is not empty counts.
    pub(super) fn urls(
        &mut self,
        document: &'d Document,
        lists: &[Option<Node<'d>>],
        sink: &mut Sink,
    ) -> Arc<[String]> {
        let declared = lists.iter().flatten().find(|list| list.kind() == Kind::Array && !list.is_empty());
        // OpenAPI Object, `servers`: the default is one server with the URL `/`.
        let place = declared.copied().unwrap_or_else(|| document.root());
        if let Some(urls) = self.known.get(&place.id()) {
            return Arc::clone(urls);
        }
        let urls: Arc<[String]> = match declared {
            Some(list) => list.items().filter_map(|server| self.url(server, sink)).collect(),
            None => self.resolved("/").into_iter().collect(),
        };
        if urls.is_empty() && !self.missing_told {
            self.missing_told = true;
            sink.warn(
                DiagnosticCode::MissingServer,
                place,
                None,
                "`servers` names no absolute URL and the document's own is unknown; give a server when calling",
            );
        }
        self.known.insert(place.id(), Arc::clone(&urls));
        urls
    }

    fn resolved(&self, relative: &str) -> Option<String> {
        self.document_url?.join(relative).ok().map(String::from)
    }

    /// The absolute URL of a Server Object; `None` if it is relative to an unknown place or cannot be used.
    fn url(&self, server: Node<'_>, sink: &mut Sink) -> Option<String> {
        match self.decide(server, sink) {
            Ok(url) => url,
            Err(message) => {
                sink.warn(
                    DiagnosticCode::InvalidServer,
                    server,
                    None,
                    format!("{message}; the server is left out"),
                );
                None
            }
        }
    }

    fn decide(&self, server: Node<'_>, sink: &mut Sink) -> Result<Option<String>, String> {
        let template = server.get("url").and_then(Node::as_str).ok_or("a server has a `url`, a string")?;
        let text = filled_in(template, server.get("variables"), sink)?;
        match Url::parse(&text) {
            Ok(url) => usable(&url, &text).map(|()| Some(text)),
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                let Some(text) = self.resolved(&text) else { return Ok(None) };
                let url = Url::parse(&text).map_err(|error| format!("`{text}` is no URL: {error}"))?;
                usable(&url, &text).map(|()| Some(text))
            }
            Err(error) => Err(format!("`{text}` is no URL: {error}")),
        }
    }
}

fn usable(url: &Url, text: &str) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{text}` has the scheme `{}`; calls go over http and https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "a server URL holds no user information; give credentials to the router instead".to_owned()
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{text}` has a query or fragment, which a server URL must not have"));
    }
    Ok(())
}

/// Fills the variables of a server URL with their defaults.
fn filled_in(template: &str, variables: Option<Node<'_>>, sink: &mut Sink) -> Result<String, String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let close =
            rest[open..].find('}').ok_or("braces in a server URL stand in pairs around a variable's name")?;
        let name = &rest[open + 1..open + close];
        let value = default_of(name, variables.and_then(|variables| variables.get(name)), sink)?;
        in_its_place(name, value, &text)?;
        text.push_str(value);
        rest = &rest[open + close + 1..];
    }
    text.push_str(rest);
    Ok(text)
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
    let allowed = variable.get("enum");
    let is_allowed = allowed.is_none_or(|allowed| {
        allowed.is_empty() || allowed.items().any(|item| item.scalar_text() == Some(value))
    });
    if is_allowed {
        Ok(value)
    } else {
        Err(format!("the default of server variable `{name}` is not in its `enum`"))
    }
}

/// A value must not change what the template says about the authority (RFC 3986 section 3.2).
fn in_its_place(name: &str, value: &str, before: &str) -> Result<(), String> {
    let forbidden: &[char] = match before.split_once("://") {
        Some((_, after)) if after.contains('/') => &['?', '#', '\\'],
        Some(_) => &['/', '?', '#', '\\', '@'],
        // The template begins with the variable, or is relative: its value is the document's own word.
        None => &['?', '#', '\\'],
    };
    match value.chars().find(|c| forbidden.contains(c) || c.is_whitespace() || c.is_control()) {
        Some(c) => Err(format!(
            "the default of server variable `{name}` holds `{}`, which would change the host or the path",
            c.escape_debug()
        )),
        None => Ok(()),
    }
}
