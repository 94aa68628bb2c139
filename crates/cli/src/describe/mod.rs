//! `describe`: one endpoint, and how to call it.

mod arguments;
mod command;
mod text;

use schemarouter::catalog::{Endpoint, Fingerprints, HttpPlan, Security, Source, Support};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::fingerprint::Fingerprint;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::SHAPE_VERSION;
use schemarouter::router::{Router, Setting, Settings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::DescribeArgs;
use crate::exit::Exit;
use crate::print::Console;
use crate::shapes::Effect;
use crate::{failure, load};
use arguments::ArgumentsSchema;

/// One endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DescribeReport {
    /// The version of this shape.
    version: u32,
    /// `source.operation`.
    key: String,
    /// The HTTP method; null where it is not reached over HTTP.
    method: Option<String>,
    /// The path template as published; null where it is not reached over HTTP.
    path: Option<String>,
    /// One line, as the document says.
    summary: Option<String>,
    /// More lines, as the document says.
    description: Option<String>,
    /// The groups that the document puts it in.
    tags: Vec<String>,
    /// Whether the document calls it deprecated.
    deprecated: bool,
    #[serde(flatten)]
    effect: Effect,
    /// What the arguments object must satisfy, in JSON Schema 2020-12.
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    arguments: ArgumentsSchema,
    /// Arguments that cannot be sent, with the reason; leaving them out is fine.
    unsupported_arguments: Vec<UnsupportedArgument>,
    /// Names of security schemes: any one list suffices, all of a list go together. Empty: public. Null: the document
    /// says nothing.
    security: Option<Vec<Vec<String>>>,
    /// Where it is served; the first is the default. Empty: a call has to name a server.
    servers: Vec<String>,
    /// What it answers.
    replies: Vec<DescribedReply>,
    /// What it is by content.
    fingerprints: DescribedFingerprints,
    /// What the operator says of it, and the document in the operator's place; each with where.
    declared: Vec<Setting>,
    /// A command line that calls it.
    command: String,
}

/// An argument that cannot be sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct UnsupportedArgument {
    /// Its name.
    name: String,
    /// Why.
    reason: String,
}

/// A declared reply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DescribedReply {
    /// A status, a range such as `2XX`, or `default`.
    status: String,
    /// Its media types.
    content: Vec<String>,
}

/// What an endpoint is by content, whatever its document looks like.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DescribedFingerprints {
    /// The contract: request, reply and security.
    pin: Fingerprint,
    /// What is sent.
    request: Fingerprint,
    /// What may be received.
    reply: Fingerprint,
    /// What is demanded as proof of identity.
    security: Fingerprint,
    /// Where requests go.
    destination: Fingerprint,
    /// What people and models read.
    prose: Fingerprint,
}

impl From<&Fingerprints> for DescribedFingerprints {
    fn from(parts: &Fingerprints) -> Self {
        let Fingerprints { request, reply, security, destination, prose } = *parts;
        Self { pin: parts.pin(), request, reply, security, destination, prose }
    }
}

/// Describes one endpoint.
pub(crate) fn run(args: &DescribeArgs, console: &mut Console) -> Exit {
    let source = match load::source(&args.document, args.json, console) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    match args.settings.read().and_then(|settings| report(source, settings, args)) {
        Err(error) if error.kind() == ErrorKind::InvalidSettings => {
            failure::tell(&error, args.json, console);
            Exit::Usage
        }
        Err(error) => failure::tell(&error, args.json, console),
        Ok(report) => {
            if args.json {
                console.json(&report);
            } else {
                for line in text::of(&report) {
                    console.data(line);
                }
            }
            Exit::Success
        }
    }
}

fn report(source: Source, settings: Settings, args: &DescribeArgs) -> Result<DescribeReport, Error> {
    let settings = settings.only([source.info().name.as_str()]);
    let router = Router::builder().source(source).settings(settings).build()?;
    let endpoint = router.endpoint(&args.key)?;
    let arguments = ArgumentsSchema::of(&endpoint)?;
    let http = endpoint.http();
    Ok(DescribeReport {
        version: SHAPE_VERSION,
        key: endpoint.key.to_string(),
        method: http.map(|plan| plan.method.clone()),
        path: http.map(|plan| plan.template.clone()),
        summary: endpoint.summary.clone(),
        description: endpoint.description.clone(),
        tags: endpoint.tags.clone(),
        deprecated: endpoint.deprecated,
        effect: Effect::of(endpoint.effect, endpoint.destructive),
        unsupported_arguments: unsupported(&endpoint),
        security: http.and_then(security),
        servers: http.map(|plan| plan.servers.to_vec()).unwrap_or_default(),
        replies: replies(&endpoint),
        fingerprints: (&endpoint.fingerprints).into(),
        declared: router.explain(&endpoint),
        command: command::of(&args.document, &endpoint, &arguments),
        arguments,
    })
}

fn unsupported(endpoint: &Endpoint) -> Vec<UnsupportedArgument> {
    let reasons = endpoint.arguments.iter().filter_map(|argument| match &argument.support {
        Support::Supported => None,
        Support::Unsupported(reason) => {
            Some(UnsupportedArgument { name: argument.name.to_string(), reason: reason.clone() })
        }
    });
    reasons.collect()
}

fn security(plan: &HttpPlan) -> Option<Vec<Vec<String>>> {
    match &plan.security {
        Security::Undeclared => None,
        Security::Public => Some(Vec::new()),
        Security::Alternatives(alternatives) => {
            let names = alternatives.iter().map(|all| all.iter().map(|scheme| scheme.name.clone()).collect());
            Some(names.collect())
        }
    }
}

fn replies(endpoint: &Endpoint) -> Vec<DescribedReply> {
    let described = endpoint.replies.all().iter().map(|reply| DescribedReply {
        status: reply.status.to_string(),
        content: reply.content.iter().map(|content| content.media_type.clone()).collect(),
    });
    described.collect()
}
