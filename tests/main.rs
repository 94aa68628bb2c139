//! The black-box tests of the library: one binary, a module per topic.

mod canary;
mod cancel;
mod corpus;
mod effects;
mod egress;
mod github;
mod retry;
mod streams;
mod support;
mod tidy;
mod wire_facts;
