//! What the server does, in which order.

use crate::log::lock;
use crate::{Action, Connection, Reply, Request};
use std::collections::VecDeque;
use std::sync::Mutex;

/// What the server does: [`Action`]s per request, [`Connection`]s per connection.
///
/// A [`Reply`] or an [`Action`] alone is a script that repeats it.
///
/// # Examples
///
/// ```
/// use schemarouter_loopback::{Action, Reply, Script};
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// let then_fine = Script::sequence([Action::reset(), Reply::json(200, "[]").into()]);
///
/// let created = AtomicU64::new(0);
/// let api = Script::route(move |request| match (request.method.as_str(), request.path()) {
///     ("POST", "/payments") => {
///         let id = created.fetch_add(1, Ordering::Relaxed);
///         Reply::json(201, format!(r#"{{"id":{id}}}"#))
///     }
///     _ => Reply::status(404),
/// });
/// ```
#[must_use]
pub struct Script {
    source: Source,
    connections: Mutex<VecDeque<Connection>>,
    other_connections: Connection,
    on_stall: Option<Box<dyn Fn() + Send + Sync>>,
}

type Route = Box<dyn Fn(&Request) -> Action + Send + Sync>;

enum Source {
    List(Mutex<List>),
    Whole(Route),
    Heads(Route),
}

struct List {
    length: usize,
    left: VecDeque<Action>,
    then: Option<Action>,
}

impl Script {
    /// One action per request, in the order in which their heads were read.
    ///
    /// A request after the last action is answered with status 500 and a text that says so, and is a
    /// [`Fault`](crate::Fault): an unexpected request must not look like an expected one.
    pub fn sequence<A: Into<Action>>(actions: impl IntoIterator<Item = A>) -> Self {
        let left: VecDeque<Action> = actions.into_iter().map(Into::into).collect();
        Self::new(Source::List(Mutex::new(List { length: left.len(), left, then: None })))
    }

    /// The same action for every request.
    pub fn repeat(action: impl Into<Action>) -> Self {
        let list = List { length: 0, left: VecDeque::new(), then: Some(action.into()) };
        Self::new(Source::List(Mutex::new(list)))
    }

    /// Chooses the action once the whole request was read; the closure may hold state.
    pub fn route<A, F>(choose: F) -> Self
    where
        A: Into<Action>,
        F: Fn(&Request) -> A + Send + Sync + 'static,
    {
        Self::new(Source::Whole(Box::new(move |request| choose(request).into())))
    }

    /// Chooses the action as soon as the head was read, with the body still empty.
    ///
    /// Only so can [`Action::after_body`] depend on the request.
    pub fn route_heads<A, F>(choose: F) -> Self
    where
        A: Into<Action>,
        F: Fn(&Request) -> A + Send + Sync + 'static,
    {
        Self::new(Source::Heads(Box::new(move |request| choose(request).into())))
    }

    /// Repeats this action after the end of a [`Script::sequence`]; routes have no end.
    pub fn then_repeat(mut self, action: impl Into<Action>) -> Self {
        if let Source::List(list) = &mut self.source {
            list.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).then = Some(action.into());
        }
        self
    }

    /// What happens to the first connections, one each; later ones are served.
    pub fn connections(self, plans: impl IntoIterator<Item = Connection>) -> Self {
        Self { connections: Mutex::new(plans.into_iter().collect()), ..self }
    }

    /// What happens to every connection that [`Script::connections`] does not name.
    pub fn other_connections(self, plan: Connection) -> Self {
        Self { other_connections: plan, ..self }
    }

    /// Is called whenever a stall begins, so that a test can move its virtual time on.
    ///
    /// It runs inside the server's task and must not block.
    pub fn on_stall(self, announce: impl Fn() + Send + Sync + 'static) -> Self {
        Self { on_stall: Some(Box::new(announce)), ..self }
    }

    fn new(source: Source) -> Self {
        Self {
            source,
            connections: Mutex::new(VecDeque::new()),
            other_connections: Connection::serve(),
            on_stall: None,
        }
    }

    pub(crate) fn next_connection(&self) -> Connection {
        lock(&self.connections).pop_front().unwrap_or_else(|| self.other_connections.clone())
    }

    /// The action, if it is known before the body is read.
    pub(crate) fn at_head(&self, request: &Request) -> Option<Choice> {
        match &self.source {
            Source::List(list) => Some(lock(list).next()),
            Source::Heads(choose) => Some(Choice::Scripted(choose(request))),
            Source::Whole(_) => None,
        }
    }

    /// The action that could not be known before the body was read.
    pub(crate) fn at_end(&self, request: &Request) -> Choice {
        match &self.source {
            Source::List(list) => lock(list).next(),
            Source::Heads(choose) | Source::Whole(choose) => Choice::Scripted(choose(request)),
        }
    }

    pub(crate) fn stalled(&self) {
        if let Some(announce) = &self.on_stall {
            announce();
        }
    }
}

/// An action, or that there is none.
pub(crate) enum Choice {
    Scripted(Action),
    /// The sequence, of this length, has ended.
    Exhausted(usize),
}

impl List {
    fn next(&mut self) -> Choice {
        match self.left.pop_front().or_else(|| self.then.clone()) {
            Some(action) => Choice::Scripted(action),
            None => Choice::Exhausted(self.length),
        }
    }
}

impl From<Action> for Script {
    fn from(action: Action) -> Self {
        Self::repeat(action)
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Self::repeat(reply)
    }
}
