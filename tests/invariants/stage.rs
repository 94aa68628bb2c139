//! The other side: an invoker and a gate that play the scenario and write down what they see.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use schemarouter::executor::{
    Admission, Attempt, ExchangeKind, Failure, Gate, GateRefusal, Heartbeat, Invocation, Invoker, Reply,
    Settlement, Ticket, VirtualTimer,
};
use schemarouter::kernel::base::disposition::Reached;
use schemarouter::kernel::base::id::AttemptId;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::kernel::kernel::Fact;
use schemarouter::router::CancellationToken;
use serde_json::json;

use super::scenario::{Act, ActEnd};
use super::world::ENDPOINTS;

#[derive(Clone, Default)]
pub(crate) struct Stage(Arc<Mutex<Record>>);

/// What was seen in one scenario.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) acts: Vec<Act>,
    pub(crate) refusals: Vec<(usize, Option<Duration>)>,
    pub(crate) tokens: Vec<CancellationToken>,
    /// The run that is polled now; what happens meanwhile is its own.
    pub(crate) run: usize,
    pub(crate) asks: Vec<Ask>,
    pub(crate) attempts: Vec<Seen>,
    /// Attempts in the order in which they returned.
    pub(crate) returned: Vec<usize>,
}

/// Somebody asked the gate.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) run: usize,
    pub(crate) endpoint: usize,
    pub(crate) id: AttemptId,
    pub(crate) at: Duration,
    pub(crate) refused: bool,
    pub(crate) settled: Option<Settlement>,
}

/// An attempt as the invoker saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) run: usize,
    pub(crate) endpoint: usize,
    pub(crate) id: AttemptId,
    pub(crate) key: Option<String>,
    pub(crate) started: Duration,
    /// When it returned or was dropped.
    pub(crate) ended: Option<Duration>,
    pub(crate) exchanges: u32,
    /// Whether one of them was more than for a token.
    pub(crate) called: bool,
    pub(crate) reach: Reached,
    pub(crate) back: Option<Back>,
}

/// What an attempt returned; nothing where it was dropped.
#[derive(Debug, Clone)]
pub(crate) enum Back {
    Success(usize),
    BrokenSchema(usize),
    Failed {
        fact: Fact,
        reached: Reached,
        retry_after: Option<Duration>,
    },
    /// The budget refused an exchange.
    OverBudget,
}

impl Stage {
    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().expect("not poisoned")
    }
}

fn index(key: &str) -> usize {
    let name = key.strip_prefix("t.").expect("the source");
    ENDPOINTS.iter().position(|endpoint| endpoint.name == name).expect("an endpoint of ours")
}

pub(crate) struct Player(pub(crate) Stage, pub(crate) VirtualTimer);

/// Writes down when the attempt is over, however it ends.
struct Ending<'a>(&'a Player, usize);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let now = self.0.1.elapsed();
        self.0.0.record().attempts[self.1].ended = Some(now);
    }
}

impl Invoker for Player {
    async fn invoke(&self, call: &Invocation, attempt: &Attempt) -> Result<Reply, Failure> {
        let (at, act, token) = {
            let mut record = self.0.record();
            let at = record.attempts.len();
            let act = record.acts[at % record.acts.len()].clone();
            let run = record.run;
            record.attempts.push(Seen {
                run,
                endpoint: index(call.endpoint.key.as_str()),
                id: attempt.id(),
                key: call.idempotency_key.as_deref().map(str::to_owned),
                started: self.1.elapsed(),
                ended: None,
                exchanges: 0,
                called: false,
                reach: Reached::MaybeSent,
                back: None,
            });
            (at, act, record.tokens[run].clone())
        };
        let ending = Ending(self, at);
        let result = self.play(&act, attempt, at, &token).await;
        drop(ending);
        self.0.record().returned.push(at);
        result
    }
}

impl Player {
    async fn play(
        &self,
        act: &Act,
        attempt: &Attempt,
        at: usize,
        token: &CancellationToken,
    ) -> Result<Reply, Failure> {
        let back = |back: Back| self.0.record().attempts[at].back = Some(back);
        if act.reach == Some(Reached::NotSent) {
            attempt.reach().nothing_sent_yet();
            self.0.record().attempts[at].reach = Reached::NotSent;
        }
        for kind in &act.exchanges {
            if let Err(failure) = attempt.exchange(*kind) {
                back(Back::OverBudget);
                return Err(failure);
            }
            let mut record = self.0.record();
            record.attempts[at].exchanges += 1;
            record.attempts[at].called |= *kind != ExchangeKind::Token;
        }
        match act.reach {
            Some(Reached::MaybeSent) => attempt.reach().may_be_sent(),
            Some(Reached::Answered(status)) => {
                attempt.reach().answered(status);
                self.0.record().attempts[at].reach = Reached::Answered(status);
            }
            _ => {}
        }
        if act.cancels {
            token.cancel();
        }
        for _ in 0..act.yields {
            tokio::task::yield_now().await;
            attempt.heartbeat(Heartbeat::default());
        }
        self.1.advance(act.takes);
        match &act.end {
            ActEnd::Hang => std::future::pending().await,
            ActEnd::Succeed(padding) => {
                let reply = Reply::of_json(json!({"ok": "x".repeat(*padding)}));
                back(Back::Success(9 + padding));
                Ok(reply)
            }
            ActEnd::BreakTheSchema => {
                back(Back::BrokenSchema(2));
                Ok(Reply::of_json(json!({})))
            }
            ActEnd::Fail { fact: Fact::Unclassified, .. } => {
                back(Back::Failed {
                    fact: Fact::Unclassified,
                    reached: Reached::MaybeSent,
                    retry_after: None,
                });
                Err(Failure::unclassified("nobody knows"))
            }
            ActEnd::Fail { fact, reached, retry_after } => {
                let mut failure = Failure::new(ErrorKind::InvocationFailed, *fact, "as scripted")
                    .with_retry_after(*retry_after);
                if let Some(reached) = reached {
                    failure = failure.with_reached(*reached);
                }
                let reached = reached.unwrap_or_else(|| fact.reached());
                back(Back::Failed { fact: *fact, reached, retry_after: *retry_after });
                Err(failure)
            }
        }
    }
}

pub(crate) struct Door(pub(crate) Stage, pub(crate) VirtualTimer);

impl Gate for Door {
    async fn admit(&self, who: Admission<'_>) -> Result<Ticket, GateRefusal> {
        let (at, refusal) = {
            let mut record = self.0.record();
            let (at, run) = (record.asks.len(), record.run);
            let refusal = record.refusals.iter().find(|(ask, _)| *ask == at).map(|(_, retry_in)| *retry_in);
            record.asks.push(Ask {
                run,
                endpoint: index(who.endpoint.as_str()),
                id: who.attempt,
                at: self.1.elapsed(),
                refused: false,
                settled: Some(Settlement::Abandoned),
            });
            (at, refusal)
        };
        tokio::task::yield_now().await;
        let ask = &mut self.0.record().asks[at];
        if let Some(retry_in) = refusal {
            ask.refused = true;
            return Err(GateRefusal {
                kind: ErrorKind::CircuitOpen,
                message: "as scripted".into(),
                retry_in,
            });
        }
        ask.settled = None;
        Ok(Ticket(at as u64))
    }

    fn settle(&self, ticket: Ticket, settlement: Settlement) {
        let mut record = self.0.record();
        let ask = &mut record.asks[usize::try_from(ticket.0).expect("an index")];
        assert!(ask.settled.replace(settlement).is_none(), "the ticket of {} is settled twice", ask.id);
    }
}
