//! Which fields of a reply are asked for.

mod declared;
mod path;
mod project;

use schemarouter_kernel::base::error::Error;
use serde_json::value::RawValue;

use super::tree::Node;
use crate::catalog::Schema;
use declared::Declared;
use path::FieldPath;
pub(super) use path::index;
use project::Projection;

/// The fields of a request, read.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    paths: Vec<FieldPath>,
}

/// What is left of a text, and what is to be said of it.
pub(super) struct Projected {
    /// The JSON text of what was selected; `None` where it stays as it is.
    pub(super) json: Option<String>,
    pub(super) warnings: Vec<String>,
}

impl Selection {
    /// The selection of a request that has one.
    ///
    /// # Errors
    /// `invalid_arguments` for an empty list, a path that is none, and more or longer ones than are read.
    pub(super) fn read(fields: Option<&Vec<String>>) -> Result<Option<Self>, Error> {
        fields.map(|fields| path::all(fields).map(|paths| Self { paths })).transpose()
    }

    /// What of a reply, or of one page, was asked for; the schema is that of its whole.
    pub(super) fn project(&self, text: Option<&RawValue>, schema: Option<&Schema>) -> Projected {
        let unchanged = |why: &str| Projected {
            json: None,
            warnings: vec![format!("no fields were selected: {why}; the data is whole")],
        };
        let Some(text) = text else { return unchanged("the reply is not JSON") };
        let Some(root) = Node::of(text) else { return unchanged("the reply is nested too deep") };
        let mut projection = Projection::new(&self.paths);
        let Some(kept) = projection.of(root) else {
            return unchanged("the reply is neither an object nor a list");
        };
        let met = self.paths.iter().zip(&projection.met);
        let warnings = met.filter_map(|(path, is_met)| missing(path, *is_met, schema)).collect();
        Projected { json: Some(kept.to_text()), warnings }
    }
}

/// What is to be said of a path that the schema does not have, or of which it says nothing and which led to nothing.
fn missing(path: &FieldPath, is_met: bool, schema: Option<&Schema>) -> Option<String> {
    // A schema that cannot be read says nothing; a reply has been held against it, or was not to be.
    let said = schema.and_then(|schema| declared::of(schema, &path.steps).ok()).unwrap_or(Declared::Open);
    let text = &path.text;
    match said {
        Declared::Yes => None,
        Declared::Open if is_met => None,
        Declared::Open => Some(format!("field `{text}` selects nothing: this reply does not have it")),
        Declared::No { name, near } => {
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Some(format!("field `{text}` is not in the reply's schema, which has no `{name}` there{near}"))
        }
    }
}
