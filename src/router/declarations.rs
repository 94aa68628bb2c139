//! All that the operator says of endpoints, found by key.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;

use super::admission;
use super::declaration::{Declaration, KeyCarrier};
use super::fallback::Fallback;
use super::settings::{Origin, Setting, Settings};
use super::{idempotency, pages};
use crate::catalog::{Catalog, DeclaredBy, Endpoint};
use schemarouter_kernel::base::kind::ErrorKind;

/// The selector of everything.
const ALL: &str = "*";

/// What is said by key, by source, and of all.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    said: BTreeMap<String, Declaration>,
    /// Where it was said; what is not in it, in code.
    settings: Settings,
    /// What is said where nothing is said.
    nothing: Arc<Declaration>,
}

impl Declarations {
    /// What files say, and over it what code says.
    pub(super) fn new(
        settings: Settings,
        in_code: BTreeMap<String, Declaration>,
        catalog: &Catalog,
    ) -> Result<Self, Error> {
        let mut said = settings.values.endpoints.clone();
        for (selector, declaration) in in_code {
            let over = declaration.over(said.get(&selector).unwrap_or(&Declaration::default()));
            said.insert(selector, over);
        }
        let declarations = Self { said, settings, nothing: Arc::default() };
        for selector in declarations.said.keys() {
            declarations.check(selector, catalog)?;
        }
        Ok(declarations)
    }

    /// What holds for an endpoint, or for another selector: its own, else its source's, else that of all.
    pub(super) fn of(&self, selector: &str) -> Arc<Declaration> {
        let mut found = selectors(selector).filter_map(|selector| self.said.get(selector));
        let Some(first) = found.next() else { return Arc::clone(&self.nothing) };
        Arc::new(found.fold(first.clone(), Declaration::over))
    }

    /// The endpoint with the effect and the pages that the operator says it has.
    pub(super) fn apply(&self, endpoint: Arc<Endpoint>) -> Arc<Endpoint> {
        let Some(said) = self.said.get(endpoint.key.as_str()) else { return endpoint };
        let effect = said.effect.unwrap_or(endpoint.effect);
        let destructive = said.destructive.unwrap_or(endpoint.destructive);
        if (effect, destructive) == (endpoint.effect, endpoint.destructive) && said.next_page.is_none() {
            return endpoint;
        }
        let next_page = said.next_page.clone().map(Arc::new).or_else(|| endpoint.next_page.clone());
        Arc::new(Endpoint { effect, destructive, next_page, ..Endpoint::clone(&endpoint) })
    }

    /// What is said of an endpoint, each with where.
    pub(super) fn explain(&self, endpoint: &Endpoint) -> Vec<Setting> {
        let mut settings: BTreeMap<String, Setting> = BTreeMap::new();
        for selector in selectors(endpoint.key.as_str()) {
            let Some(said) = self.said.get(selector) else { continue };
            let tree = serde_json::to_value(said).unwrap_or_default();
            for (name, value) in tree.as_object().into_iter().flatten() {
                let origin = match self.settings.values.endpoints.get(selector) {
                    // What code says over a file is the code's.
                    Some(file)
                        if serde_json::to_value(file).ok().and_then(|t| t.get(name).cloned()).as_ref()
                            == Some(value) =>
                    {
                        self.settings.origin(selector, name)
                    }
                    _ => Origin::Code,
                };
                let setting = Setting { name: name.clone(), value: value.clone(), origin };
                settings.entry(name.clone()).or_insert(setting);
            }
        }
        if !settings.contains_key(KEY)
            && let Some(carrier) = idempotency::declared(endpoint)
        {
            let value = serde_json::to_value(carrier).unwrap_or_default();
            let setting = Setting { name: KEY.to_owned(), value, origin: Origin::Document };
            settings.insert(KEY.to_owned(), setting);
        }
        if let Some(rule) = endpoint.next_page.as_deref().filter(|_| !settings.contains_key(PAGES)) {
            let origin = match endpoint.declared_by {
                DeclaredBy::Document => Origin::Document,
                DeclaredBy::Operator => Origin::Code,
            };
            let value = serde_json::to_value(rule).unwrap_or_default();
            settings.insert(PAGES.to_owned(), Setting { name: PAGES.to_owned(), value, origin });
        }
        settings.into_values().collect()
    }

    /// The fallbacks that are declared.
    pub(super) fn fallbacks(&self) -> impl Iterator<Item = Fallback> {
        let declared = self.said.iter().filter_map(|(key, said)| Some((key, said.fallback.as_ref()?)));
        declared.map(|(key, to)| {
            let fallback = Fallback::new(key, &to.endpoint);
            to.arguments.iter().fold(fallback, |fallback, (from, to)| fallback.with_argument(from, to))
        })
    }

    /// What is wrong with what is said, told when the router is built: a misspelt key would leave an endpoint as its
    /// document has it.
    fn check(&self, selector: &str, catalog: &Catalog) -> Result<(), Error> {
        let own = &self.said[selector];
        let invalid = |setting: &str, message: String| {
            let origin = self.settings.origin(selector, setting);
            let message = format!("{origin}: `{selector}`, `{setting}`: {message}");
            Err(Error::rejected(ErrorKind::InvalidSettings, message))
        };
        if let Err(error) = self.of(selector).windows() {
            return invalid(error.field, error.rule.to_owned());
        }
        if !selector.contains('.') {
            return match (own.of_one_endpoint(), &own.idempotency_key) {
                (Some(setting), _) => invalid(setting, "is said of one endpoint, by its key".to_owned()),
                (None, Some(KeyCarrier::Header(name))) => {
                    idempotency::header(name).map(|_| ()).or_else(|rule| invalid(KEY, rule))
                }
                _ if selector == ALL || catalog.source(selector).is_some() => Ok(()),
                _ => invalid("endpoints", format!("there is no source `{selector}`")),
            };
        }
        let endpoint = match admission::find(catalog, selector) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                let hint = error.report().hint.clone().unwrap_or_default();
                return invalid("endpoints", error.message().to_owned())
                    .map_err(|error: Error| if hint.is_empty() { error } else { error.with_hint(hint) });
            }
        };
        if let Some(carrier) = &own.idempotency_key {
            idempotency::fits(carrier, &endpoint).or_else(|rule| invalid(KEY, rule))?;
        }
        match &own.next_page {
            Some(rule) => pages::fits(rule, &self.apply(endpoint)).or_else(|rule| invalid(PAGES, rule)),
            None => Ok(()),
        }
    }
}

const KEY: &str = "idempotency_key";
const PAGES: &str = "next_page";

/// What may be said of an endpoint, the most specific first.
fn selectors(key: &str) -> impl Iterator<Item = &str> {
    let source = key.split_once('.').map(|(source, _)| source);
    [Some(key), source, (key != ALL).then_some(ALL)].into_iter().flatten()
}
