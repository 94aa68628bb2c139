//! The built binary, and what a run of it left.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use schemarouter_loopback::{Progress, Script, Server};
use serde_json::Value;

/// The document of the tests, as its name is given on the command line.
pub(crate) const TOOLS: &str = "tools.json";

/// What a run left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("the process ends by itself"),
            out: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            err: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }

    /// Stdout as one JSON value, after it was held against its schema.
    pub(crate) fn json(&self, shape: &str) -> Value {
        let value: Value = serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("stdout is one JSON value: {error}\n{}\n{}", self.out, self.err));
        assert_valid(shape, &value);
        value
    }

    /// Asserts the code, showing what was said if it is another.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }
}

/// Holds a value against a schema.
#[track_caller]
pub(crate) fn assert_valid(shape: &str, value: &Value) {
    let text = std::fs::read_to_string(schema_file(shape)).expect("the schema is there");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let broken: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(broken.is_empty(), "{shape}: {broken:?}\n{value:#}");
}

/// The file of a schema.
pub(crate) fn schema_file(shape: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schemas/{shape}.schema.json"))
}

/// The binary, beside the documents, in an empty environment and without input.
pub(crate) fn schemarouter(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schemarouter"));
    command
        .args(words)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents"))
        .env_clear()
        .stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn run(words: &[&str]) -> Ran {
    Ran::of(schemarouter(words).output().expect("the binary runs"))
}

/// A server on a thread of its own.
pub(crate) fn server(script: impl Into<Script>) -> Server {
    Server::start_on_thread(script).expect("a loopback port is free")
}

/// Calls an endpoint of the test document on this server.
pub(crate) fn invoke(url: &str, words: &[&str]) -> Ran {
    run(&invocation(url, words))
}

/// The words of such a call.
pub(crate) fn invocation<'a>(url: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["invoke", TOOLS];
    all.extend(words);
    all.extend(["--server", url, "--allow-private"]);
    all
}

/// Waits until the server has come this far; a server that never does fails the test instead of hanging it.
#[track_caller]
pub(crate) fn wait(server: &Server, far_enough: impl FnMut(&Progress) -> bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let waited = runtime.block_on(async {
        tokio::time::timeout(std::time::Duration::from_secs(10), server.until(far_enough)).await
    });
    waited.expect("the server comes this far");
}

/// Asserts how many requests a server got; one that is still being read is waited for.
#[track_caller]
pub(crate) fn assert_requests(server: &Server, expected: usize) {
    wait(server, |progress| progress.requests >= expected);
    assert_eq!(server.requests().len(), expected, "requests that the server got");
}
