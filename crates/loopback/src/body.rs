//! Request bodies: a decoder that is fed bytes and knows no socket.

use crate::Request;
use crate::request::has_token;
use bytes::{Buf as _, Bytes, BytesMut};

/// Where in a request body the reader is (RFC 9112 sections 6 and 7.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Bytes still to come of a body of known length.
    Left(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    Done,
}

/// What the bytes at hand gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Data(Bytes),
    NeedMore,
    Done,
}

impl Body {
    /// The body that a head announces.
    pub(crate) fn of(request: &Request) -> Result<Self, &'static str> {
        if request.header("transfer-encoding").is_some_and(|v| has_token(v, "chunked")) {
            return Ok(Self::ChunkSize);
        }
        let length = request.header("content-length").map_or(Ok(0), |v| v.trim().parse());
        length.map(|n| if n == 0 { Self::Done } else { Self::Left(n) }).map_err(|_| "bad Content-Length")
    }

    /// Takes the next piece of data out of the buffer, at most `room` bytes of it.
    pub(crate) fn next(&mut self, buffer: &mut BytesMut, room: usize) -> Result<Piece, &'static str> {
        loop {
            match self {
                Self::Done => return Ok(Piece::Done),
                Self::Left(left) | Self::Chunk(left) => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.len()).min(room);
                    if n == 0 {
                        return Ok(Piece::NeedMore);
                    }
                    *left -= n as u64;
                    match self {
                        Self::Left(0) => *self = Self::Done,
                        Self::Chunk(0) => *self = Self::ChunkEnd,
                        _ => {}
                    }
                    return Ok(Piece::Data(buffer.split_to(n).freeze()));
                }
                Self::ChunkSize => match httparse::parse_chunk_size(buffer) {
                    Ok(httparse::Status::Complete((used, size))) => {
                        buffer.advance(used);
                        *self = if size == 0 { Self::Trailers } else { Self::Chunk(size) };
                    }
                    Ok(httparse::Status::Partial) => return Ok(Piece::NeedMore),
                    Err(_) => return Err("bad chunk size"),
                },
                Self::ChunkEnd | Self::Trailers => match line(buffer) {
                    None => return Ok(Piece::NeedMore),
                    Some(line) if line.is_empty() => {
                        *self = if *self == Self::Trailers { Self::Done } else { Self::ChunkSize };
                    }
                    Some(_) if *self == Self::Trailers => {}
                    Some(_) => return Err("chunk longer than its size"),
                },
            }
        }
    }
}

/// Takes one line, without its end, out of the buffer.
fn line(buffer: &mut BytesMut) -> Option<BytesMut> {
    let end = buffer.windows(2).position(|w| w == b"\r\n")?;
    let line = buffer.split_to(end);
    buffer.advance(2);
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the text in steps of this size and shows data, state and what is left over.
    fn decoded(mut body: Body, text: &str, step: usize) -> Result<(String, Body, String), &'static str> {
        let (mut buffer, mut data) = (BytesMut::new(), Vec::new());
        for bytes in text.as_bytes().chunks(step) {
            buffer.extend_from_slice(bytes);
            while let Piece::Data(piece) = body.next(&mut buffer, usize::MAX)? {
                data.extend_from_slice(&piece);
            }
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&data), body, text(&buffer)))
    }

    #[test]
    fn framing_is_the_same_however_the_bytes_come() {
        for step in 1..40 {
            let ok = |data: &str, left: &str| Ok((data.to_owned(), Body::Done, left.to_owned()));
            assert_eq!(decoded(Body::Left(5), "helloGET", step), ok("hello", "GET"));
            let chunked = "3\r\nhel\r\n2;x=1\r\nlo\r\n0\r\nT: 1\r\n\r\nGET";
            assert_eq!(decoded(Body::ChunkSize, chunked, step), ok("hello", "GET"));
            assert_eq!(decoded(Body::ChunkSize, "3\r\nhello\r\n", step), Err("chunk longer than its size"));
            assert_eq!(decoded(Body::ChunkSize, "zz\r\n", step), Err("bad chunk size"));
        }
    }

    #[test]
    fn room_limits_what_is_taken() {
        let (mut body, mut buffer) = (Body::Left(5), BytesMut::from("hello"));
        assert_eq!(body.next(&mut buffer, 2), Ok(Piece::Data(Bytes::from("he"))));
        assert_eq!(body.next(&mut buffer, 0), Ok(Piece::NeedMore));
        assert_eq!((body, &buffer[..]), (Body::Left(3), &b"llo"[..]));
    }
}
