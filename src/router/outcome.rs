//! What a successful call brings back.

use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use schemarouter_kernel::base::report::{AttemptReport, SHAPE_VERSION, Spent, seconds};
use serde::Serialize;
use serde_json::value::RawValue;

use super::cut::{self, Cut, Shortened};
use super::pages::NextPageHandle;
use super::selection::{Projected, Selection};
use crate::catalog::Schema;
use crate::executor::{Body, ByteStream};

/// A successful call: the data, and how it came.
#[derive(Debug)]
pub struct Outcome {
    /// The endpoint's key.
    pub endpoint: String,
    /// The HTTP status, where there is one.
    pub status: Option<u16>,
    /// Selected headers of the reply, lower case.
    pub headers: Vec<(String, String)>,
    /// The data.
    pub data: Data,
    /// The attempts, the last one successful.
    pub attempts: Vec<AttemptReport>,
    /// From the start of the run.
    pub elapsed: Duration,
    /// What the run has spent.
    pub spent: Spent,
    /// What the caller should know although it succeeded.
    pub warnings: Vec<String>,
    /// The key under which it was sent, where the endpoint honours one.
    pub idempotency_key: Option<String>,
    /// Its next page, where the endpoint has pages and this is not the last; see [`Router::resume`](super::Router::resume).
    pub next_page: Option<NextPageHandle>,
    /// Where the data is not all there, because the run [limits](super::RunConfig::with_max_result_bytes) it.
    pub cut: Option<Cut>,
}

/// The data of a reply; the received bytes are kept, so that nothing is rounded or lost (ruling 23).
#[derive(Debug)]
pub struct Data {
    content_type: Option<String>,
    json: Option<serde_json::Value>,
    body: Body,
}

impl Data {
    pub(super) fn new(content_type: Option<String>, json: Option<serde_json::Value>, body: Body) -> Self {
        Self { content_type, json, body }
    }

    /// The media type, as received.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// The received bytes, or the JSON text of what was [selected](super::Request::fields) of them; `None` for a stream.
    pub fn bytes(&self) -> Option<&Bytes> {
        match &self.body {
            Body::Buffered(bytes) => Some(bytes),
            Body::Stream(_) => None,
        }
    }

    /// The JSON value, where the reply is JSON. Numbers beyond 64 bits are rounded here; [`Data::raw_json`] keeps
    /// their digits.
    pub fn json(&self) -> Option<&serde_json::Value> {
        self.json.as_ref()
    }

    /// Puts a JSON text in the place of what was received, which is dropped: a caller that asked for less should not pay
    /// for the rest in memory.
    fn replace(&mut self, json: String) {
        self.json = serde_json::from_str(&json).ok();
        self.body = Body::Buffered(json.into());
    }

    /// The JSON text as received, where the reply is JSON.
    pub fn raw_json(&self) -> Option<&RawValue> {
        self.json.as_ref()?;
        raw_json(self.bytes()?)
    }

    /// Takes the body out: the received bytes, or the stream.
    pub(super) fn take(&mut self) -> Result<Bytes, ByteStream> {
        match std::mem::replace(&mut self.body, Body::Stream(ByteStream::ended())) {
            Body::Buffered(bytes) => Ok(bytes),
            Body::Stream(stream) => Err(stream),
        }
    }

    /// The stream, where the reply is one.
    pub fn into_stream(self) -> Option<ByteStream> {
        match self.body {
            Body::Stream(stream) => Some(stream),
            Body::Buffered(_) => None,
        }
    }
}

/// A text that is JSON, without the byte order mark that some put before it.
pub(super) fn raw_json(bytes: &[u8]) -> Option<&RawValue> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    serde_json::from_slice(text).ok()
}

/// An outcome as it is printed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeReport<'a> {
    /// The version of this shape.
    pub version: u32,
    /// The endpoint's key.
    pub endpoint: &'a str,
    /// The HTTP status, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The media type, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<&'a str>,
    /// Selected headers of the reply, lower case.
    pub headers: std::collections::BTreeMap<&'a str, &'a str>,
    /// The data, where it is JSON: as received, digit for digit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub data: Option<&'a RawValue>,
    /// The data, where it is other text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The data, where it is neither, in base64 (RFC 4648).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The attempts, the last one successful.
    pub attempts: &'a [AttemptReport],
    /// From the start of the run, in seconds.
    pub elapsed_seconds: f64,
    /// What the run has spent.
    pub spent: Spent,
    /// What the caller should know although it succeeded.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: &'a [String],
    /// The key under which it was sent, where the endpoint honours one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<&'a str>,
    /// Its next page, where the endpoint has pages and this is not the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<&'a NextPageHandle>,
    /// Where the data is not all there, because it was too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<&'a Cut>,
}

impl Outcome {
    /// Only what was asked for.
    pub(super) fn select(mut self, selection: &Selection, schema: Option<&Schema>) -> Self {
        let Projected { json, warnings } = selection.project(self.data.raw_json(), schema);
        self.warnings.extend(warnings);
        if let Some(json) = json {
            self.data.replace(json);
        }
        self
    }

    /// No more than this; what is not JSON has no places to be cut at, and stays whole.
    pub(super) fn within(mut self, most: usize) -> Self {
        let Some(bytes) = self.data.bytes().filter(|bytes| cut::is_over(bytes.len(), most)) else {
            return self;
        };
        match self.data.raw_json().and_then(|_| cut::shorten(bytes, most)) {
            Some(Shortened { json, cut }) => {
                self.data.replace(json);
                self.cut = cut;
            }
            None => self.warnings.push(format!(
                "the reply has {} bytes, more than the limit of {most} on results, and no JSON structure to cut it at; it \
                 is whole",
                bytes.len()
            )),
        }
        self
    }

    /// The outcome as it is printed; a stream's data is not in it.
    pub fn report(&self) -> OutcomeReport<'_> {
        let data = self.data.raw_json();
        let other = self.data.bytes().filter(|bytes| data.is_none() && !bytes.is_empty());
        let text = other.and_then(|bytes| std::str::from_utf8(bytes).ok());
        OutcomeReport {
            version: SHAPE_VERSION,
            endpoint: &self.endpoint,
            status: self.status,
            content_type: self.data.content_type(),
            headers: self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            data,
            text,
            base64: other
                .filter(|_| text.is_none())
                .map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes)),
            attempts: &self.attempts,
            elapsed_seconds: seconds(self.elapsed),
            spent: self.spent,
            warnings: &self.warnings,
            idempotency_key: self.idempotency_key.as_deref(),
            next_page: self.next_page.as_ref(),
            cut: self.cut.as_ref(),
        }
    }
}
