//! What is saved of a published document is what was compiled.

use std::collections::HashMap;

use schemarouter::catalog::{
    Argument, Content, Direction, Endpoint, Replies, Schema, SchemaError, SchemaId, SchemaSource, Source,
};
use schemarouter::compile::{Options, compile};
use serde_json::Value;

use super::{documents, read, schemas};

/// Pairs of schemas that have to say the same.
struct Same<'s> {
    one: &'s dyn SchemaSource,
    other: &'s dyn SchemaSource,
    known: HashMap<SchemaId, SchemaId>,
    pending: Vec<(SchemaId, SchemaId)>,
}

impl Same<'_> {
    fn schemas(&mut self, one: &Schema, other: &Schema) {
        let (Some(one), Some(other)) = (one.id(), other.id()) else { panic!("all are of a document") };
        self.pending.push((one, other));
        while let Some((one, other)) = self.pending.pop() {
            for direction in [Direction::Request, Direction::Reply] {
                let text =
                    |source: &dyn SchemaSource, id| source.write(id, direction).expect("it can be read");
                let texts = (text(self.one, one), text(self.other, other));
                self.values(&texts.0, &texts.1);
            }
        }
    }

    fn values(&mut self, one: &Value, other: &Value) {
        match (one, other) {
            (Value::Object(one), Value::Object(other)) => {
                assert!(one.keys().eq(other.keys()), "{one:?} {other:?}");
                for ((key, one), other) in one.iter().zip(other.values()) {
                    match (key.as_str(), referred(one), referred(other)) {
                        ("$ref", Some(one), Some(other)) => self.referred(one, other),
                        _ => self.values(one, other),
                    }
                }
            }
            (Value::Array(one), Value::Array(other)) => {
                assert_eq!(one.len(), other.len());
                one.iter().zip(other).for_each(|(one, other)| self.values(one, other));
            }
            _ => assert_eq!(one, other),
        }
    }

    fn referred(&mut self, one: SchemaId, other: SchemaId) {
        if let Some(known) = self.known.insert(one, other) {
            return assert_eq!(known, other, "one schema is one part");
        }
        assert_eq!(self.one.name(one), self.other.name(other));
        self.pending.push((one, other));
    }
}

fn referred(value: &Value) -> Option<SchemaId> {
    value.as_str()?.strip_prefix("#/$defs/")?.parse().ok().map(SchemaId)
}

/// All of an endpoint but its schemas.
fn text(endpoint: &Endpoint) -> String {
    let mut without = endpoint.clone();
    without.arguments.iter_mut().for_each(|argument: &mut Argument| argument.schema = None);
    let replies = without.replies.all().iter().map(|reply| {
        let types = reply.content.iter().map(|Content { media_type, .. }| media_type.as_str());
        format!("{} {:?}", reply.status, types.collect::<Vec<_>>())
    });
    let replies: String = replies.collect();
    without.replies = Replies::default();
    format!("{without:?} {replies}")
}

#[test]
fn what_is_saved_is_what_was_compiled() {
    for published in documents() {
        let name = published.name.clone();
        let options = Options::new("source");
        let Ok(compiled) = compile(read(&name, published.bytes), &options) else { continue };
        let saved = Source::open(compiled.save().expect("it is small"), &compiled.key()).expect("it fits");
        assert_eq!(saved.info(), &compiled.info, "{name}");
        let opened = saved.endpoints().collect::<Result<Vec<_>, _>>().expect("all can be read");
        let listing = saved.listing().expect("it can be read");
        let whole = Source::from(compiled.clone());
        assert_eq!(listing, whole.listing().expect("it is at hand"), "{name}");
        let sources = || {
            let one = compiled.endpoints.iter().flat_map(schemas).find_map(Schema::source)?;
            Some((one, opened.iter().flat_map(|endpoint| schemas(endpoint)).find_map(Schema::source)?))
        };
        let mut same = sources().map(|(one, other)| Same {
            one: one.as_ref(),
            other: other.as_ref(),
            known: HashMap::new(),
            pending: Vec::new(),
        });
        if let Some(Same { one, other, .. }) = &same {
            assert_eq!(one.patterns(), other.patterns(), "{name}");
            let sorted = |names: Result<Vec<String>, SchemaError>| {
                let mut names = names.expect("they can be read");
                names.sort();
                names
            };
            assert_eq!(sorted(one.own_names()), sorted(other.own_names()), "{name}");
        }
        for (endpoint, opened) in compiled.endpoints.iter().zip(&opened) {
            assert_eq!(text(endpoint), text(opened), "{name}");
            assert_eq!(schemas(endpoint).count(), schemas(opened).count(), "{name}: {}", endpoint.key);
            if let Some(same) = &mut same {
                schemas(endpoint).zip(schemas(opened)).for_each(|(one, other)| same.schemas(one, other));
            }
        }
    }
}
