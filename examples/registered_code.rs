//! Code of one's own as an endpoint: under a contract, so that it is checked and retried like any other.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use schemarouter::executor::{Attempt, Failure, Invocation, Invoker, Reply};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::policy::RetryPolicy;
use schemarouter::router::{Contract, Request, Router, RunConfig};
use serde_json::json;

/// Looks a word up; the dictionary is busy at first.
struct Dictionary;

impl Invoker for Dictionary {
    async fn invoke(&self, call: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        if attempt.number() == 1 {
            // Only what the code itself calls transient is repeated.
            return Err(Failure::transient("the dictionary is busy"));
        }
        Ok(Reply::of_json(json!({"word": call.arguments["word"], "meaning": "a drink"})))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contract = Contract::new("dictionary", "lookUp", Effect::ReadOnly)
        .with_arguments(json!({
            "type": "object",
            "required": ["word"],
            "properties": {"word": {"type": "string", "minLength": 1}}
        }))
        .with_reply(json!({"type": "object", "required": ["meaning"]}));
    let router = Router::builder().register(contract, Dictionary).build()?;

    let config = RunConfig::default().with_retry(RetryPolicy::builder().max_attempts(2).build()?);
    let outcome = router.ainvoke(Request::new("dictionary.lookUp", json!({"word": "tea"})), &config).await?;
    println!("{} after {} attempts", outcome.data.json().ok_or("JSON is declared")?, outcome.attempts.len());

    // What the contract does not allow never reaches the code.
    let Err(error) = router.ainvoke(Request::new("dictionary.lookUp", json!({"wort": "tea"})), &config).await
    else {
        return Err("there is no such argument".into());
    };
    println!("{error}");
    Ok(())
}
