//! What operations demand as proof of identity (ruling 22).

use std::collections::HashMap;
use std::sync::Arc;

use crate::catalog::{Location, Scheme, SchemeUse, Security};
use crate::compile::diagnostic::{DiagnosticCode, Sink};
use crate::compile::document::{Document, Kind, Node};

use super::maps::NodeMap;
use super::refs::{Problem, Refs};

/// Reads security requirements, each list and each scheme once.
#[derive(Debug, Default)]
pub(super) struct SecurityReader<'d> {
    lists: NodeMap<Result<Security, Problem<'d>>>,
    schemes: HashMap<&'d str, Result<Scheme, Problem<'d>>>,
}

impl<'d> SecurityReader<'d> {
    /// What an operation demands: its own list, else the document's.
    pub(super) fn security(
        &mut self,
        document: &'d Document,
        own: Option<Node<'d>>,
        operation: &str,
        refs: &mut Refs<'d>,
        sink: &mut Sink,
    ) -> Result<Security, Problem<'d>> {
        let Some(list) = own.or_else(|| document.root().get("security")) else {
            return Ok(Security::Undeclared);
        };
        if let Some(known) = self.lists.get(&list.id()) {
            return known.clone();
        }
        let about = own.map(|_| operation);
        let security = self.alternatives(document, list, about, refs, sink);
        self.lists.insert(list.id(), security.clone());
        security
    }

    fn alternatives(
        &mut self,
        document: &'d Document,
        list: Node<'d>,
        about: Option<&str>,
        refs: &mut Refs<'d>,
        sink: &mut Sink,
    ) -> Result<Security, Problem<'d>> {
        if list.kind() != Kind::Array {
            let message = "`security` has to be an array of requirements; write [{\"scheme\": []}]";
            return Err(Problem::new(DiagnosticCode::InvalidSecurity, list, message));
        }
        if list.is_empty() {
            return Ok(Security::Public);
        }
        let mut alternatives = Vec::new();
        let mut unusable = None;
        for requirement in list.items() {
            match self.alternative(document, requirement, refs) {
                Ok(alternative) => alternatives.push(alternative),
                Err(problem) => {
                    unusable.get_or_insert(problem);
                }
            }
        }
        match unusable {
            Some(problem) if alternatives.is_empty() => return Err(problem),
            // Leaving out one way of several only restricts.
            Some(problem) => {
                let message = format!("{}; this alternative is left out", problem.message);
                sink.warn(problem.code, problem.node, about, message);
            }
            None => {}
        }
        let is_usable = |alternative: &Vec<SchemeUse>| {
            alternative.iter().all(|used| !matches!(used.scheme, Scheme::Unsupported(_)))
        };
        if !alternatives.iter().any(is_usable) {
            sink.warn(DiagnosticCode::UnsupportedSecurity, list, about, cannot_be_satisfied(&alternatives));
        }
        Ok(Security::Alternatives(Arc::from(alternatives)))
    }

    fn alternative(
        &mut self,
        document: &'d Document,
        requirement: Node<'d>,
        refs: &mut Refs<'d>,
    ) -> Result<Vec<SchemeUse>, Problem<'d>> {
        if requirement.kind() != Kind::Object {
            let message = "a security requirement has to be an object of scheme names";
            return Err(Problem::new(DiagnosticCode::InvalidSecurity, requirement, message));
        }
        requirement
            .entries()
            .map(|(name, scopes)| {
                let scheme = self.scheme(document, name, scopes, refs)?;
                Ok(SchemeUse { name: name.to_owned(), scheme })
            })
            .collect()
    }

    fn scheme(
        &mut self,
        document: &'d Document,
        name: &'d str,
        place: Node<'d>,
        refs: &mut Refs<'d>,
    ) -> Result<Scheme, Problem<'d>> {
        if let Some(known) = self.schemes.get(name) {
            return known.clone();
        }
        let declared = document.at("/components/securitySchemes").and_then(|schemes| schemes.get(name));
        let scheme = declared
            .ok_or_else(|| {
                let message = format!(
                    "security scheme `{name}` is not declared; declare it under components/securitySchemes"
                );
                Problem::new(DiagnosticCode::UnknownSecurityScheme, place, message)
            })
            .and_then(|declared| refs.object(declared).map(scheme_of));
        self.schemes.insert(name, scheme.clone());
        scheme
    }
}

fn cannot_be_satisfied(alternatives: &[Vec<SchemeUse>]) -> String {
    let schemes: Vec<String> = alternatives
        .iter()
        .flatten()
        .filter_map(|used| match &used.scheme {
            Scheme::Unsupported(what) => Some(format!("`{}` ({what})", used.name)),
            _ => None,
        })
        .take(3)
        .collect();
    format!("{} cannot be satisfied yet; calls need a header that the operator supplies", schemes.join(", "))
}

/// Reads a Security Scheme Object.
fn scheme_of(scheme: Node<'_>) -> Scheme {
    let text = |key: &str| scheme.get(key).and_then(Node::as_str);
    match text("type") {
        Some("apiKey") => match (text("in").and_then(key_location), text("name")) {
            (Some(location), Some(name)) => Scheme::ApiKey { location, name: name.to_owned() },
            _ => Scheme::Unsupported("apiKey without a place or name".to_owned()),
        },
        Some("http") => match text("scheme") {
            Some(word) if word.eq_ignore_ascii_case("basic") => Scheme::Basic,
            Some(word) if word.eq_ignore_ascii_case("bearer") => Scheme::Bearer,
            Some(word) => Scheme::Unsupported(format!("http {word}")),
            None => Scheme::Unsupported("http without a scheme".to_owned()),
        },
        Some("oauth2" | "openIdConnect") => Scheme::Bearer,
        Some(other) => Scheme::Unsupported(other.to_owned()),
        None => Scheme::Unsupported("a scheme without a type".to_owned()),
    }
}

fn key_location(word: &str) -> Option<Location> {
    match word {
        "header" => Some(Location::Header),
        "query" => Some(Location::Query),
        "cookie" => Some(Location::Cookie),
        _ => None,
    }
}
