//! The command line as a process: what it prints where, what it sends, and with which code it leaves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arguments;
mod cache;
mod config;
mod corpus;
mod demo;
mod documents;
mod endings;
mod locks;
mod pages;
mod paths;
mod reports;
mod schemas;
mod secrets;
mod selection;
mod settings;
mod streams;
mod support;
mod writes;
