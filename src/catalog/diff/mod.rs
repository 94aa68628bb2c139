//! What has changed between two contracts of one endpoint, and what that means for whoever planned with the first.

mod change;
mod endpoint;
mod numbers;
mod schema;
mod sets;
mod shape;

pub use change::{ContractChange, Judgement};
pub use endpoint::compare;

#[cfg(test)]
mod tests;
