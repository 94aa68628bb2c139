//! What a call costs in a small and in a large catalog: the same operation, in one process, in alternating blocks.

pub(crate) mod document;
mod wire;

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use schemarouter::router::{Request, Router, RunConfig};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::Answer;

const CALLS_IN_BLOCK: u32 = 2_000;
/// Odd, so that a median is one of them.
const BLOCKS: usize = 31;

/// For each pair of blocks a line: nanoseconds of a call in a catalog of that many operations, and in one that has only
/// the last of them.
pub(crate) fn measure(operations: &str) -> Answer {
    let most: usize = operations.parse()?;
    let last = most.checked_sub(1).ok_or("a catalog has an operation to call")?;
    // One thread does everything, so that its time is the whole time.
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let routers = [router(0..most)?, router(last..most)?];
    let request = request(last);
    // The first block of both only warms up.
    for router in &routers {
        block(&runtime, router, &request)?;
    }
    let mut answer = String::new();
    for number in 0..BLOCKS {
        let mut nanoseconds = [0; 2];
        // Each goes first in turn.
        for at in [number % 2, 1 - number % 2] {
            nanoseconds[at] =
                block(&runtime, &routers[at], &request)?.as_nanos() / u128::from(CALLS_IN_BLOCK);
        }
        let [large, small] = nanoseconds;
        answer += &format!("{large} {small}\n");
    }
    Ok(answer.trim_end().to_owned())
}

fn router(numbers: std::ops::Range<usize>) -> Result<Router, Box<dyn std::error::Error>> {
    Ok(Router::builder().source(document::compiled(numbers)?).wire(wire::AtOnce).build()?)
}

fn request(number: usize) -> Request {
    let key = format!("{}.{}", document::SOURCE, document::operation(number));
    Request::new(key, json!({"id": "one", "limit": 20, "order": "name", "tags": ["new", "small"]}))
}

fn block(
    runtime: &Runtime,
    router: &Router,
    request: &Request,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let config = RunConfig::default();
    runtime.block_on(async {
        let start = ThreadTime::now();
        for _ in 0..CALLS_IN_BLOCK {
            black_box(router.ainvoke(request.clone(), &config).await?);
        }
        Ok(start.elapsed())
    })
}

#[cfg(test)]
mod tests {
    use super::{Builder, RunConfig, request, router};

    #[test]
    fn every_generated_operation_can_be_called() {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let router = router(0..3).expect("a router");
        for number in 0..3 {
            let called = runtime.block_on(router.ainvoke(request(number), &RunConfig::default()));
            assert!(called.expect("the reply is as declared").data.json().is_some());
        }
        let absent = runtime.block_on(router.ainvoke(request(3), &RunConfig::default()));
        assert!(absent.is_err(), "there is no fourth operation");
    }
}
