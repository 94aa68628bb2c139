//! One change of a published document, and exactly the endpoints that reach its place have another fingerprint.

mod changes;

use std::collections::{BTreeMap, BTreeSet};

use schemarouter::compile::document::{Document, Format, Limits, Node};
use schemarouter::kernel::base::rng::Jitter;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use changes::{CHANGES, Change, pick};

use super::fingerprints::{Subject, differences, in_parallel, prints_of, subjects};
use super::reach::Reach;
use crate::support::shuffle::{Rewrite, rewritten};

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
