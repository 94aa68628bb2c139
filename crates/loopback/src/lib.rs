//! A scripted HTTP server on loopback that fails on purpose, for tests and demonstrations.
