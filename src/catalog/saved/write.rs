//! From endpoints to lines.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;

use super::VERSION;
use super::error::SavedError;
use super::key::{CatalogKey, check};
use super::shape::{
    Header, Index, Number, Part, SavedAbsent, SavedArgument, SavedBody, SavedContent, SavedEndpoint,
    SavedFingerprints, SavedFormat, SavedHttp, SavedListed, SavedParameter, SavedReply, SavedSecurity,
    SavedText,
};
use super::texts::SchemaTexts;
use crate::catalog::source::most_servers;
use crate::catalog::{
    Absent, Argument, BodyFormat, BodyPlan, Content, Endpoint, Fingerprints, HttpPlan, Parameter, Security,
    SourceInfo, Support,
};

/// Texts from this length on have a part of their own, so that those who share them in memory share them here.
const LONG_TEXT: usize = 200;

/// What is nested deeper is not saved: it could not be read again, since `serde_json` reads 127 levels.
const MOST_DEEP: usize = 120;

/// The lines of a compiled document.
pub(crate) fn write(
    info: &SourceInfo,
    endpoints: &[Endpoint],
    absent: &[Absent],
    key: &CatalogKey,
) -> Result<Vec<u8>, SavedError> {
    let mut writer = Writer::new(endpoints.len());
    let lines = endpoints
        .iter()
        .map(|endpoint| line(&Part::Endpoint(Box::new(writer.endpoint(endpoint)?))))
        .collect::<Result<Vec<_>, SavedError>>()?;
    let Writer { mut parts, schemas, .. } = writer;
    let (names, patterns) = schemas.finish()?;
    let listing = parts.add(&Part::Listing(endpoints.iter().filter_map(listed).collect()))?;
    let (names, patterns) = (parts.add(&Part::Names(names))?, parts.add(&Part::Patterns(patterns))?);
    let lines: Vec<Rc<str>> = lines.into_iter().map(Rc::from).chain(parts.lines).collect();
    let index = line(&Index {
        source: info.name.clone(),
        format: info.format.clone(),
        operations_declared: info.operations_declared,
        most_servers: most_servers(endpoints),
        operations: endpoints.iter().map(|endpoint| endpoint.key.operation().to_owned()).collect(),
        absent: absent
            .iter()
            .map(|absent| SavedAbsent {
                operation: absent.key.operation().to_owned(),
                reason: absent.reason.clone(),
            })
            .collect(),
        listing,
        names,
        patterns,
        lengths: lines.iter().map(|line| length(line)).collect::<Result<_, _>>()?,
        checks: lines.iter().map(|line| check(line.as_bytes())).collect(),
    })?;
    let header = line(&Header {
        version: VERSION,
        options: key.options,
        document: key.document,
        index_length: length(&index)?,
        index_check: check(index.as_bytes()),
    })?;
    Ok([&*header, &*index]
        .into_iter()
        .chain(lines.iter().map(|line| &**line))
        .collect::<String>()
        .into_bytes())
}

fn listed(endpoint: &Endpoint) -> Option<SavedListed> {
    let plan = endpoint.http()?;
    Some(SavedListed {
        method: plan.method.clone(),
        path: plan.template.clone(),
        summary: endpoint.summary.clone(),
        tags: endpoint.tags.clone(),
        deprecated: endpoint.deprecated,
        effect: endpoint.effect,
        destructive: endpoint.destructive,
    })
}

fn length(line: &str) -> Result<u32, SavedError> {
    u32::try_from(line.len()).map_err(|_| too_large())
}

fn too_large() -> SavedError {
    SavedError::unsupported("would be too large")
}

/// JSON on one line.
fn line(value: &impl Serialize) -> Result<String, SavedError> {
    let mut line = serde_json::to_string(value)
        .map_err(|error| SavedError::unsupported(format!("cannot be written: {error}")))?;
    if depth(&line) > MOST_DEEP {
        return Err(SavedError::unsupported(format!("would be nested deeper than {MOST_DEEP} levels")));
    }
    line.push('\n');
    Ok(line)
}

/// How deep JSON is nested.
fn depth(json: &str) -> usize {
    let (mut open, mut most, mut in_string, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !in_string => open -= 1,
            _ => {}
        }
    }
    most
}

/// The parts after the endpoints; what is the same is one part.
#[derive(Debug)]
pub(super) struct Parts {
    first: usize,
    lines: Vec<Rc<str>>,
    by_text: HashMap<Rc<str>, Number>,
}

impl Parts {
    /// The number of this part.
    pub(super) fn add(&mut self, part: &Part) -> Result<Number, SavedError> {
        let line = line(part)?;
        if let Some(known) = self.by_text.get(line.as_str()) {
            return Ok(*known);
        }
        let line: Rc<str> = line.into();
        let number = self.reserve()?;
        self.by_text.insert(Rc::clone(&line), number);
        self.put(number, line);
        Ok(number)
    }

    /// The number of a part that is [`set`](Self::set) later, and is nobody else's whatever it says.
    pub(super) fn reserve(&mut self) -> Result<Number, SavedError> {
        let number = Number::try_from(self.first + self.lines.len()).map_err(|_| too_large())?;
        self.lines.push("".into());
        Ok(number)
    }

    pub(super) fn set(&mut self, number: Number, part: &Part) -> Result<(), SavedError> {
        self.put(number, line(part)?.into());
        Ok(())
    }

    fn put(&mut self, number: Number, line: Rc<str>) {
        let place = usize::try_from(number).ok().and_then(|number| self.lines.get_mut(number - self.first));
        if let Some(place) = place {
            *place = line;
        }
    }
}

/// What was written for what is shared in memory, by address: all of it outlives the writer.
struct Writer {
    parts: Parts,
    schemas: SchemaTexts,
    by_address: HashMap<*const (), Number>,
}

impl Writer {
    fn new(endpoints: usize) -> Self {
        let parts = Parts { first: endpoints, lines: Vec::new(), by_text: HashMap::new() };
        Self { parts, schemas: SchemaTexts::default(), by_address: HashMap::new() }
    }

    fn shared<T: ?Sized>(
        &mut self,
        value: &Arc<T>,
        part: impl FnOnce(&mut Self, &T) -> Result<Part, SavedError>,
    ) -> Result<Number, SavedError> {
        let address = Arc::as_ptr(value).cast::<()>();
        if let Some(known) = self.by_address.get(&address) {
            return Ok(*known);
        }
        let part = part(self, value)?;
        let number = self.parts.add(&part)?;
        self.by_address.insert(address, number);
        Ok(number)
    }

    fn endpoint(&mut self, endpoint: &Endpoint) -> Result<SavedEndpoint, SavedError> {
        let Some(plan) = endpoint.http().filter(|_| endpoint.arguments_schema.is_none()) else {
            return Err(SavedError::unsupported(format!(
                "is for documents, and `{}` is registered code",
                endpoint.key
            )));
        };
        let Fingerprints { request, reply, security, destination, prose } = endpoint.fingerprints;
        let arguments =
            endpoint.arguments.iter().map(|argument| self.argument(argument)).collect::<Result<_, _>>()?;
        let replies = endpoint.replies.all().iter().map(|spec| {
            let content = self.shared(&spec.content, Self::content)?;
            Ok(SavedReply { status: spec.status, content })
        });
        Ok(SavedEndpoint {
            summary: endpoint.summary.clone(),
            description: endpoint.description.clone(),
            tags: endpoint.tags.clone(),
            deprecated: endpoint.deprecated,
            effect: endpoint.effect,
            destructive: endpoint.destructive,
            arguments,
            replies: replies.collect::<Result<_, SavedError>>()?,
            http: self.plan(plan)?,
            fingerprints: SavedFingerprints { request, reply, security, destination, prose },
            pointer: endpoint.pointer.clone(),
        })
    }

    fn argument(&mut self, argument: &Argument) -> Result<SavedArgument, SavedError> {
        let description = match &argument.description {
            Some(text) if text.len() >= LONG_TEXT => {
                Some(SavedText::Shared(self.shared(text, |_, text| Ok(Part::Text(text.to_owned())))?))
            }
            Some(text) => Some(SavedText::Here(text.to_string())),
            None => None,
        };
        let schema = argument.schema.as_ref();
        Ok(SavedArgument {
            name: argument.name.to_string(),
            description,
            required: argument.required,
            schema: schema.map(|schema| self.schemas.number(schema, &mut self.parts)).transpose()?,
            unsupported: match &argument.support {
                Support::Supported => None,
                Support::Unsupported(reason) => Some(reason.clone()),
            },
        })
    }

    fn content(&mut self, content: &[Content]) -> Result<Part, SavedError> {
        let saved = content.iter().map(|content| {
            let schema = content.schema.as_ref();
            Ok(SavedContent {
                media_type: content.media_type.clone(),
                schema: schema.map(|schema| self.schemas.number(schema, &mut self.parts)).transpose()?,
            })
        });
        Ok(Part::Content(saved.collect::<Result<_, SavedError>>()?))
    }

    fn plan(&mut self, plan: &HttpPlan) -> Result<SavedHttp, SavedError> {
        Ok(SavedHttp {
            method: plan.method.clone(),
            template: plan.template.clone(),
            path: plan.path.to_vec(),
            fixed_query: plan.fixed_query.clone(),
            parameters: plan.parameters.iter().map(parameter).collect(),
            body: plan.body.as_ref().map(|body| self.body(body)).transpose()?,
            servers: self.shared(&plan.servers, |_, servers| Ok(Part::Servers(servers.to_vec())))?,
            security: match &plan.security {
                Security::Undeclared => SavedSecurity::Undeclared,
                Security::Public => SavedSecurity::Public,
                Security::Alternatives(all) => {
                    SavedSecurity::Alternatives(self.shared(all, |_, all| Ok(Part::Security(all.to_vec())))?)
                }
            },
            accept: plan.accept.clone(),
        })
    }

    fn body(&mut self, body: &BodyPlan) -> Result<SavedBody, SavedError> {
        let format = match &body.format {
            BodyFormat::Json => SavedFormat::Json,
            BodyFormat::Text => SavedFormat::Text,
            BodyFormat::Form(styles) => {
                SavedFormat::Form(self.shared(styles, |_, styles| Ok(Part::Form(styles.clone())))?)
            }
        };
        Ok(SavedBody { media_type: body.media_type.clone(), required: body.required, format })
    }
}

fn parameter(parameter: &Parameter) -> SavedParameter {
    let Parameter { name, argument, location, style, required } = parameter;
    SavedParameter {
        name: name.to_string(),
        argument: (argument != name).then(|| argument.to_string()),
        location: *location,
        style: *style,
        required: *required,
    }
}
