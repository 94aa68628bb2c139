//! One change of a published document changes the endpoints that reach it, and no other.
//!
//! What an endpoint reaches is found here by following references, without the library.

use std::collections::{BTreeMap, BTreeSet};

use schemarouter::catalog::Fingerprints;
use schemarouter::kernel::base::rng::Jitter;
use serde_json::{Map, Value, json};

use super::fingerprints::prints;

/// Changes of each kind that are tried on a document; each compiles it again.
const TRIED: usize = 1;

/// Which parts of an endpoint have to be others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Request,
    Reply,
}

/// Parts by endpoint, as `METHOD path`.
type Parts = BTreeSet<(String, Part)>;

/// A document with one change, and what the change is about.
struct Change {
    what: String,
    document: Value,
    reached: Parts,
}

/// The references of a document.
struct References<'d> {
    document: &'d Value,
    /// Whether what stands beside `$ref` counts.
    siblings_count: bool,
    /// For each target, who refers to it.
    back: BTreeMap<String, BTreeSet<String>>,
}

/// Everything with schemas in it by name: the names are data.
const BY_NAME: &[&str] = &[
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
    "headers",
    "content",
    "encoding",
    "responses",
];
/// What is no contract, or data.
const NO_CONTRACT: &[&str] =
    &["example", "examples", "default", "enum", "const", "links", "callbacks", "xml", "externalDocs"];

/// The references in a value, outside of data.
fn direct(value: &Value, siblings_count: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                found.insert(reference.clone());
                if !siblings_count {
                    return;
                }
            }
            for (key, member) in members {
                match member {
                    Value::Object(named) if BY_NAME.contains(&key.as_str()) => {
                        named.values().for_each(|value| direct(value, siblings_count, found));
                    }
                    Value::Object(discriminator) if key == "discriminator" => {
                        let targets = discriminator.get("mapping").and_then(Value::as_object).into_iter();
                        for target in targets.flat_map(Map::values).filter_map(Value::as_str) {
                            let by_name = format!("#/components/schemas/{target}");
                            found.insert(if target.starts_with('#') { target.to_owned() } else { by_name });
                        }
                    }
                    _ if NO_CONTRACT.contains(&key.as_str()) || key.starts_with("x-") => {}
                    member => direct(member, siblings_count, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| direct(item, siblings_count, found)),
        _ => {}
    }
}

impl<'d> References<'d> {
    fn of(document: &'d Value) -> Self {
        let siblings_count = document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1"));
        let mut references = Self { document, siblings_count, back: BTreeMap::new() };
        let mut pending: Vec<String> = references.direct(&document["paths"]).into_iter().collect();
        let mut seen: BTreeSet<String> = pending.iter().cloned().collect();
        while let Some(from) = pending.pop() {
            let Some(target) = references.target(&from) else { continue };
            let of_reply = from.starts_with("#/components/responses/");
            for to in if of_reply { references.of_reply(target) } else { references.direct(target) } {
                if seen.insert(to.clone()) {
                    pending.push(to.clone());
                }
                references.back.entry(to).or_default().insert(from.clone());
            }
        }
        references
    }

    fn direct(&self, value: &Value) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        direct(value, self.siblings_count, &mut found);
        found
    }

    /// A `schema` in a Response Object is of Swagger 2.0, and says nothing here.
    fn of_reply(&self, reply: &Value) -> BTreeSet<String> {
        let members = ["$ref", "content", "headers"]
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), reply.get(key)?.clone())));
        self.direct(&Value::Object(members.collect()))
    }

    fn target(&self, reference: &str) -> Option<&'d Value> {
        let pointer = reference.strip_prefix('#')?;
        self.document.pointer(&percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?)
    }

    /// Every reference that leads to this one.
    fn leading_to(&self, reference: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::from([reference.to_owned()]);
        let mut pending = vec![reference.to_owned()];
        while let Some(to) = pending.pop() {
            for from in self.back.get(&to).into_iter().flatten() {
                if all.insert(from.clone()) {
                    pending.push(from.clone());
                }
            }
        }
        all
    }

    /// The endpoints that reach one of these.
    fn reached_from(&self, targets: &BTreeSet<String>) -> Parts {
        let mut parts = Parts::new();
        for (label, item, operation) in operations(self.document) {
            let reaches = |value: &Value| !self.direct(value).is_disjoint(targets);
            let sent = [&item["parameters"], &operation["parameters"], &operation["requestBody"]];
            if sent.into_iter().any(reaches) {
                parts.insert((label.clone(), Part::Request));
            }
            if operation["responses"].as_object().is_some_and(|replies| {
                replies.values().any(|reply| !self.of_reply(reply).is_disjoint(targets))
            }) {
                parts.insert((label, Part::Reply));
            }
        }
        parts
    }
}

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];

/// Label, path item and operation of each.
fn operations(document: &Value) -> impl Iterator<Item = (String, &Value, &Value)> {
    document["paths"].as_object().into_iter().flatten().flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| {
            let operation = item.get(method)?;
            Some((format!("{} {path}", method.to_uppercase()), item, operation))
        })
    })
}

/// A change of a component's schema: the keyword, and the other value where there is one to change.
fn other_schema(kind: &str, schema: &Map<String, Value>) -> Option<Value> {
    let mut schema = schema.clone();
    match kind {
        "type" => {
            let (_, property) =
                schema.get_mut("properties")?.as_object_mut()?.iter_mut().find(|(_, property)| {
                    property.get("$ref").is_none()
                        && property["type"] == "string"
                        && property.get("enum").is_none()
                })?;
            property["type"] = json!("integer");
        }
        "required" => {
            let first = schema.get("properties")?.as_object()?.keys().next()?.clone();
            let required = schema.entry("required").or_insert_with(|| json!([])).as_array_mut()?;
            match required.iter().position(|name| *name == first) {
                Some(at) => drop(required.remove(at)),
                None => required.push(Value::from(first)),
            }
        }
        "enum" => schema.get_mut("enum")?.as_array_mut()?.push(json!("one more value")),
        _ => return None,
    }
    Some(Value::Object(schema))
}

/// Changes of components, at places that chance chooses.
fn of_components(document: &Value, random: &mut Jitter) -> Vec<Change> {
    let references = References::of(document);
    let text = document.to_string();
    let Some(schemas) = document["components"]["schemas"].as_object() else { return Vec::new() };
    let mut changes = Vec::new();
    for kind in ["type", "required", "enum"] {
        let mut names: Vec<&String> = schemas.keys().collect();
        shuffle(&mut names, random);
        let candidates = names.into_iter().filter_map(|name| {
            // A reference into a component reaches a part of it only.
            let is_reached_whole = !text.contains(&format!("#/components/schemas/{name}/"));
            let schema = schemas[name].as_object().filter(|schema| !schema.contains_key("$ref"))?;
            Some((name, other_schema(kind, schema).filter(|_| is_reached_whole)?))
        });
        for (name, other) in candidates.take(TRIED) {
            let mut changed = document.clone();
            changed["components"]["schemas"][name] = other;
            let targets = references.leading_to(&format!("#/components/schemas/{name}"));
            let reached = references.reached_from(&targets);
            changes.push(Change { what: format!("{kind} of {name}"), document: changed, reached });
        }
    }
    changes
}

/// Changes an operation, where it has what is to change.
type Mutation = fn(&mut Value) -> Option<()>;

/// Changes of what an operation holds itself.
fn of_operations(document: &Value, random: &mut Jitter) -> Vec<Change> {
    let mut changes = Vec::new();
    // Others may refer to a part of an operation.
    if document.to_string().contains("\"#/paths/") {
        return changes;
    }
    let mut all: Vec<(String, String)> = document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            METHODS
                .iter()
                .filter(|method| item.get(**method).is_some())
                .map(|method| (path.clone(), (*method).to_owned()))
        })
        .collect();
    shuffle(&mut all, random);
    let kinds: [(&str, Part, Mutation); 3] = [
        ("style", Part::Request, |operation| {
            let parameters = operation.get_mut("parameters")?.as_array_mut()?;
            let parameter = parameters
                .iter_mut()
                .find(|parameter| parameter["in"] == "query" && parameter.get("content").is_none())?;
            let explode = parameter.get("explode").and_then(Value::as_bool).unwrap_or(true);
            parameter["explode"] = json!(!explode);
            (parameter.get("style").is_none_or(|style| style == "form")).then_some(())
        }),
        ("status", Part::Reply, |operation| {
            let replies = operation.get_mut("responses")?.as_object_mut()?;
            let reply = replies.shift_remove("200")?;
            replies.insert("218".to_owned(), reply);
            Some(())
        }),
        ("media type", Part::Reply, |operation| {
            let reply = operation.get_mut("responses")?.get_mut("200")?;
            let content = reply.get_mut("content")?.as_object_mut()?;
            let json = content.shift_remove("application/json")?;
            content.insert("application/vnd.other+json".to_owned(), json);
            Some(())
        }),
    ];
    for (what, part, mutation) in kinds {
        let candidates = all.iter().filter_map(|(path, method)| {
            let mut operation = document["paths"][path][method].clone();
            mutation(&mut operation)?;
            let mut changed = document.clone();
            changed["paths"][path][method] = operation;
            let label = format!("{} {path}", method.to_uppercase());
            let reached = Parts::from([(label.clone(), part)]);
            Some(Change { what: format!("{what} of {label}"), document: changed, reached })
        });
        changes.extend(candidates.take(TRIED));
    }
    changes
}

fn shuffle<T>(items: &mut [T], random: &mut Jitter) {
    for at in (1..items.len()).rev() {
        items.swap(at, usize::try_from(random.bits() % (at as u64 + 1)).expect("an index"));
    }
}

/// The parts that are others, of endpoints by their labels.
fn changed(before: &BTreeMap<String, Fingerprints>, after: &BTreeMap<String, Fingerprints>) -> Parts {
    let mut parts = Parts::new();
    for (label, before) in before {
        // An endpoint that is lost is another one.
        let after = after.get(label);
        if after.is_none_or(|after| after.request != before.request) {
            parts.insert((label.clone(), Part::Request));
        }
        if after.is_none_or(|after| after.reply != before.reply) {
            parts.insert((label.clone(), Part::Reply));
        }
    }
    parts
}

#[test]
fn one_change_changes_what_reaches_it() {
    let mut random = Jitter::seeded(11);
    let (mut tried, mut reaching) = (0, 0);
    for (name, document) in super::fingerprints::all_documents() {
        let Some(before) = prints(&document) else { continue };
        for change in
            of_components(&document, &mut random).into_iter().chain(of_operations(&document, &mut random))
        {
            let after = prints(&change.document).expect("the version is the same");
            let is_endpoint = |(label, _): &(String, Part)| before.contains_key(label);
            let due: Parts = change.reached.into_iter().filter(is_endpoint).collect();
            let found = changed(&before, &after);
            let lost = before.keys().filter(|label| !after.contains_key(*label));
            let lost: BTreeSet<&String> = lost.collect();
            let differ: Vec<_> =
                due.symmetric_difference(&found).filter(|(label, _)| !lost.contains(label)).collect();
            assert!(
                differ.is_empty(),
                "{name}: {}: due {} found {} {:?}",
                change.what,
                due.len(),
                found.len(),
                differ.iter().take(3).collect::<Vec<_>>()
            );
            let reached: BTreeSet<&String> = due.iter().map(|(label, _)| label).collect();
            assert!(lost.is_subset(&reached), "{name}: {}: lost {lost:?}", change.what);
            tried += 1;
            reaching += due.len();
        }
    }
    eprintln!("{tried} changes, which {reaching} parts of endpoints reach");
    assert!(tried > 0);
}
