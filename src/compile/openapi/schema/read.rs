//! How the values of keywords are read: as they should be, by intent where that is plain, or not at all.

use serde_json::{Number, Value};
use smallvec::{SmallVec, smallvec};

use crate::compile::document::{Kind, Node};

use super::super::refs;
use super::super::version::Version;
use super::keywords::Bound;

/// What a value was read as, and what there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading<T> {
    /// What to write; `None` where the keyword says nothing.
    pub(super) value: Option<T>,
    pub(super) remark: Option<Remark>,
}

/// What there is to say about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Remark {
    /// It should be written otherwise, but what is meant is plain.
    Intent(String),
    /// It says nothing.
    Ignored(String),
    /// Nobody can tell what is meant.
    Broken(String),
}

impl<T> Reading<T> {
    fn plain(value: T) -> Self {
        Self { value: Some(value), remark: None }
    }

    fn intent(value: T, due: &str, read_as: impl std::fmt::Display) -> Self {
        Self { value: Some(value), remark: Some(Remark::Intent(format!("{due} is due; read as {read_as}"))) }
    }

    fn ignored(why: impl Into<String>) -> Self {
        Self { value: None, remark: Some(Remark::Ignored(why.into())) }
    }

    fn broken(due: &str, found: Node<'_>) -> Self {
        Self {
            value: None,
            remark: Some(Remark::Broken(format!("{due} is due, found {}", refs::a(found.kind())))),
        }
    }

    fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        Reading { value: self.value.map(f), remark: self.remark }
    }
}

/// A key without a value in YAML is `null`: it says nothing.
fn null<T>() -> Reading<T> {
    Reading::ignored("`null` says nothing; ignored")
}

/// A number, or a string that is one.
pub(super) fn number(node: Node<'_>) -> Reading<Value> {
    match node.kind() {
        Kind::Number => Reading::plain(node.to_value()),
        Kind::Null => null(),
        _ => match node.as_str().and_then(|text| text.parse::<Number>().ok()) {
            Some(number) => {
                let text = number.to_string();
                Reading::intent(Value::Number(number), "a number", text)
            }
            None => Reading::broken("a number", node),
        },
    }
}

/// A whole number from 0. A least count below zero says nothing; a most count below zero cannot be meant.
pub(super) fn count(node: Node<'_>, bound: Bound) -> Reading<Value> {
    let reading = number(node);
    let Some(value) = &reading.value else { return reading };
    let is_whole =
        value.is_u64() || value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
    let is_negative = value.as_f64().is_some_and(|number| number < 0.0);
    match bound {
        _ if is_whole => reading,
        Bound::Least if is_negative => Reading::ignored("a least count below 0 says nothing; ignored"),
        _ => Reading {
            value: None,
            remark: Some(Remark::Broken(format!("a whole number from 0 is due, found {value}"))),
        },
    }
}

/// A boolean, or what plainly stands for one.
pub(super) fn flag(node: Node<'_>) -> Reading<bool> {
    let meant = match (node.as_str(), node.number_text()) {
        (Some("true"), _) | (_, Some("1")) => Some(true),
        (Some("false"), _) | (_, Some("0")) => Some(false),
        _ => None,
    };
    match (node.as_bool(), meant) {
        (Some(value), _) => Reading::plain(value),
        (None, Some(value)) => Reading::intent(value, "a boolean", value),
        _ if node.is_null() => null(),
        _ => Reading::broken("a boolean", node),
    }
}

/// A string.
pub(super) fn text(node: Node<'_>) -> Reading<&str> {
    match node.as_str() {
        Some(text) => Reading::plain(text),
        None if node.is_null() => null(),
        None => Reading::broken("a string", node),
    }
}

/// A list of names; a name that is repeated counts once.
pub(super) fn names(node: Node<'_>) -> Reading<Vec<&str>> {
    match node.kind() {
        Kind::Array => {}
        Kind::Null => return null(),
        // Draft 3 wrote `required: true` inside a property; the list of the object around it is what counts.
        Kind::Bool => {
            return Reading::ignored(
                "a list of names is due, found a boolean; ignored, list the name one level up",
            );
        }
        _ => return Reading::broken("a list of names", node),
    }
    let mut names: Vec<&str> = Vec::new();
    for item in node.items() {
        match item.as_str() {
            Some(name) => names.push(name),
            None => return Reading::broken("a name", item),
        }
    }
    names.sort_unstable();
    names.dedup();
    Reading::plain(names)
}

/// A list of values.
pub(super) fn data_list(node: Node<'_>) -> Reading<()> {
    match node.kind() {
        Kind::Array => Reading::plain(()),
        Kind::Null => null(),
        _ => Reading::broken("a list of values", node),
    }
}

/// Types by name; there is mostly one.
pub(super) type Types = SmallVec<[&'static str; 2]>;

/// The types of a schema, without repetitions.
pub(super) fn types(node: Node<'_>, version: Version) -> Reading<Types> {
    if node.is_null() {
        // `type: null` without quotes in YAML.
        return Reading::intent(smallvec!["null"], "a string", "\"null\"");
    }
    let words: SmallVec<[Node<'_>; 4]> = match node.kind() {
        Kind::Array => node.items().collect(),
        Kind::String => smallvec![node],
        _ => return Reading::broken("a type or list of types", node),
    };
    let mut types = Types::new();
    let mut remark = None;
    for word in &words {
        let Some(text) = word.as_str() else {
            if word.is_null() {
                types.push("null");
                remark = Some(Remark::Intent("a string is due; read as \"null\"".to_owned()));
                continue;
            }
            return Reading::broken("a type", *word);
        };
        let Some(known) = type_word(text) else {
            let message = format!(
                "`{text}` is no type; it has to be string, number, integer, boolean, array, object or null"
            );
            return Reading { value: None, remark: Some(Remark::Broken(message)) };
        };
        if known != text {
            remark = Some(Remark::Intent(format!("types are written in lower case; read as {known}")));
        }
        if !types.contains(&known) {
            types.push(known);
        }
    }
    if types.is_empty() {
        return Reading::ignored("an empty list of types says nothing; ignored");
    }
    if version == Version::V30 && remark.is_none() && (node.kind() == Kind::Array || types.contains(&"null"))
    {
        let message = "OpenAPI 3.0 has one type, and `nullable` for null; read as OpenAPI 3.1 would";
        remark = Some(Remark::Intent(message.to_owned()));
    }
    Reading { value: Some(types), remark }
}

fn type_word(text: &str) -> Option<&'static str> {
    ["string", "number", "integer", "boolean", "array", "object", "null"]
        .into_iter()
        .find(|word| word.eq_ignore_ascii_case(text))
}

/// `exclusiveMinimum` and `exclusiveMaximum`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Exclusive {
    /// 3.0: whether the bound beside it is excluded.
    Flag(bool),
    /// 3.1: a bound of its own.
    Bound(Value),
}

/// Reads an exclusive bound; the form of the other version is read by intent (case 002).
pub(super) fn exclusive(node: Node<'_>, version: Version) -> Reading<Exclusive> {
    let is_flag = node.as_bool().is_some() || matches!(node.as_str(), Some("true" | "false"));
    let reading = if is_flag { flag(node).map(Exclusive::Flag) } else { number(node).map(Exclusive::Bound) };
    match (&reading.value, version) {
        (Some(Exclusive::Flag(_)), Version::V31) => {
            Reading::intent(reading.value, "a number", "OpenAPI 3.0 would").flattened()
        }
        (Some(Exclusive::Bound(_)), Version::V30) => {
            Reading::intent(reading.value, "a boolean", "OpenAPI 3.1 would").flattened()
        }
        _ => reading,
    }
}

impl<T> Reading<Option<T>> {
    fn flattened(self) -> Reading<T> {
        Reading { value: self.value.flatten(), remark: self.remark }
    }
}

/// What a schema is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'d> {
    /// Keywords.
    Keywords(Node<'d>),
    /// Everything, or nothing.
    Bool(bool),
}

/// Reads the place of a schema. Booleans are schemas in 3.1, and under `additionalProperties` in 3.0.
pub(super) fn schema(node: Node<'_>, version: Version, may_be_flag: bool) -> Reading<Form<'_>> {
    match node.kind() {
        Kind::Object => Reading::plain(Form::Keywords(node)),
        Kind::Bool if version == Version::V31 || may_be_flag => {
            Reading::plain(Form::Bool(node.as_bool() == Some(true)))
        }
        Kind::Null => Reading::intent(Form::Bool(true), "a schema", "{}, which allows everything"),
        Kind::Bool | Kind::String | Kind::Number => flag(node).and_intent("a schema").map(Form::Bool),
        Kind::Array => Reading::broken("a schema", node),
    }
}

impl Reading<bool> {
    /// The same, as a value that stands in the place of something else.
    fn and_intent(self, due: &str) -> Self {
        match self.value {
            Some(value) => Self::intent(value, due, value),
            None => Self {
                value: None,
                remark: Some(Remark::Broken(format!("{due} is due, found text or a number"))),
            },
        }
    }
}

/// A list of schemas; an empty one says nothing.
pub(super) fn list(node: Node<'_>) -> Reading<Node<'_>> {
    match node.kind() {
        Kind::Array if node.is_empty() => Reading::ignored("an empty list of schemas says nothing; ignored"),
        Kind::Array => Reading::plain(node),
        Kind::Null => null(),
        _ => Reading::broken("a list of schemas", node),
    }
}

/// An object whose names are data.
pub(super) fn by_name(node: Node<'_>) -> Reading<Node<'_>> {
    match node.kind() {
        Kind::Object => Reading::plain(node),
        Kind::Null => null(),
        _ => Reading::broken("an object of names", node),
    }
}
