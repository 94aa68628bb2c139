//! How values become text: the defaults and combinations of the Parameter and Encoding Objects.

use crate::catalog::{Delimiter, Location, Style};
use crate::compile::UndefinedStyles;
use crate::compile::diagnostic::DiagnosticCode;
use crate::compile::document::Node;

use super::probe::{Plain, Probe};
use super::refs::Refs;

/// A rule and what it says.
pub(super) type Remark = (DiagnosticCode, String);

/// What to do where a convention has a form for what the specification leaves undefined.
const CHOOSE: &str = "the operator may choose a convention (`undefined_styles`)";

/// Members that a remark names.
const NAMED: usize = 3;

/// Plans what `node`, a Parameter or Encoding Object, says with `style`, `explode` and `allowReserved`, and `beyond`
/// what that defines.
///
/// Warnings go to `remarks`.
///
/// # Errors
/// The rule and the reason why no value that the schema plainly demands has a form.
pub(super) fn planned<'d>(
    node: Node<'d>,
    location: Location,
    schema: Option<Node<'d>>,
    beyond: UndefinedStyles,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<Style, Remark> {
    let default = match location {
        Location::Query | Location::Cookie => "form",
        Location::Path | Location::Header => "simple",
    };
    let style = node.get("style").and_then(Node::as_str).unwrap_or(default);
    // True by default for `form` only, in every version (case 015).
    let explode = node.get("explode").and_then(Node::as_bool).unwrap_or(style == "form");
    let reserved = node.get("allowReserved").and_then(Node::as_bool) == Some(true);
    let shape = schema.map_or(Plain::Unknown, |schema| Probe::new(refs).plain(schema));
    let brackets = beyond == UndefinedStyles::Brackets;
    let undefined = |what: &str| Err((DiagnosticCode::UndefinedSerialization, undefined(what)));
    let planned = match (location, style, explode) {
        (Location::Path | Location::Header, "simple", explode) => Style::Simple { explode },
        (Location::Path, "label", explode) => Style::Label { explode },
        (Location::Path, "matrix", explode) => Style::Matrix { explode },
        (Location::Query, "form", true)
            if brackets && shape == Plain::Array && is_nested_list(schema, refs) =>
        {
            Style::Brackets { reserved }
        }
        (Location::Query, "form", explode) => Style::Form { explode, reserved },
        // Pairs in a cookie are not joined by `&` (Appendix D), so what is exploded has to be one value.
        (Location::Cookie, "form", true) if matches!(shape, Plain::Array | Plain::Object) => {
            return undefined(
                "an exploded list or object is written in a cookie; `explode: false` is defined",
            );
        }
        (Location::Cookie, "form", explode) => Style::Form { explode, reserved: false },
        (Location::Query, "spaceDelimited" | "pipeDelimited", true) => {
            return undefined(&format!("`style: {style}` is written with `explode: true`"));
        }
        (Location::Query, "spaceDelimited" | "pipeDelimited", false) if shape == Plain::Scalar => {
            return undefined(&format!("a single value is written with `style: {style}`"));
        }
        (Location::Query, "spaceDelimited", false) => {
            Style::Delimited { delimiter: Delimiter::Space, reserved }
        }
        (Location::Query, "pipeDelimited", false) => {
            Style::Delimited { delimiter: Delimiter::Pipe, reserved }
        }
        (Location::Query, "deepObject", _) if brackets => Style::Brackets { reserved },
        (Location::Query, "deepObject", _) if matches!(shape, Plain::Scalar | Plain::Array) => {
            return undefined(&format!(
                "anything but an object is written with `style: deepObject`; {CHOOSE}"
            ));
        }
        (Location::Query, "deepObject", _) => Style::DeepObject { reserved },
        (_, style, _) => return undefined(&format!("`style: {style}` is written here")),
    };
    if !matches!(planned, Style::Brackets { .. }) {
        nested(style, explode, shape, schema, refs, remarks)?;
    }
    // There is only one form of deepObject, and its default is the other one.
    if style == "deepObject" && !explode {
        let message = "`style: deepObject` is defined for `explode: true` only; read as that".to_owned();
        remarks.push((DiagnosticCode::ReadByIntent, message));
    }
    Ok(planned)
}

fn is_nested_list<'d>(schema: Option<Node<'d>>, refs: &mut Refs<'d>) -> bool {
    schema.is_some_and(|schema| Probe::new(refs).items_are_nested(schema))
}

/// The sentence about something undefined; `what` completes "the specification does not say how ...".
fn undefined(what: &str) -> String {
    format!("the specification does not say how {what}")
}

/// What the schema plainly holds that no style can write: an error where it is demanded, else a remark.
fn nested<'d>(
    style: &str,
    explode: bool,
    shape: Plain,
    schema: Option<Node<'d>>,
    refs: &mut Refs<'d>,
    remarks: &mut Vec<Remark>,
) -> Result<(), Remark> {
    let Some(schema) = schema else { return Ok(()) };
    let mut probe = Probe::new(refs);
    // Brackets are for what has a name before them and is written in pairs.
    let curable = style == "deepObject" || (style == "form" && explode && shape == Plain::Array);
    let error = |what: &str| {
        let choose = if curable { format!("; {CHOOSE}") } else { String::new() };
        let message = undefined(&format!("{what} is written with `style: {style}`{choose}"));
        Err((DiagnosticCode::UndefinedSerialization, message))
    };
    match shape {
        Plain::Array if probe.items_are_nested(schema) => error("a list of lists or objects"),
        Plain::Object => {
            let mut nested = probe.members(schema);
            nested.retain(|member| probe.is_nested(member.schema));
            if nested.iter().any(|member| member.required) {
                return error("an object of lists or objects");
            }
            if !nested.is_empty() {
                let names: Vec<&str> = nested.iter().map(|member| member.name).collect();
                let message = undefined(&format!(
                    "members that are lists or objects are written with `style: {style}`; a call that gives {} is \
                     refused",
                    listed(&names)
                ));
                remarks.push((DiagnosticCode::UndefinedSerialization, message));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Some of the names, and how many more there are.
pub(super) fn listed(names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    shown.join(", ")
}
