//! Schemas as somebody reads them: together, with what they refer to by name.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::source::{Direction, SchemaId, SchemaSource};
use super::violation::SchemaError;
use super::walk::walk;

/// Schemas that share definitions: each refers to `#/$defs/<name>`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// The schemas asked for, in order.
    pub schemas: Vec<Value>,
    /// What they refer to, by name.
    pub definitions: Map<String, Value>,
}

impl Bundle {
    /// These schemas with everything that they reach.
    ///
    /// # Errors
    /// Where one of them cannot be read.
    pub fn of(
        source: &dyn SchemaSource,
        roots: &[SchemaId],
        direction: Direction,
    ) -> Result<Self, SchemaError> {
        let mut names = Names::new(source);
        let mut pending = Vec::new();
        let mut write = |id: SchemaId, pending: &mut Vec<(SchemaId, String)>| {
            let mut schema = source.write(id, direction)?;
            let mut nameless = None;
            walk(&mut schema, &mut |keywords, _| {
                let Some(referred) = SchemaId::referred(keywords) else { return };
                match names.name(referred) {
                    Ok((name, is_new)) => {
                        keywords.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
                        if is_new {
                            pending.push((referred, name));
                        }
                    }
                    Err(error) => nameless = Some(error),
                }
            });
            nameless.map_or(Ok(schema), Err)
        };
        let schemas = roots.iter().map(|root| write(*root, &mut pending)).collect::<Result<_, _>>()?;
        let mut definitions = Map::new();
        while let Some((id, name)) = pending.pop() {
            definitions.insert(name, write(id, &mut pending)?);
        }
        Ok(Self { schemas, definitions })
    }

    /// The first schema as one document, with the definitions in it.
    pub(super) fn into_document(self) -> Value {
        match self.schemas.into_iter().next() {
            Some(Value::Object(mut object)) if !self.definitions.is_empty() => {
                object.insert("$defs".to_owned(), Value::Object(self.definitions));
                Value::Object(object)
            }
            other => other.unwrap_or(Value::Bool(true)),
        }
    }
}

/// A name for each schema: its own, or a made-up one that is nobody else's own.
struct Names<'s> {
    source: &'s dyn SchemaSource,
    given: HashMap<SchemaId, String>,
    taken: HashSet<String>,
}

impl<'s> Names<'s> {
    fn new(source: &'s dyn SchemaSource) -> Self {
        Self { source, given: HashMap::new(), taken: HashSet::new() }
    }

    /// Its name, and whether it was given just now.
    fn name(&mut self, id: SchemaId) -> Result<(String, bool), SchemaError> {
        if let Some(name) = self.given.get(&id) {
            return Ok((name.clone(), false));
        }
        let wanted = self.source.name(id)?;
        let mut name = wanted.clone();
        let mut number = 2_usize;
        while self.source.owner(&name)?.is_some_and(|owner| owner != id) || !self.taken.insert(name.clone()) {
            name = format!("{wanted}-{number}");
            number += 1;
        }
        self.given.insert(id, name.clone());
        Ok((name, true))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Schemas by number: each with its wanted name, whether that is its own, and the numbers that it refers to.
    #[derive(Debug)]
    struct Table(Vec<(&'static str, bool, Vec<u32>)>);

    impl SchemaSource for Table {
        fn write(&self, id: SchemaId, _: Direction) -> Result<Value, SchemaError> {
            let (_, _, references) = &self.0[id.0 as usize];
            let references = references.iter().map(|to| json!({"$ref": SchemaId(*to).reference()}));
            Ok(json!({"allOf": references.collect::<Vec<_>>(), "const": {"$ref": "#/$defs/0"}}))
        }

        fn name(&self, id: SchemaId) -> Result<String, SchemaError> {
            Ok(self.0[id.0 as usize].0.to_owned())
        }

        fn patterns(&self) -> Result<Vec<String>, SchemaError> {
            Ok(Vec::new())
        }

        fn owner(&self, name: &str) -> Result<Option<SchemaId>, SchemaError> {
            let at = self.0.iter().position(|(own, is_own, _)| *is_own && *own == name);
            Ok(at.map(|at| SchemaId(u32::try_from(at).expect("few"))))
        }
    }

    #[test]
    fn made_up_names_stay_clear_of_own_ones() {
        let source = Table(vec![
            ("root", false, vec![1, 2, 3, 4]),
            ("A", false, vec![3]),
            ("A", false, vec![0]),
            ("A", true, vec![1]),
            // Another's own name, although nothing here refers to that one.
            ("B", false, vec![]),
            ("B", true, vec![]),
        ]);
        let bundle =
            Bundle::of(&source, &[SchemaId(0), SchemaId(4)], Direction::Reply).expect("they are at hand");
        let all = |names: &[&str]| {
            let references: Vec<Value> =
                names.iter().map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
            json!({"allOf": references, "const": {"$ref": "#/$defs/0"}})
        };
        assert_eq!(bundle.schemas, [all(&["A-2", "A-3", "A", "B-2"]), all(&[])]);
        assert_eq!(
            Value::Object(bundle.definitions),
            json!({
                "B-2": all(&[]), "A": all(&["A-2"]), "A-3": all(&["root"]),
                "root": all(&["A-2", "A-3", "A", "B-2"]), "A-2": all(&["A"]),
            })
        );
    }
}
