//! Plays a scenario: polls its runs in turn, without a runtime, and moves time where nothing else would.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use schemarouter::executor::Event;
use schemarouter::kernel::base::error::Error;
use schemarouter::router::{CancellationToken, Outcome, Plan, PlanOutcome, Request, RunConfig};
use serde_json::json;

use super::scenario::{RunScript, Scenario, Shape};
use super::stage::Record;
use super::world::{ENDPOINTS, World};

/// What came of a run.
pub(crate) enum Came {
    Single(Box<Result<Outcome, Error>>),
    Plan(Result<PlanOutcome, Error>),
}

pub(crate) struct Played {
    pub(crate) record: Record,
    /// Absent where the run was dropped.
    pub(crate) came: Vec<Option<Came>>,
    pub(crate) events: Vec<Vec<Event>>,
    /// When each run was polled first.
    pub(crate) started: Vec<Option<Duration>>,
}

/// Rounds in which nothing happens before the other side is taken to hang, and before the caller gives up.
const STALLED: usize = 8;
const GIVEN_UP: usize = 60;
const STUCK: usize = 400;

type Run<'a> = Pin<Box<dyn Future<Output = Came> + 'a>>;

pub(crate) fn play(world: &World, scenario: &Scenario) -> Played {
    let tokens: Vec<_> = scenario.runs.iter().map(|_| CancellationToken::new()).collect();
    *world.stage.record() = Record {
        acts: scenario.acts.clone(),
        refusals: scenario.refusals.clone(),
        tokens: tokens.clone(),
        ..Default::default()
    };
    let heard: Vec<Arc<Mutex<Vec<Event>>>> = scenario.runs.iter().map(|_| Arc::default()).collect();
    let mut runs: Vec<Option<Run<'_>>> = (scenario.runs.iter().zip(&tokens).zip(&heard))
        .map(|((script, token), heard)| Some(run(world, scenario.operator, script, token.clone(), heard)))
        .collect();
    let mut came: Vec<Option<Came>> = scenario.runs.iter().map(|_| None).collect();
    let mut started = vec![None; runs.len()];
    let opened = world.timer.elapsed();
    let mut context = Context::from_waker(Waker::noop());
    let (mut idle, mut before, mut round) = (0, 0, 0);
    while runs.iter().any(Option::is_some) && scenario.drop_after.is_none_or(|last| round < last) {
        for (at, slot) in runs.iter_mut().enumerate() {
            let Some(run) = slot else { continue };
            let script = &scenario.runs[at];
            if script.cancel_at.is_some_and(|due| world.timer.elapsed().saturating_sub(opened) >= due) {
                tokens[at].cancel();
            }
            world.stage.record().run = at;
            started[at].get_or_insert(world.timer.elapsed());
            if let Poll::Ready(done) = run.as_mut().poll(&mut context) {
                came[at] = Some(done);
                *slot = None;
            }
        }
        round += 1;
        let mark = {
            let record = world.stage.record();
            let events: usize = heard.iter().map(|heard| heard.lock().expect("not poisoned").len()).sum();
            record.asks.len() + record.returned.len() + events + came.iter().flatten().count()
        };
        idle = if mark == before { idle + 1 } else { 0 };
        before = mark;
        match idle {
            STUCK => panic!("nothing goes on"),
            GIVEN_UP => tokens.iter().for_each(CancellationToken::cancel),
            _ if idle > 0 && idle % STALLED == 0 => world.timer.stalled(),
            _ => {}
        }
    }
    for (at, slot) in runs.into_iter().enumerate() {
        world.stage.record().run = at;
        drop(slot);
    }
    let record = std::mem::take(&mut *world.stage.record());
    // Nothing is left that could go on.
    world.timer.advance(Duration::from_hours(1));
    assert!(world.stage.record().asks.is_empty(), "something goes on after its run is over");
    let events = heard.iter().map(|heard| heard.lock().expect("not poisoned").clone()).collect();
    Played { record, came, events, started }
}

fn run<'a>(
    world: &'a World,
    operator: usize,
    script: &'a RunScript,
    token: CancellationToken,
    heard: &Arc<Mutex<Vec<Event>>>,
) -> Run<'a> {
    let router = &world.routers[operator];
    let heard = Arc::clone(heard);
    let mut config = RunConfig::default()
        .with_retry(script.policy.clone())
        .with_budget(script.budget.clone())
        .with_cancellation(token)
        .with_observer(move |event: &Event| heard.lock().expect("not poisoned").push(event.clone()));
    if let Some(retries) = script.pool {
        config = config.with_retry_pool(retries);
    }
    let requests: Vec<_> =
        script.calls.iter().map(|call| Request::new(ENDPOINTS[*call].key(), json!({}))).collect();
    Box::pin(async move {
        match script.shape {
            Shape::Single => {
                let request = requests.into_iter().next().expect("one call");
                Came::Single(Box::new(router.ainvoke(request, &config).await))
            }
            Shape::InOrder => Came::Plan(router.ainvoke_plan(&Plan::in_order(requests), &config).await),
            Shape::SideBySide => {
                let plan = Plan::parallel_read_only(requests);
                Came::Plan(router.ainvoke_plan(&plan, &config).await)
            }
        }
    })
}
