//! The black-box tests of the library: one binary, a module per topic.

mod canary;
mod cancel;
mod corpus;
mod egress;
mod replies;
mod retry;
mod support;
mod tidy;
mod wire_facts;
mod wire_form;
