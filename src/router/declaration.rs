//! What the operator says of endpoints, over what their documents say.

use std::collections::BTreeMap;
use std::time::Duration;

use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::policy::{ActivityClass, PolicyError, Windows};
use serde::{Deserialize, Serialize};

use super::reply_check::ReplyValidation;
use crate::catalog::NextPage;

/// What the operator says of an endpoint, or of all endpoints of a source; what is left out is as the document says.
///
/// # Examples
/// A search that is a POST, and a payment that may be sent twice under one key:
/// ```
/// use schemarouter::kernel::base::disposition::Effect;
/// use schemarouter::router::{Declaration, KeyCarrier, Layers};
///
/// let settings = Layers::default().overlay("shop.yaml", r#"
/// version: 1
/// endpoints:
///   shop.search: {effect: read_only}
///   shop.pay: {idempotency_key: {header: Idempotency-Key}, timeout_seconds: 20}
/// "#)?.resolve()?;
/// assert_eq!(settings.values.endpoints["shop.search"].effect, Some(Effect::ReadOnly));
///
/// let in_code = Declaration { idempotency_key: Some(KeyCarrier::Header("Idempotency-Key".into())), ..Default::default() };
/// assert_eq!(settings.values.endpoints["shop.pay"].idempotency_key, in_code.idempotency_key);
/// # Ok::<(), schemarouter::kernel::base::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Declaration {
    /// What it does to the world; of one endpoint only. `read_only` and `idempotent` make a repeat safe; whatever is not
    /// read-only needs permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Whether it destroys something; of one endpoint only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether it honours an idempotency key, and where that goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<KeyCarrier>,
    /// What kind of work it is, which says how long it may take and be silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<ActivityClass>,
    /// How long one call may take, repeats and waits included.
    #[serde(rename = "timeout_seconds", with = "super::settings::seconds::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub timeout: Option<Duration>,
    /// How long an attempt may go without a sign of life, such as a byte of its reply.
    #[serde(rename = "heartbeat_seconds", with = "super::settings::seconds::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub heartbeat: Option<Duration>,
    /// The limit on one exchange once it is connected; without it `timeout_seconds`, and without that the one for all.
    #[serde(rename = "reply_timeout_seconds", with = "super::settings::seconds::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub reply_timeout: Option<Duration>,
    /// What each attempt costs, in units of the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u32>,
    /// What happens to replies that break their schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<ReplyValidation>,
    /// Whether a 503 proves that the request was rejected, and so did nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable_proves_rejection: Option<bool>,
    /// What is called where it is unavailable; of one endpoint only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackTo>,
    /// How its next page is asked for; of one endpoint only, which has to be read-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<NextPage>,
}

/// Where an idempotency key goes (draft-ietf-httpapi-idempotency-key-header, and what APIs do without it).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyCarrier {
    /// Nowhere: it honours none, whatever its document says.
    None,
    /// A header field of this name.
    Header(String),
    /// The argument of this name.
    Argument(String),
    /// The place in the body that this JSON pointer names.
    Body(String),
    /// Registered code takes it from its invocation.
    Invoker,
}

/// What is called in the place of an endpoint (ruling 12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FallbackTo {
    /// The key of the other endpoint.
    pub endpoint: String,
    /// Arguments that have another name there: theirs, by the name here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
}

impl Declaration {
    /// This, and what that says beyond it.
    #[must_use]
    pub fn over(self, that: &Self) -> Self {
        Self {
            effect: self.effect.or(that.effect),
            destructive: self.destructive.or(that.destructive),
            idempotency_key: self.idempotency_key.or_else(|| that.idempotency_key.clone()),
            activity: self.activity.or(that.activity),
            timeout: self.timeout.or(that.timeout),
            heartbeat: self.heartbeat.or(that.heartbeat),
            reply_timeout: self.reply_timeout.or(that.reply_timeout),
            cost: self.cost.or(that.cost),
            replies: self.replies.or(that.replies),
            unavailable_proves_rejection: self
                .unavailable_proves_rejection
                .or(that.unavailable_proves_rejection),
            fallback: self.fallback.or_else(|| that.fallback.clone()),
            next_page: self.next_page.or_else(|| that.next_page.clone()),
        }
    }

    /// A setting that makes sense for one endpoint only, where there is one.
    pub(super) const fn of_one_endpoint(&self) -> Option<&'static str> {
        match self {
            Self { effect: Some(_), .. } => Some("effect"),
            Self { destructive: Some(_), .. } => Some("destructive"),
            Self { fallback: Some(_), .. } => Some("fallback"),
            Self { next_page: Some(_), .. } => Some("next_page"),
            _ => None,
        }
    }

    /// How long a call may take and be silent; `None` where nothing is said of it.
    ///
    /// # Errors
    /// Where silence may last as long as the call, or there is no time at all (R-218).
    pub fn windows(&self) -> Result<Option<Windows>, PolicyError> {
        let of_class = match (self.activity, self.timeout) {
            (Some(class), Some(timeout)) => Some(class.windows_within(timeout)),
            (Some(class), None) => Some(class.windows()),
            (None, Some(timeout)) => Some(Windows { start_to_close: timeout, heartbeat: None }),
            (None, None) => None,
        };
        match (of_class, self.heartbeat) {
            (Some(windows), heartbeat) => {
                Windows::new(windows.start_to_close, heartbeat.or(windows.heartbeat)).map(Some)
            }
            (None, Some(heartbeat)) => Windows::new(Duration::MAX, Some(heartbeat)).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The limit on one exchange, where something is said of it.
    pub(super) fn exchange_limit(&self) -> Option<Duration> {
        let windows = self.windows().ok().flatten().map(|windows| windows.start_to_close);
        self.reply_timeout.or(windows).filter(|limit| *limit < Duration::MAX)
    }
}
