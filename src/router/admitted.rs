//! What the calls of a run are while they go through it.

use std::sync::Arc;

use super::declaration::Declaration;
use super::outcome::Outcome;
use super::pages::{Ask, Counted, Next};
use super::run_config::RunConfig;
use super::selection::Selection;
use crate::catalog::Endpoint;
use crate::executor::{Credentials, InvokerHandle};
use crate::invokers::http::PreparedCall;

/// How the run is carried out: by what its caller holds, or where it outlives the call by what it holds itself.
pub(super) enum Config<'r> {
    Lent(&'r RunConfig),
    Own(Box<RunConfig>),
}

impl std::ops::Deref for Config<'_> {
    type Target = RunConfig;

    fn deref(&self) -> &RunConfig {
        match self {
            Self::Lent(config) => config,
            Self::Own(config) => config,
        }
    }
}

/// A call that may be made, decided as far as it can be before anything is sent.
#[derive(Clone)]
pub(super) struct Admitted {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) ask: Ask,
    pub(super) credentials: Credentials,
    pub(super) reach: Reach,
    pub(super) key: Option<Arc<str>>,
    pub(super) said: Arc<Declaration>,
    pub(super) selection: Option<Selection>,
}

/// What a call is asked for as.
pub(super) enum As {
    Call,
    /// The first of its listing in this run, and its URL if it has one of its own.
    Listing(Option<String>),
}

/// How a call is made.
#[derive(Clone)]
pub(super) enum Reach {
    Http(Box<PreparedCall>),
    Custom(InvokerHandle),
}

/// A call that succeeded, and what follows it.
pub(super) struct Called {
    pub(super) outcome: Outcome,
    pub(super) next: Next,
    /// The items of the page, where the endpoint has pages.
    pub(super) items: Option<Counted>,
}

impl Admitted {
    /// What it asks for.
    pub(super) const fn ask(&self) -> &Ask {
        &self.ask
    }

    /// The request, where it is one over HTTP.
    pub(super) const fn http(&self) -> Option<&PreparedCall> {
        match &self.reach {
            Reach::Http(call) => Some(call),
            Reach::Custom(_) => None,
        }
    }
}

impl Called {
    /// The outcome of a call that no other follows; that its next page was lost is no failure of its own.
    pub(super) fn alone(mut self) -> Outcome {
        if let Next::Lost(error) = self.next {
            self.outcome.warnings.push(error.to_string());
        }
        self.outcome
    }
}
