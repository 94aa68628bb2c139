//! Members that a JSON text names twice in one object.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// The first member that its object has had already, as a JSON pointer; `None` where all are unique.
///
/// RFC 8259 section 4 leaves open what such an object means. The text is expected to be JSON.
pub(super) fn first(text: &str) -> Option<String> {
    let mut pointer = Pointer::default();
    // The search ends with an error as soon as it finds one; nothing else can go wrong in JSON.
    let _ = Unique(&mut pointer).deserialize(&mut serde_json::Deserializer::from_str(text));
    pointer.found.then_some(pointer.text)
}

/// Where the search is.
#[derive(Default)]
struct Pointer {
    text: String,
    found: bool,
}

impl Pointer {
    /// Goes into a member, does `inside` there, and comes back unless something was found.
    fn within<T>(&mut self, step: impl fmt::Display, inside: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.text.len();
        self.text.push('/');
        self.text.push_str(&step.to_string().replace('~', "~0").replace('/', "~1"));
        let done = inside(self);
        if !self.found {
            self.text.truncate(length);
        }
        done
    }
}

struct Unique<'p>(&'p mut Pointer);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            let twice = seen.contains(&name);
            self.0.within(&name, |pointer| {
                pointer.found = twice;
                if twice { Err(A::Error::custom("twice")) } else { map.next_value_seed(Unique(pointer)) }
            })?;
            seen.insert(name);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut at = 0_usize;
        while self.0.within(at, |pointer| items.next_element_seed(Unique(pointer)))?.is_some() {
            at += 1;
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn the_first_member_that_comes_twice() {
        let table = [
            (r#"{"a":1,"b":2}"#, None),
            (r#"{"a":1,"a":1}"#, Some("/a")),
            (r#"{"a":[{"x/y":1},{"x/y":1,"~":2,"x/y":3}],"a":1}"#, Some("/a/1/x~1y")),
            (r#"{"~1/":[],"~1/":[]}"#, Some("/~01~1")),
            (r#"{"a":{"b":1},"b":{"a":1}}"#, None),
            (r#"[[{"":0,"":0}]]"#, Some("/0/0/")),
            (r#"{"a":1,"\u0061":2}"#, Some("/a")),
            (r#"[1,-1,1.5,true,null,"x",1e400]"#, None),
            ("{", None),
        ];
        for (text, expected) in table {
            assert_eq!(first(text).as_deref(), expected, "{text}");
        }
    }
}
