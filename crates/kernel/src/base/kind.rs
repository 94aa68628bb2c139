//! Error kinds: one stable word per kind of failure.

use serde::{Deserialize, Serialize};

/// Where in a call a failure arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing was tried yet: no connection, no request.
    BeforeSending,
    /// While connecting, sending, or waiting for the first byte of the reply.
    Sending,
    /// While receiving or judging the reply.
    Reply,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $phase:ident;)*) => {
        /// The kind of a failure; the codes are stable, more kinds may come.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* #[serde(rename = $code)] $name,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable code, as in reports.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The phase in which this kind arises unless the failure itself says otherwise.
            pub const fn usual_phase(self) -> Phase {
                match self { $(Self::$name => Phase::$phase,)* }
            }
        }
    };
}

kinds! {
    /// A document or an operation cannot be compiled.
    CompileError = "compile_error", BeforeSending;
    /// A parameter or body has no defined wire form.
    UnsupportedSerialization = "unsupported_serialization", BeforeSending;
    /// What the operator has set, in a file, the environment or code, cannot be meant.
    InvalidSettings = "invalid_settings", BeforeSending;
    /// Arguments break their schema, have an unknown name or cannot be put on the wire.
    InvalidArguments = "invalid_arguments", BeforeSending;
    /// The operator's `ExecutionPolicy` does not allow the effect.
    PolicyRejected = "policy_rejected", BeforeSending;
    /// The document names no absolute server and the operator gave none.
    MissingServer = "missing_server", BeforeSending;
    /// No endpoint has this key.
    UnknownEndpoint = "unknown_endpoint", BeforeSending;
    /// The pinned contract is not the one in the catalog.
    StaleFingerprint = "stale_fingerprint", BeforeSending;
    /// An approval was not given.
    ApprovalDenied = "approval_denied", BeforeSending;
    /// A guardrail refused the call.
    Guardrail = "guardrail", BeforeSending;
    /// The call asked for more than its scope.
    ScopeEscalation = "scope_escalation", BeforeSending;
    /// Too many calls of this source are under way.
    BulkheadFull = "bulkhead_full", BeforeSending;
    /// A limiter of this source refuses.
    RateLimited = "rate_limited", BeforeSending;
    /// Registered code says itself what its failure means.
    InvocationFailed = "invocation_failed", Sending;
    /// A custom invoker's own error, passed on unchanged.
    Unclassified = "unclassified", Sending;
    /// No security alternative is complete.
    MissingCredentials = "missing_credentials", BeforeSending;
    /// The host, address, scheme or redirect target is not allowed.
    EgressDenied = "egress_denied", BeforeSending;
    /// The circuit breaker of the source and origin refuses.
    CircuitOpen = "circuit_open", BeforeSending;
    /// Replay: no recorded exchange matches.
    FixtureNotFound = "fixture_not_found", BeforeSending;
    /// The other side refused the connection.
    ConnectRefused = "connect_refused", Sending;
    /// The host name could not be resolved.
    Dns = "dns", Sending;
    /// No connection within the connect timeout.
    ConnectTimeout = "connect_timeout", Sending;
    /// The configured proxy refused the tunnel.
    Proxy = "proxy", Sending;
    /// The TLS handshake failed.
    Tls = "tls", Sending;
    /// The reply did not come in time.
    Timeout = "timeout", Sending;
    /// The connection ended before a reply.
    ConnectionClosed = "connection_closed", Sending;
    /// A success reply was cut off.
    IncompleteBody = "incomplete_body", Reply;
    /// The other side answered with an error status.
    HttpStatus = "http_status", Reply;
    /// No common protocol version.
    UnsupportedVersion = "unsupported_version", Reply;
    /// A success reply is not what its media type says, or not a declared media type.
    ResponseDecode = "response_decode", Reply;
    /// A success reply breaks its schema.
    ContractViolation = "contract_violation", Reply;
    /// The reply is over the cap on one reply, counted after decompression.
    ResponseTooLarge = "response_too_large", Reply;
    /// Next links do not lead on.
    PaginationLoop = "pagination_loop", Reply;
    /// A limit of the `ExecutionBudget` is reached.
    BudgetExceeded = "budget_exceeded", Sending;
    /// The caller or a sink cancelled.
    Cancelled = "cancelled", Sending;
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
