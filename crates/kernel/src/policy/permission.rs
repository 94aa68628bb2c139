//! What may be done at all.

use serde::{Deserialize, Serialize};

use super::Glob;
use crate::base::disposition::Effect;

/// What the operator allows; never set by a run or a request.
///
/// The first rule that is about a call decides it. Where none is, only what is read-only runs by default: operations of
/// documents that change, destroy or might do either are refused before anything is sent, unless the effect is
/// allowed. Code that the operator registered runs: registering it was the permission (ruling 10), and only a rule takes
/// it back.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::disposition::Effect;
/// use schemarouter_kernel::policy::{Declared, ExecutionPolicy, Permission, Rule, RuleAction};
///
/// let policy = ExecutionPolicy {
///     allow_mutations: true,
///     rules: vec![
///         Rule::new("*.delete*", RuleAction::Deny),
///         Rule::new("bank.*", RuleAction::RequireApproval).with_effects([Effect::Mutating]),
///     ],
///     ..ExecutionPolicy::default()
/// };
/// let write = Declared { effect: Effect::Mutating, destructive: false, by_operator: false };
/// assert_eq!(policy.permission("shop.addItem", write), Permission::Granted);
/// assert!(matches!(policy.permission("shop.deleteItem", write), Permission::Denied(_)));
/// assert!(matches!(policy.permission("bank.transfer", write), Permission::NeedsApproval(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ExecutionPolicy {
    /// Operations that change something.
    pub allow_mutations: bool,
    /// Operations that destroy something; they need `allow_mutations` too.
    pub allow_destructive: bool,
    /// Operations of which nobody said what they do.
    pub allow_unclassified: bool,
    /// Rules, of which the first that is about a call decides it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

/// Decides the calls of the endpoints that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which endpoints, by key.
    pub endpoints: Glob,
    /// Which effects; all of them where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Only what destroys something, or only what does not; both where it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// What becomes of the call.
    pub action: RuleAction,
}

/// What a rule does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// It may be made.
    Allow,
    /// It is refused.
    Deny,
    /// It may be made once somebody has said yes to this very call.
    RequireApproval,
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

/// What a policy says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission<'p> {
    /// It may be made.
    Granted,
    /// It may be made once somebody has said yes, as this rule demands.
    NeedsApproval(&'p Rule),
    /// This rule refuses it.
    Denied(&'p Rule),
    /// No rule is about it, and this setting would have to allow it.
    Missing(&'static str),
}

impl Rule {
    /// A rule about all calls of the endpoints whose keys are like the pattern.
    pub fn new(endpoints: impl Into<String>, action: RuleAction) -> Self {
        Self { endpoints: Glob::new(endpoints), effects: Vec::new(), destructive: None, action }
    }

    /// The same, for these effects only.
    #[must_use]
    pub fn with_effects(mut self, effects: impl IntoIterator<Item = Effect>) -> Self {
        self.effects = effects.into_iter().collect();
        self
    }

    /// The same, for what destroys something only, or for what does not.
    #[must_use]
    pub const fn with_destructive(mut self, destructive: bool) -> Self {
        self.destructive = Some(destructive);
        self
    }

    fn is_about(&self, key: &str, declared: Declared) -> bool {
        self.endpoints.matches(key)
            && (self.effects.is_empty() || self.effects.contains(&declared.effect))
            && self.destructive.is_none_or(|destructive| destructive == declared.destructive)
    }
}

impl ExecutionPolicy {
    /// Whether this endpoint may be called.
    pub fn permission(&self, key: &str, declared: Declared) -> Permission<'_> {
        match self.rules.iter().find(|rule| rule.is_about(key, declared)) {
            Some(rule) => match rule.action {
                RuleAction::Allow => Permission::Granted,
                RuleAction::Deny => Permission::Denied(rule),
                RuleAction::RequireApproval => Permission::NeedsApproval(rule),
            },
            None => self.missing(declared).map_or(Permission::Granted, Permission::Missing),
        }
    }

    /// The setting that would have to allow the effect, or `None` where it may be.
    const fn missing(&self, declared: Declared) -> Option<&'static str> {
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
