//! Where requests may go, and where the values of arguments may not lead them.

use std::sync::Arc;

use schemarouter::executor::Failure;
use schemarouter::invokers::http::{ConnectionWatch, EgressPolicy, Wire, WireReply, WireRequest};
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::router::{Request, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::{Value, json};

use crate::support::api::Api;

/// A wire that must not be asked.
struct Untouched;

impl Wire for Untouched {
    async fn send(&self, request: WireRequest, _: Arc<ConnectionWatch>) -> Result<WireReply, Failure> {
        panic!("a connection to {:?} was tried", request.url.host_str())
    }
}

/// Every spelling of an address that nothing opens.
const NEVER: &[&str] = &[
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1]",
    "0.0.0.0",
    "[::]",
    "[fd00:ec2::254]",
];

#[tokio::test]
async fn case_098_no_setting_opens_link_local_and_metadata_addresses() {
    for host in NEVER {
        for scheme in ["http", "https"] {
            for flags in 0..8u8 {
                let [allow_private, allow_loopback, allow_plain_http] = [1, 2, 4].map(|bit| flags & bit != 0);
                let mut api = Api::at(&format!("{scheme}://{host}:8080/latest"));
                let egress = EgressPolicy { allow_private, allow_loopback, allow_plain_http };
                api.settings = api.settings.with_egress(egress);
                let router = api.builder().wire(Untouched).build().expect("a valid router");
                let request = Request::new("jobs.listJobs", json!({}));
                let error = router.ainvoke(request, &RunConfig::default()).await.expect_err(host);
                assert_eq!(
                    (error.kind(), error.phase()),
                    (ErrorKind::EgressDenied, Phase::BeforeSending),
                    "{host}"
                );
                assert!(error.report().attempts.is_empty(), "{host}: nothing was attempted");
            }
        }
    }
}

#[tokio::test]
async fn case_098_this_machine_needs_leave() {
    let server = Server::start(Script::repeat(Reply::json(200, "[]"))).await.expect("a server");
    let port = server.address().port();
    for host in ["localhost.", "127.1", "127.0.0.1"] {
        let mut api = Api::at(&format!("http://{host}:{port}"));
        api.call("listJobs", json!({}), &RunConfig::default()).await.expect(host);
        api.settings =
            api.settings.with_egress(EgressPolicy { allow_plain_http: true, ..EgressPolicy::default() });
        let error = api.call("listJobs", json!({}), &RunConfig::default()).await.expect_err(host);
        assert_eq!(error.kind(), ErrorKind::EgressDenied, "{host}");
    }
    assert_eq!(server.connections(), 3, "one for each call that was allowed");
}

/// Calls `getJob` with these arguments: the request target that arrived, or the kind of the refusal.
async fn target(arguments: Value) -> Result<String, ErrorKind> {
    let server = Server::start(Script::repeat(Reply::status(200))).await.expect("a server");
    let api = Api::at(&server.url());
    let result = api.call("getJob", arguments, &RunConfig::default()).await;
    let requests = server.requests();
    match result {
        Ok(_) => Ok(requests[0].target.clone()),
        Err(error) => {
            assert_eq!((requests.len(), server.connections()), (0, 0), "refused before sending");
            assert_eq!(error.phase(), Phase::BeforeSending);
            Err(error.kind())
        }
    }
}

#[tokio::test]
async fn case_054_case_101_a_path_argument_stays_in_its_segment() {
    let table = [
        ("../../admin", Ok("/jobs/..%2F..%2Fadmin")),
        ("%2e%2e", Ok("/jobs/%252e%252e")),
        ("//host/x", Ok("/jobs/%2F%2Fhost%2Fx")),
        ("a\r\nHost: evil", Ok("/jobs/a%0D%0AHost%3A%20evil")),
        ("?x=1#f", Ok("/jobs/%3Fx%3D1%23f")),
        ("..", Err(ErrorKind::InvalidArguments)),
        (".", Err(ErrorKind::InvalidArguments)),
        ("", Err(ErrorKind::InvalidArguments)),
    ];
    for (id, expected) in table {
        assert_eq!(target(json!({"id": id})).await, expected.map(str::to_owned), "{id:?}");
    }
}

#[tokio::test]
async fn case_101_a_header_argument_cannot_add_a_line() {
    for value in ["1\r\nX-Admin: true", "1\n2", "\0"] {
        let refused = target(json!({"id": "a", "X-Trace": value})).await;
        assert_eq!(refused, Err(ErrorKind::InvalidArguments), "{value:?}");
    }
    assert_eq!(target(json!({"id": "a", "X-Trace": "t-1"})).await, Ok("/jobs/a".to_owned()));
}
