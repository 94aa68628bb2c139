//! Functions as invokers.

use super::attempt::Attempt;
use super::failure::Failure;
use super::invoker::{Invocation, Invoker};
use super::reply::Reply;

/// An [`Invoker`] made of a function; see [`from_fn`].
#[derive(Debug, Clone, Copy)]
pub struct FromFn<F>(F);

/// Makes an invoker of a function that takes the call alone.
///
/// Code that wants to know of its attempt (its number, its time limit, the right to make HTTP requests) implements
/// [`Invoker`].
///
/// # Examples
/// ```
/// use schemarouter::executor::{Invocation, Reply, from_fn};
/// use schemarouter::kernel::base::disposition::Effect;
/// use schemarouter::router::{Contract, Request, Router, RunConfig};
/// use serde_json::json;
///
/// let double = from_fn(|call: Invocation| async move {
///     let n = call.arguments["n"].as_i64().unwrap_or_default();
///     Ok(Reply::of_json(json!(2 * n)))
/// });
/// let contract = Contract::new("math", "double", Effect::ReadOnly)
///     .with_arguments(json!({"properties": {"n": {"type": "integer"}}, "required": ["n"]}));
/// let router = Router::builder().register(contract, double).build()?;
/// let outcome = router.invoke(Request::new("math.double", json!({"n": 21})), &RunConfig::default())?;
/// assert_eq!(outcome.data.json(), Some(&json!(42)));
/// # Ok::<(), schemarouter::kernel::base::error::Error>(())
/// ```
pub const fn from_fn<F, R>(function: F) -> FromFn<F>
where
    F: Fn(Invocation) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Reply, Failure>> + Send,
{
    FromFn(function)
}

impl<F, R> Invoker for FromFn<F>
where
    F: Fn(Invocation) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Reply, Failure>> + Send,
{
    async fn invoke(&self, call: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        (self.0)(call.clone()).await
    }
}
