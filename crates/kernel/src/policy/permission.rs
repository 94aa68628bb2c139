//! What may be done at all.

use serde::{Deserialize, Serialize};

use crate::base::disposition::Effect;

/// Which effects the operator allows; never set by a run or a request.
///
/// By default only what is read-only runs. Operations of documents that change, destroy or might do either are
/// refused before anything is sent. Code that the operator registered runs: registering it was the permission
/// (ruling 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExecutionPolicy {
    /// Operations that change something.
    pub allow_mutations: bool,
    /// Operations that destroy something; they need `allow_mutations` too.
    pub allow_destructive: bool,
    /// Operations of which nobody said what they do.
    pub allow_unclassified: bool,
}

/// What is declared of an operation, as far as permission is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// What it does to the world.
    pub effect: Effect,
    /// Whether it destroys something.
    pub destructive: bool,
    /// Whether the operator registered it, rather than a document.
    pub by_operator: bool,
}

impl ExecutionPolicy {
    /// The setting that would have to allow the operation, or `None` where it may run.
    pub const fn missing_permission(&self, declared: Declared) -> Option<&'static str> {
        if declared.by_operator {
            return None;
        }
        match declared.effect {
            Effect::ReadOnly => None,
            Effect::Unknown if !self.allow_unclassified => Some("allow_unclassified"),
            Effect::Idempotent | Effect::Mutating if !self.allow_mutations => Some("allow_mutations"),
            _ if declared.destructive && !self.allow_destructive => Some("allow_destructive"),
            _ => None,
        }
    }
}
