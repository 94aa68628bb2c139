//! Documents written otherwise, with the same meaning.

use std::collections::{HashMap, HashSet};

use schemarouter::kernel::base::rng::Jitter;
use serde_json::{Map, Value, json};

/// What is written otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// The order of keys, paths and components, the names of components, the order of `required`, `enum` and `type`.
    Form,
    /// All texts for people.
    Prose,
}

/// The document, written otherwise.
pub(crate) fn rewritten(document: &Value, rewrite: Rewrite, seed: u64) -> Value {
    let mut writer = Writer { rewrite, random: Jitter::seeded(seed), names: HashMap::new() };
    if rewrite == Rewrite::Form {
        writer.names = new_names(document);
    }
    writer.value(document, Place::Object)
}

/// What a value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An object of the specification, or a list of such.
    Object,
    /// Objects by name.
    Names,
    /// Examples by name, each perhaps a reference.
    Examples,
    /// Security requirements.
    Security,
    /// A discriminator's values and what they mean.
    Mapping,
    /// Data, which is kept as it is but for the order of keys.
    Data,
}

/// By section and name, the new name of a component.
type Names = HashMap<(String, String), String>;

struct Writer {
    rewrite: Rewrite,
    random: Jitter,
    names: Names,
}

impl Writer {
    fn value(&mut self, value: &Value, place: Place) -> Value {
        match value {
            Value::Object(members) => Value::Object(self.object(members, place)),
            Value::Array(items) => items.iter().map(|item| self.value(item, place)).collect(),
            other => other.clone(),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, place: Place) -> Map<String, Value> {
        let mut written: Vec<(String, Value)> =
            members.iter().map(|(key, value)| self.member(key, value, place)).collect();
        if self.rewrite == Rewrite::Form {
            self.shuffle(&mut written);
        }
        written.into_iter().collect()
    }

    fn member(&mut self, key: &str, value: &Value, place: Place) -> (String, Value) {
        let kept = key.to_owned();
        match (place, key, value) {
            (Place::Data, ..) => (kept, self.value(value, Place::Data)),
            (Place::Mapping, _, Value::String(target)) => (kept, self.mapped(target)),
            (Place::Security, ..) => (self.renamed("securitySchemes", key), value.clone()),
            (Place::Examples, _, example) if example.get("$ref").is_none() => {
                (kept, self.value(value, Place::Data))
            }
            // The key is a name here, whatever keyword it looks like.
            (Place::Names | Place::Examples, ..) => (kept, self.value(value, Place::Object)),
            (_, "$ref", Value::String(reference)) => (kept, Value::from(self.reference(reference))),
            (_, "summary" | "description" | "title", Value::String(text))
                if self.rewrite == Rewrite::Prose =>
            {
                (kept, json!(format!("{text} (edited)")))
            }
            (_, "required" | "enum" | "type", Value::Array(items)) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.value(item, Place::Data)).collect();
                if self.rewrite == Rewrite::Form {
                    self.shuffle(&mut items);
                }
                (kept, Value::Array(items))
            }
            (_, "components", Value::Object(sections)) => (kept, self.components(sections)),
            (
                _,
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "headers"
                | "paths" | "responses" | "content" | "encoding",
                Value::Object(_),
            ) => (kept, self.value(value, Place::Names)),
            (_, "security", Value::Array(_)) => (kept, self.value(value, Place::Security)),
            (_, "mapping", Value::Object(_)) => (kept, self.value(value, Place::Mapping)),
            (_, "examples", Value::Object(_)) => (kept, self.value(value, Place::Examples)),
            (_, "example" | "examples" | "default" | "enum" | "const", _) => {
                (kept, self.value(value, Place::Data))
            }
            (_, extension, _) if extension.starts_with("x-") => (kept, self.value(value, Place::Data)),
            _ => (kept, self.value(value, Place::Object)),
        }
    }

    fn components(&mut self, sections: &Map<String, Value>) -> Value {
        let sections = sections.iter().map(|(section, components)| {
            let Value::Object(components) = components else { return (section.clone(), components.clone()) };
            let place = if section == "examples" { Place::Data } else { Place::Object };
            let mut written: Vec<(String, Value)> = components
                .iter()
                .map(|(name, component)| (self.renamed(section, name), self.value(component, place)))
                .collect();
            if self.rewrite == Rewrite::Form {
                self.shuffle(&mut written);
            }
            (section.clone(), Value::Object(written.into_iter().collect()))
        });
        Value::Object(sections.collect())
    }

    fn renamed(&self, section: &str, name: &str) -> String {
        self.names.get(&(section.to_owned(), name.to_owned())).map_or(name, String::as_str).to_owned()
    }

    fn reference(&self, reference: &str) -> String {
        let Some((section, name, rest)) = component(reference) else { return reference.to_owned() };
        match self.names.get(&(section.clone(), name)) {
            Some(new) => format!("#/components/{section}/{new}{rest}"),
            None => reference.to_owned(),
        }
    }

    /// A mapping names a component, or refers to it.
    fn mapped(&self, target: &str) -> Value {
        let by_name = self.names.get(&("schemas".to_owned(), target.to_owned()));
        Value::from(by_name.cloned().unwrap_or_else(|| self.reference(target)))
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let with = self.random.bits() % (at as u64 + 1);
            items.swap(at, usize::try_from(with).expect("an index"));
        }
    }
}

/// Section, name and what follows, of a reference to a component or into one.
fn component(reference: &str) -> Option<(String, String, String)> {
    let (section, rest) = reference.strip_prefix("#/components/")?.split_once('/')?;
    let (token, rest) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let decoded = percent_encoding::percent_decode_str(token).decode_utf8().ok()?;
    Some((section.to_owned(), decoded.replace("~1", "/").replace("~0", "~"), rest.to_owned()))
}

/// New names for all components, but for the branches of a discriminator: there a name is a value (ruling 18).
fn new_names(document: &Value) -> Names {
    let mut kept = HashSet::new();
    branches(document, &mut kept);
    let mut names = Names::new();
    for (section, components) in document["components"].as_object().into_iter().flatten() {
        for (number, name) in components.as_object().into_iter().flatten().map(|(name, _)| name).enumerate() {
            if !kept.contains(name) {
                let new = format!(
                    "{}-{number}",
                    name.chars().rev().filter(char::is_ascii_alphanumeric).collect::<String>()
                );
                names.insert((section.clone(), name.clone()), new);
            }
        }
    }
    names
}

fn branches(value: &Value, found: &mut HashSet<String>) {
    match value {
        Value::Object(members) => {
            if members.contains_key("discriminator") {
                let lists = ["oneOf", "anyOf"].iter().filter_map(|list| members.get(*list)?.as_array());
                let references = lists.flatten().filter_map(|branch| component(branch["$ref"].as_str()?));
                found.extend(references.map(|(_, name, _)| name));
            }
            members.values().for_each(|value| branches(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| branches(value, found)),
        _ => {}
    }
}
