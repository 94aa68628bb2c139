//! What follows a page, by its endpoint's rule.

use std::time::Duration;

use schemarouter_kernel::base::disposition::Disposition;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use serde_json::{Map, Value, json};

use super::place;
use crate::catalog::NextPage;
use crate::invokers::http::link;

/// What follows a page.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Nothing: it was the last.
    End,
    /// Nothing, although the reply says that there is more.
    Incomplete(String),
    /// The same call with these arguments.
    Arguments(Map<String, Value>),
    /// The same call at this URL, as the reply has it.
    Url(String),
}

/// What follows the page that came of these arguments.
///
/// # Errors
/// Where the reply is not as the rule says: taking that for the end would lose the rest without a word.
pub(super) fn step(
    rule: &NextPage,
    arguments: &Map<String, Value>,
    headers: &[(String, String)],
    reply: Option<&Value>,
) -> Result<Step, Error> {
    let reply = Page(reply);
    let set = |argument: &str, value: Value| {
        let mut arguments = arguments.clone();
        place::put(&mut arguments, argument, value);
        Step::Arguments(arguments)
    };
    match rule {
        NextPage::Link { .. } => {
            let links = headers.iter().filter(|(name, _)| name == "link").map(|(_, field)| field.as_str());
            for field in links {
                match link::target(field, "next") {
                    Ok(None) => {}
                    Ok(Some("")) => return Ok(Step::End),
                    Ok(Some(target)) => return Ok(Step::Url(target.to_owned())),
                    Err(link::NoLinks) => return Err(broken("its field `Link` cannot be read (RFC 8288)")),
                }
            }
            Ok(Step::End)
        }
        NextPage::Url { pointer, more, .. } => {
            let given = match reply.at(pointer) {
                Some(Value::Object(link)) => link.get("href").filter(|href| !href.is_null()),
                other => other,
            };
            match given {
                Some(Value::String(url)) if !url.is_empty() => {
                    Ok(if reply.is_last(more.as_deref())? { Step::End } else { Step::Url(url.clone()) })
                }
                None | Some(Value::String(_)) => reply.end(pointer, more.as_deref()),
                Some(_) => Err(wrong(pointer, "neither text nor an object with `href`")),
            }
        }
        NextPage::Cursor { pointer, argument, more, .. } => match reply.at(pointer) {
            Some(cursor) if !is_empty(cursor) => {
                let cursor = scalar(pointer, cursor)?;
                Ok(if reply.is_last(more.as_deref())? { Step::End } else { set(argument, cursor) })
            }
            _ => reply.end(pointer, more.as_deref()),
        },
        NextPage::LastItem { items, pointer, argument, more } => {
            let last = reply.items(items)?.last();
            if reply.is_last(more.as_deref())? {
                return Ok(Step::End);
            }
            let Some(last) = last else { return reply.end(items, more.as_deref()) };
            match last.pointer(pointer) {
                Some(cursor) if !is_empty(cursor) => Ok(set(argument, scalar(pointer, cursor)?)),
                _ => Err(wrong(pointer, "not in the last item")),
            }
        }
        NextPage::Offset { argument, items, total, limit } => {
            let count = reply.items(items)?.len() as u64;
            let next = number(arguments, argument, 0)?.saturating_add(count);
            let is_all = reply.number(total.as_deref()).is_some_and(|total| next >= total);
            let is_last = count == 0 || is_all || is_short(arguments, limit.as_deref(), count);
            Ok(if is_last { Step::End } else { set(argument, json!(next)) })
        }
        NextPage::PageNumber { argument, items, first, pages, limit } => {
            let count = reply.items(items)?.len() as u64;
            let next = number(arguments, argument, *first)?.saturating_add(1);
            let is_all =
                reply.number(pages.as_deref()).is_some_and(|pages| next.saturating_sub(*first) >= pages);
            let is_last = count == 0 || is_all || is_short(arguments, limit.as_deref(), count);
            Ok(if is_last { Step::End } else { set(argument, json!(next)) })
        }
    }
}

/// How long the reply asks to wait before the next page.
///
/// # Errors
/// Where that is no number of seconds.
pub(super) fn delay(rule: &NextPage, reply: Option<&Value>) -> Result<Duration, Error> {
    let NextPage::Url { delay: Some(pointer), .. } = rule else { return Ok(Duration::ZERO) };
    let Some(value) = Page(reply).at(pointer) else { return Ok(Duration::ZERO) };
    let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| wrong(pointer, "no number of seconds"))
}

/// The items of a page; `None` where the rule does not say where they are, or they are not there.
pub(super) fn items<'a>(rule: &NextPage, reply: Option<&'a Value>) -> Option<&'a Vec<Value>> {
    reply?.pointer(rule.items()?)?.as_array()
}

/// A reply, as a rule looks at it.
#[derive(Clone, Copy)]
struct Page<'a>(Option<&'a Value>);

impl<'a> Page<'a> {
    /// What is there; null is nothing.
    fn at(self, pointer: &str) -> Option<&'a Value> {
        self.0?.pointer(pointer).filter(|value| !value.is_null())
    }

    fn more(self, pointer: Option<&str>) -> Result<Option<bool>, Error> {
        let Some(pointer) = pointer else { return Ok(None) };
        match self.at(pointer) {
            None => Ok(None),
            Some(Value::Bool(more)) => Ok(Some(*more)),
            Some(_) => Err(wrong(pointer, "no boolean")),
        }
    }

    /// Whether it says that there is no more.
    fn is_last(self, more: Option<&str>) -> Result<bool, Error> {
        Ok(self.more(more)? == Some(false))
    }

    /// Nothing follows, unless the reply says otherwise (case 103).
    fn end(self, pointer: &str, more: Option<&str>) -> Result<Step, Error> {
        Ok(match (self.more(more)?, more) {
            (Some(true), Some(more)) => Step::Incomplete(format!(
                "the listing is incomplete: the reply says at `{more}` that there is more, and at `{pointer}` not where"
            )),
            _ => Step::End,
        })
    }

    fn items(self, pointer: &str) -> Result<&'a [Value], Error> {
        match self.0.and_then(|reply| reply.pointer(pointer)) {
            Some(Value::Array(items)) => Ok(items),
            Some(Value::Null) => Ok(&[]),
            Some(_) => Err(wrong(pointer, "no list of items")),
            None => Err(wrong(pointer, "not there")),
        }
    }

    fn number(self, pointer: Option<&str>) -> Option<u64> {
        self.at(pointer?)?.as_u64()
    }
}

fn is_empty(cursor: &Value) -> bool {
    cursor.is_null() || cursor.as_str() == Some("")
}

/// A value that can be an argument without loss.
fn scalar(pointer: &str, value: &Value) -> Result<Value, Error> {
    // Exact to here; beyond it the parsed number is not the received one.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::String(_) => Ok(value.clone()),
        Value::Number(number) if !number.is_f64() || number.as_f64().is_some_and(|n| n.abs() < EXACT) => {
            Ok(value.clone())
        }
        Value::Number(_) => Err(wrong(pointer, "a number that would lose digits")),
        _ => Err(wrong(pointer, "neither text nor a number")),
    }
}

/// The argument that counts, which the request may leave out.
fn number(arguments: &Map<String, Value>, argument: &str, missing: u64) -> Result<u64, Error> {
    match place::get(arguments, argument).filter(|value| !value.is_null()) {
        None => Ok(missing),
        Some(value) => value.as_u64().ok_or_else(|| {
            let message = format!("argument `{argument}` counts the pages, and is no whole number from 0");
            Error::rejected(ErrorKind::InvalidArguments, message)
        }),
    }
}

/// Whether a page has fewer items than were asked for.
fn is_short(arguments: &Map<String, Value>, limit: Option<&str>, count: u64) -> bool {
    let asked = limit.and_then(|limit| place::get(arguments, limit)).and_then(Value::as_u64);
    asked.is_some_and(|asked| count < asked)
}

fn wrong(pointer: &str, what: &str) -> Error {
    broken(&format!("what it names the next page by is {what}: `{pointer}`"))
        .with_violation(pointer, "next_page")
}

/// The reply is not as the rule says.
fn broken(what: &str) -> Error {
    let message = format!("the next page is not known: the reply breaks the rule of the endpoint; {what}");
    Error::new(ErrorKind::ContractViolation, Disposition::NonRetryable, message)
        .with_phase(Phase::Reply)
        .with_hint("hold the rule (`next_page`) against a reply")
}

#[cfg(test)]
mod tests;
