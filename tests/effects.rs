//! Whether a call took effect: what may have been sent is never reported as not sent.

use std::sync::atomic::{AtomicU32, Ordering};

use schemarouter::catalog::Schema;
use schemarouter::executor::{
    Admission, Attempt, ExchangeKind, Failure, Gate, GateRefusal, Invocation, Invoker, Reply, Settlement,
    Ticket, VirtualTimer,
};
use schemarouter::kernel::base::disposition::{Disposition, Effect, Reached};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::base::report::{Applied, ReachedReport};
use schemarouter::kernel::kernel::Fact;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{Request, RunConfig};
use serde_json::json;

use crate::support::{Scripted, attempts, error, router, with};

fn refused() -> Failure {
    Failure::new(ErrorKind::ConnectRefused, Fact::NotSent, "refused")
}

fn timed_out() -> Failure {
    Failure::new(ErrorKind::Timeout, Fact::TimedOut, "no reply")
}

/// Admits the first attempt and refuses the others.
#[derive(Default)]
struct Once(AtomicU32);

impl Gate for Once {
    async fn admit(&self, _: Admission<'_>) -> Result<Ticket, GateRefusal> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(Ticket(0)),
            _ => Err(GateRefusal {
                kind: ErrorKind::CircuitOpen,
                message: "the circuit is open".to_owned(),
                retry_in: None,
            }),
        }
    }

    fn settle(&self, _: Ticket, _: Settlement) {}
}

#[tokio::test]
async fn a_later_attempt_does_not_take_back_what_an_earlier_one_may_have_done() {
    let judged = || with(attempts(2).retry_non_read_only(true));
    let invoker = Scripted::new(|number| Err(if number == 1 { timed_out() } else { refused() }));
    let error = error(Effect::Mutating, &invoker, &judged()).await;
    assert_eq!((error.kind(), error.report().applied), (ErrorKind::ConnectRefused, Some(Applied::Maybe)));

    let gated = router(Effect::Mutating, Scripted::failing(9, timed_out), &VirtualTimer::new())
        .gate(Once::default())
        .build()
        .expect("a valid router");
    let error = gated.ainvoke(Request::new("test.act", json!({})), &judged()).await.expect_err("refused");
    assert_eq!((error.kind(), error.report().applied), (ErrorKind::CircuitOpen, Some(Applied::Maybe)));

    let nothing_left = Scripted::failing(9, refused);
    let error = crate::support::error(Effect::Mutating, &nothing_left, &judged()).await;
    assert_eq!(error.report().applied, Some(Applied::No), "no attempt was sent");
}

#[tokio::test]
async fn where_fact_and_reach_contradict_each_other_the_request_counts_as_sent_if_it_may_have_been() {
    use Disposition::{Indeterminate, NonRetryable, Unavailable};
    let unsendable = || Failure::new(ErrorKind::EgressDenied, Fact::Unsendable, "the second hop");
    let table = [
        (refused().with_reached(Reached::MaybeSent), Indeterminate, Applied::Maybe),
        (timed_out().with_reached(Reached::NotSent), Unavailable, Applied::No),
        (unsendable().with_reached(Reached::MaybeSent), NonRetryable, Applied::Maybe),
        (refused(), Unavailable, Applied::No),
        (timed_out(), Indeterminate, Applied::Maybe),
        (unsendable(), NonRetryable, Applied::No),
    ];
    for (failure, disposition, applied) in table {
        let name = format!("{:?}, {:?}", failure.fact(), failure.reached());
        let invoker = Scripted::failing(9, move || failure.clone());
        let error = error(Effect::Mutating, &invoker, &RunConfig::default()).await;
        assert_eq!((error.disposition(), error.report().applied), (disposition, Some(applied)), "{name}");
    }
}

/// Makes an exchange of this kind, then one for the call.
struct TwoExchanges(ExchangeKind);

impl Invoker for TwoExchanges {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        let _first = attempt.exchange(self.0)?;
        let _second = attempt.exchange(ExchangeKind::Call)?;
        Ok(Reply::of_json(json!({})))
    }
}

async fn second_exchange_refused(first: ExchangeKind, effect: Effect, judged: bool) -> Error {
    let budget = ExecutionBudget { max_remote_attempts: Some(1), ..ExecutionBudget::default() };
    let config = with(attempts(3).retry_non_read_only(judged)).with_budget(budget);
    let router = router(effect, TwoExchanges(first), &VirtualTimer::new()).build().expect("a valid router");
    router.ainvoke(Request::new("test.act", json!({})), &config).await.expect_err("one exchange is allowed")
}

#[tokio::test]
async fn a_write_that_the_budget_cuts_between_two_exchanges_may_have_taken_effect() {
    use ReachedReport::MaybeSent;
    let (call, token) = (ExchangeKind::Call, ExchangeKind::Token);
    let table = [
        (call, Effect::Mutating, false, Disposition::Indeterminate, Some(Applied::Maybe), Some(MaybeSent)),
        (call, Effect::Mutating, true, Disposition::NonRetryable, Some(Applied::Maybe), Some(MaybeSent)),
        (call, Effect::ReadOnly, false, Disposition::NonRetryable, None, Some(MaybeSent)),
        // Getting a token is not doing it.
        (token, Effect::Mutating, false, Disposition::NonRetryable, None, None),
    ];
    for (first, effect, judged, disposition, applied, reached) in table {
        let error = second_exchange_refused(first, effect, judged).await;
        let report = error.report();
        assert_eq!((error.kind(), error.disposition()), (ErrorKind::BudgetExceeded, disposition), "{effect}");
        assert_eq!((report.applied, report.reached), (applied, reached), "{first:?}, {effect}");
        assert_eq!(report.reason.as_deref(), Some("exchange_budget_spent"));
        assert_eq!(report.spent.map(|spent| (spent.attempts, spent.exchanges)), Some((1, 1)));
    }
}

#[tokio::test]
async fn the_hint_says_first_that_it_took_effect() {
    let too_large = || Failure::new(ErrorKind::ResponseTooLarge, Fact::UnusableReply, "too large");
    let see_other = || Failure::new(ErrorKind::HttpStatus, Fact::Status(303), "303");
    let table = [
        (Effect::Mutating, too_large(), "it took effect; only its reply cannot be used; ask for less"),
        (Effect::ReadOnly, too_large(), "ask for less"),
        (
            Effect::Mutating,
            see_other(),
            "it may have taken effect; find out before calling again; ask for less",
        ),
    ];
    for (effect, failure, hint) in table {
        let invoker = Scripted::failing(9, move || failure.clone().with_hint("ask for less"));
        let error = error(effect, &invoker, &RunConfig::default()).await;
        assert_eq!(error.report().hint.as_deref(), Some(hint));
    }
}

/// Answers with a schema that is none.
struct BringsItsSchema;

impl Invoker for BringsItsSchema {
    async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        let schema = Schema::alone(json!({"pattern": "(\n"}));
        Ok(Reply { status: Some(201), schema: Some(schema), ..Reply::of_json(json!({"id": 1})) })
    }
}

#[tokio::test]
async fn a_reply_that_cannot_be_judged_came_after_sending_and_is_kept() {
    let router = router(Effect::Mutating, BringsItsSchema, &VirtualTimer::new()).build().expect("valid");
    let request = Request::new("test.act", json!({}));
    let error = router.ainvoke(request, &RunConfig::default()).await.expect_err("no schema");
    let report = error.report();
    assert_eq!((error.kind(), error.phase()), (ErrorKind::CompileError, Phase::Reply));
    assert_eq!((report.reached, report.status), (Some(ReachedReport::Answered), Some(201)));
    assert_eq!(report.applied, Some(Applied::Yes));
    assert_eq!(error.received().map(|kept| kept.body.as_slice()), Some(&br#"{"id":1}"#[..]));
    assert!(!error.to_string().contains('\n'), "one line, whatever the pattern holds: {error}");
}
