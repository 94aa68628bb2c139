//! What is asked for; often written by a model, never trusted.

use schemarouter_kernel::base::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A call that somebody asks for: an endpoint and its arguments.
///
/// It can widen nothing: no policy, permission, credential or address can be named in it, and a member that it
/// does not have is refused (R-305).
///
/// # Examples
/// ```
/// use schemarouter::router::Request;
/// use serde_json::json;
///
/// let request = Request::new("pets.getPet", json!({"id": 7}));
/// assert_eq!(request.endpoint, "pets.getPet");
///
/// let sneaky = json!({"endpoint": "pets.addPet", "arguments": {}, "retry_non_read_only": true});
/// assert!(serde_json::from_value::<Request>(sneaky).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// `source.operation`, or the operation alone where only one source has it.
    pub endpoint: String,
    /// The arguments, by name.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The contract that the caller knows ([`Fingerprints::pin`](crate::catalog::Fingerprints::pin)); the call is
    /// refused where it is another one now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The key under which the other side does the call once; only where the endpoint is declared to honour one (ruling
    /// 2). Without it such an endpoint gets a new one for each call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Which fields of the reply are wanted; all of them where it is not said. What is left keeps its order and its digits,
    /// and lists keep their elements.
    ///
    /// A path is names with dots between them, and goes through lists into every element: `items.id` is the `id` of each
    /// of the `items`, and `items` is all of them. One that begins with `/` is a JSON Pointer (RFC 6901), for names that
    /// hold dots, and its number at a list is that element alone: `/items/0/id`. What is kept of a list closes up.
    /// A null on the way stays, since an object that may be null is so whatever is asked of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
}

impl Request {
    /// A request; arguments that are not a JSON object count as none.
    pub fn new(endpoint: impl Into<String>, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        Self { endpoint: endpoint.into(), arguments, fingerprint: None, idempotency_key: None, fields: None }
    }

    /// The same, for this contract only.
    #[must_use]
    pub const fn with_fingerprint(mut self, pin: Fingerprint) -> Self {
        self.fingerprint = Some(pin);
        self
    }

    /// The same under this key, so that a call whose outcome is not known can be made again.
    #[must_use]
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// The same, for these [fields](Self::fields) of the reply only.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::router::Request;
    /// use serde_json::json;
    ///
    /// let request = Request::new("pets.listPets", json!({})).with_fields(["pets.name", "/pets/0/owner"]);
    /// assert_eq!(serde_json::to_value(&request)?["fields"], json!(["pets.name", "/pets/0/owner"]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn with_fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }
}
