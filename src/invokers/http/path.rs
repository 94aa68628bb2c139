//! Arguments become a path that nobody on the way can shorten.

use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::{Map, Value};

use crate::catalog::{HttpPlan, Parameter, PathPart, Style};

use super::expand::{self, NoForm, flatten};
use super::refusal::Refusal;

/// The path of the request, below the server's own, beginning with `/`.
///
/// Values are encoded per segment, so that none of them reaches another segment, the query or the host.
///
/// # Errors
/// A value that is absent, expands to nothing, has no wire form, or makes its segment a dot segment: URL parsers
/// remove `.` and `..` even where the dots are written `%2e`, so no encoding saves them (RFC 3986 section 5.2.4).
pub(super) fn expand(plan: &HttpPlan, arguments: &Map<String, Value>) -> Result<String, Refusal> {
    let mut path = Written::default();
    for part in plan.path.iter() {
        match part {
            PathPart::Literal(text) => path.text.push_str(&expand::literal(text, b"?#")),
            PathPart::Parameter(at) => path.value(plan, *at, arguments)?,
        }
    }
    if !path.text.starts_with('/') {
        path.text.insert(0, '/');
        path.values.iter_mut().for_each(|(at, _)| *at += 1);
    }
    path.without_dot_segments()
}

/// The path so far, and where in it the values begin.
#[derive(Default)]
struct Written<'a> {
    text: String,
    values: Vec<(usize, &'a str)>,
}

impl<'a> Written<'a> {
    fn value(
        &mut self,
        plan: &'a HttpPlan,
        at: usize,
        arguments: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let parameter = plan.parameters.get(at).ok_or_else(|| {
            Refusal::new(ErrorKind::CompileError, format!("path `{}` names no parameter {at}", plan.template))
        })?;
        let argument = &*parameter.argument;
        let value = arguments
            .get(argument)
            .filter(|value| !value.is_null())
            .ok_or_else(|| Refusal::of_argument(argument, "is required: it is part of the path"))?;
        let text = segment(parameter, value)
            .map_err(|no_form| no_form.refuse(argument, None))?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| {
                Refusal::of_argument(argument, "is empty: the path would lead to another operation")
            })?;
        self.values.push((self.text.len(), argument));
        self.text.push_str(&text);
        Ok(())
    }

    fn without_dot_segments(self) -> Result<String, Refusal> {
        let mut start = 0;
        for segment in self.text.split('/') {
            let end = start + segment.len();
            if is_dot_segment(segment) {
                let culprit = self.values.iter().find(|(at, _)| (start..end).contains(at));
                return Err(culprit.map_or_else(
                    || {
                        Refusal::new(
                            ErrorKind::CompileError,
                            format!("path `{}` has a dot segment, which is removed on the way", self.text),
                        )
                    },
                    |(_, argument)| {
                        Refusal::of_argument(
                            argument,
                            "makes a path segment `.` or `..`, which leads to another operation",
                        )
                    },
                ));
            }
            start = end + 1;
        }
        Ok(self.text)
    }
}

/// The text of one value; `None` where the value is undefined.
fn segment(parameter: &Parameter, value: &Value) -> Result<Option<String>, NoForm> {
    match parameter.style {
        Style::Simple { explode } => {
            Ok(flatten(value)?.map(|flat| expand::simple(&flat, explode, expand::encode)))
        }
        Style::Label { explode } => flatten(value)?.map(|flat| expand::label(&flat, explode)).transpose(),
        Style::Matrix { explode } => {
            Ok(flatten(value)?.map(|flat| expand::matrix(&parameter.name, &flat, explode)))
        }
        Style::Json => Ok(Some(expand::encode(&value.to_string()))),
        Style::Text => Ok(expand::text(value)?.map(|text| expand::encode(&text))),
        _ => Err(NoForm::Place),
    }
}

/// Whether URL parsers remove this segment, the dots written plainly or as `%2e` (WHATWG URL, "dot segments").
fn is_dot_segment(segment: &str) -> bool {
    let may_be = segment.bytes().all(|byte| matches!(byte, b'.' | b'%' | b'2' | b'e' | b'E'));
    may_be && matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}
