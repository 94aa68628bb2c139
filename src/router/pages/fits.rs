//! Whether an endpoint can be paged, and a listing be asked for.

use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

use super::place::names;
use super::query;
use crate::catalog::{Binding, BodyFormat, Endpoint, NextPage};
use crate::router::request::Request;
use crate::router::run_config::RunConfig;

/// Whether an endpoint can be paged by this rule, or why not.
pub(in crate::router) fn fits(rule: &NextPage, endpoint: &Endpoint) -> Result<(), String> {
    if endpoint.effect != Effect::ReadOnly {
        return Err(format!(
            "`{}` is {}, and only what is read-only has pages",
            endpoint.key, endpoint.effect
        ));
    }
    if let Some(pointer) = rule.pointers().find(|pointer| !is_pointer(pointer)) {
        return Err(format!(
            "`{pointer}` is no JSON pointer (RFC 6901): it is empty or begins with a slash, and a `~` is written `~0`"
        ));
    }
    match (&endpoint.binding, rule.is_by_url()) {
        (Binding::Custom, true) => Err("registered code has no URL; name an argument".to_owned()),
        (Binding::Http(plan), true) if plan.method != "GET" => Err(format!(
            "a page that is named by its URL is asked for by GET, and `{}` is {}",
            endpoint.key, plan.method
        )),
        (_, true) => match rule.path() {
            Some(path) if !path.starts_with('/') => {
                Err(format!("the path `{path}` does not begin with a slash"))
            }
            _ => Ok(()),
        },
        (_, false) => rule.arguments().try_for_each(|argument| takes(endpoint, argument)),
    }
}

/// Whether the endpoint has this place among its arguments.
fn takes(endpoint: &Endpoint, place: &str) -> Result<(), String> {
    if place.starts_with('/') && !is_pointer(place) {
        return Err(format!("`{place}` is no JSON pointer (RFC 6901): a `~` is written `~0`"));
    }
    let mut path = names(place);
    let name = path.next().unwrap_or_default();
    if endpoint.argument(&name).is_none() {
        return Err(format!("`{}` has no argument `{name}`", endpoint.key));
    }
    let body = endpoint.http().and_then(|plan| plan.body.as_ref()).map(|body| &body.format);
    match (path.next(), body) {
        (Some(_), Some(BodyFormat::Text)) => Err(format!("the body of `{}` has no members", endpoint.key)),
        _ => Ok(()),
    }
}

fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes
}

/// Refuses a listing that cannot be, before anybody is asked and anything is sent.
pub(in crate::router) fn may_be_paged(
    endpoint: &Endpoint,
    request: &Request,
    url: Option<&str>,
    config: &RunConfig,
) -> Result<(), Error> {
    let refused = |kind, message: &str| Err(Error::rejected(kind, message));
    let Some(rule) = &endpoint.next_page else {
        let message = format!("nobody says how the next page of `{}` is asked for", endpoint.key);
        return refused(ErrorKind::PolicyRejected, &message).map_err(|error: Error| {
            error.with_hint("the operator can declare it: `next_page`, in an overlay or in code")
        });
    };
    // The document may have been replaced since the rule was checked.
    if let Err(why) = fits(rule, endpoint) {
        return refused(ErrorKind::PolicyRejected, &format!("`{}` cannot be paged: {why}", endpoint.key));
    }
    match () {
        () if url.is_some() && !rule.is_by_url() => refused(
            ErrorKind::InvalidArguments,
            "the handle was made under another rule for the next page; ask for the first page again",
        ),
        () if request.idempotency_key.is_some() => refused(
            ErrorKind::InvalidArguments,
            "under one idempotency key all pages would be the first; leave it out, since a page changes nothing",
        ),
        () if config.streams => {
            refused(ErrorKind::InvalidSettings, "pages have to be looked at whole; leave `with_streams` out")
        }
        () if config.page_limits.max_items.is_some() && rule.items().is_none() => refused(
            ErrorKind::InvalidSettings,
            "`max_items` needs the rule for the next page to say where the items are (`items`)",
        ),
        () => url.map_or(Ok(()), |url| query::check(endpoint, url)),
    }
}
