//! Random schemas that refer to each other, and random values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{schemas, text, to};
use crate::catalog::schema::engine::Validator;
use crate::catalog::schema::violation::told;
use crate::catalog::{Direction, Schema, SchemaId};

/// How many schemas refer to each other.
const SCHEMAS: u32 = 4;

/// Choices; none is left at some point, and the first of each kind is the simplest.
struct Dice<'d>(std::slice::Iter<'d, u8>);

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % sides)
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "$ref", "type"][self.roll(4)]
    }

    fn value(&mut self, depth: usize) -> Value {
        let sides = if depth == 0 { 8 } else { 12 };
        match self.roll(sides) {
            0 => json!({}),
            1 => json!(1),
            2 => json!("a"),
            3 => json!(null),
            4 => json!("ab"),
            5 => json!(2.5),
            6 => json!([]),
            7 => json!(true),
            8 => (0..=self.roll(3)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let members = 1 + self.roll(3);
                (0..members)
                    .map(|_| (self.name().to_owned(), self.value(depth - 1)))
                    .collect::<Map<_, _>>()
                    .into()
            }
        }
    }

    /// A schema of the component `own`. For the same value it refers to later ones alone, so that there are no
    /// circles about one value.
    fn schema(&mut self, own: u32, in_place: bool, depth: usize) -> Value {
        let mut keywords = Map::new();
        for _ in 0..=self.roll(3) {
            self.keyword(own, in_place, depth, &mut keywords);
        }
        Value::Object(keywords)
    }

    fn same(&mut self, own: u32, in_place: bool, depth: usize) -> Value {
        self.schema(own, in_place, depth.saturating_sub(1))
    }

    fn part(&mut self, own: u32, depth: usize) -> Value {
        self.schema(own, false, depth.saturating_sub(1))
    }

    fn keyword(&mut self, own: u32, in_place: bool, depth: usize, out: &mut Map<String, Value>) {
        let sides = if depth == 0 { 12 } else { 28 };
        let (keyword, value) = match self.roll(sides) {
            0 => ("type", json!(["object", "integer", "string", "array"][self.roll(4)])),
            1..=3 => {
                let roll = u32::try_from(self.roll(SCHEMAS as usize)).unwrap_or_default();
                let target = if in_place { (own + 1 + roll).min(SCHEMAS) } else { roll };
                if target >= SCHEMAS {
                    return;
                }
                ("$ref", to(target)["$ref"].clone())
            }
            4 => ("required", json!([self.name()])),
            5 => ("const", self.value(1)),
            6 => ("minLength", json!(2)),
            7 => ("pattern", json!(["^a$", "b", "^(?=a).b"][self.roll(3)])),
            8 => ("description", json!("#/$defs/0")),
            9 => ("default", json!({"$ref": "#/$defs/0"})),
            10 => ("format", json!("date")),
            11 => ("maxItems", json!(1)),
            12 => ("allOf", json!([self.same(own, in_place, depth), self.same(own, in_place, depth)])),
            13 | 14 => ("anyOf", json!([self.same(own, in_place, depth), self.same(own, in_place, depth)])),
            15 | 16 => (
                "oneOf",
                json!([
                    self.same(own, in_place, depth),
                    self.same(own, in_place, depth),
                    self.same(own, in_place, depth)
                ]),
            ),
            17 => ("not", self.same(own, in_place, depth)),
            18 => {
                out.insert("then".to_owned(), self.same(own, in_place, depth));
                out.insert("else".to_owned(), self.same(own, in_place, depth));
                ("if", self.same(own, in_place, depth))
            }
            19 => ("dependentSchemas", json!({ self.name(): self.same(own, in_place, depth) })),
            20 | 21 => (
                "properties",
                json!({ self.name(): self.part(own, depth), self.name(): self.part(own, depth) }),
            ),
            22 => ("additionalProperties", self.part(own, depth)),
            23 => ("items", self.part(own, depth)),
            24 => ("propertyNames", self.part(own, depth)),
            25 => (
                "unevaluatedProperties",
                if self.roll(2) == 0 { json!(false) } else { self.part(own, depth) },
            ),
            26 => ("unevaluatedItems", if self.roll(2) == 0 { json!(false) } else { self.part(own, depth) }),
            _ => {
                out.insert("prefixItems".to_owned(), json!([self.part(own, depth)]));
                ("contains", self.part(own, depth))
            }
        };
        out.insert(keyword.to_owned(), value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn schemas_that_share_tell_what_one_validator_tells(
        of_schemas in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), SCHEMAS as usize),
        of_values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..24), 6),
    ) {
        let written: Vec<Value> = (0..).zip(&of_schemas).map(|(own, bytes)| Dice(bytes.iter()).schema(own, true, 3)).collect();
        let all = schemas(written);
        for number in 0..SCHEMAS {
            let schema = Schema::new(&all, SchemaId(number), Direction::Reply);
            let ordinary = Validator::complete(&text(&schema)).expect("a usable schema");
            for bytes in &of_values {
                let value = Dice(bytes.iter()).value(4);
                let expected = told(ordinary.is_valid(&value), || ordinary.violations(&value));
                prop_assert_eq!(schema.violations(&value), Ok(expected), "{} judges {}", text(&schema), value);
            }
        }
    }
}
