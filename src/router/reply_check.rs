//! Whether a reply keeps its contract.

use schemarouter_kernel::base::disposition::Reached;
use schemarouter_kernel::base::error::Received;
use schemarouter_kernel::base::kind::{ErrorKind, Phase};
use schemarouter_kernel::kernel::Fact;
use serde::{Deserialize, Serialize};

use crate::catalog::{Binding, Endpoint, Schema, SchemaError, Violation};
use crate::executor::{Body, Failure, Reply, ReplyCheck};

/// What happens to a success reply that breaks its schema (ruling 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplyValidation {
    /// It is a failure; the reply stays with the error.
    #[default]
    Strict,
    /// It is a success with a warning.
    Warn,
    /// It is not looked at.
    Off,
}

/// Checks replies against the schemas of one endpoint.
pub(super) struct ContractCheck<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) validation: ReplyValidation,
}

impl ReplyCheck for ContractCheck<'_> {
    fn check(&self, mut reply: Reply) -> Result<Reply, Failure> {
        if self.validation == ReplyValidation::Off {
            return Ok(reply);
        }
        let violation = match self.first_violation(&reply) {
            Ok(None) => return Ok(reply),
            Ok(Some(violation)) => violation,
            Err(error) => {
                return Err(Failure::new(ErrorKind::CompileError, Fact::UnusableReply, error.to_string())
                    .with_reached(reached(&reply))
                    .with_phase(Phase::Reply)
                    .with_received(received(reply)));
            }
        };
        let status = reply.status.map_or_else(String::new, |status| format!(" {status}"));
        let at = if violation.pointer.is_empty() { "the top" } else { violation.pointer.as_str() };
        let message =
            format!("the{status} reply breaks `{}` at {at}: {}", violation.keyword, violation.message);
        if self.validation == ReplyValidation::Warn {
            reply.warnings.push(message);
            return Ok(reply);
        }
        Err(Failure::new(ErrorKind::ContractViolation, Fact::UnusableReply, message)
            .with_reached(reached(&reply))
            .with_violation(violation.pointer, violation.keyword)
            .with_hint(
                "the whole reply is kept with this error; `replies: warn` or `off` accepts replies that break their \
                 schema",
            )
            .with_received(received(reply)))
    }
}

impl ContractCheck<'_> {
    fn first_violation(&self, reply: &Reply) -> Result<Option<Violation>, SchemaError> {
        let Some(json) = &reply.json else { return Ok(None) };
        let Some(schema) = schema_of(reply, self.endpoint) else { return Ok(None) };
        Ok(schema.violations(json)?.into_iter().next())
    }
}

/// What a reply must satisfy, where that is declared.
pub(super) fn schema_of<'a>(reply: &'a Reply, endpoint: &'a Endpoint) -> Option<&'a Schema> {
    reply.schema.as_ref().or_else(|| match endpoint.binding {
        // The reply schema of a contract: there is one, whatever the reply says of itself.
        Binding::Custom => endpoint.replies.all().first()?.content.first()?.schema.as_ref(),
        Binding::Http(_) => None,
    })
}

fn reached(reply: &Reply) -> Reached {
    reply.status.map_or(Reached::MaybeSent, Reached::Answered)
}

fn received(reply: Reply) -> Option<Received> {
    let Body::Buffered(body) = reply.body else { return None };
    Some(Received { status: reply.status.unwrap_or(0), content_type: reply.content_type, body: body.into() })
}
