//! Which version of `OpenAPI` a document follows.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

use crate::compile::document::Node;

/// A version whose rules differ from the others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// 3.0.x: schemas are its own dialect.
    V30,
    /// 3.1.x: schemas are JSON Schema 2020-12.
    V31,
}

const SUPPORTED: &str = "supported are OpenAPI 3.0.x and 3.1.x";

/// The version and its text as published.
pub(super) fn detect(root: Node<'_>) -> Result<(Version, String), Error> {
    if let Some(swagger) = root.get("swagger").and_then(Node::scalar_text) {
        return Err(refused(&format!("Swagger {swagger}"), "convert the document to OpenAPI 3"));
    }
    let Some(text) = root.get("openapi").and_then(Node::scalar_text) else {
        return Err(refused(
            "an OpenAPI document whose version is no text",
            "give `openapi` a version such as 3.1.0",
        ));
    };
    let mut numbers = text.split(['.', '-']);
    match (numbers.next(), numbers.next()) {
        (Some("3"), Some("0")) => Ok((Version::V30, text.to_owned())),
        (Some("3"), Some("1")) => Ok((Version::V31, text.to_owned())),
        _ => Err(refused(&format!("OpenAPI {text}"), "give the document in a supported version")),
    }
}

fn refused(what: &str, next: &str) -> Error {
    Error::rejected(ErrorKind::CompileError, format!("{what} is not supported; {SUPPORTED}")).with_hint(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::document::{Document, Limits};

    fn detected(text: &str) -> Result<(Version, String), String> {
        let document = Document::from_json(text, &Limits::default()).expect("test documents are JSON");
        detect(document.root()).map_err(|error| error.to_string())
    }

    #[test]
    fn versions_are_told_apart_and_refused_by_name() {
        assert_eq!(detected(r#"{"openapi": "3.0.3"}"#), Ok((Version::V30, "3.0.3".to_owned())));
        assert_eq!(detected(r#"{"openapi": "3.0.0-RC1"}"#), Ok((Version::V30, "3.0.0-RC1".to_owned())));
        assert_eq!(detected(r#"{"openapi": "3.1.1"}"#), Ok((Version::V31, "3.1.1".to_owned())));
        assert_eq!(detected(r#"{"openapi": 3.1}"#), Ok((Version::V31, "3.1".to_owned())));
        for (document, named) in [
            (r#"{"openapi": "3.2.0"}"#, "OpenAPI 3.2.0"),
            (r#"{"openapi": "4"}"#, "OpenAPI 4"),
            (r#"{"openapi": "3.10.0"}"#, "OpenAPI 3.10.0"),
            (r#"{"swagger": "2.0"}"#, "Swagger 2.0"),
            (r#"{"openapi": {}}"#, "no text"),
        ] {
            let message = detected(document).expect_err(named);
            assert!(message.contains(named) && message.contains("3.0.x and 3.1.x"), "{message}");
        }
    }
}
