//! One connection, from accept to its end.

use crate::action::{Action, End};
use crate::body::{Body, Piece};
use crate::connection::{Connection, Then};
use crate::log::Log;
use crate::render::Step;
use crate::script::{Choice, Script};
use crate::wire::{Handshake, Wire};
use crate::{Reply, Request};
use bytes::Buf as _;
use std::sync::Arc;
use tokio::net::TcpStream;

/// What went wrong, and in doing what.
type Trouble = (&'static str, String);

const MAX_HEADERS: usize = 256;
/// Bytes of a request head that are read at most.
const MAX_HEAD: usize = 1024 * 1024;

/// A connection and what it shares with the others.
struct Peer {
    wire: Wire,
    number: usize,
    script: Arc<Script>,
    log: Arc<Log>,
}

/// Carries one connection through its plan.
pub(crate) async fn serve(
    tcp: TcpStream,
    number: usize,
    handshake: Handshake,
    script: Arc<Script>,
    log: Arc<Log>,
) {
    // Each piece must leave when it is sent.
    if let Err(error) = tcp.set_nodelay(true) {
        log.fault(Some(number), "setting no-delay", &error);
    }
    let plan = script.next_connection();
    let stream = if plan.served == 0 { Ok(Box::new(tcp) as Box<_>) } else { handshake(tcp).await };
    match stream {
        Ok(stream) => {
            Peer { wire: Wire::new(stream), number, script, log: Arc::clone(&log) }.run(plan).await;
        }
        Err(error) => log.fault(Some(number), "TLS handshake", &error),
    }
    log.advance(|p| p.closed += 1);
}

impl Peer {
    async fn run(mut self, plan: Connection) {
        for _ in 0..plan.served {
            let end = match self.exchange().await {
                Ok(end) => end,
                Err((during, error)) => {
                    self.log.fault(Some(self.number), during, &error);
                    End::Close
                }
            };
            if end != End::KeepAlive {
                return self.finish(end).await;
            }
        }
        self.part(plan.then).await;
    }

    /// Reads one request and acts on it.
    async fn exchange(&mut self) -> Result<End, Trouble> {
        let Some(request) = self.head().await? else { return Ok(End::Close) };
        let mut body = Body::of(&request).map_err(|e| ("reading a request head", e.to_owned()))?;
        let wants_close = request.wants_close();
        let early = self.script.at_head(&request);
        let number = self.log.request(request.clone());
        let limit = match &early {
            Some(Choice::Scripted(Action { after_body: Some(limit), .. })) => *limit,
            _ => usize::MAX,
        };
        self.read_body(&mut body, number, limit).await?;
        let choice = match early {
            Some(choice) => choice,
            None => self.script.at_end(&self.log.get(number).unwrap_or(request.clone())),
        };
        let action = match choice {
            Choice::Scripted(action) => action,
            Choice::Exhausted(length) => self.exhausted(length),
        };
        let end = self.act(&action, &request).await?;
        match end {
            End::KeepAlive => self.read_body(&mut body, number, usize::MAX).await?,
            // To notice that the client leaves, everything must be read; a body that waits must not be.
            End::Stall if body != Body::Done => {
                self.announce();
                std::future::pending::<()>().await;
            }
            End::Close | End::Reset | End::Stall => {}
        }
        Ok(if end == End::KeepAlive && wants_close { End::Close } else { end })
    }

    async fn act(&mut self, action: &Action, request: &Request) -> Result<End, Trouble> {
        let program = action.program(&request.method);
        for step in program.steps {
            match step {
                Step::Send(bytes) => {
                    self.wire.send(&bytes).await.map_err(|e| ("sending a reply", e.to_string()))?;
                }
                Step::Yield => tokio::task::yield_now().await,
                Step::Wait(gate) => gate.notified().await,
            }
        }
        self.log.advance(|p| p.actions += 1);
        Ok(program.end)
    }

    /// The answer to a request that the script does not know.
    fn exhausted(&self, length: usize) -> Action {
        let text = format!("loopback: the script has {length} actions and this request comes after them");
        self.log.fault(Some(self.number), "choosing an action", &text);
        Reply::text(500, text).into()
    }

    /// Reads the next request head; none if the client left between requests.
    async fn head(&mut self) -> Result<Option<Request>, Trouble> {
        loop {
            match parse_head(&self.wire.buffer, self.number) {
                Ok(Some(request)) => {
                    self.wire.buffer.advance(request.head.len());
                    return Ok(Some(request));
                }
                Ok(None) if self.wire.buffer.len() < MAX_HEAD => {}
                Ok(None) => return Err(("reading a request head", "it does not end".to_owned())),
                Err(error) => {
                    let reply = Reply::text(400, format!("loopback: {error}")).close();
                    let program = Action::from(reply).program("");
                    for step in program.steps {
                        if let Step::Send(bytes) = step {
                            // The fault is the head, whether or not the client hears of it.
                            let _ = self.wire.send(&bytes).await;
                        }
                    }
                    return Err(("reading a request head", error.to_string()));
                }
            }
            match self.wire.fill().await {
                Ok(true) => {}
                Ok(false) | Err(_) if self.wire.buffer.is_empty() => return Ok(None),
                Ok(false) => return Err(("reading a request head", "the client left".to_owned())),
                Err(error) => return Err(("reading a request head", error.to_string())),
            }
        }
    }

    /// Reads the body until its end or until `limit` more bytes of it were read.
    async fn read_body(&mut self, body: &mut Body, number: usize, limit: usize) -> Result<(), Trouble> {
        const DOING: &str = "reading a request body";
        let mut room = limit;
        loop {
            match body.next(&mut self.wire.buffer, room).map_err(|e| (DOING, e.to_owned()))? {
                Piece::Data(piece) => {
                    room -= piece.len();
                    self.log.body(number, &piece);
                }
                Piece::Done => {
                    self.log.complete(number);
                    return Ok(());
                }
                Piece::NeedMore if room == 0 => return Ok(()),
                Piece::NeedMore => match self.wire.fill().await {
                    Ok(true) => {}
                    Ok(false) => return Err((DOING, "the client left".to_owned())),
                    Err(error) => return Err((DOING, error.to_string())),
                },
            }
        }
    }

    fn announce(&self) {
        self.log.advance(|p| p.stalls += 1);
        self.script.stalled();
    }

    /// Ends the connection after an action.
    async fn finish(mut self, end: End) {
        match end {
            End::KeepAlive | End::Close => self.wire.close().await,
            End::Reset => self.reset(),
            End::Stall => {
                self.announce();
                self.wire.left().await;
                self.log.advance(|p| p.hangups += 1);
            }
        }
    }

    /// Ends the connection as its plan says.
    async fn part(mut self, then: Then) {
        match then {
            Then::Close => self.wire.close().await,
            Then::Reset => self.reset(),
            // Dropping unread bytes is what makes the kernel reset.
            Then::CloseOnArrival => {
                self.wire.arrival().await;
            }
            Then::ResetOnArrival => {
                self.wire.arrival().await;
                self.reset();
            }
            Then::Stall => {
                self.announce();
                std::future::pending::<()>().await;
            }
            Then::Speak(bytes) => {
                if let Err(error) = self.wire.send(&bytes).await {
                    self.log.fault(Some(self.number), "speaking unasked", &error);
                }
                // Read what came, or the close would be a reset that may overtake the bytes.
                let _ = self.wire.fill().await;
                self.wire.close().await;
            }
        }
    }

    fn reset(self) {
        if let Err(error) = self.wire.reset() {
            self.log.fault(Some(self.number), "resetting", &error);
        }
    }
}

/// Parses a request head; none if it is not complete yet.
fn parse_head(bytes: &[u8], connection: usize) -> Result<Option<Request>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(bytes)? else { return Ok(None) };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    Ok(Some(Request {
        method: head.method.unwrap_or_default().to_owned(),
        target: head.path.unwrap_or_default().to_owned(),
        minor_version: head.version.unwrap_or(1),
        headers: head.headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect(),
        head: bytes[..length].to_vec(),
        body: Vec::new(),
        complete: false,
        connection,
    }))
}
