//! Replies that go into a file while they come.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemarouter::executor::{Settlement, VirtualTimer};
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{CancellationToken, Download, Request, Router, RunConfig};
use schemarouter_loopback::{Action, End, Reply, Script, Server};
use serde_json::json;

use crate::support::api::Api;
use crate::support::{CountingGate, attempts, with};

/// A folder of a test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("schemarouter-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("jobs.json")
    }

    fn part(&self) -> Option<Vec<u8>> {
        std::fs::read(self.0.join("jobs.json.part")).ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn download(
    router: &Router,
    config: &RunConfig,
    file: &Path,
) -> Result<Download, schemarouter::kernel::base::error::Error> {
    router.download(Request::new("listJobs", json!({})), config, file).await
}

#[tokio::test]
async fn a_reply_beyond_the_cap_goes_into_a_file_after_the_usual_retries() {
    let body = format!("[{}]", vec!["\"a job\""; 4000].join(","));
    let script = [Reply::status(503), Reply::json(200, body.clone()).chunked().pieces(50)];
    let server = Server::start(Script::sequence(script)).await.expect("a socket");
    let mut api = Api::at(&server.url());
    api.settings = api.settings.with_max_reply_bytes(1000);
    let (gate, folder) = (CountingGate::default(), Folder::new("download"));
    let router = api.builder().gate(gate.clone()).build().expect("valid");
    std::fs::write(folder.file(), "what was there").expect("a file");
    let done = download(&router, &with(attempts(3)), &folder.file()).await.expect("it comes");
    assert_eq!(std::fs::read_to_string(folder.file()).expect("a file"), body);
    assert_eq!((done.bytes, done.outcome.attempts.len()), (body.len() as u64, 2));
    assert_eq!(done.outcome.warnings, ["the reply was handed on while it came; its schema was not applied"]);
    assert!(done.outcome.data.bytes().is_none() && folder.part().is_none());
    assert_eq!(gate.settled().last(), Some(&Settlement::Succeeded));
    assert_eq!(gate.open(), 0);
}

#[tokio::test]
async fn what_breaks_off_is_kept_under_another_name_and_not_asked_for_again() {
    let cut = || Action::from(Reply::json(200, "[1,2,3]").cut_after(4, End::Close));
    let server = Server::start(Script::repeat(cut())).await.expect("a socket");
    let folder = Folder::new("broken");
    let router = Api::at(&server.url()).builder().build().expect("valid");
    let error = download(&router, &with(attempts(3)), &folder.file()).await.expect_err("it breaks off");
    assert_eq!((error.disposition(), error.phase()), (Disposition::Transient, Phase::Reply));
    assert_eq!(server.requests().len(), 1);
    assert!(!folder.file().exists());
    assert_eq!(folder.part().as_deref(), Some(&b"[1,2"[..]));
    assert_eq!(error.report().details["received_bytes"], "4");
    assert!(error.report().details["received_file"].ends_with("jobs.json.part"));
}

/// As [`on_stall`](crate::support::api::on_stall), until somebody waits: the file is made on another thread meanwhile.
fn in_time(time: &VirtualTimer) -> impl Fn() + Send + Sync + 'static {
    let time = time.clone();
    move || {
        let time = time.clone();
        tokio::spawn(async move {
            while time.elapsed().is_zero() {
                for _ in 0..32 {
                    tokio::task::yield_now().await;
                }
                time.stalled();
            }
        });
    }
}

#[tokio::test]
async fn silence_the_budget_and_the_caller_end_a_download() {
    let api = |server: &Server, time: &VirtualTimer| Api { time: time.clone(), ..Api::at(&server.url()) };
    let folder = Folder::new("ended");

    // The server sends half of it and falls silent: each piece has the limit of an exchange.
    let time = VirtualTimer::new();
    let half = Reply::json(200, "[1,2,3]").cut_after(4, End::Stall);
    let server = Server::start(Script::repeat(half).on_stall(in_time(&time))).await.expect("a socket");
    let router = api(&server, &time).builder().build().expect("valid");
    let error = download(&router, &RunConfig::default(), &folder.file()).await.expect_err("silence");
    assert_eq!((error.kind(), time.elapsed()), (ErrorKind::Timeout, Duration::from_secs(30)));

    let whole = Server::start(Script::repeat(Reply::json(200, "[1,2,3]"))).await.expect("a socket");
    let router = api(&whole, &time).builder().build().expect("valid");
    let budget = ExecutionBudget { max_response_bytes: Some(3), ..ExecutionBudget::default() };
    let error = download(&router, &RunConfig::default().with_budget(budget), &folder.file())
        .await
        .expect_err("too much");
    assert_eq!(error.kind(), ErrorKind::BudgetExceeded);

    let token = CancellationToken::new();
    let config = RunConfig::default().with_cancellation(token.clone()).with_streams();
    let endless = Server::start(Script::repeat(Reply::json(200, "[1,2,3]").cut_after(4, End::Stall)))
        .await
        .expect("a socket");
    let gate = CountingGate::default();
    let router = api(&endless, &time).builder().gate(gate.clone()).build().expect("valid");
    let outcome = router.ainvoke(Request::new("listJobs", json!({})), &config).await.expect("a stream");
    let mut stream = outcome.data.into_stream().expect("a stream");
    assert!(stream.next().await.is_some_and(|piece| piece.is_ok()));
    token.cancel();
    let failure = stream.next().await.expect("an end").expect_err("it is cancelled");
    assert_eq!(failure.kind(), ErrorKind::Cancelled);
    assert_eq!(gate.settled(), [Settlement::Abandoned]);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn errors_and_undeclared_types_are_looked_at_whole() {
    let folder = Folder::new("errors");
    let table = [
        (Reply::json(404, r#"{"title": "none here"}"#), ErrorKind::HttpStatus),
        (Reply::text(200, "a page of a proxy"), ErrorKind::ResponseDecode),
    ];
    for (reply, kind) in table {
        let server = Server::start(Script::repeat(reply)).await.expect("a socket");
        let router = Api::at(&server.url()).builder().build().expect("valid");
        let error = download(&router, &RunConfig::default(), &folder.file()).await.expect_err("no jobs");
        assert_eq!(error.kind(), kind);
        assert!(!folder.file().exists() && folder.part().is_none());
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_is_refused_before_anything_is_sent() {
    let server = Server::start(Script::repeat(Reply::json(200, "[]"))).await.expect("a socket");
    let router = Api::at(&server.url()).builder().build().expect("valid");
    let folder = Folder::new("nowhere");
    for file in [folder.0.clone(), folder.0.join("no/such/file"), PathBuf::from("/")] {
        let error = download(&router, &RunConfig::default(), &file).await.expect_err("nowhere");
        assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    }
    assert!(server.requests().is_empty());
}
