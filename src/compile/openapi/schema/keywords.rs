//! What each keyword of a schema is.

use super::super::version::Version;

/// What the value of a keyword is and does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// `type`.
    Type,
    /// `nullable` of 3.0.
    Nullable,
    /// A number.
    Number,
    /// A number of things, from 0.
    Count(Bound),
    /// `exclusiveMinimum` and `exclusiveMaximum`: a boolean about the keyword beside it in 3.0, a number in 3.1.
    Exclusive {
        /// The keyword beside it.
        inclusive: &'static str,
    },
    /// A boolean that asserts something.
    Flag,
    /// A string that asserts something.
    Text,
    /// `required`.
    Names,
    /// `dependentRequired`: lists of names by name.
    NamesByName,
    /// `enum`: a list of data.
    DataList,
    /// `const`: data.
    Data,
    /// A schema for the same value: a circle of these has no end.
    SameSchema,
    /// A list of schemas for the same value.
    SameSchemas,
    /// Schemas for the same value, by name.
    SameSchemasByName,
    /// A schema for parts of the value.
    PartSchema,
    /// `additionalProperties`, which is a schema for parts or a boolean in every version.
    PartSchemaOrFlag,
    /// `items`: a schema for parts; a list of schemas in older dialects.
    Items,
    /// `additionalItems`, which says something only beside a list under `items`.
    AdditionalItems,
    /// `prefixItems`: a list of schemas for parts.
    PartSchemas,
    /// `properties` and `patternProperties`: schemas for parts by name; the names are data.
    PartSchemasByName,
    /// A string for people and models.
    Note,
    /// A boolean for people and models.
    NoteFlag,
    /// Data for people and models.
    NoteData,
    /// `readOnly` and `writeOnly`.
    Travel,
    /// `$schema`.
    Dialect,
    /// A keyword that changes what references mean or where they lead.
    Unsupported,
}

/// Which end a count bounds: a least count below zero says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Least,
    Most,
}

/// What a keyword is; `None` for everything that is not written out: examples, extensions, definitions that are
/// reached by references alone, and words that no dialect knows.
pub(super) fn keyword(name: &str) -> Option<Keyword> {
    Some(match name {
        "type" => Keyword::Type,
        "nullable" => Keyword::Nullable,
        "properties" | "patternProperties" => Keyword::PartSchemasByName,
        "required" => Keyword::Names,
        "items" => Keyword::Items,
        "enum" => Keyword::DataList,
        "allOf" | "anyOf" | "oneOf" => Keyword::SameSchemas,
        "title" | "description" | "format" | "contentMediaType" | "contentEncoding" => Keyword::Note,
        "default" => Keyword::NoteData,
        "deprecated" => Keyword::NoteFlag,
        "readOnly" | "writeOnly" => Keyword::Travel,
        "additionalProperties" => Keyword::PartSchemaOrFlag,
        "minimum" | "maximum" | "multipleOf" => Keyword::Number,
        "exclusiveMinimum" => Keyword::Exclusive { inclusive: "minimum" },
        "exclusiveMaximum" => Keyword::Exclusive { inclusive: "maximum" },
        "minLength" | "minItems" | "minProperties" | "minContains" => Keyword::Count(Bound::Least),
        "maxLength" | "maxItems" | "maxProperties" | "maxContains" => Keyword::Count(Bound::Most),
        "pattern" => Keyword::Text,
        "uniqueItems" => Keyword::Flag,
        "const" => Keyword::Data,
        "not" | "if" | "then" | "else" => Keyword::SameSchema,
        "dependentSchemas" => Keyword::SameSchemasByName,
        "dependentRequired" => Keyword::NamesByName,
        "contains" | "propertyNames" | "unevaluatedProperties" | "unevaluatedItems" => Keyword::PartSchema,
        "prefixItems" => Keyword::PartSchemas,
        "additionalItems" => Keyword::AdditionalItems,
        "$schema" => Keyword::Dialect,
        "$dynamicRef" | "$recursiveRef" | "$id" => Keyword::Unsupported,
        _ => return None,
    })
}

impl Keyword {
    /// Whether it says something about values, so that ignoring it matters.
    pub(super) fn asserts(self) -> bool {
        !matches!(
            self,
            Self::Note | Self::NoteFlag | Self::NoteData | Self::Travel | Self::Dialect | Self::Unsupported
        )
    }
}

/// Whether a keyword belongs to the version; the ones that do not are read by intent (3.0) or mean nothing.
pub(super) fn belongs(name: &str, version: Version) -> bool {
    match version {
        Version::V30 => !matches!(
            name,
            "const"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "minContains"
                | "maxContains"
                | "propertyNames"
                | "patternProperties"
                | "dependentSchemas"
                | "dependentRequired"
                | "prefixItems"
                | "unevaluatedProperties"
                | "unevaluatedItems"
        ),
        Version::V31 => name != "nullable",
    }
}

/// The dialects that are JSON Schema 2020-12, or 2020-12 with the annotations of `OpenAPI`.
pub(in super::super) fn is_known_dialect(uri: &str) -> bool {
    matches!(
        uri.trim_end_matches('#'),
        "https://json-schema.org/draft/2020-12/schema" | "https://spec.openapis.org/oas/3.1/dialect/base"
    ) || uri.starts_with("https://spec.openapis.org/oas/3.1/dialect/")
}
