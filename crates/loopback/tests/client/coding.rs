//! Content codings as reqwest decodes them.

use crate::{chain, client};
use schemarouter_loopback::{End, Reply, Server};

/// `{"a":1}` in gzip, and that in gzip again.
const GZIP: [u8; 27] =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 171, 86, 74, 84, 178, 50, 172, 5, 0, 175, 172, 27, 86, 7, 0, 0, 0];
const TWICE: [u8; 44] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 147, 239, 230, 96, 0, 1, 166, 255, 171, 195, 188, 66, 54, 25, 173, 97,
    101, 88, 191, 70, 58, 140, 29, 40, 4, 0, 184, 166, 255, 211, 27, 0, 0, 0,
];

#[tokio::test]
async fn case_053_each_coding_and_each_way_to_break_it() {
    let reply = |body: &[u8], coding: &str| Reply::json(200, body).header("Content-Encoding", coding);
    let junk = [&GZIP[..], b"junk"].concat();
    let mut corrupt = GZIP;
    corrupt[GZIP.len() - 6] ^= 1;
    // The number of bytes, the Content-Encoding that is left, or the error.
    let table = [
        ("gzip", reply(&GZIP, "gzip"), "7 None"),
        ("upper case is not decoded", reply(&GZIP, "GZIP"), "27 Some(\"GZIP\")"),
        ("the old name is not decoded", reply(&GZIP, "x-gzip"), "27 Some(\"x-gzip\")"),
        ("a list is not decoded", reply(&TWICE, "gzip, gzip"), "44 Some(\"gzip, gzip\")"),
        (
            "of two fields one is decoded and both removed",
            reply(&TWICE, "gzip").header("Content-Encoding", "gzip"),
            "27 None",
        ),
        ("no body", reply(b"", "gzip"), "0 None"),
        ("junk after it in the same read passes", reply(&junk, "gzip"), "7 None"),
        ("no gzip", reply(b"[1,2,3,4,5,6,7]", "gzip"), "decode | io(InvalidData) > \"Invalid gzip header\""),
        (
            "bad checksum",
            reply(&corrupt, "gzip"),
            "decode | io(InvalidData) > \"CRC computed does not match\"",
        ),
        ("coding cut in its head", reply(&GZIP[..5], "gzip"), "decode | io(UnexpectedEof)"),
        ("coding cut in its tail", reply(&GZIP[..25], "gzip"), "decode | io(UnexpectedEof)"),
        (
            "connection cut",
            reply(&GZIP, "gzip").cut_after(20, End::Close),
            "decode | hyper() > io(UnexpectedEof) > \"end of file before message length reached\"",
        ),
        (
            "connection cut after the coding's end",
            reply(&GZIP, "gzip").chunked().cut_after(GZIP.len(), End::Close),
            "decode | hyper() > io(UnexpectedEof) > \"unexpected EOF during chunk size line\"",
        ),
    ];
    let client = client(None).build().unwrap();
    for (name, reply, expected) in table {
        let server = Server::start(reply).await.unwrap();
        let reply = client.get(server.url()).send().await.unwrap();
        let coding = reply.headers().get("content-encoding").cloned();
        let decoded = reply.bytes().await.map(|body| format!("{} {coding:?}", body.len()));
        let text = decoded.unwrap_or_else(|error| chain::shown(&error));
        assert_eq!(text, expected, "{name}");
        assert_eq!(server.requests()[0].header("accept-encoding"), Some("zstd,gzip,br"), "{name}");
    }
}
