//! One change of a published document, and exactly the endpoints that reach its place have another fingerprint.

use std::collections::{BTreeMap, BTreeSet};

use schemarouter::compile::document::{Document, Format, Limits, Node};
use schemarouter::kernel::base::rng::Jitter;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value, json};

use super::fingerprints::{Subject, differences, in_parallel, prints_of, subjects};
use super::reach::Reach;
use crate::support::grammar::Place;
use crate::support::shuffle::{Rewrite, rewritten};

type Object = Map<String, Value>;

/// A kind of change: where it is made, and the changed object; `None` where it cannot be made.
struct Change {
    name: &'static str,
    place: Place,
    of: fn(&Object, &mut Jitter) -> Option<Object>,
    /// Whether a member gets another name.
    renames: bool,
}

const fn change(name: &'static str, place: Place, of: fn(&Object, &mut Jitter) -> Option<Object>) -> Change {
    Change { name, place, of, renames: false }
}

const CHANGES: &[Change] = &[
    change("type", Place::Schema, other_type),
    change("requirement of a property", Place::Schema, other_property),
    change("enum value", Place::Schema, other_enum_value),
    change("requirement of a parameter", Place::Parameter, other_requirement),
    change("style", Place::Parameter, other_style),
    change("explode", Place::Parameter, other_explode),
    Change { renames: true, ..change("status", Place::Replies, other_status) },
    Change { renames: true, ..change("media type", Place::Content, other_media_type) },
];

/// So many changes of one kind are made in a document of this size: each is a compilation of its own.
fn rounds(bytes: usize) -> usize {
    match bytes {
        0..200_000 => 4,
        200_000..4_000_000 => 2,
        _ => 1,
    }
}

#[test]
fn one_change_changes_the_endpoints_that_reach_it() {
    let outcomes = in_parallel(subjects(), |subject| Trial::of(subject).run());
    let mut made: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for outcome in outcomes.into_iter().flatten() {
        let counts = made.entry(outcome.change).or_default();
        counts[usize::from(outcome.is_reached)] += 1;
        wrong.extend(outcome.wrong);
    }
    assert_eq!(wrong.join("\n"), "");
    eprintln!("changes, [in places that no endpoint reaches, elsewhere]: {made:?}");
    for change in CHANGES {
        assert!(
            made.get(change.name).is_some_and(|[_, reached]| *reached > 0),
            "{} was never tried",
            change.name
        );
    }
}

struct Outcome {
    change: &'static str,
    is_reached: bool,
    wrong: Option<String>,
}

/// A document as JSON, in which a value can be replaced in its place.
struct Trial<'s> {
    subject: &'s Subject,
    document: Document,
}

impl<'s> Trial<'s> {
    fn of(subject: &'s Subject) -> Self {
        let document = match subject.document.format() {
            Format::Json => subject.document.clone(),
            _ => {
                let json = rewritten(&subject.document, Rewrite::Nothing, 0);
                Document::from_json(json, &Limits::default()).expect("this is JSON")
            }
        };
        Self { subject, document }
    }

    fn run(&self) -> Vec<Outcome> {
        let reach = Reach::of(&self.document);
        let mut random = Jitter::seeded(self.document.text().len() as u64);
        let rounds = rounds(self.document.text().len());
        let all = CHANGES.iter().flat_map(|change| std::iter::repeat_n(change, rounds));
        all.filter_map(|change| self.one(change, &reach, &mut random)).collect()
    }

    /// Makes a change in the first place that has one, from a random place on.
    fn one(&self, change: &Change, reach: &Reach<'_>, random: &mut Jitter) -> Option<Outcome> {
        let places = reach.places(change.place);
        let start = pick(places, random)?;
        let (node, changed) = places[start..].iter().chain(&places[..start]).find_map(|id| {
            let node = self.document.node(*id);
            if change.renames && reach.is_passed(*id) {
                return None;
            }
            let Value::Object(object) = node.to_value_exact().ok()? else { return None };
            Some((node, (change.of)(&object, random)?))
        })?;
        let due: BTreeSet<String> = reach
            .parts(node.id())
            .into_iter()
            .filter_map(|(method, path, part)| {
                let key = self.subject.keys.get(&(method, path))?;
                Some(format!("{key}: {part}"))
            })
            .collect();
        let after = prints_of(self.replaced(node, &Value::Object(changed)));
        let found = differences(&self.subject.prints, &after).into_iter();
        // Its text is read in other places then.
        let found: BTreeSet<String> = found.filter(|part| !part.ends_with(": prose")).collect();
        let is_lost = |part: &String| {
            let key = part.rsplit_once(": ").map_or("", |(key, _)| key);
            !after.contains_key(key)
                && due.iter().any(|due| due.rsplit_once(": ").is_some_and(|due| due.0 == key))
        };
        let beside: Vec<&String> = found.difference(&due).filter(|part| !is_lost(part)).collect();
        let missing: Vec<&String> = due.difference(&found).collect();
        let wrong = (!beside.is_empty() || !missing.is_empty()).then(|| {
            let Subject { name, .. } = self.subject;
            format!(
                "{name}: {} at {}: changed {beside:?}, unchanged {missing:?}",
                change.name,
                node.pointer()
            )
        });
        Some(Outcome { change: change.name, is_reached: !due.is_empty(), wrong })
    }

    /// The document with another value in this place.
    fn replaced(&self, node: Node<'_>, value: &Value) -> Vec<u8> {
        let (before, rest) = self.document.text().as_bytes().split_at(node.offset() as usize);
        let mut values = Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        values.next().expect("a value is here").expect("it is JSON");
        [before, value.to_string().as_bytes(), &rest[values.byte_offset()..]].concat()
    }
}

/// The number of a random item.
fn pick<T>(items: &[T], random: &mut Jitter) -> Option<usize> {
    let count = u64::try_from(items.len()).ok().filter(|count| *count > 0)?;
    usize::try_from(random.bits() % count).ok()
}

fn with(object: &Object, key: &str, value: Value) -> Option<Object> {
    let mut changed = object.clone();
    changed.insert(key.to_owned(), value);
    (!object.contains_key("$ref")).then_some(changed)
}

/// The same members, one of them under another name.
fn renamed(
    object: &Object,
    is_candidate: impl Fn(&str) -> bool,
    new: &[&str],
    random: &mut Jitter,
) -> Option<Object> {
    let candidates: Vec<&String> = object.keys().filter(|key| is_candidate(key)).collect();
    let old = candidates[pick(&candidates, random)?];
    let new = new.iter().find(|new| !object.contains_key(**new))?;
    let member = |(key, value): (&String, &Value)| {
        (if key == old { (*new).to_owned() } else { key.clone() }, value.clone())
    };
    Some(object.iter().map(member).collect())
}

fn other_type(schema: &Object, _: &mut Jitter) -> Option<Object> {
    let other = if schema.get("type")?.as_str()? == "string" { "integer" } else { "string" };
    with(schema, "type", json!(other))
}

fn other_property(schema: &Object, random: &mut Jitter) -> Option<Object> {
    let properties: Vec<&String> = schema.get("properties")?.as_object()?.keys().collect();
    let name = properties[pick(&properties, random)?];
    let empty = Vec::new();
    let mut required = schema.get("required").map_or(Some(&empty), Value::as_array)?.clone();
    let count = required.len();
    required.retain(|required| required != name);
    if required.len() == count {
        required.push(json!(name));
    }
    with(schema, "required", json!(required))
}

fn other_enum_value(schema: &Object, random: &mut Jitter) -> Option<Object> {
    let mut values = schema.get("enum")?.as_array()?.clone();
    let at = pick(&values, random)?;
    values[at] = if values[at].is_number() { json!(987_654_321) } else { json!("another value") };
    with(schema, "enum", json!(values))
}

/// Parameters of a path are required in any case.
fn other_requirement(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let required = parameter.get("required").map_or(Some(false), Value::as_bool)?;
    (parameter.get("in")? != "path").then(|| with(parameter, "required", json!(!required)))?
}

fn styled(parameter: &Object) -> Option<(&str, &str)> {
    let location = parameter.get("in")?.as_str().filter(|_| !parameter.contains_key("content"))?;
    let usual = if matches!(location, "query" | "cookie") { "form" } else { "simple" };
    Some((location, parameter.get("style").map_or(Some(usual), Value::as_str)?))
}

fn other_style(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let other = match styled(parameter)? {
        ("query", "form") => "pipeDelimited",
        ("query", _) => "form",
        ("path", "simple") => "label",
        ("path", _) => "simple",
        _ => return None,
    };
    with(parameter, "style", json!(other))
}

fn other_explode(parameter: &Object, _: &mut Jitter) -> Option<Object> {
    let (_, style) = styled(parameter)?;
    let explode = parameter.get("explode").map_or(Some(style == "form"), Value::as_bool)?;
    with(parameter, "explode", json!(!explode))
}

fn other_status(replies: &Object, random: &mut Jitter) -> Option<Object> {
    renamed(replies, |key| !key.starts_with("x-"), &["299", "298"], random)
}

fn other_media_type(content: &Object, random: &mut Jitter) -> Option<Object> {
    renamed(content, |_| true, &["application/vnd.changed+json"], random)
}
