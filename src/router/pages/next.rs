//! What follows a call of an endpoint that has pages.

use std::sync::Arc;
use std::time::Duration;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

use super::handle::{Ask, NextPageHandle};
use super::place;
use super::step::{self, Step, step};
use crate::catalog::{Endpoint, NextPage};
use crate::executor::{Body, Reply};
use crate::invokers::http::PreparedCall;

/// What follows a page.
#[derive(Debug)]
pub(in crate::router) enum Next {
    /// Nothing: it was the last, or the endpoint has no pages.
    End,
    /// Nothing, although the reply says that there is more.
    Incomplete(String),
    /// Another page, after a wait that the other side asks for.
    Page(Ask, Duration),
    /// What follows is not known, or must not be asked for.
    Lost(Box<Error>),
}

/// What follows the reply to a call with these arguments; over HTTP, to this request.
pub(in crate::router) fn after(
    endpoint: &Endpoint,
    rule: &NextPage,
    asked: &Ask,
    http: Option<&PreparedCall>,
    reply: &Reply,
) -> Next {
    // What is handed on while it comes was not looked at.
    if matches!(reply.body, Body::Stream(_)) {
        return Next::End;
    }
    let json = reply.json.as_ref();
    let followed = step(rule, &asked.arguments, &reply.headers, json).and_then(|step| {
        let page = |ask| step::delay(rule, json).map(|wait| Next::Page(ask, wait));
        Ok(match (step, http) {
            (Step::End, _) => Next::End,
            (Step::Incomplete(why), _) => Next::Incomplete(why),
            (Step::Arguments(mut arguments), _) => {
                for (name, value) in arguments.iter_mut().filter(|(name, _)| rule.sets(name)) {
                    *value = place::fitting(endpoint, name, value.take());
                }
                page(Ask { arguments: Arc::new(arguments), url: None, fields: asked.fields.clone() })?
            }
            (Step::Url(target), Some(http)) => {
                let url = followable(http.next_url(&target, rule.path())?.into(), rule, http)?;
                page(Ask { url: Some(url), ..asked.clone() })?
            }
            (Step::Url(_), None) => {
                return Err(Error::rejected(ErrorKind::EgressDenied, "there is no URL to follow"));
            }
        })
    });
    followed.unwrap_or_else(|error| Next::Lost(Box::new(error)))
}

/// The items of a page as they came: what is selected of them, or cut, changes nothing in how a listing goes on.
#[derive(Debug, Clone, Copy)]
pub(in crate::router) struct Counted {
    pub(super) items: u64,
    /// What tells them from others, where a rule counts and there are some.
    pub(super) these: Option<u64>,
}

/// Counts the items of a page; `None` where the rule does not say where they are, or they are not there.
pub(in crate::router) fn counted(rule: &NextPage, reply: Option<&serde_json::Value>) -> Option<Counted> {
    let items = step::items(rule, reply)?;
    let is_counting = matches!(rule, NextPage::Offset { .. } | NextPage::PageNumber { .. });
    let these = is_counting && !items.is_empty();
    let these = these.then(|| super::hash(&serde_json::Value::from(items.clone()).to_string()));
    Some(Counted { items: items.len() as u64, these })
}

/// Credentials are taken out of header fields before anybody sees them; a URL with such a gap leads nowhere.
fn followable(url: String, rule: &NextPage, http: &PreparedCall) -> Result<String, Error> {
    let may_have_gaps = matches!(rule, NextPage::Link { .. }) && !http.redactor().is_empty();
    if !may_have_gaps || !url.contains("***") {
        return Ok(url);
    }
    let message = "the URL of the next page repeats a credential where no security scheme has it";
    Err(Error::rejected(ErrorKind::EgressDenied, message))
}

/// The handle of a page; none where it would hold a credential that the other side repeats.
pub(in crate::router) fn handle(
    endpoint: &Endpoint,
    ask: &Ask,
    http: Option<&PreparedCall>,
) -> Option<NextPageHandle> {
    let handle = NextPageHandle::new(endpoint, ask);
    let holds_secret = http.is_some_and(|http| {
        let json = handle.json();
        http.redactor().apply(&json) != json
    });
    (!holds_secret).then_some(handle)
}

/// What tells a page from the others of its listing: its URL, else its arguments. `http` is the call of the page itself
/// where its URL is the request's own.
pub(super) fn identity(rule: &NextPage, ask: &Ask, http: Option<&PreparedCall>) -> String {
    if !rule.is_by_url() {
        return serde_json::Value::Object(serde_json::Map::clone(&ask.arguments)).to_string();
    }
    let own = || http.and_then(|http| http.next_url("", None).ok()).map(String::from);
    ask.url.clone().or_else(own).unwrap_or_default()
}
