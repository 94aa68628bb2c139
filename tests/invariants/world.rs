//! What is the same for many scenarios: the endpoints, and the operators' routers over one virtual time.

use std::num::NonZeroU32;
use std::time::Duration;

use schemarouter::executor::VirtualTimer;
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::policy::{RetryCeiling, RetryPolicy};
use schemarouter::router::{Contract, Declaration, Fallback, KeyCarrier, Router};
use serde_json::json;

use super::stage::{Door, Player, Stage};

/// An endpoint, as the operator declares it.
#[derive(Debug)]
pub(crate) struct EndpointOf {
    pub(crate) name: &'static str,
    pub(crate) effect: Effect,
    pub(crate) key: bool,
    /// Whether the operator says that it is idempotent.
    pub(crate) said_idempotent: bool,
    pub(crate) proves: bool,
    pub(crate) timeout: Option<u64>,
    pub(crate) heartbeat: Option<u64>,
    pub(crate) cost: u32,
}

const PLAIN: EndpointOf = EndpointOf {
    name: "read",
    effect: Effect::ReadOnly,
    key: false,
    said_idempotent: false,
    proves: false,
    timeout: None,
    heartbeat: None,
    cost: 0,
};

pub(crate) const READ: usize = 0;
pub(crate) const MIRROR: usize = 1;
pub(crate) const ENDPOINTS: &[EndpointOf] = &[
    PLAIN,
    EndpointOf { name: "mirror", ..PLAIN },
    EndpointOf { name: "write", effect: Effect::Mutating, cost: 1, ..PLAIN },
    EndpointOf { name: "keyed", effect: Effect::Mutating, key: true, ..PLAIN },
    EndpointOf { name: "idempotent", effect: Effect::Idempotent, said_idempotent: true, ..PLAIN },
    EndpointOf { name: "put", effect: Effect::Idempotent, ..PLAIN },
    EndpointOf { name: "delete", effect: Effect::Mutating, ..PLAIN },
    EndpointOf { name: "unknown", effect: Effect::Unknown, timeout: Some(1200), ..PLAIN },
    EndpointOf { name: "proves", effect: Effect::Mutating, proves: true, ..PLAIN },
    EndpointOf { name: "windowed", timeout: Some(1200), ..PLAIN },
    EndpointOf {
        name: "beating",
        effect: Effect::Mutating,
        timeout: Some(9000),
        heartbeat: Some(1500),
        cost: 3,
        ..PLAIN
    },
    EndpointOf { name: "costly", cost: 2, heartbeat: Some(1000), ..PLAIN },
];

impl EndpointOf {
    pub(crate) fn key(&self) -> String {
        format!("t.{}", self.name)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.effect == Effect::ReadOnly
    }
}

/// How many operators there are.
pub(crate) const OPERATORS: usize = 3;

pub(crate) fn ceiling(operator: usize) -> RetryCeiling {
    match operator {
        0 => RetryCeiling::default(),
        1 => RetryCeiling { max_attempts: NonZeroU32::new(2), ..Default::default() },
        _ => RetryCeiling {
            max_backoff: Some(Duration::from_millis(300)),
            max_retry_after: Some(Duration::from_millis(600)),
            retry_non_read_only: Some(false),
            ..Default::default()
        },
    }
}

/// What is left of a policy under an operator, restated.
pub(crate) struct Allowed {
    pub(crate) attempts: u32,
    pub(crate) max_backoff: Duration,
    pub(crate) max_retry_after: Duration,
    pub(crate) judges: bool,
}

pub(crate) fn allowed(operator: usize, policy: &RetryPolicy) -> Allowed {
    let asked = Allowed {
        attempts: policy.max_attempts().get(),
        max_backoff: policy.max_backoff(),
        max_retry_after: policy.max_retry_after(),
        judges: policy.retry_non_read_only(),
    };
    match operator {
        0 => asked,
        1 => Allowed { attempts: asked.attempts.min(2), ..asked },
        _ => Allowed {
            max_backoff: asked.max_backoff.min(Duration::from_millis(300)),
            max_retry_after: asked.max_retry_after.min(Duration::from_millis(600)),
            judges: false,
            ..asked
        },
    }
}

/// Whether the operator takes every idempotent method's word for it.
pub(crate) const fn repeats_idempotent(operator: usize) -> bool {
    operator == 1
}

pub(crate) struct World {
    pub(crate) timer: VirtualTimer,
    pub(crate) stage: Stage,
    pub(crate) routers: Vec<Router>,
}

impl World {
    pub(crate) fn new() -> Self {
        let (timer, stage) = (VirtualTimer::new(), Stage::default());
        let routers = (0..OPERATORS).map(|operator| router(operator, &timer, &stage)).collect();
        Self { timer, stage, routers }
    }
}

fn router(operator: usize, timer: &VirtualTimer, stage: &Stage) -> Router {
    let mut builder = Router::builder()
        .timer(timer.clone())
        .seed(7)
        .gate(Door(stage.clone(), timer.clone()))
        .retry_ceiling(ceiling(operator))
        .repeat_idempotent(repeats_idempotent(operator))
        .fallback(Fallback::new("t.read", "t.mirror"));
    for endpoint in ENDPOINTS {
        let mut contract = Contract::new("t", endpoint.name, endpoint.effect)
            .with_reply(json!({"type": "object", "required": ["ok"]}));
        if endpoint.name == "delete" {
            contract = contract.destructive();
        }
        builder = builder.register(contract, Player(stage.clone(), timer.clone())).declare(
            endpoint.key(),
            Declaration {
                effect: endpoint.said_idempotent.then_some(Effect::Idempotent),
                idempotency_key: endpoint.key.then_some(KeyCarrier::Invoker),
                timeout: endpoint.timeout.map(Duration::from_millis),
                heartbeat: endpoint.heartbeat.map(Duration::from_millis),
                cost: Some(endpoint.cost),
                unavailable_proves_rejection: endpoint.proves.then_some(true),
                ..Default::default()
            },
        );
    }
    builder.build().expect("a valid router")
}
