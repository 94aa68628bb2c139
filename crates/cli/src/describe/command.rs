//! A command line to copy.

use schemarouter::catalog::{Endpoint, Security};
use schemarouter::kernel::base::disposition::Effect;
use serde_json::Value;

use super::arguments::ArgumentsSchema;
use crate::load::{DocumentArgs, Undefined};
use crate::sample::sample;

/// The call with what it needs: required arguments, permission, a server, credentials.
pub(super) fn of(document: &DocumentArgs, endpoint: &Endpoint, arguments: &ArgumentsSchema) -> String {
    let mut words = vec!["schemarouter".to_owned(), "invoke".to_owned(), document.file.display().to_string()];
    words.push(endpoint.key.to_string());
    if let Some(name) = &document.name {
        words.extend(["--name".to_owned(), name.clone()]);
    }
    for (name, value) in &document.server_variables {
        words.extend(["--server-variable".to_owned(), format!("{name}={value}")]);
    }
    if document.styles.undefined_styles == Undefined::Brackets {
        words.extend(["--undefined-styles".to_owned(), "brackets".to_owned()]);
    }
    for property in arguments.properties.iter().filter(|property| property.required) {
        let value = match accepted(endpoint, &property.name, sample(&property.schema, &arguments.definitions))
        {
            Value::String(text) => text,
            other => other.to_string(),
        };
        words.push(format!("{}={value}", property.name));
    }
    words.extend(server(endpoint));
    words.extend(permission(endpoint).iter().map(|flag| (*flag).to_owned()));
    words.extend(credentials(endpoint));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The sample, or where its schema does not take it (a pattern, say) another plain value that it does.
fn accepted(endpoint: &Endpoint, argument: &str, sample: Value) -> Value {
    let Some(schema) = endpoint.argument(argument).and_then(|argument| argument.schema.as_ref()) else {
        return sample;
    };
    let takes = |value: &Value| schema.violations(value).is_ok_and(|violations| violations.is_empty());
    let others = ["1", "a", "A", "a1", "00000000", "https://example.test/"].map(Value::from);
    if takes(&sample) { sample } else { others.into_iter().find(takes).unwrap_or(sample) }
}

fn server(endpoint: &Endpoint) -> Vec<String> {
    match endpoint.http() {
        Some(plan) if plan.servers.is_empty() => {
            vec!["--server".to_owned(), "https://api.example".to_owned()]
        }
        _ => Vec::new(),
    }
}

fn permission(endpoint: &Endpoint) -> &'static [&'static str] {
    match (endpoint.effect, endpoint.destructive) {
        (Effect::ReadOnly, _) => &[],
        (_, false) => &["--allow-mutations"],
        (_, true) => &["--allow-mutations", "--allow-destructive"],
    }
}

/// The schemes of the first alternative, each from an environment variable of its name.
fn credentials(endpoint: &Endpoint) -> Vec<String> {
    let Some(Security::Alternatives(alternatives)) = endpoint.http().map(|plan| &plan.security) else {
        return Vec::new();
    };
    let schemes = alternatives.first().into_iter().flatten();
    let flags = schemes.flat_map(|scheme| {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let variable: String =
            scheme.name.chars().map(|c| if is_word(c) { c.to_ascii_uppercase() } else { '_' }).collect();
        ["--credential-env".to_owned(), format!("{}={variable}", scheme.name)]
    });
    flags.collect()
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_reach_the_command_as_they_are() {
        assert_eq!(quoted("id=7"), "id=7");
        assert_eq!(quoted(r#"body={"a": 1}"#), r#"'body={"a": 1}'"#);
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME*"), "'$HOME*'");
    }
}
