//! What the pipeline itself costs: a call of registered code that answers at once, beside the validation of its arguments
//! and its reply alone; in one process, in alternating blocks.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use schemarouter::catalog::Schema;
use schemarouter::executor::{Attempt, Failure, Invocation, Invoker, Reply};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::policy::{ExecutionBudget, RetryPolicy};
use schemarouter::router::{Contract, Request, Router, RunConfig};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::Answer;

const CALLS_IN_BLOCK: u32 = 10_000;
/// Odd, so that a median is one of them.
const BLOCKS: usize = 31;

type Failed = Box<dyn std::error::Error>;

/// Answers at once.
struct Null;

impl Invoker for Null {
    async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        Ok(Reply::of_json(reply()))
    }
}

fn arguments() -> Value {
    json!({"id": "one", "limit": 20})
}

fn reply() -> Value {
    json!({"items": [1, 2, 3], "cursor": null})
}

fn schemas() -> (Value, Value) {
    let arguments = json!({
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {"id": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}
    });
    let reply = json!({
        "type": "object", "required": ["items"],
        "properties": {"items": {"type": "array", "items": {"type": "integer"}}, "cursor": {"type": ["string", "null"]}}
    });
    (arguments, reply)
}

/// For each pair of blocks a line: nanoseconds of a call, and of its two validations alone.
pub(crate) fn measure(_: &str) -> Answer {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let (takes, brings) = schemas();
    let contract = Contract::new("null", "call", Effect::ReadOnly);
    let contract = contract.with_arguments(takes.clone()).with_reply(brings.clone());
    let router = Router::builder().register(contract, Null).build()?;
    let budget = ExecutionBudget {
        max_attempts: Some(u32::MAX),
        max_response_bytes: Some(u64::MAX),
        max_elapsed: Some(Duration::from_secs(30)),
        ..ExecutionBudget::default()
    };
    let retry = RetryPolicy::builder().max_attempts(3).build()?;
    let config = RunConfig::default().with_budget(budget).with_retry(retry);
    let schemas = (Schema::alone(takes), Schema::alone(brings));
    let request = Request::new("null.call", arguments());
    let call = || {
        runtime.block_on(async {
            let start = ThreadTime::now();
            for _ in 0..CALLS_IN_BLOCK {
                black_box(router.ainvoke(request.clone(), &config).await?);
            }
            Ok::<_, Failed>(start.elapsed())
        })
    };
    // The first block of both only warms up.
    call()?;
    validations(&schemas)?;
    let mut answer = String::new();
    for number in 0..BLOCKS {
        let mut nanoseconds = [0; 2];
        // Each goes first in turn.
        for at in [number % 2, 1 - number % 2] {
            let taken = if at == 0 { call()? } else { validations(&schemas)? };
            nanoseconds[at] = taken.as_nanos() / u128::from(CALLS_IN_BLOCK);
        }
        answer += &format!("{} {}\n", nanoseconds[0], nanoseconds[1]);
    }
    Ok(answer.trim_end().to_owned())
}

fn validations((takes, brings): &(Schema, Schema)) -> Result<Duration, Failed> {
    let start = ThreadTime::now();
    for _ in 0..CALLS_IN_BLOCK {
        if !takes.violations(&arguments())?.is_empty() || !brings.violations(&reply())?.is_empty() {
            return Err("both are valid".into());
        }
    }
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_for_each_pair_of_blocks() {
        let answer = super::measure("1").expect("it is measured");
        assert_eq!(answer.lines().count(), super::BLOCKS);
    }
}
