//! Asking somebody before a call is made.

use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::id::RunId;
use schemarouter_kernel::base::kind::ErrorKind;
use schemarouter_kernel::base::time::Monotonic;
use schemarouter_kernel::policy::Rule;
use serde_json::{Map, Value};

use crate::catalog::Endpoint;
use crate::executor::{BoxFuture, TimerHandle};

/// A call that somebody has to say yes to.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalRequest<'a> {
    /// The run, as in its events.
    pub run: RunId,
    /// What would be called.
    pub endpoint: &'a Endpoint,
    /// With what; the arguments are valid.
    pub arguments: &'a Map<String, Value>,
    /// The URL of the page that a [handle](super::NextPageHandle) asks for, as it stands there: its query is sent, and not
    /// that of the arguments. Where it leads elsewhere, nothing is sent whatever the answer.
    pub page: Option<&'a str>,
    /// The rule that demands it.
    pub rule: &'a Rule,
}

/// The answer to an [`ApprovalRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The call may be made.
    Granted,
    /// It may not.
    Denied,
}

/// Says whether a call may be made; the operator's.
///
/// Only an explicit yes is one: an error is a no, and so is an answer that does not come before the deadline of the run,
/// on which its time counts.
pub trait Approver: Send + Sync + 'static {
    /// Asks.
    ///
    /// # Errors
    /// Where nobody could be asked; it is a no.
    ///
    /// # Cancel safety
    /// Nothing was sent yet; a call that is dropped here has done nothing.
    fn approve(
        &self,
        request: ApprovalRequest<'_>,
    ) -> impl Future<Output = Result<Approval, Box<dyn std::error::Error + Send + Sync>>> + Send;
}

/// An [`Approver`] behind a handle that is cheap to clone.
#[derive(Clone)]
pub(super) struct ApproverHandle(Arc<dyn Erased>);

type Answer = Result<Approval, Box<dyn std::error::Error + Send + Sync>>;

trait Erased: Send + Sync {
    fn approve<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, Answer>;
}

impl<T: Approver> Erased for T {
    fn approve<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(Approver::approve(self, request))
    }
}

impl ApproverHandle {
    pub(super) fn new(approver: impl Approver) -> Self {
        Self(Arc::new(approver))
    }
}

/// Asks for approval, until the deadline.
pub(super) async fn ask(
    approver: Option<&ApproverHandle>,
    request: ApprovalRequest<'_>,
    timer: &TimerHandle,
    until: Option<Monotonic>,
) -> Result<(), Error> {
    let denied = |why: String| {
        let message = format!(
            "`{}` needs approval by the rule about `{}`, and {why}",
            request.endpoint.key,
            request.rule.endpoints.as_str()
        );
        Err(Error::rejected(ErrorKind::ApprovalDenied, message))
    };
    let Some(ApproverHandle(approver)) = approver else {
        return denied("there is nobody to ask: the router has no approver".to_owned());
    };
    match timer.limit(until, approver.approve(request)).await {
        Some(Ok(Approval::Granted)) => Ok(()),
        Some(Ok(Approval::Denied)) => denied("it was denied".to_owned()),
        Some(Err(error)) => denied(format!("asking failed: {error}")),
        None => denied("no answer came before the deadline of the run".to_owned()),
    }
}
