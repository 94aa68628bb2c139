//! An invoker that plays a script.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::executor::{Attempt, Failure, Invocation, Invoker, Reply};

type Act = dyn Fn(u32) -> Result<Value, Failure> + Send + Sync;

/// An invoker that does what a function of the attempt's number says, in no time, and counts; clones count together.
///
/// # Examples
/// ```
/// use schemarouter::executor::{Failure, VirtualTimer};
/// use schemarouter::kernel::base::disposition::Effect;
/// use schemarouter::kernel::policy::RetryPolicy;
/// use schemarouter::router::{Contract, Request, Router, RunConfig};
/// use schemarouter::testing::Scripted;
/// use serde_json::json;
///
/// let invoker = Scripted::failing(2, || Failure::transient("not yet"));
/// let router = Router::builder()
///     .timer(VirtualTimer::new())
///     .register(Contract::new("test", "act", Effect::ReadOnly), invoker.clone())
///     .build()?;
/// let config = RunConfig::default().with_retry(RetryPolicy::builder().max_attempts(3).build()?);
/// router.invoke(Request::new("test.act", json!({})), &config)?;
/// assert_eq!(invoker.calls(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Scripted {
    act: Arc<Act>,
    calls: Arc<AtomicU32>,
}

impl Scripted {
    /// Does what the function says of the attempt's number, from 1.
    pub fn new(act: impl Fn(u32) -> Result<Value, Failure> + Send + Sync + 'static) -> Self {
        Self { act: Arc::new(act), calls: Arc::default() }
    }

    /// Fails the first `times` attempts of each call, then succeeds.
    pub fn failing(times: u32, failure: impl Fn() -> Failure + Send + Sync + 'static) -> Self {
        Self::new(move |number| if number <= times { Err(failure()) } else { Ok(json!({"ok": true})) })
    }

    /// How many attempts were made.
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scripted({} calls)", self.calls())
    }
}

impl Invoker for Scripted {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        (self.act)(attempt.number()).map(Reply::of_json)
    }
}
