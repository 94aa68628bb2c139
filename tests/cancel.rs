//! Dropping a call at every point at which it can be dropped.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use schemarouter::executor::{
    Attempt, CallPlan, Event, ExchangeKind, Executor, Failure, GateHandle, Invocation, Invoker,
    InvokerHandle, ObserverHandle, Reply, RunContext, Settlement, SharedLedger, TimerHandle, VirtualTimer,
};
use schemarouter::kernel::base::disposition::{Disposition, Effect};
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::id::RunId;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::base::report::Applied;
use schemarouter::kernel::base::time::Monotonic;
use schemarouter::kernel::kernel::{Fact, Footing};
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{CancellationToken, Contract, Request, Router, RunConfig};
use schemarouter::testing::{Cut, cut_points};
use schemarouter_loopback::{Action, Server};
use serde_json::{Map, json};

use crate::support::api::Api;
use crate::support::{CountingGate, attempts};

/// Takes several polls per attempt, before and after its exchange; fails the first two attempts.
struct Slow {
    exchanges: Arc<AtomicU32>,
}

impl Invoker for Slow {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        tokio::task::yield_now().await;
        let _exchange = attempt.exchange(ExchangeKind::Call)?;
        self.exchanges.fetch_add(1, Ordering::SeqCst);
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        if attempt.number() < 3 {
            return Err(Failure::new(ErrorKind::HttpStatus, Fact::Status(503), "503"));
        }
        Ok(Reply::of_json(json!({})))
    }
}

struct Scene {
    gate: CountingGate,
    ledger: SharedLedger,
    exchanges: Arc<AtomicU32>,
    events: Arc<Mutex<Vec<Event>>>,
    executor: Executor,
    plan: CallPlan,
}

fn scene() -> Scene {
    let exchanges = Arc::new(AtomicU32::new(0));
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let heard = Arc::clone(&events);
    let gate = CountingGate::default();
    let contract = || Contract::new("test", "act", Effect::ReadOnly);
    let catalog =
        Router::builder().register(contract(), Slow { exchanges: Arc::default() }).build().expect("valid");
    let policy = attempts(5).build().expect("valid");
    let ledger = SharedLedger::open(ExecutionBudget::default(), Monotonic::ZERO);
    let plan = CallPlan {
        cost: 0,
        windows: None,
        run: Arc::new(RunContext {
            id: RunId(1),
            ledger: ledger.clone(),
            observers: ObserverHandle::default().with(move |event: &Event| {
                heard.lock().expect("not poisoned").push(event.clone());
            }),
            seed: 1,
            cancellation: CancellationToken::new(),
        }),
        call: 1,
        invocation: Invocation {
            endpoint: catalog
                .catalog()
                .endpoints()
                .next()
                .expect("one is registered")
                .expect("it is at hand"),
            arguments: Arc::new(Map::new()),
            credentials: Arc::default(),
            idempotency_key: None,
        },
        invoker: InvokerHandle::new(Slow { exchanges: Arc::clone(&exchanges) }),
        footing: Footing::of(Effect::ReadOnly, &policy),
        policy,
    };
    let executor = Executor::new(TimerHandle::new(VirtualTimer::new()), GateHandle::new(gate.clone()));
    Scene { gate, ledger, exchanges, events, executor, plan }
}

/// Carries the call of a scene out.
async fn carry_out(scene: &Scene) -> Result<(), Error> {
    let check = |reply: Reply| Ok(reply);
    scene.executor.run(&scene.plan, &check).await.map(|_| ())
}

#[test]
fn a_panic_of_the_invoker_gives_the_permit_back() {
    struct Panics;
    impl Invoker for Panics {
        async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
            panic!("the adapter has a bug")
        }
    }
    let mut scene = scene();
    scene.plan.invoker = InvokerHandle::new(Panics);
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut call = pin!(carry_out(&scene));
        let mut context = Context::from_waker(Waker::noop());
        while call.as_mut().poll(&mut context).is_pending() {}
    }));
    assert!(unwound.is_err(), "a panic is the caller's to see");
    assert_eq!((scene.gate.open(), scene.gate.settled()), (0, vec![Settlement::Abandoned]));
    assert_eq!(scene.ledger.spent().attempts, 1);
    let events = scene.events.lock().expect("not poisoned");
    assert!(matches!(events.last(), Some(Event::Dropped { under_way: Some(_), .. })), "{events:?}");
}

#[test]
fn r_411_dropping_the_call_at_every_poll_leaves_gate_and_ledger_as_they_were() {
    let mut seen = std::collections::BTreeSet::new();
    let cuts = cut_points(scene, carry_out, |scene, Cut { polls, done }| {
        let over = done.as_ref().is_some_and(|done| done.as_ref().map_or_else(|e| panic!("{e}"), |()| true));
        let (spent, sent) = (scene.ledger.spent(), scene.exchanges.load(Ordering::SeqCst));
        assert_eq!(scene.gate.open(), 0, "after {polls} polls no ticket is left open");
        assert_eq!(spent.exchanges, sent, "what is charged is what was sent, after {polls} polls");
        assert!(spent.attempts - spent.exchanges <= 1, "an attempt is charged when it starts");
        let settled = scene.gate.settled();
        let abandoned = settled.iter().filter(|s| **s == Settlement::Abandoned).count();
        assert!(abandoned <= usize::from(!over), "a finished attempt is not abandoned");
        let failed = settled.iter().filter(|s| matches!(s, Settlement::Failed(_))).count();
        assert!(failed <= 2, "being dropped is no failure of the path");
        let events = scene.events.lock().expect("not poisoned");
        let told = events.iter().filter(|e| matches!(e, Event::Dropped { .. })).count();
        assert_eq!(
            told,
            usize::from(!over && *polls > 0),
            "observers are told of the drop, after {polls} polls"
        );
        seen.insert((spent.attempts, abandoned));
    });
    assert!(cuts > 15, "the call has many points at which it can be dropped, not {cuts}");
    assert!(seen.contains(&(0, 1)) || seen.contains(&(0, 0)), "dropped before the first attempt");
    assert!(seen.contains(&(2, 1)), "dropped during the second attempt");
}

/// Waits for ever in each attempt, having told how far it got; cancels the run when it is asked to.
struct Hangs {
    token: CancellationToken,
    reached: Option<u16>,
    cancels: bool,
}

impl Invoker for Hangs {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        match self.reached {
            Some(0) => attempt.reach().nothing_sent_yet(),
            Some(status) => attempt.reach().answered(status),
            None => {}
        }
        if !self.cancels {
            self.token.cancel();
            return Err(Failure::transient("not now"));
        }
        self.token.cancel();
        std::future::pending().await
    }
}

async fn cancelled(effect: Effect, reached: Option<u16>, cancels: bool) -> (Error, CountingGate) {
    let (token, gate, time) = (CancellationToken::new(), CountingGate::default(), VirtualTimer::new());
    let invoker = Hangs { token: token.clone(), reached, cancels };
    let router = crate::support::router(effect, invoker, &time).gate(gate.clone()).build().expect("valid");
    let config = crate::support::with(attempts(3)).with_cancellation(token);
    let call = router.ainvoke(Request::new("test.act", serde_json::json!({})), &config).await;
    assert_eq!(time.elapsed(), std::time::Duration::ZERO, "nothing is waited for");
    (call.expect_err("the run is cancelled"), gate)
}

#[tokio::test]
async fn r_411_a_token_ends_the_attempt_and_tells_what_may_have_been_done() {
    use Disposition::{Indeterminate, NonRetryable};
    let (write, read) = (Effect::Mutating, Effect::ReadOnly);
    let table = [
        (write, None, Indeterminate, Some(Applied::Maybe)),
        (read, None, NonRetryable, None),
        (write, Some(0), NonRetryable, Some(Applied::No)),
        (write, Some(201), NonRetryable, Some(Applied::Yes)),
        (write, Some(500), Indeterminate, Some(Applied::Maybe)),
        (write, Some(404), NonRetryable, Some(Applied::No)),
    ];
    for (effect, reached, disposition, applied) in table {
        let (error, gate) = cancelled(effect, reached, true).await;
        let report = error.report();
        assert_eq!((error.kind(), error.disposition()), (ErrorKind::Cancelled, disposition), "{reached:?}");
        assert_eq!((report.applied, report.reason.as_deref()), (applied, Some("cancelled")), "{reached:?}");
        assert_eq!(report.attempts.len(), 1, "it is never repeated");
        assert_eq!(
            (gate.open(), gate.settled()),
            (0, vec![Settlement::Abandoned]),
            "and no failure of the path"
        );
    }
}

#[tokio::test]
async fn a_token_ends_the_wait_between_attempts_with_the_failure_before_it() {
    let (error, gate) = cancelled(Effect::ReadOnly, None, false).await;
    assert_eq!((error.kind(), error.disposition()), (ErrorKind::Cancelled, Disposition::NonRetryable));
    let cause = error.report().cause.clone().expect("the failure before it");
    assert_eq!(cause.kind, ErrorKind::InvocationFailed);
    assert!(error.message().contains("attempts=1"), "{error}");
    assert_eq!(gate.open(), 0);
}

#[tokio::test]
async fn a_run_that_is_cancelled_already_makes_no_attempt_and_costs_nothing() {
    let token = CancellationToken::new();
    token.cancel();
    let invoker = crate::support::Scripted::failing(0, || Failure::transient("never"));
    let router = crate::support::router(Effect::Mutating, invoker.clone(), &VirtualTimer::new());
    let config = schemarouter::router::RunConfig::default().with_cancellation(token);
    let request = Request::new("test.act", serde_json::json!({}));
    let error = router.build().expect("valid").ainvoke(request, &config).await.expect_err("cancelled");
    assert_eq!((error.kind(), invoker.calls()), (ErrorKind::Cancelled, 0));
}

/// What the other side of a call that always fails sees: requests, and connections that are open.
#[derive(Default)]
struct OtherSide {
    requests: AtomicU32,
    open: AtomicU32,
}

struct Open<'a>(&'a OtherSide);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Takes 50 ms for each refusal.
struct Refuses(Arc<OtherSide>, VirtualTimer);

impl Invoker for Refuses {
    async fn invoke(&self, _: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        let _exchange = attempt.exchange(ExchangeKind::Call)?;
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        self.0.open.fetch_add(1, Ordering::SeqCst);
        let _open = Open(&self.0);
        tokio::task::yield_now().await;
        self.1.advance(Duration::from_millis(50));
        tokio::task::yield_now().await;
        Err(Failure::new(ErrorKind::HttpStatus, Fact::Status(503), "503"))
    }
}

#[test]
fn case_120_when_the_caller_goes_nothing_of_the_call_goes_on() {
    let policy = attempts(4).initial_backoff(Duration::from_millis(100)).build().expect("valid");
    let config = RunConfig::default().with_retry(policy);
    let scene = || {
        let (other, time, gate) =
            (Arc::new(OtherSide::default()), VirtualTimer::new(), CountingGate::default());
        let router =
            crate::support::router(Effect::ReadOnly, Refuses(Arc::clone(&other), time.clone()), &time);
        (router.gate(gate.clone()).build().expect("valid"), other, time, gate)
    };
    let mut seen = std::collections::BTreeSet::new();
    cut_points(
        scene,
        async |(router, ..)| router.ainvoke(Request::new("test.act", json!({})), &config).await.map(|_| ()),
        |(_, other, time, gate), cut| {
            let requests = other.requests.load(Ordering::SeqCst);
            assert!(cut.polls > 0 || requests == 0, "nothing is sent before the first poll");
            assert_eq!(
                other.open.load(Ordering::SeqCst),
                0,
                "after {} polls a connection is open",
                cut.polls
            );
            assert_eq!(gate.open(), 0, "after {} polls a ticket is open", cut.polls);
            let abandoned = gate.settled().iter().filter(|s| **s == Settlement::Abandoned).count();
            // A wait or an alarm that was left behind would move, or hold, the time of others.
            let before = time.elapsed();
            time.stalled();
            assert_eq!(time.elapsed(), before, "after {} polls an alarm is left", cut.polls);
            time.advance(Duration::from_mins(1));
            assert_eq!(
                other.requests.load(Ordering::SeqCst),
                requests,
                "it goes on after {} polls",
                cut.polls
            );
            seen.insert((requests, abandoned));
        },
    );
    assert!(seen.contains(&(0, 0)), "before its first request");
    assert!(seen.contains(&(1, 1)), "during its first attempt");
    assert!(seen.contains(&(1, 0)), "during the wait after it");
}

#[tokio::test]
async fn case_120_a_connection_under_way_is_closed() {
    let server = Server::start(Action::stall()).await.expect("a socket");
    let api = Api::at(&server.url());
    let router = api.builder().build().expect("valid");
    let config = schemarouter::router::RunConfig::default();
    tokio::select! {
        biased;
        _ = server.until(|progress| progress.stalls == 1) => {}
        done = router.ainvoke(Request::new("listJobs", json!({})), &config) => panic!("it hangs: {done:?}"),
    }
    server.until(|progress| progress.closed == 1).await;
    assert_eq!(server.requests().len(), 1, "and no other request comes");
}
