//! What stands where in an `OpenAPI` document, as far as tests of whole documents have to know: a table of their own,
//! so that they agree with the compiler by what they find.

/// What a value stands for; the plural is a list, or objects by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    Root,
    Components,
    /// Path items by path, or by the expression of a callback.
    Paths,
    PathItem,
    Operation,
    Callbacks,
    Parameters,
    Parameter,
    Bodies,
    Body,
    Replies,
    Reply,
    Headers,
    Header,
    /// Media types by name.
    Content,
    MediaType,
    Encodings,
    Encoding,
    Schemas,
    Schema,
    Discriminator,
    /// The values of a discriminator, and what they mean.
    Mapping,
    /// Alternatives, each with its security schemes by name.
    Demands,
    Demand,
    Leaves,
    /// An example, a link, a security scheme or the like: perhaps a reference, and none further down.
    Leaf,
    /// For people, with everything in it.
    Prose,
    /// Whatever else is data.
    Data,
}

impl Place {
    /// What stands under a key.
    pub(crate) fn member(self, key: &str) -> Self {
        match self {
            Self::Data | Self::Prose => self,
            Self::Components => section(key),
            Self::Paths | Self::Replies if key.starts_with("x-") => Self::Prose,
            Self::Callbacks => Self::Paths,
            Self::Mapping | Self::Demand => Self::Data,
            plural if plural.item() != plural => plural.item(),
            _ if key.starts_with("x-") => Self::Prose,
            object => object.within(key).unwrap_or_else(|| other(key)),
        }
    }

    /// What stands in a list, and under any name.
    pub(crate) fn item(self) -> Self {
        match self {
            Self::Paths => Self::PathItem,
            Self::Parameters => Self::Parameter,
            Self::Bodies => Self::Body,
            Self::Replies => Self::Reply,
            Self::Headers => Self::Header,
            Self::Content => Self::MediaType,
            Self::Encodings => Self::Encoding,
            Self::Schemas => Self::Schema,
            Self::Demands => Self::Demand,
            Self::Leaves => Self::Leaf,
            same => same,
        }
    }

    /// What an object holds that not many others hold too.
    fn within(self, key: &str) -> Option<Self> {
        Some(match (self, key) {
            (Self::Root, "paths" | "webhooks") => Self::Paths,
            (Self::Root, "components") => Self::Components,
            (Self::Root, "info") => Self::Leaf,
            (Self::Root | Self::Operation, "security") => Self::Demands,
            (Self::PathItem | Self::Operation, "parameters") => Self::Parameters,
            (Self::PathItem, "$ref" | "servers" | "summary" | "description") => return None,
            (Self::PathItem, _) => Self::Operation,
            (Self::Operation, "requestBody") => Self::Body,
            (Self::Operation, "responses") => Self::Replies,
            (Self::Operation, "callbacks") => Self::Callbacks,
            (Self::Parameter | Self::Header | Self::MediaType, "schema") => Self::Schema,
            (Self::Parameter | Self::Header | Self::MediaType, "examples") | (Self::Reply, "links") => {
                Self::Leaves
            }
            (Self::Parameter | Self::Header | Self::Body | Self::Reply, "content") => Self::Content,
            (Self::Reply | Self::Encoding, "headers") => Self::Headers,
            (Self::MediaType, "encoding") => Self::Encodings,
            (Self::Schema, _) => return in_schema(key),
            (Self::Discriminator, "mapping") => Self::Mapping,
            (Self::Leaf, "value") => Self::Prose,
            _ => return None,
        })
    }
}

fn in_schema(key: &str) -> Option<Place> {
    Some(match key {
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" | "allOf"
        | "anyOf" | "oneOf" | "prefixItems" => Place::Schemas,
        "items"
        | "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Place::Schema,
        "discriminator" => Place::Discriminator,
        "examples" => Place::Prose,
        _ => return None,
    })
}

/// A section of the components; those that documents have of their own hold schemas.
fn section(key: &str) -> Place {
    match key {
        "parameters" => Place::Parameters,
        "requestBodies" => Place::Bodies,
        "responses" => Place::Replies,
        "headers" => Place::Headers,
        "examples" | "links" | "securitySchemes" => Place::Leaves,
        "callbacks" => Place::Callbacks,
        "pathItems" => Place::Paths,
        _ => Place::Schemas,
    }
}

/// What any object may hold.
fn other(key: &str) -> Place {
    match key {
        "summary" | "description" | "title" | "example" | "externalDocs" | "tags" => Place::Prose,
        _ => Place::Data,
    }
}
