//! Two schemas, keyword by keyword.
//!
//! A keyword that changes makes its schema wider, narrower or something else, whatever the others say; so a claim that all
//! values stay allowed is always true. A claim that some do not is made only where nothing else in the schema can make the
//! keyword idle. What is beneath `not`, `oneOf`, `if` and the like may turn round, so nothing is claimed of it.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::change::Effect;
use super::numbers;
use super::sets::{self, ARRAY, BOOLEAN, NULL, OBJECT, STRING, Types};
use super::shape::{ENTANGLED, PROSE, RULED, choice, follow, is_closed, is_free, is_open, members};
use crate::catalog::Schema;

/// How many pairs of schemas are looked at; beyond it nothing is claimed.
const MOST_PAIRS: usize = 20_000;
/// How deep they may stand within each other.
const MOST_DEPTH: usize = 64;

/// One place at which two schemas differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// Where in a value, as a JSON Pointer with `*` for every item or member.
    pub(super) pointer: String,
    pub(super) rule: &'static str,
    pub(super) effect: Effect,
    pub(super) what: String,
}

/// Every difference between two schemas; a schema that is absent allows everything.
pub(super) fn differences(before: Option<&Schema>, after: Option<&Schema>) -> Vec<Difference> {
    let own = |schema: Option<&Schema>| schema.map_or(Ok(Value::Bool(true)), Schema::to_own_value);
    let mut walk = Walk { before, after, met: HashSet::new(), pairs: 0, depth: 0, found: Vec::new() };
    // The top has a name too, by which it may be met again further down.
    let named = |schema: Option<&Schema>| Some(schema?.id()?.reference());
    if let (Some(old), Some(new)) = (named(before), named(after)) {
        walk.met.insert((old, new, Certainty::Strict));
    }
    let top = Place { pointer: String::new(), certainty: Certainty::Strict };
    match (own(before), own(after)) {
        (Ok(old), Ok(new)) => walk.pair(&old, &new, &top),
        _ => walk.tell("", "unreadable", Effect::Unknown, "a schema cannot be read".to_owned()),
    }
    walk.found
}

/// Where the walk is.
#[derive(Debug, Clone)]
struct Place {
    pointer: String,
    certainty: Certainty,
}

/// How much a change here says of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Certainty {
    /// A value meets it.
    Strict,
    /// A value may meet it.
    Perhaps,
    /// What is narrower here may be wider for the whole.
    None,
}

impl Place {
    fn within(&self, token: &str) -> Self {
        let token = token.replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("{}/{token}", self.pointer), certainty: self.certainty }
    }

    fn at_most(&self, certainty: Certainty) -> Self {
        Self { pointer: self.pointer.clone(), certainty: self.certainty.max(certainty) }
    }
}

struct Walk<'s> {
    before: Option<&'s Schema>,
    after: Option<&'s Schema>,
    /// References that were met together: what was claimed of them holds wherever they meet again as surely.
    met: HashSet<(String, String, Certainty)>,
    pairs: usize,
    depth: usize,
    found: Vec<Difference>,
}

impl Walk<'_> {
    fn tell(&mut self, pointer: &str, rule: &'static str, effect: Effect, what: String) {
        let difference = Difference { pointer: pointer.to_owned(), rule, effect, what };
        if !self.found.contains(&difference) {
            self.found.push(difference);
        }
    }

    fn at(&mut self, place: &Place, rule: &'static str, effect: Effect, what: impl Into<String>) {
        let effect = match place.certainty {
            Certainty::Strict => effect,
            Certainty::Perhaps => effect.perhaps(),
            Certainty::None => Effect::Unknown,
        };
        self.tell(&place.pointer, rule, effect, what.into());
    }

    /// Two schemas that stand for each other.
    fn pair(&mut self, old: &Value, new: &Value, place: &Place) {
        self.pairs += 1;
        if self.pairs > MOST_PAIRS || self.depth > MOST_DEPTH {
            return self.tell("", "too_large", Effect::Unknown, "more than can be compared".to_owned());
        }
        self.depth += 1;
        self.one_pair(old, new, place);
        self.depth -= 1;
    }

    fn one_pair(&mut self, old: &Value, new: &Value, place: &Place) {
        let (old_name, was) = follow(self.before, old);
        let (new_name, is) = follow(self.after, new);
        // Only two names make an end: what is written out ends by itself.
        if let (Some(old), Some(new)) = (old_name, new_name)
            && !self.met.insert((old, new, place.certainty))
        {
            return;
        }
        match (is_open(&was), is_open(&is)) {
            (Some(was), Some(is)) if was == is => {}
            (_, Some(false)) => {
                self.at(
                    place,
                    "forbidden",
                    Effect::Narrower { strictly: true },
                    "nothing is allowed any more",
                );
            }
            (Some(false), _) => {
                self.at(place, "allowed", Effect::Wider { strictly: true }, "nothing was allowed before");
            }
            _ => {
                let is_told = self.became_a_branch((old, choice(&was)), (new, choice(&is)), place);
                if !is_told {
                    self.keywords(&members(was), &members(is), place);
                }
            }
        }
    }

    /// Whether one is a choice that has the other among its branches, as when something may be null from now on.
    fn became_a_branch(
        &mut self,
        (old, was): (&Value, Option<&Vec<Value>>),
        (new, is): (&Value, Option<&Vec<Value>>),
        place: &Place,
    ) -> bool {
        let (effect, is_among) = match (was, is) {
            (None, Some(branches)) => {
                let is_among = branches.iter().any(|branch| self.is_same(old, branch));
                (Effect::Wider { strictly: false }, is_among)
            }
            (Some(branches), None) => {
                let is_among = branches.iter().any(|branch| self.is_same(branch, new));
                (Effect::Narrower { strictly: false }, is_among)
            }
            _ => return false,
        };
        if is_among {
            self.at(place, "branches_changed", effect, "it is one of several from now on, or was");
        }
        is_among
    }

    /// Whether nothing differs between the two.
    fn is_same(&mut self, old: &Value, new: &Value) -> bool {
        let (met, pairs) = (self.met.clone(), self.pairs);
        let depth = self.depth;
        let mut alone = Walk { before: self.before, after: self.after, met, pairs, depth, found: Vec::new() };
        alone.pair(old, new, &Place { pointer: String::new(), certainty: Certainty::Strict });
        self.pairs = alone.pairs;
        alone.found.is_empty()
    }

    fn keywords(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &Place) {
        // These look at what the branches have looked at, so that a change there may turn round here.
        let looks_back = |name: &&str| old.contains_key(*name) || new.contains_key(*name);
        let is_looked_at = ["unevaluatedProperties", "unevaluatedItems"].iter().any(looks_back);
        let place = &place.at_most(if is_looked_at { Certainty::None } else { Certainty::Strict });
        let (old_types, new_types) = (sets::types(old.get("type")), sets::types(new.get("type")));
        let entangled =
            ENTANGLED.iter().any(|keyword| old.contains_key(*keyword) || new.contains_key(*keyword));
        // Whether a value of this type meets a keyword about it, before and after.
        let meets = |types: Types| !entangled && old_types & new_types & types != 0;

        let free = !entangled;
        if let Some(effect) = sets::of_types(old_types, new_types, free) {
            let shown = |of: &Map<String, Value>| of.get("type").map_or("any".to_owned(), Value::to_string);
            self.at(
                place,
                "type_changed",
                effect,
                format!("the type was {} and is {}", shown(old), shown(new)),
            );
        }
        self.enumerations(old, new, place);
        self.objects(old, new, place, meets(OBJECT));
        for (keyword, effect) in numbers::of_limits(old, new, meets) {
            let shown =
                |of: &Map<String, Value>| of.get(keyword).map_or("absent".to_owned(), Value::to_string);
            self.at(
                place,
                "limit_changed",
                effect,
                format!("`{keyword}` was {} and is {}", shown(old), shown(new)),
            );
        }
        self.flags(old, new, place, meets(ARRAY), meets(STRING));
        let (yes, items) = (Value::Bool(true), "items");
        if old.contains_key(items) || new.contains_key(items) {
            let certainty = if meets(ARRAY) { Certainty::Strict } else { Certainty::Perhaps };
            let inner = place.within("*").at_most(certainty);
            self.pair(old.get(items).unwrap_or(&yes), new.get(items).unwrap_or(&yes), &inner);
        }
        self.references(old, new, place);
        self.branches("allOf", old, new, place);
        self.branches("anyOf", old, new, place);
        self.others(old, new, place);
    }

    /// References beside other keywords; what they mean holds together with those.
    fn references(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &Place) {
        let of = |keywords: &Map<String, Value>| {
            keywords.get("$ref").map(|reference| serde_json::json!({"$ref": reference}))
        };
        match (of(old), of(new)) {
            (None, None) => {}
            (Some(was), Some(is)) => {
                let leads = |of: Option<&Schema>, to: &Value| follow(of, to).0.is_some();
                if leads(self.before, &was) && leads(self.after, &is) {
                    self.pair(&was, &is, &place.at_most(Certainty::Perhaps));
                } else if was != is {
                    self.at(place, "reference_changed", Effect::Unknown, "it refers to something else");
                }
            }
            (was, _) => {
                let effect = match was {
                    Some(_) => Effect::Wider { strictly: false },
                    None => Effect::Narrower { strictly: false },
                };
                self.at(place, "reference_changed", effect, "it refers to another schema, or to none");
            }
        }
    }

    fn enumerations(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &Place) {
        let (was, is) = (
            sets::values(old.get("enum"), old.get("const")),
            sets::values(new.get("enum"), new.get("const")),
        );
        let is_plain = |schema: &Map<String, Value>| {
            schema.keys().all(|name| {
                ["enum", "const", "type"].contains(&name.as_str()) || PROSE.contains(&name.as_str())
            })
        };
        let strictly = is_plain(old) && is_plain(new) && old.get("type") == new.get("type");
        let effect = match (was, is) {
            (None, None) => None,
            (Some(was), Some(is)) => {
                let (was_types, is_types) = (sets::types(old.get("type")), sets::types(new.get("type")));
                sets::of_values((&was, was_types), (&is, is_types), strictly)
            }
            (was, is) => {
                // A type of few values may be enumerated whole.
                let is_endless = sets::types(old.get("type")) & !(NULL | BOOLEAN) != 0;
                let strictly = strictly && is_endless;
                let narrower = was.is_none() && is.is_some();
                Some(if narrower { Effect::Narrower { strictly } } else { Effect::Wider { strictly } })
            }
        };
        if let Some(effect) = effect {
            self.at(place, "enum_changed", effect, "other values are enumerated");
        }
    }

    fn objects(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &Place, meets: bool) {
        let names = |of: &Map<String, Value>| -> BTreeSet<String> {
            let all = of.get("required").and_then(Value::as_array).into_iter().flatten();
            all.filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let (was, is) = (names(old), names(new));
        for name in is.difference(&was) {
            let effect = Effect::Narrower { strictly: meets };
            self.at(&place.within(name), "property_required", effect, "it is required now");
        }
        for name in was.difference(&is) {
            let effect = Effect::Wider { strictly: meets };
            self.at(&place.within(name), "property_optional", effect, "it may be absent now");
        }
        let empty = Map::new();
        let properties = |of: &'_ Map<String, Value>| {
            of.get("properties").and_then(Value::as_object).cloned().unwrap_or_else(|| empty.clone())
        };
        let (was, is) = (properties(old), properties(new));
        let certainty = if meets { Certainty::Strict } else { Certainty::Perhaps };
        let all: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        for name in all {
            let inner = place.within(name).at_most(certainty);
            match (was.get(name), is.get(name)) {
                (Some(was), Some(is)) => self.pair(was, is, &inner),
                (None, Some(is)) if is_closed(old) && is_open(is) == Some(false) => {}
                (None, Some(_)) if is_closed(old) => {
                    self.at(
                        &inner,
                        "property_added",
                        Effect::Wider { strictly: true },
                        "it may be there now",
                    );
                }
                // Whatever came under this name was allowed before.
                (None, Some(_)) if is_free(old) => {
                    let effect = Effect::Narrower { strictly: false };
                    self.at(&inner, "property_added", effect, "it is declared now");
                }
                (None, Some(_)) => self.at(&inner, "property_added", Effect::Unknown, "it is declared now"),
                (Some(_), None) if is_closed(new) => {
                    self.at(
                        &inner,
                        "property_removed",
                        Effect::Narrower { strictly: true },
                        "it may not be there any more",
                    );
                }
                (Some(_), None) => {
                    self.at(&inner, "property_removed", Effect::Unknown, "nothing is said of it any more");
                }
                (None, None) => {}
            }
        }
        let (yes, rest) = (Value::Bool(true), "additionalProperties");
        if old.contains_key(rest) || new.contains_key(rest) {
            let inner = place.within("*").at_most(certainty);
            self.pair(old.get(rest).unwrap_or(&yes), new.get(rest).unwrap_or(&yes), &inner);
        }
    }

    fn flags(
        &mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        place: &Place,
        lists: bool,
        texts: bool,
    ) {
        let unique =
            |of: &Map<String, Value>| of.get("uniqueItems").and_then(Value::as_bool).unwrap_or(false);
        let effect = match (unique(old), unique(new)) {
            (false, true) => Some(Effect::Narrower { strictly: lists }),
            (true, false) => Some(Effect::Wider { strictly: lists }),
            _ => None,
        };
        if let Some(effect) = effect {
            self.at(place, "unique_items_changed", effect.perhaps(), "`uniqueItems` is another");
        }
        let effect = match (old.get("pattern"), new.get("pattern")) {
            (None, Some(_)) if texts => Some(Effect::Narrower { strictly: false }),
            (Some(_), None) if texts => Some(Effect::Wider { strictly: false }),
            (old, new) => (old != new).then_some(Effect::Unknown),
        };
        if let Some(effect) = effect {
            self.at(place, "pattern_changed", effect, "`pattern` is another");
        }
    }

    /// Branches in their order; one more of `anyOf` allows more, one more of `allOf` less.
    fn branches(
        &mut self,
        keyword: &'static str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        place: &Place,
    ) {
        let of = |schema: &Map<String, Value>| schema.get(keyword).and_then(Value::as_array).cloned();
        let is_more_wider = keyword == "anyOf";
        let (effect, pairs) = match (of(old), of(new)) {
            (None, None) => return,
            (Some(old), Some(new)) => {
                let pairs: Vec<(Value, Value)> = old.iter().cloned().zip(new.iter().cloned()).collect();
                let effect = match new.len().cmp(&old.len()) {
                    std::cmp::Ordering::Equal => None,
                    more => Some((more == std::cmp::Ordering::Greater) == is_more_wider),
                };
                (effect, pairs)
            }
            // To have none is to have one that allows everything.
            (old, _) => (Some(old.is_some()), Vec::new()),
        };
        if let Some(is_wider) = effect {
            let effect = if is_wider {
                Effect::Wider { strictly: false }
            } else {
                Effect::Narrower { strictly: false }
            };
            self.at(place, "branches_changed", effect, format!("`{keyword}` has other branches"));
        }
        for (old, new) in pairs {
            self.pair(&old, &new, &place.at_most(Certainty::Perhaps));
        }
    }

    /// Keywords that are only compared.
    fn others(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &Place) {
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            if RULED.contains(&name.as_str()) || PROSE.contains(&name.as_str()) || name.starts_with("x-") {
                continue;
            }
            match (old.get(name), new.get(name)) {
                (Some(was), Some(is)) => self.compared(name, was, is, place),
                _ => self.at(place, "keyword_changed", Effect::Unknown, format!("`{name}` is another")),
            }
        }
    }

    /// The values of a keyword: schemas, lists or objects of them, or data.
    fn compared(&mut self, name: &str, old: &Value, new: &Value, place: &Place) {
        let inner = place.at_most(Certainty::None);
        match (name, old, new) {
            ("oneOf" | "prefixItems", Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
                for (was, is) in was.iter().zip(is) {
                    self.pair(was, is, &inner);
                }
            }
            (
                "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                was,
                is,
            ) => self.pair(was, is, &inner),
            ("patternProperties" | "dependentSchemas", Value::Object(was), Value::Object(is))
                if was.len() == is.len() && was.keys().all(|name| is.contains_key(name)) =>
            {
                for (name, was) in was {
                    self.pair(was, &is[name], &inner);
                }
            }
            (_, was, is) if sets::is_same(was, is) => {}
            _ => self.at(place, "keyword_changed", Effect::Unknown, format!("`{name}` is another")),
        }
    }
}
