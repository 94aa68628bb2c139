//! Claims of the comparison against the validator: random schemas, what is random changed in them, and random values.

use std::collections::BTreeMap;

use schemarouter_kernel::base::rng::Jitter;
use serde_json::{Map, Value, json};

use super::change::Effect;
use super::schema::differences;
use crate::catalog::Schema;

struct Random(Jitter);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0.bits() % most
    }

    fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        let at = usize::try_from(self.below(of.len() as u64)).expect("it is small");
        &of[at]
    }

    fn schema(&mut self, depth: u32) -> Value {
        if depth == 0 || self.below(12) == 0 {
            return self
                .one(&[
                    json!(true),
                    json!({}),
                    json!({"type": "integer"}),
                    json!({"type": "string"}),
                    json!(false),
                ])
                .clone();
        }
        let mut keywords = Map::new();
        for _ in 0..=self.below(3) {
            let (name, value) = self.keyword(depth - 1);
            keywords.insert(name.to_owned(), value);
        }
        Value::Object(keywords)
    }

    fn keyword(&mut self, depth: u32) -> (&'static str, Value) {
        let count = self.below(4);
        match self.below(20) {
            0..=2 => {
                let types = ["null", "boolean", "object", "array", "string", "integer", "number"];
                let (one, other) = (*self.one(&types), *self.one(&types));
                ("type", if count == 0 && one != other { json!([one, other]) } else { json!(one) })
            }
            3 => ("enum", json!((0..=count).map(|_| self.value(1)).collect::<Vec<_>>())),
            4 => ("const", self.value(1)),
            5 => ("required", self.one(&[json!(["a"]), json!(["b"]), json!(["a", "b"]), json!([])]).clone()),
            6..=8 => {
                let names = self.one(&[vec!["a"], vec!["b"], vec!["a", "b"]]).clone();
                let all: Map<String, Value> =
                    names.into_iter().map(|name| (name.to_owned(), self.schema(depth))).collect();
                ("properties", Value::Object(all))
            }
            9 => ("additionalProperties", self.schema(depth)),
            10 => ("items", self.schema(depth)),
            11 => (*self.one(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]), json!(count)),
            12 => (
                *self.one(&[
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties",
                ]),
                json!(count),
            ),
            13 => ("uniqueItems", json!(count > 1)),
            14 => ("multipleOf", json!(count + 1)),
            15 => ("anyOf", self.branches(depth)),
            16 => ("allOf", self.branches(depth)),
            17 => ("oneOf", self.branches(depth)),
            18 => ("not", self.schema(depth)),
            _ => ("pattern", self.one(&[json!("^a"), json!("b$")]).clone()),
        }
    }

    fn branches(&mut self, depth: u32) -> Value {
        Value::Array((0..=self.below(2)).map(|_| self.schema(depth)).collect())
    }

    /// The schema with one thing changed somewhere in it.
    fn changed(&mut self, schema: &Value, depth: u32) -> Value {
        let Value::Object(keywords) = schema else { return self.schema(depth) };
        let mut keywords = keywords.clone();
        let names: Vec<String> = keywords.keys().cloned().collect();
        match self.below(4) {
            0 => {
                let (name, value) = self.keyword(depth.saturating_sub(1));
                keywords.insert(name.to_owned(), value);
            }
            1 if !names.is_empty() => {
                keywords.remove(self.one(&names));
            }
            _ if !names.is_empty() => {
                let name = self.one(&names).clone();
                let inner = match &keywords[&name] {
                    Value::Object(of) if name == "properties" => {
                        let mut of = of.clone();
                        let members: Vec<String> = of.keys().cloned().collect();
                        let member = self.one(&members).clone();
                        let inner = self.changed(&of[&member], depth.saturating_sub(1));
                        of.insert(member, inner);
                        Value::Object(of)
                    }
                    Value::Array(all) if ["anyOf", "allOf", "oneOf"].contains(&name.as_str()) => {
                        let mut all = all.clone();
                        let at = usize::try_from(self.below(all.len() as u64)).expect("it is small");
                        all[at] = self.changed(&all[at], depth.saturating_sub(1));
                        Value::Array(all)
                    }
                    inner if ["items", "not", "additionalProperties"].contains(&name.as_str()) => {
                        self.changed(&inner.clone(), depth.saturating_sub(1))
                    }
                    Value::Number(limit) => json!((limit.as_u64().unwrap_or(0) + self.below(3)).max(1)),
                    other => other.clone(),
                };
                keywords.insert(name, inner);
            }
            _ => {}
        }
        Value::Object(keywords)
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 1),
            2 => json!(self.below(6)),
            3 => self.one(&[json!(0.5), json!(1.0), json!(-1), json!(2.5)]).clone(),
            4 => self.one(&[json!(""), json!("a"), json!("ab"), json!("abc"), json!("b")]).clone(),
            5 => Value::Array((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let names = self.one(&["a", "b", "a b", "a c", ""]).split_whitespace();
                Value::Object(names.map(|name| (name.to_owned(), self.value(depth - 1))).collect())
            }
        }
    }
}

fn is_valid(schema: &Schema, value: &Value) -> bool {
    schema.violations(value).expect("it is a schema").is_empty()
}

#[test]
fn what_is_claimed_of_schemas_holds_for_values() {
    let mut random = Random(Jitter::seeded(11));
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut witnessed: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for _ in 0..2_500 {
        let before = random.schema(3);
        let after = if random.below(5) == 0 { random.schema(3) } else { random.changed(&before, 3) };
        let (old, new) = (Schema::alone(before.clone()), Schema::alone(after.clone()));
        let found = differences(Some(&old), Some(&new));
        let all = |is: fn(&Effect) -> bool| found.iter().all(|difference| is(&difference.effect));
        let is_wider = all(|effect| matches!(effect, Effect::Wider { .. }));
        let is_narrower = all(|effect| matches!(effect, Effect::Narrower { .. }));
        *counts
            .entry(match (found.is_empty(), is_wider, is_narrower) {
                (true, ..) => "same",
                (_, true, _) => "wider",
                (_, _, true) => "narrower",
                _ => "neither",
            })
            .or_default() += 1;
        let (mut lost, mut gained) = (false, false);
        for _ in 0..60 {
            let value = random.value(3);
            let (was, is) = (is_valid(&old, &value), is_valid(&new, &value));
            assert!(
                !(is_wider && was && !is),
                "{value} is not allowed any more: {before} -> {after}: {found:?}"
            );
            assert!(!(is_narrower && is && !was), "{value} was not allowed: {before} -> {after}: {found:?}");
            lost |= was && !is;
            gained |= is && !was;
        }
        if let [one] = found.as_slice() {
            let was_right = match one.effect {
                Effect::Wider { strictly: true } => gained,
                Effect::Narrower { strictly: true } => lost,
                Effect::Other => lost && gained,
                _ => continue,
            };
            let (claimed, right) = witnessed.entry(one.rule).or_default();
            *claimed += 1;
            *right += u32::from(was_right);
        }
    }
    assert!(counts.values().all(|count| *count > 100), "each kind occurs: {counts:?}");
    // A value that shows a strict claim is not always among sixty random ones; for each rule it often is.
    for (rule, (claimed, right)) in witnessed {
        assert!(claimed < 20 || right * 4 > claimed, "{rule}: {right} of {claimed} claims were shown");
    }
}
