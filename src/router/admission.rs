//! What is checked before anything leaves.

use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::policy::{Declared, ExecutionPolicy, Permission, Rule};

use super::reply_check::ReplyValidation;
use crate::catalog::{Absent, Catalog, DeclaredBy, Endpoint, Found, SAVED_NEXT_STEP, SchemaError};

/// The endpoint of this name, or the nearest names.
pub(super) fn find(catalog: &Catalog, name: &str) -> Result<Arc<Endpoint>, Error> {
    let quoted = |keys: &[String]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    match catalog.find(name) {
        Found::One(endpoint) => Ok(endpoint),
        Found::Ambiguous(keys) => Err(Error::rejected(
            ErrorKind::UnknownEndpoint,
            format!("several sources have an operation `{name}`"),
        )
        .with_hint(format!("name one: {}", quoted(&keys)))),
        Found::Absent(Absent { key, reason }) => Err(Error::rejected(
            ErrorKind::CompileError,
            format!("the operation `{key}` is declared and cannot be called: {reason}"),
        )
        .with_hint("`schemarouter compile FILE` shows where; mend the document there")),
        Found::Unreadable(error) => Err(error.into()),
        Found::None(near) if near.is_empty() => {
            Err(Error::rejected(ErrorKind::UnknownEndpoint, format!("there is no endpoint `{name}`"))
                .with_hint("`schemarouter list FILE` shows all keys"))
        }
        Found::None(near) => {
            Err(Error::rejected(ErrorKind::UnknownEndpoint, format!("there is no endpoint `{name}`"))
                .with_hint(format!("did you mean {}?", quoted(&near))))
        }
    }
}

/// Refuses what the operator does not allow; the rule that demands approval, where one does.
pub(super) fn permit<'p>(
    endpoint: &Endpoint,
    policy: &'p ExecutionPolicy,
) -> Result<Option<&'p Rule>, Error> {
    let declared = Declared {
        effect: endpoint.effect,
        destructive: endpoint.destructive,
        by_operator: endpoint.declared_by == DeclaredBy::Operator,
    };
    let setting = match policy.permission(endpoint.key.as_str(), declared) {
        Permission::Granted => return Ok(None),
        Permission::NeedsApproval(rule) => return Ok(Some(rule)),
        Permission::Denied(rule) => {
            let message =
                format!("`{}` is denied by the rule about `{}`", endpoint.key, rule.endpoints.as_str());
            return Err(Error::rejected(ErrorKind::PolicyRejected, message));
        }
        Permission::Missing(setting) => setting,
    };
    let what = match setting {
        "allow_destructive" => "destroys something",
        "allow_unclassified" => "may change something: nobody says that it is read-only",
        _ => "changes something",
    };
    Err(Error::rejected(
        ErrorKind::PolicyRejected,
        format!("`{}` {what}, which is not allowed", endpoint.key),
    )
    .with_hint(format!("the operator can allow it with `{setting}` (--{})", setting.replace('_', "-"))))
}

/// Builds the schemas of success replies, so that one that cannot be used is known before anything is sent.
pub(super) fn prepare_replies(endpoint: &Endpoint, validation: ReplyValidation) -> Result<(), Error> {
    if validation == ReplyValidation::Off {
        return Ok(());
    }
    let success = |status: crate::catalog::StatusMatch| match status {
        crate::catalog::StatusMatch::Exact(status) => (200..300).contains(&status),
        crate::catalog::StatusMatch::Range(digit) => digit == 2,
        crate::catalog::StatusMatch::Default => true,
    };
    for spec in endpoint.replies.all().iter().filter(|spec| success(spec.status)) {
        for schema in spec.content.iter().filter_map(|content| content.schema.as_ref()) {
            schema.prepare().map_err(|error| {
                Error::rejected(
                    ErrorKind::CompileError,
                    format!("reply {} of `{}`: {error}", spec.status, endpoint.key),
                )
                .with_hint(schema_hint(&error, "correct the document, or switch reply validation off"))
            })?;
        }
    }
    Ok(())
}

/// What to do about a schema that cannot be used: the document is to blame only where it could be read.
pub(super) fn schema_hint(error: &SchemaError, correct: &'static str) -> &'static str {
    if error.is_unreadable() { SAVED_NEXT_STEP } else { correct }
}
