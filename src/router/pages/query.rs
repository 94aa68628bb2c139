//! The query of a page's URL that comes from a handle, and so from anybody.

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::Value;
use url::Url;

use crate::catalog::{Endpoint, Location, Schema, Style};

/// Refuses a URL that gives a declared parameter what no argument may be. What is not declared is the other side's own.
///
/// A text in a query may stand for a number, a boolean, or a list with its delimiter; it is enough that one of them fits.
pub(super) fn check(endpoint: &Endpoint, url: &str) -> Result<(), Error> {
    let Some(plan) = endpoint.http() else { return Ok(()) };
    // Handles have absolute URLs; the query of any other would be looked at here and resolved elsewhere.
    let url = Url::parse(url).map_err(|error| {
        let message = format!("the URL in the handle cannot be read: {error}");
        Error::rejected(ErrorKind::InvalidArguments, message)
    })?;
    for parameter in plan.parameters.iter().filter(|parameter| parameter.location == Location::Query) {
        let given = url.query_pairs().filter(|(name, _)| *name == *parameter.name);
        let given: Vec<String> = given.map(|(_, value)| value.into_owned()).collect();
        let argument = endpoint.argument(&parameter.argument);
        let Some(schema) = argument.and_then(|argument| argument.schema.as_ref()) else { continue };
        if !given.is_empty() && !readings(&given, parameter.style).iter().any(|value| fits(schema, value)) {
            let message =
                format!("the URL in the handle gives `{}` what its argument may not be", parameter.name);
            return Err(Error::rejected(ErrorKind::InvalidArguments, message)
                .with_violation(format!("/{}", parameter.argument), "schema"));
        }
    }
    Ok(())
}

fn fits(schema: &Schema, value: &Value) -> bool {
    schema.violations(value).is_ok_and(|violations| violations.is_empty())
}

/// What the texts may stand for.
fn readings(given: &[String], style: Style) -> Vec<Value> {
    let delimited = |text: &str| -> Vec<String> { text.split([',', ' ', '|']).map(str::to_owned).collect() };
    let parsed = |text: &String| match serde_json::from_str::<Value>(text) {
        Ok(value) if !value.is_array() && !value.is_object() || matches!(style, Style::Json) => value,
        _ => Value::from(text.as_str()),
    };
    let lists = |texts: &[String]| {
        let texts_as_they_are = texts.iter().map(|text| Value::from(text.as_str())).collect();
        [texts_as_they_are, texts.iter().map(parsed).collect()].map(Value::Array)
    };
    let mut readings = lists(given).to_vec();
    if let [one] = given {
        readings.extend([Value::from(one.as_str()), parsed(one)]);
        readings.extend(lists(&delimited(one)));
    }
    readings
}
