//! What a call over HTTP costs beside the bare client: over loopback, in one process, in alternating blocks.
//!
//! The server has a thread of its own, and the time is that of the thread that calls.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::kernel::policy::{ExecutionBudget, RetryPolicy};
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::Answer;
use crate::calls::document;

const CALLS_IN_BLOCK: usize = 1_000;
/// Odd, so that a median is one of them.
const BLOCKS: usize = 15;
/// The limits that the bare client gets too: on its time, and on the bytes of a reply.
const TIME_LIMIT: Duration = Duration::from_secs(30);
const BYTE_CAP: usize = 16 << 20;

type Failed = Box<dyn std::error::Error>;

/// For each pair of blocks a line: nanoseconds of a call, and of the same exchange by the bare client; so many of them are
/// under way at once.
pub(crate) fn measure(at_once: &str) -> Answer {
    let at_once: usize = at_once.parse()?;
    let server = Server::start_on_thread(Script::from(Reply::json(200, reply().to_string())))?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (ours, bare) = (Ours::new(&server.url())?, Bare::new(&server.url())?);
    runtime.block_on(async {
        // The first block of both warms up, and makes the connections.
        ours.block(at_once).await?;
        bare.block(at_once).await?;
        let mut answer = String::new();
        for number in 0..BLOCKS {
            let mut nanoseconds = [0; 2];
            // Each goes first in turn.
            for at in [number % 2, 1 - number % 2] {
                let taken = if at == 0 { ours.block(at_once).await? } else { bare.block(at_once).await? };
                nanoseconds[at] = taken.as_nanos() / CALLS_IN_BLOCK as u128;
            }
            answer += &format!("{} {}\n", nanoseconds[0], nanoseconds[1]);
        }
        Ok(answer.trim_end().to_owned())
    })
}

/// Twenty items, a kilobyte.
fn reply() -> Value {
    let items: Vec<Value> =
        (0..20).map(|age| json!({"name": format!("a name of some length {age}"), "age": age})).collect();
    json!({"items": items, "cursor": null})
}

/// A router with everything on: arguments and reply are checked, the budget counts.
struct Ours {
    router: Router,
    request: Request,
    config: RunConfig,
}

impl Ours {
    fn new(url: &str) -> Result<Self, Failed> {
        let egress = EgressPolicy { allow_loopback: true, allow_plain_http: true, ..EgressPolicy::default() };
        let settings = HttpSettings::default().with_egress(egress).with_base_url("generated", url.parse()?);
        let budget = ExecutionBudget {
            max_attempts: Some(u32::MAX),
            max_response_bytes: Some(u64::MAX),
            max_elapsed: Some(TIME_LIMIT),
            ..ExecutionBudget::default()
        };
        let router = Router::builder().source(document::compiled(0..1)?).http(settings).build()?;
        let arguments = json!({"id": "one", "limit": 20, "order": "name", "tags": ["new", "small"]});
        let request = Request::new(format!("generated.{}", document::operation(0)), arguments);
        let retry = RetryPolicy::builder().max_attempts(3).build()?;
        Ok(Self { router, request, config: RunConfig::default().with_budget(budget).with_retry(retry) })
    }

    async fn block(&self, at_once: usize) -> Result<Duration, Failed> {
        let start = ThreadTime::now();
        let calls =
            stream::iter(0..CALLS_IN_BLOCK).map(|_| self.router.ainvoke(self.request.clone(), &self.config));
        calls
            .buffer_unordered(at_once)
            .try_for_each(|outcome| async move {
                black_box(outcome.data.json());
                Ok(())
            })
            .await?;
        Ok(start.elapsed())
    }
}

/// What a careful program would write by hand.
struct Bare {
    client: reqwest::Client,
    url: String,
}

impl Bare {
    fn new(url: &str) -> Result<Self, Failed> {
        // Nothing here uses TLS, but the client wants to know how it would. A second time it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build()?;
        let url =
            format!("{}/shops/0/one?limit=20&order=name&tags=new&tags=small", url.trim_end_matches('/'));
        Ok(Self { client, url })
    }

    async fn exchange(&self) -> Result<Value, Failed> {
        let exchange = async {
            let mut reply = self.client.get(&self.url).send().await?.error_for_status()?;
            let mut body = Vec::new();
            while let Some(piece) = reply.chunk().await? {
                if body.len() + piece.len() > BYTE_CAP {
                    return Err("the reply is too large".into());
                }
                body.extend_from_slice(&piece);
            }
            Ok::<_, Failed>(serde_json::from_slice(&body)?)
        };
        tokio::time::timeout(TIME_LIMIT, exchange).await?
    }

    async fn block(&self, at_once: usize) -> Result<Duration, Failed> {
        let start = ThreadTime::now();
        let calls = stream::iter(0..CALLS_IN_BLOCK).map(|_| self.exchange());
        calls
            .buffer_unordered(at_once)
            .try_for_each(|value| async move {
                black_box(value);
                Ok(())
            })
            .await?;
        Ok(start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bare, Builder, Ours, Reply, Script, Server, reply};

    #[test]
    fn both_get_the_reply() {
        let server =
            Server::start_on_thread(Script::from(Reply::json(200, reply().to_string()))).expect("a port");
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (ours, bare) =
            (Ours::new(&server.url()).expect("valid"), Bare::new(&server.url()).expect("valid"));
        runtime.block_on(async {
            let outcome = ours.router.ainvoke(ours.request.clone(), &ours.config).await.expect("it answers");
            assert_eq!(outcome.data.json(), Some(&reply()));
            assert_eq!(bare.exchange().await.expect("it answers"), reply());
        });
        let asked: Vec<String> = server.requests().iter().map(|request| request.target.clone()).collect();
        assert_eq!(asked[0], asked[1], "the same request");
    }
}
