//! Black-box tests of the decisions, one module per topic.

mod machine;
mod policy;
mod properties;
mod verdict;
