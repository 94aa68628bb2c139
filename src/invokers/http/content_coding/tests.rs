use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_compression::tokio::write::GzipEncoder;
use tokio::io::AsyncWriteExt as _;

use super::*;

const CAP: u64 = 1 << 16;

type Fields<'a> = &'a [&'static str];

fn read(fields: Fields<'_>) -> ContentCodings {
    let mut headers = HeaderMap::new();
    for field in fields {
        headers.append(CONTENT_ENCODING, HeaderValue::from_static(field));
    }
    let mut redactor = Redactor::default();
    redactor.add("S3CR3T");
    ContentCodings::of(&headers, &redactor)
}

#[test]
fn every_field_and_every_member_counts() {
    use Coding::{Brotli, Deflate, Gzip};
    let unknown = |name: &str| Err(Unsupported::Coding(name.to_owned()));
    let table: [(Fields, _); 13] = [
        (&[], Ok(vec![])),
        (&[""], Ok(vec![])),
        (&["identity, Identity"], Ok(vec![])),
        (&["gzip"], Ok(vec![Gzip])),
        (&["GZip"], Ok(vec![Gzip])),
        (&["X-GZIP"], Ok(vec![Gzip])),
        (&[" gzip ,\tbr,, deflate"], Ok(vec![Gzip, Brotli, Deflate])),
        (&["gzip", "identity", "br"], Ok(vec![Gzip, Brotli])),
        (&["gzip,gzip", "gzip,gzip"], Ok(vec![Gzip; 4])),
        (&["gzip,gzip,identity", "gzip,gzip,gzip"], Err(Unsupported::TooMany)),
        (&["gzip, zstd"], unknown("zstd")),
        (&["gzip;q=1"], unknown("gzip;q=1")),
        (&["x-S3CR3T"], unknown("x-***")),
    ];
    for (fields, expected) in table {
        assert_eq!(read(fields).0, expected, "{fields:?}");
    }
}

async fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(bytes).await.expect("memory takes it");
    encoder.shutdown().await.expect("memory takes it");
    encoder.into_inner()
}

fn too_large() -> Failure {
    Failure::new(ErrorKind::ResponseTooLarge, Fact::UnusableReply, "too large")
}

/// Reads at most the cap and a byte, as the receiver does: what came, and how many pieces of the body it took.
async fn content(fields: Fields<'_>, body: &[u8], piece: usize) -> (Result<Vec<u8>, Failure>, usize) {
    let taken = Arc::new(AtomicUsize::new(0));
    let pieces: Vec<_> = body.chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let counter = Arc::clone(&taken);
    let wire = stream::iter(pieces).inspect(move |_| _ = counter.fetch_add(1, Ordering::Relaxed)).boxed();
    let mut content = read(fields).decode(wire, 200, CAP, too_large());
    let mut got = Vec::new();
    let mut end = Ok(());
    while got.len() as u64 <= CAP {
        match content.next().await {
            None => break,
            Some(Ok(piece)) => got.extend_from_slice(&piece),
            Some(Err(failure)) => {
                end = Err(failure);
                break;
            }
        }
    }
    (end.map(|()| got), taken.load(Ordering::Relaxed))
}

#[tokio::test]
async fn content_is_the_same_however_the_bytes_come() {
    let text = b"[1, 2, 3, 4, 5, 6, 7, 8, 9]".repeat(50);
    let members = [gzip(&text[..20]).await, gzip(b"").await, gzip(&text[20..]).await].concat();
    let twice = gzip(&members).await;
    for piece in [1, 2, 7, usize::MAX] {
        assert_eq!(content(&["gzip"], &members, piece).await.0.expect("sound"), text);
        assert_eq!(content(&["gzip", "gzip"], &twice, piece).await.0.expect("sound"), text);
    }
}

#[tokio::test]
async fn no_more_of_a_bomb_is_taken_than_the_cap_needs() {
    let member = gzip(&vec![b' '; 1 << 16]).await;
    let (got, taken) = content(&["gzip"], &member.repeat(200), member.len()).await;
    // Whoever counts first: the receiver or the layer.
    assert!(
        got.map_or_else(
            |failure| failure.kind() == ErrorKind::ResponseTooLarge,
            |got| got.len() as u64 > CAP
        )
    );
    assert_eq!(taken, 2);
}

#[tokio::test]
async fn no_layer_unfolds_beyond_the_cap_even_where_the_next_one_gives_nothing() {
    let nothing = gzip(b"").await;
    let hollow = gzip(&nothing.repeat(2 * (1 << 16) / nothing.len())).await;
    assert!(hollow.len() < 1024);
    let failure = content(&["gzip, gzip"], &hollow, usize::MAX).await.0.expect_err("too much work");
    assert_eq!(failure.kind(), ErrorKind::ResponseTooLarge);
}

#[tokio::test]
async fn incompressible_content_up_to_the_cap_passes_all_layers() {
    // A linear congruential generator: nothing repeats that a coding could use.
    let noise = std::iter::successors(Some(1u64), |n| {
        Some(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
    });
    let noise: Vec<u8> = noise.map(|n| n.to_be_bytes()[0]).take(1 << 16).collect();
    let twice = gzip(&gzip(&noise).await).await;
    assert!(twice.len() as u64 > CAP);
    assert!(content(&["gzip, gzip"], &twice, 8192).await.0.expect("sound") == noise);
}

#[tokio::test]
async fn decoding_lets_other_tasks_run() {
    let bomb = gzip(&vec![b' '; 1 << 20]).await;
    let wire = stream::iter([Ok(Bytes::from(bomb))]).boxed();
    let mut content = read(&["gzip"]).decode(wire, 200, 1 << 20, too_large()).map_ok(|piece| piece.len());
    let work = content.by_ref().try_fold(0, |sum, length| future::ready(Ok(sum + length)));
    tokio::pin!(work);
    let first = future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    assert!(first.is_pending(), "a mebibyte does not come in one turn");
    assert_eq!(work.await.expect("sound"), 1 << 20);
}

#[tokio::test]
async fn a_body_without_bytes_has_no_codings() {
    for fields in [&["gzip"][..], &["gzip, br"], &["zstd"], &["gzip, gzip, gzip, gzip, gzip"]] {
        assert_eq!(content(fields, b"", 1).await.0.expect("empty"), b"", "{fields:?}");
    }
}
