//! `list`: the endpoints of a document, one line each.

use std::collections::BTreeMap;

use schemarouter::catalog::{Catalog, Listed, Source};
use schemarouter::kernel::base::disposition::Effect as Declared;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::SHAPE_VERSION;
use schemarouter::router::{Declaration, Router};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::ListArgs;
use crate::config::SettingsArgs;
use crate::exit::Exit;
use crate::print::Console;
use crate::shapes::Effect;
use crate::{failure, load};

/// The endpoints of a document.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ListReport<'a> {
    /// The version of this shape.
    version: u32,
    /// The endpoints that match, in document order.
    endpoints: Vec<ListedEndpoint<'a>>,
}

/// One endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ListedEndpoint<'a> {
    /// `source.operation`.
    key: &'a str,
    /// The HTTP method; null where it is not reached over HTTP.
    method: Option<&'a str>,
    /// The path template as published; null where it is not reached over HTTP.
    path: Option<&'a str>,
    #[serde(flatten)]
    effect: Effect,
    /// One line, as the document says.
    summary: Option<&'a str>,
    /// The groups that the document puts it in.
    tags: &'a [String],
    /// Whether the document calls it deprecated.
    deprecated: bool,
}

/// Lists the endpoints that match.
pub(crate) fn run(args: &ListArgs, console: &mut Console) -> Exit {
    let source = match load::source(&args.document, args.json, console) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let (catalog, declared) = match declared(source, &args.settings) {
        Ok(known) => known,
        Err(error) if error.kind() == ErrorKind::InvalidSettings => {
            failure::tell(&error, args.json, console);
            return Exit::Usage;
        }
        Err(error) => return failure::tell(&error, args.json, console),
    };
    let mut all = match catalog.listing() {
        Ok(all) => all,
        Err(error) => return failure::tell(&error.into(), args.json, console),
    };
    for listed in &mut all {
        let Some(said) = declared.get(listed.key.as_str()) else { continue };
        listed.effect = said.effect.unwrap_or(listed.effect);
        listed.destructive = said.destructive.unwrap_or(listed.destructive);
    }
    let matching = all.iter().filter(|endpoint| matches(endpoint, args));
    let endpoints: Vec<ListedEndpoint<'_>> = matching.map(ListedEndpoint::of).collect();
    if let Some(example) = all.first().map(|first| &first.key).filter(|_| endpoints.is_empty()) {
        console.talk(format_args!("nothing matches; patterns are for the whole key, such as `{example}`"));
    }
    if args.json {
        console.json(&ListReport { version: SHAPE_VERSION, endpoints });
    } else {
        table(&endpoints, console);
    }
    Exit::Success
}

/// What can be called, and what the operator says of it; a router holds the one against the other.
fn declared(
    source: Source,
    settings: &SettingsArgs,
) -> Result<(Catalog, BTreeMap<String, Declaration>), Error> {
    let settings = settings.read()?.only([source.info().name.as_str()]);
    let declared = settings.values.endpoints.clone();
    let router = Router::builder().source(source).settings(settings).build()?;
    Ok((router.catalog(), declared))
}

fn matches(endpoint: &Listed<'_>, args: &ListArgs) -> bool {
    args.pattern.as_ref().is_none_or(|pattern| pattern.matches(endpoint.key.as_str()))
        && args.tag.as_ref().is_none_or(|tag| endpoint.tags.contains(tag))
        && args.effect.is_none_or(|effect| endpoint.effect == Declared::from(effect))
}

impl<'a> ListedEndpoint<'a> {
    fn of(listed: &Listed<'a>) -> Self {
        let Listed { key, method, path, summary, tags, deprecated, effect, destructive } = *listed;
        Self {
            key: key.as_str(),
            method,
            path,
            effect: Effect::of(effect, destructive),
            summary,
            tags,
            deprecated,
        }
    }
}

/// Key, effect, request and summary, in columns.
fn table(endpoints: &[ListedEndpoint<'_>], console: &mut Console) {
    let rows: Vec<[String; 4]> = endpoints
        .iter()
        .map(|endpoint| {
            let part = |text: Option<&'_ str>| text.unwrap_or_default().to_owned();
            let request = format!("{} {}", part(endpoint.method), part(endpoint.path));
            let deprecated = if endpoint.deprecated { "(deprecated) " } else { "" };
            let summary = part(endpoint.summary).split_whitespace().collect::<Vec<_>>().join(" ");
            let summary = format!("{deprecated}{summary}");
            [endpoint.key.to_owned(), endpoint.effect.words(), request, summary]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    for [key, effect, request, summary] in &rows {
        let line = format!("{key:first$}  {effect:second$}  {request:third$}  {summary}");
        console.data(line.trim_end());
    }
}
