//! Compressed replies over real sockets: what is decoded, what is refused, and what a small reply may cost.

use std::fmt::Write as _;

use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder};
use schemarouter::kernel::base::disposition::Disposition;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{Outcome, Request};
use schemarouter_loopback::{End, Reply, Script, Server};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::support::api::{Api, on_stall};
use crate::support::{attempts, with};

const CAP: u64 = 1_048_576;
const JSON: &[u8] = b"[1, 2, 3, 4, 5, 6, 7, 8, 9]";

macro_rules! encode {
    ($encoder:ident, $bytes:expr) => {{
        let mut encoder = $encoder::new(Vec::new());
        encoder.write_all($bytes).await.expect("memory takes it");
        encoder.shutdown().await.expect("memory takes it");
        encoder.into_inner()
    }};
}

async fn gzip(bytes: &[u8]) -> Vec<u8> {
    encode!(GzipEncoder, bytes)
}

/// Reads `listJobs` from a server that always answers so, and how many requests arrived.
async fn read(reply: Reply) -> (Result<Outcome, Error>, usize) {
    let mut api = Api::at("http://127.0.0.1");
    let server = Server::start(Script::repeat(reply).on_stall(on_stall(&api.time))).await.expect("a server");
    let time = api.time.clone();
    api = Api::at(&server.url());
    api.time = time;
    api.settings = api.settings.with_max_reply_bytes(CAP);
    let result = api.call("listJobs", json!({}), &with(attempts(3))).await;
    (result, server.requests().len())
}

fn coded(status: u16, fields: &[&str], body: Vec<u8>) -> Reply {
    fields.iter().fold(Reply::json(status, body), |reply, field| reply.header("Content-Encoding", *field))
}

#[tokio::test]
async fn case_053_the_cap_counts_what_a_body_unfolds_to() {
    // 200 members of a mebibyte: a gzip file is a row of members (RFC 1952 section 2.2).
    let bomb = gzip(&vec![b' '; 1 << 20]).await.repeat(200);
    let double = gzip(&bomb).await;
    assert!(double.len() < 16 * 1024 && bomb.len() < 256 * 1024);
    let table = [
        ("gzip of 200 MiB", coded(200, &["gzip"], bomb)),
        ("a bomb in a bomb", coded(200, &["gzip, gzip"], double)),
        // Whoever waits for the body of this one waits until the time limit.
        ("announced", Reply::json(200, vec![b' '; 2 << 20]).cut_after(0, End::Stall)),
    ];
    for (name, reply) in table {
        let (result, arrived) = read(reply).await;
        let error = result.expect_err(name);
        assert_eq!(error.kind(), ErrorKind::ResponseTooLarge, "{name}: {error}");
        assert_eq!(error.disposition(), Disposition::NonRetryable, "{name}");
        assert!(error.to_string().contains("1048576"), "{name}: {error}");
        assert_eq!((error.report().attempts.len(), arrived), (1, 1), "{name}");
    }
}

#[tokio::test]
async fn case_053_a_body_of_exactly_the_cap_is_a_success() {
    let mut body = vec![b' '; 1 << 20];
    (body[0], body[(1 << 20) - 1]) = (b'[', b']');
    let (result, _) = read(coded(200, &["gzip"], gzip(&body).await)).await;
    assert_eq!(result.expect("within the cap").data.bytes().map(bytes::Bytes::len), Some(1 << 20));
    body.push(b' ');
    let (result, _) = read(coded(200, &["gzip"], gzip(&body).await)).await;
    assert_eq!(result.expect_err("a byte more").kind(), ErrorKind::ResponseTooLarge);
}

#[tokio::test]
async fn what_comes_of_each_content_coding() {
    let gz = gzip(JSON).await;
    let twice = gzip(&gz).await;
    let br = encode!(BrotliEncoder, JSON);
    let gz_br = encode!(BrotliEncoder, &gz);
    let zlib = encode!(ZlibEncoder, JSON);
    let raw_deflate = encode!(DeflateEncoder, JSON);
    let mut bad_sum = gz.clone();
    bad_sum[gz.len() - 6] ^= 1;
    let half_in_whole = gzip(&gz[..gz.len() / 2]).await;
    let rows = [
        ("none", coded(200, &[], JSON.to_vec())),
        ("identity", coded(200, &["identity"], JSON.to_vec())),
        ("gzip", coded(200, &["gzip"], gz.clone())),
        ("GZIP", coded(200, &["GZIP"], gz.clone())),
        ("x-gzip", coded(200, &["x-gzip"], gz.clone())),
        ("deflate", coded(200, &["deflate"], zlib)),
        ("br", coded(200, &["br"], br.clone())),
        ("gzip, br", coded(200, &["gzip, br"], gz_br.clone())),
        ("gzip, gzip", coded(200, &["gzip, gzip"], twice.clone())),
        ("two fields", coded(200, &["gzip", "gzip"], twice.clone())),
        ("chunked, in many pieces", coded(200, &["gzip", "br"], gz_br.clone()).chunked().pieces(9)),
        ("unknown", coded(200, &["gzip, zstd"], gz.clone())),
        ("five codings", coded(200, &["gzip, gzip, gzip", "gzip, gzip"], gz.clone())),
        ("not coded as it says", coded(200, &["gzip"], JSON.to_vec())),
        ("deflate without zlib", coded(200, &["deflate"], raw_deflate)),
        ("wrong checksum", coded(200, &["gzip"], bad_sum)),
        ("truncated in a whole body", coded(200, &["gzip"], gz[..gz.len() - 3].to_vec())),
        ("br truncated in a whole body", coded(200, &["br"], br[..br.len() - 3].to_vec())),
        ("inner layer truncated", coded(200, &["gzip, gzip"], half_in_whole)),
        ("connection cut", coded(200, &["gzip"], gz.clone()).cut_after(gz.len() / 2, End::Close)),
        (
            "connection cut, two layers",
            coded(200, &["gzip", "gzip"], twice.clone()).cut_after(twice.len() / 2, End::Close),
        ),
        ("connection cut, br", coded(200, &["br"], br.clone()).chunked().cut_after(br.len() / 2, End::Close)),
        ("stalls", coded(200, &["gzip"], gz.clone()).cut_after(gz.len() / 2, End::Stall)),
        ("404 of unknown coding", coded(404, &["zstd"], b"{\"title\": \"not seen\"}".to_vec())),
        ("404 truncated", coded(404, &["gzip"], gz[..gz.len() / 2].to_vec())),
    ];
    let mut table = String::new();
    for (name, reply) in rows {
        let (result, arrived) = read(reply).await;
        let result = match result {
            Ok(outcome) if outcome.data.bytes().is_some_and(|bytes| bytes == JSON) => "decoded".to_owned(),
            Ok(outcome) => format!("{:?}", outcome.data),
            Err(error) => {
                let message = error.to_string();
                let (_, message) = message.split_once("/jobs").expect("it names the request");
                format!("{} | {} | arrived {arrived} | {message}", error.kind(), error.disposition())
            }
        };
        let _ = writeln!(table, "{name}: {result}");
    }
    insta::assert_snapshot!(table);
}

#[tokio::test]
async fn problem_details_are_read_from_a_compressed_error_reply() {
    let body = gzip(br#"{"title": "Out of stock", "detail": "none left"}"#).await;
    let reply = Reply::status(404).header("Content-Type", "application/problem+json");
    let (result, _) = read(reply.header("Content-Encoding", "gzip").body(body)).await;
    let error = result.expect_err("404");
    let problem = error.report().problem.as_ref().expect("problem details");
    assert_eq!((error.kind(), problem.title.as_deref()), (ErrorKind::HttpStatus, Some("Out of stock")));
}

#[tokio::test]
async fn the_codings_that_are_accepted_go_with_each_request_for_a_whole() {
    let server = Server::start(Reply::json(200, "[]")).await.expect("a server");
    let mut api = Api::at(&server.url());
    let table = [
        ("X-Trace", json!({"id": "a"}), Some("gzip, br")),
        ("Accept-Encoding", json!({"id": "a", "Accept-Encoding": "identity"}), Some("identity")),
        // A part of a coded body could not be decoded.
        ("Range", json!({"id": "a", "Range": "bytes=0-9"}), None),
    ];
    for (at, (name, arguments, expected)) in table.into_iter().enumerate() {
        api.document["paths"]["/jobs/{id}"]["get"]["parameters"][1]["name"] = json!(name);
        let shown =
            api.builder().build().expect("a router").dry_run(&Request::new("jobs.getJob", arguments.clone()));
        let given = arguments.get("Accept-Encoding").is_some();
        assert_eq!(shown.expect("a request").headers.contains_key("accept-encoding"), given, "{name}");
        api.call("getJob", arguments, &with(attempts(1))).await.expect(name);
        assert_eq!(server.requests()[at].header("Accept-Encoding"), expected, "{name}");
    }
}
