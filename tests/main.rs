//! The black-box tests of the library: one binary, a module per topic.

mod corpus;
mod tidy;
