//! A reply as the steps that send it: pure, so that each byte can be checked without a socket.

use crate::action::Deed;
use crate::reply::{Cut, Framing, Reply};
use crate::{Action, End};
use bytes::Bytes;
use std::io::Write as _;
use std::sync::Arc;
use tokio::sync::Notify;

/// What to do on the wire.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
}

#[derive(Debug)]
pub(crate) enum Step {
    Send(Bytes),
    Yield,
    Wait(Arc<Notify>),
}

impl Action {
    /// The steps that carry this action out, in answer to a request of this method.
    pub(crate) fn program(&self, method: &str) -> Program {
        match &self.deed {
            Deed::Raw(bytes, end) => Program { steps: vec![Step::Send(bytes.clone())], end: *end },
            Deed::Reply(reply) => reply.program(method == "HEAD"),
        }
    }
}

impl Reply {
    fn program(&self, head_only: bool) -> Program {
        let mut first = self.head();
        let sends_body = match self.cut {
            Some((Cut::Head(bytes), _)) => {
                first.truncate(bytes);
                false
            }
            _ => !head_only,
        };
        let mut steps = Vec::new();
        if sends_body {
            let mut pieces = self.framed_pieces().into_iter();
            first.extend(pieces.next().unwrap_or_default());
            steps.push(Step::Send(first.into()));
            for piece in pieces {
                steps.push(self.gate.clone().map_or(Step::Yield, Step::Wait));
                steps.push(Step::Send(piece.into()));
            }
        } else {
            steps.push(Step::Send(first.into()));
        }
        Program { steps, end: self.end(head_only) }
    }

    fn end(&self, head_only: bool) -> End {
        let sound = match self.framing {
            Framing::Length(Some(length)) => head_only || length == self.body.len() as u64,
            Framing::Length(None) | Framing::Chunked => true,
            Framing::UntilClose => false,
        };
        match self.cut {
            Some((_, end)) => end,
            None if self.close || !sound => End::Close,
            None => End::KeepAlive,
        }
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        for (status, headers) in &self.interim {
            status_line(&mut head, *status, None);
            for (name, value) in headers {
                field(&mut head, name, value.as_bytes());
            }
            head.extend_from_slice(b"\r\n");
        }
        status_line(&mut head, self.status, self.reason.as_deref());
        for (name, value) in &self.headers {
            field(&mut head, name, value);
        }
        match self.framing {
            // RFC 9110 section 8.6: no Content-Length in a 204.
            Framing::Length(None) if self.status == 204 && self.body.is_empty() => {}
            Framing::Length(length) => {
                let length = length.unwrap_or(self.body.len() as u64);
                field(&mut head, "Content-Length", length.to_string().as_bytes());
            }
            Framing::Chunked => field(&mut head, "Transfer-Encoding", b"chunked"),
            Framing::UntilClose => {}
        }
        if self.close || self.framing == Framing::UntilClose {
            field(&mut head, "Connection", b"close");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The body cut, split and framed; the last piece also holds the last chunk, if there is one.
    fn framed_pieces(&self) -> Vec<Vec<u8>> {
        let (body, whole) = match self.cut {
            Some((Cut::Body(bytes), _)) => (&self.body[..bytes.min(self.body.len())], false),
            _ => (&self.body[..], true),
        };
        let size = body.len().div_ceil(self.pieces).max(1);
        let mut pieces: Vec<Vec<u8>> = body.chunks(size).map(|piece| self.frame(piece)).collect();
        if whole && self.framing == Framing::Chunked {
            match pieces.last_mut() {
                Some(last) => last.extend_from_slice(LAST_CHUNK),
                None => pieces.push(LAST_CHUNK.to_vec()),
            }
        }
        pieces
    }

    fn frame(&self, piece: &[u8]) -> Vec<u8> {
        if self.framing != Framing::Chunked {
            return piece.to_vec();
        }
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        chunk
    }
}

const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

fn status_line(head: &mut Vec<u8>, status: u16, phrase: Option<&str>) {
    let phrase = phrase.unwrap_or_else(|| reason(status));
    // Writing to a Vec cannot fail.
    let _ = write!(head, "HTTP/1.1 {status} {phrase}\r\n");
}

fn field(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value);
    head.extend_from_slice(b"\r\n");
}

/// The usual reason phrases (RFC 9110 section 15, RFC 6585); others are free text.
fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        103 => "Early Hints",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        425 => "Too Early",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Scripted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program as one readable line: sent text, `/` a yield, `?` a wait, then how it ends.
    fn shown(reply: Reply, method: &str) -> String {
        let program = Action::from(reply).program(method);
        let mut text = String::new();
        for step in program.steps {
            match step {
                Step::Send(bytes) => text.push_str(&String::from_utf8_lossy(&bytes).replace("\r\n", "|")),
                Step::Yield => text.push('/'),
                Step::Wait(_) => text.push('?'),
            }
        }
        format!("{text} {:?}", program.end)
    }

    #[test]
    fn every_kind_of_reply_to_the_byte() {
        let json = || Reply::json(200, "[1,2]");
        let ok = "HTTP/1.1 200 OK|Content-Type: application/json|";
        let gate = Arc::new(Notify::new());
        let table = [
            ("sound", json(), format!("{ok}Content-Length: 5||[1,2] KeepAlive")),
            ("close", json().close(), format!("{ok}Content-Length: 5|Connection: close||[1,2] Close")),
            ("no content", Reply::status(204), "HTTP/1.1 204 No Content|| KeepAlive".to_owned()),
            ("empty", Reply::status(599), "HTTP/1.1 599 Scripted|Content-Length: 0|| KeepAlive".to_owned()),
            ("chunked", json().chunked(), format!("{ok}Transfer-Encoding: chunked||5|[1,2]|0|| KeepAlive")),
            (
                "chunked, empty",
                Reply::status(200).chunked(),
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|| KeepAlive".to_owned(),
            ),
            (
                "chunked in pieces",
                json().chunked().pieces(2),
                format!("{ok}Transfer-Encoding: chunked||3|[1,|/2|2]|0|| KeepAlive"),
            ),
            (
                "chunked without the last chunk",
                json().chunked().cut_after(9, End::Close),
                format!("{ok}Transfer-Encoding: chunked||5|[1,2]| Close"),
            ),
            ("false length", json().content_length(100), format!("{ok}Content-Length: 100||[1,2] Close")),
            ("true length", json().content_length(5), format!("{ok}Content-Length: 5||[1,2] KeepAlive")),
            ("cut", json().cut_after(2, End::Reset), format!("{ok}Content-Length: 5||[1 Reset")),
            ("stall", json().cut_after(0, End::Stall), format!("{ok}Content-Length: 5|| Stall")),
            ("cut head", json().cut_head_after(12, End::Close), "HTTP/1.1 200 Close".to_owned()),
            ("until close", json().until_close(), format!("{ok}Connection: close||[1,2] Close")),
            ("dripped", json().pieces(5), format!("{ok}Content-Length: 5||[/1/,/2/] KeepAlive")),
            ("gated", json().pieces(2).gate(gate), format!("{ok}Content-Length: 5||[1,?2] KeepAlive")),
            (
                "interim",
                Reply::status(204).interim(103, &[("Link", "</a>")]).interim(100, &[]),
                "HTTP/1.1 103 Early Hints|Link: </a>||HTTP/1.1 100 Continue||HTTP/1.1 204 No Content|| KeepAlive"
                    .to_owned(),
            ),
            ("reason", Reply::status(204).reason("So Be It"), "HTTP/1.1 204 So Be It|| KeepAlive".to_owned()),
        ];
        for (name, reply, expected) in table {
            assert_eq!(shown(reply, "GET"), expected, "{name}");
        }
    }

    #[test]
    fn a_head_request_gets_the_head_alone() {
        let expected = "HTTP/1.1 200 OK|Content-Type: application/json|Content-Length: 5|| KeepAlive";
        assert_eq!(shown(Reply::json(200, "[1,2]"), "HEAD"), expected);
        let chunked = "HTTP/1.1 200 OK|Transfer-Encoding: chunked|| KeepAlive";
        assert_eq!(shown(Reply::status(200).chunked(), "HEAD"), chunked);
    }
}
