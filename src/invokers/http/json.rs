//! JSON, and the members that it names twice in one object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};

/// Reads a JSON text; with the value a member that its object has had already, as a JSON pointer, where there is one.
///
/// RFC 8259 section 4 leaves open what such an object means; the last member counts, as in every common reader. The
/// value is what `serde_json` would read, in one pass.
pub(super) fn read(text: &str) -> Result<(Value, Option<String>), serde_json::Error> {
    let mut twice = Twice::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Reading(&mut twice).deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, twice.pointer()))
}

/// The names that lead to a member that comes twice, from the inside out; nothing until there is one.
#[derive(Default)]
struct Twice(Vec<String>);

impl Twice {
    /// Reads what is inside; a member that is found there is below this step.
    fn below<T>(&mut self, step: impl FnOnce() -> String, inside: impl FnOnce(&mut Self) -> T) -> T {
        let was_found = !self.0.is_empty();
        let read = inside(self);
        if !was_found && !self.0.is_empty() {
            self.0.push(step());
        }
        read
    }

    fn pointer(self) -> Option<String> {
        let steps =
            self.0.iter().rev().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")));
        Some(steps.collect()).filter(|_| !self.0.is_empty())
    }
}

struct Reading<'t>(&'t mut Twice);

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = self.0.below(|| name.clone(), |twice| map.next_value_seed(Reading(twice)))?;
            match members.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(value);
                }
                Entry::Occupied(mut had) => {
                    if self.0.0.is_empty() {
                        self.0.0.push(had.key().clone());
                    }
                    had.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) =
            self.0.below(|| list.len().to_string(), |twice| items.next_element_seed(Reading(twice)))?
        {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::read;

    #[test]
    fn a_member_that_comes_twice_is_found_and_the_value_is_the_ordinary_one() {
        let table = [
            (r#"{"a":1,"b":2}"#, None),
            (r#"{"a":1,"a":1}"#, Some("/a")),
            (r#"{"a":[{"x/y":1},{"x/y":1,"~":2,"x/y":3}],"a":1}"#, Some("/a/1/x~1y")),
            (r#"{"~1/":[],"~1/":[]}"#, Some("/~01~1")),
            (r#"{"a":{"b":1},"b":{"a":1}}"#, None),
            (r#"[[{"":0,"":0}]]"#, Some("/0/0/")),
            (r#"{"a":1,"\u0061":2}"#, Some("/a")),
            (r#"{"a":{"b":1,"b":2},"c":{"d":1,"d":2}}"#, Some("/a/b")),
            (r#"[1,-1,1.5,true,null,"x\n",18446744073709551615,1e300,{}] "#, None),
        ];
        for (text, expected) in table {
            let (value, twice) = read(text).expect(text);
            assert_eq!(twice.as_deref(), expected, "{text}");
            let ordinary: Value = serde_json::from_str(text).expect(text);
            assert_eq!(value, ordinary, "{text}");
            assert_eq!(value.to_string(), ordinary.to_string(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_as_ever() {
        let deep = "[".repeat(200);
        for text in ["{", "", "[1,]", "{\"a\":1} x", "nul", "1e400", &deep, "\"\\ud800\""] {
            let error = read(text).expect_err(text).to_string();
            let ordinary = serde_json::from_str::<Value>(text).expect_err(text).to_string();
            assert_eq!(error, ordinary, "{text}");
        }
    }
}
