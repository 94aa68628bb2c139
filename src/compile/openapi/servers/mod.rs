//! Where operations are served (ruling 21).

mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use url::Url;

use crate::compile::Options;
use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Document, Kind, Node};

use super::maps::NodeMap;
use variables::{Fault, filled_in, names, pieces};

/// Reads Server Objects, each list once.
#[derive(Debug)]
pub(super) struct ServerReader<'d> {
    document_url: Option<&'d Url>,
    /// The operator's values of variables.
    given: &'d BTreeMap<String, String>,
    /// The variables that the URLs have.
    variables: BTreeSet<&'d str>,
    /// What is wrong with the operator's values, at the first server that shows it.
    refused: Option<String>,
    known: NodeMap<Arc<[String]>>,
    /// Whether it was said that no server is known.
    missing_told: bool,
}

impl<'d> ServerReader<'d> {
    pub(super) fn new(options: &'d Options) -> Self {
        // What a file's name says about servers is nothing.
        let document_url =
            options.document_url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
        Self {
            document_url,
            given: &options.server_variables,
            variables: BTreeSet::new(),
            refused: None,
            known: NodeMap::default(),
            missing_told: false,
        }
    }

    /// Whether the operator's values could all be used, after everything was read.
    ///
    /// # Errors
    /// `compile_error`, where a value is not allowed or no URL has such a variable.
    pub(super) fn verdict(&mut self, document: &'d Document) -> Result<(), Error> {
        if let Some(message) = self.refused.take() {
            return Err(Error::rejected(ErrorKind::CompileError, message)
                .with_hint("give another value, or leave it to the document"));
        }
        // No operation may be served there, and its variables are the document's all the same.
        for server in document.root().get("servers").into_iter().flat_map(Node::items) {
            let template = server.get("url").and_then(Node::as_str).unwrap_or_default();
            self.variables.extend(pieces(template).iter().flat_map(|pieces| names(pieces)));
        }
        let Some(name) = self.given.keys().find(|name| !self.variables.contains(name.as_str())) else {
            return Ok(());
        };
        let known: Vec<String> = self.variables.iter().map(|name| format!("`{name}`")).collect();
        let hint = match known.as_slice() {
            [] => "its servers have no variables; leave the value out".to_owned(),
            known => format!("its servers have {}", known.join(", ")),
        };
        let message = format!("the document has no server variable `{name}`");
        Err(Error::rejected(ErrorKind::CompileError, message).with_hint(hint))
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
    fn url(&mut self, server: Node<'d>, sink: &mut Sink) -> Option<String> {
        match self.decide(server, sink) {
            Ok(url) => url,
            Err(Fault::Operator(message)) => {
                self.refused.get_or_insert(message);
                None
            }
            Err(Fault::Document(message)) => {
                let message = format!("{message}; the server is left out");
                sink.warn(DiagnosticCode::InvalidServer, server, None, message);
                None
            }
        }
    }

    fn decide(&mut self, server: Node<'d>, sink: &mut Sink) -> Result<Option<String>, Fault> {
        let template = server
            .get("url")
            .and_then(Node::as_str)
            .ok_or_else(|| Fault::Document("a server has a `url`, a string".to_owned()))?;
        let pieces = pieces(template)?;
        let names = names(&pieces);
        let given: Vec<&str> = names.iter().copied().filter(|name| self.given.contains_key(*name)).collect();
        self.variables.extend(names);
        let variables = server.get("variables");
        let result = filled_in(&pieces, variables, self.given, sink).and_then(|text| self.absolute(text));
        let Err(Fault::Document(message)) = result else { return result };
        // It may be wrong whatever the operator says.
        let without = || {
            filled_in(&pieces, variables, &BTreeMap::new(), &mut Sink::default())
                .and_then(|text| self.absolute(text))
        };
        if given.is_empty() || without().is_err() {
            return Err(Fault::Document(message));
        }
        Err(Fault::Operator(format!("with the value of server variable `{}`: {message}", given.join("`, `"))))
    }

    fn absolute(&self, text: String) -> Result<Option<String>, Fault> {
        let no_url = |text: &str, error| Fault::Document(format!("`{text}` is no URL: {error}"));
        let (url, text) = match Url::parse(&text) {
            Ok(url) => (url, text),
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                let Some(text) = self.resolved(&text) else { return Ok(None) };
                (Url::parse(&text).map_err(|error| no_url(&text, error))?, text)
            }
            Err(error) => return Err(no_url(&text, error)),
        };
        usable(&url, &text).map_err(Fault::Document)?;
        Ok(Some(text))
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
