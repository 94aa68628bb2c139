//! Replies in pieces: their permit, and the deadline of their run.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use schemarouter::executor::{
    Attempt, ByteStream, Failure, Invocation, Invoker, Reply, Settlement, VirtualTimer,
};
use schemarouter::kernel::base::disposition::Effect;
use schemarouter::kernel::base::kind::{ErrorKind, Phase};
use schemarouter::kernel::kernel::Fact;
use schemarouter::kernel::policy::ExecutionBudget;
use schemarouter::router::{Request, RunConfig};
use serde_json::json;

use crate::support::{CountingGate, router};

/// So many pieces, then what comes after them: nothing, a hang, or ever more pieces.
#[derive(Clone, Copy)]
struct Pieces {
    left: u32,
    then: Poll<Option<()>>,
}

impl Stream for Pieces {
    type Item = Result<Bytes, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = || Ok(Bytes::from_static(b"piece"));
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Poll::Ready(Some(piece()))
            }
            None => self.then.map(|more| more.map(|()| piece())),
        }
    }
}

impl Invoker for Pieces {
    async fn invoke(&self, _: &Invocation, _: &Attempt) -> Result<Reply, Failure> {
        Ok(Reply::of_stream("application/octet-stream", ByteStream::new(*self)))
    }
}

async fn stream(pieces: Pieces, time: &VirtualTimer, gate: &CountingGate) -> ByteStream {
    let router = router(Effect::ReadOnly, pieces, time).gate(gate.clone()).build().expect("a valid router");
    let budget = ExecutionBudget { max_elapsed: Some(Duration::from_secs(5)), ..ExecutionBudget::default() };
    let config = RunConfig::default().with_budget(budget);
    let outcome = router.ainvoke(Request::new("test.act", json!({})), &config).await.expect("a stream");
    outcome.data.into_stream().expect("a stream")
}

#[tokio::test]
async fn a_stream_keeps_its_permit_until_it_ends_and_stays_over() {
    let (time, gate) = (VirtualTimer::new(), CountingGate::default());
    let mut stream = stream(Pieces { left: 2, then: Poll::Ready(None) }, &time, &gate).await;
    assert_eq!(gate.open(), 1);
    for _ in 0..2 {
        stream.next().await.expect("a piece").expect("sound");
    }
    assert_eq!(gate.open(), 1);
    assert!(stream.next().await.is_none() && stream.next().await.is_none());
    assert_eq!((gate.open(), gate.settled()), (0, vec![Settlement::Succeeded]));
}

#[tokio::test]
async fn a_dropped_stream_is_abandoned() {
    let (time, gate) = (VirtualTimer::new(), CountingGate::default());
    let mut stream = stream(Pieces { left: 2, then: Poll::Pending }, &time, &gate).await;
    stream.next().await.expect("a piece").expect("sound");
    drop(stream);
    assert_eq!((gate.open(), gate.settled()), (0, vec![Settlement::Abandoned]));
}

#[tokio::test]
async fn r_408_a_stream_is_cut_at_the_deadline_of_its_run() {
    for then in [Poll::Pending, Poll::Ready(Some(()))] {
        let (time, gate) = (VirtualTimer::new(), CountingGate::default());
        let mut stream = stream(Pieces { left: 1, then }, &time, &gate).await;
        stream.next().await.expect("a piece").expect("sound");
        let stall = async {
            tokio::task::yield_now().await;
            time.stalled();
        };
        if then.is_pending() {
            let (item, ()) = tokio::join!(stream.next(), stall);
            check(item);
        } else {
            // A stream that always has a piece ready ends as well.
            time.advance(Duration::from_secs(5));
            check(stream.next().await);
        }
        assert!(stream.next().await.is_none(), "over stays over");
        assert_eq!(gate.settled(), [Settlement::Failed(Fact::TimedOut)]);
    }
}

fn check(item: Option<Result<Bytes, Failure>>) {
    let failure = item.expect("an item").expect_err("the deadline has come");
    assert_eq!((failure.kind(), failure.phase()), (ErrorKind::Timeout, Phase::Reply));
}
