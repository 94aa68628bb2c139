//! The black-box tests of the library: one binary, a module per topic.

mod approvals;
mod blocking;
mod budgets;
mod canary;
mod cancel;
mod cases;
mod content_coding;
mod corpus;
mod declarations;
mod effects;
mod egress;
mod fallbacks;
mod idempotency;
mod lock;
mod plans;
mod replace;
mod replies;
mod retry;
mod saved;
mod servers;
mod settings;
mod streams;
mod support;
mod tidy;
mod wire_facts;
mod wire_form;
