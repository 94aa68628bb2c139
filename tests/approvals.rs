//! Rules over calls, and asking before one is made.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemarouter::executor::{Failure, Timer as _, VirtualTimer};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::policy::{ExecutionBudget, ExecutionPolicy, Rule, RuleAction};
use schemarouter::router::{
    Approval, ApprovalRequest, Approver, CancellationToken, Outcome, Request, RunConfig,
};
use serde_json::{Value, json};

use crate::support::api::on_stall;
use crate::support::{Scripted, router};

/// What an approver does.
#[derive(Clone, Copy)]
enum Answer {
    Say(Approval),
    Fail,
    /// Takes so long, then says yes.
    After(Duration),
}

/// Answers, and keeps what it was asked.
#[derive(Clone)]
struct Person {
    answer: Answer,
    time: VirtualTimer,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Approver for Person {
    async fn approve(
        &self,
        request: ApprovalRequest<'_>,
    ) -> Result<Approval, Box<dyn std::error::Error + Send + Sync>> {
        let told = json!({"endpoint": request.endpoint.key.as_str(), "arguments": request.arguments});
        self.asked.lock().expect("not poisoned").push(told);
        match self.answer {
            Answer::Say(approval) => Ok(approval),
            Answer::Fail => Err("nobody is there".into()),
            Answer::After(time) => {
                let answered = self.time.now().saturating_add(time);
                on_stall(&self.time)();
                self.time.alarm(Some(answered)).await;
                Ok(Approval::Granted)
            }
        }
    }
}

struct Scene {
    invoker: Scripted,
    time: VirtualTimer,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Scene {
    fn new() -> Self {
        let invoker = Scripted::failing(0, || Failure::transient("never"));
        Self { invoker, time: VirtualTimer::new(), asked: Arc::default() }
    }

    async fn call(
        &self,
        rules: Vec<Rule>,
        answer: Option<Answer>,
        config: RunConfig,
    ) -> Result<Outcome, Error> {
        let policy = ExecutionPolicy { rules, ..ExecutionPolicy::default() };
        let mut builder = router(Effect::Mutating, self.invoker.clone(), &self.time).allow(policy);
        if let Some(answer) = answer {
            builder =
                builder.approver(Person { answer, time: self.time.clone(), asked: Arc::clone(&self.asked) });
        }
        builder.build().expect("valid").ainvoke(Request::new("test.act", json!({})), &config).await
    }
}

fn ask() -> Vec<Rule> {
    vec![Rule::new("test.*", RuleAction::RequireApproval)]
}

#[tokio::test]
async fn an_explicit_yes_is_the_only_one() {
    let in_a_minute = RunConfig::default()
        .with_budget(ExecutionBudget { max_elapsed: Some(Duration::from_mins(1)), ..Default::default() });
    let minutes = |minutes| Some(Answer::After(Duration::from_mins(minutes)));
    let table = [
        (Some(Answer::Say(Approval::Granted)), None),
        (Some(Answer::Say(Approval::Denied)), Some("it was denied")),
        (Some(Answer::Fail), Some("asking failed: nobody is there")),
        (minutes(2), Some("no answer came before the deadline of the run")),
        (None, Some("there is nobody to ask: the router has no approver")),
    ];
    for (answer, due) in table {
        let scene = Scene::new();
        let outcome = scene.call(ask(), answer, in_a_minute.clone()).await;
        match due {
            None => {
                outcome.expect("it was approved");
                let due = json!([{"endpoint": "test.act", "arguments": {}}]);
                assert_eq!(json!(*scene.asked.lock().expect("not poisoned")), due);
            }
            Some(due) => {
                let error = outcome.expect_err(due);
                assert_eq!((error.kind(), error.phase()), (ErrorKind::ApprovalDenied, Phase::BeforeSending));
                assert!(error.message().ends_with(due), "{error}");
                assert_eq!(scene.invoker.calls(), 0);
            }
        }
    }
}

#[tokio::test]
async fn r_321_the_time_of_an_approval_counts_on_the_deadline() {
    let scene = Scene::new();
    let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(90)), ..Default::default() };
    let config = RunConfig::default().with_budget(budget);
    let answer = Some(Answer::After(Duration::from_secs(80)));
    let outcome = scene.call(ask(), answer, config).await.expect("it was approved in time");
    assert_eq!(outcome.elapsed, Duration::from_secs(80));
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_is_not_valid_or_denied() {
    let scene = Scene::new();
    let deny = Rule::new("*", RuleAction::Deny).with_effects([Effect::Mutating]);
    let rules = [vec![deny], ask()].concat();
    let error = scene.call(rules, Some(Answer::Say(Approval::Granted)), RunConfig::default()).await;
    let error = error.expect_err("the first rule denies it");
    assert_eq!(error.kind(), ErrorKind::PolicyRejected);
    assert_eq!(error.message(), "`test.act` is denied by the rule about `*`");

    let policy = ExecutionPolicy { rules: ask(), ..ExecutionPolicy::default() };
    let approver = Person {
        answer: Answer::Say(Approval::Granted),
        time: scene.time.clone(),
        asked: Arc::clone(&scene.asked),
    };
    let router =
        router(Effect::Mutating, scene.invoker.clone(), &scene.time).allow(policy).approver(approver);
    let request = Request::new("test.act", json!({"unknown": 1}));
    let error = router.build().expect("valid").ainvoke(request, &RunConfig::default()).await;
    assert_eq!(error.expect_err("not valid").kind(), ErrorKind::InvalidArguments);
    assert_eq!((scene.asked.lock().expect("not poisoned").len(), scene.invoker.calls()), (0, 0));
}

#[tokio::test]
async fn a_run_that_is_cancelled_while_somebody_is_asked_does_nothing() {
    let scene = Scene::new();
    let token = CancellationToken::new();
    token.cancel();
    let config = RunConfig::default().with_cancellation(token);
    let answer = Some(Answer::After(Duration::from_hours(1)));
    let error = scene.call(ask(), answer, config).await.expect_err("cancelled");
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Cancelled, Phase::BeforeSending));
    assert_eq!((scene.invoker.calls(), scene.time.elapsed()), (0, Duration::ZERO));
}
