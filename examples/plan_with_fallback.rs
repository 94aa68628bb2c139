//! Several reads as one run, side by side: one budget for all, and another endpoint where one is unavailable.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use schemarouter::executor::{Failure, Invocation, Reply, from_fn};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::policy::{ExecutionBudget, RetryPolicy};
use schemarouter::router::{CallResult, Contract, Fallback, Plan, Request, Router, RunConfig};
use serde_json::json;

/// Takes a city.
fn contract(source: &str) -> Contract {
    Contract::new(source, "temperature", Effect::ReadOnly).with_arguments(json!({
        "type": "object",
        "required": ["city"],
        "properties": {"city": {"type": "string"}}
    }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The station of Oslo is down; what was measured yesterday is better than nothing.
    let stations = from_fn(|call: Invocation| async move {
        match call.arguments["city"].as_str() {
            Some("Oslo") => Err(Failure::unavailable("the station does not answer")),
            city => Ok(Reply::of_json(json!({"city": city, "celsius": 21}))),
        }
    });
    let archive = from_fn(|call: Invocation| async move {
        Ok(Reply::of_json(json!({"city": call.arguments["city"], "celsius": -3, "of": "yesterday"})))
    });
    let router = Router::builder()
        .register(contract("stations"), stations)
        .register(contract("archive"), archive)
        .fallback(Fallback::new("stations.temperature", "archive.temperature"))
        .build()?;

    let cities = ["Lima", "Oslo", "Rome"];
    let calls = cities.map(|city| Request::new("stations.temperature", json!({"city": city})));
    let config = RunConfig::default()
        .with_retry(RetryPolicy::builder().max_attempts(2).build()?)
        .with_retry_pool(1)
        .with_budget(ExecutionBudget { max_attempts: Some(6), ..ExecutionBudget::default() });
    let outcome = router.ainvoke_plan(&Plan::parallel_read_only(calls), &config).await?;

    for (city, result) in cities.iter().zip(&outcome.results) {
        match result {
            CallResult::Succeeded(outcome) => {
                let data = outcome.data.json().ok_or("it is JSON")?;
                println!("{city}: {data} {}", outcome.warnings.join("; "));
            }
            CallResult::Failed(error) => println!("{city}: {error}"),
            CallResult::NotRun => println!("{city}: not asked"),
        }
    }
    println!("{} attempts for {} calls", outcome.spent.attempts, outcome.spent.calls);
    Ok(())
}
