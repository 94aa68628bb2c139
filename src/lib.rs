//! Published API documents become governed calls.
//!
//! A [`router::Router`] holds what can be called: operations of [compiled](compile) documents and registered code.
//! [`router::Router::ainvoke`] runs a call: permission, arguments, attempts under a
//! [`RetryPolicy`](kernel::policy::RetryPolicy) within an [`ExecutionBudget`](kernel::policy::ExecutionBudget), the
//! reply's contract. Every failure says by its [`Disposition`](kernel::base::disposition::Disposition) whether
//! calling again may help, and whether it may harm.
//!
//! By default only operations that are explicitly read-only run, and everything runs once.

pub mod catalog;
pub mod compile;
pub mod executor;
pub mod invokers;
pub mod router;
pub mod testing;
pub use schemarouter_kernel as kernel;

/// The README's code, kept compiling.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
