//! One operation, ready to be called.

use std::sync::Arc;

use schemarouter_kernel::base::disposition::Effect;

use super::argument::Argument;
use super::fingerprints::Fingerprints;
use super::http_plan::HttpPlan;
use super::key::Key;
use super::next_page::NextPage;
use super::reply::Replies;
use super::schema::Schema;

/// One operation: what it does, what it takes, what it answers, and how it is reached.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its name.
    pub key: Key,
    /// One line, as the document says.
    pub summary: Option<String>,
    /// More lines, as the document says.
    pub description: Option<String>,
    /// Groups that the document puts it in.
    pub tags: Vec<String>,
    /// Whether the document calls it deprecated.
    pub deprecated: bool,
    /// What it does to the world.
    pub effect: Effect,
    /// Whether it destroys something.
    pub destructive: bool,
    /// Who said so.
    pub declared_by: DeclaredBy,
    /// What it takes.
    pub arguments: Vec<Argument>,
    /// What the arguments object as a whole must satisfy, for registered code; documents say it per argument.
    pub arguments_schema: Option<Schema>,
    /// What it answers.
    pub replies: Replies,
    /// How its next page is asked for, where somebody says it.
    pub next_page: Option<Arc<NextPage>>,
    /// How it is reached.
    pub binding: Binding,
    /// What it is by content, so that a change is noticed.
    pub fingerprints: Fingerprints,
    /// Where it stands in its document, as a JSON pointer; empty for registered code.
    pub pointer: String,
}

impl Endpoint {
    /// The argument of this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| &*argument.name == name)
    }

    /// The HTTP description, for endpoints of documents.
    pub fn http(&self) -> Option<&HttpPlan> {
        match &self.binding {
            Binding::Http(plan) => Some(plan),
            Binding::Custom => None,
        }
    }
}

/// Who described the endpoint: it decides what needs permission (ruling 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredBy {
    /// A published document, which is not trusted.
    Document,
    /// The operator, in code; registering it is the permission.
    Operator,
}

/// How an endpoint is reached.
#[derive(Debug, Clone)]
pub enum Binding {
    /// Over HTTP.
    Http(Box<HttpPlan>),
    /// By an invoker that the operator registered under the endpoint's key.
    Custom,
}
