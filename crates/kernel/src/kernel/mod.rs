//! Pure decisions: `(&mut self, now, event) -> answer`.

mod backoff;
mod ledger;
mod machine;
mod verdict;

pub use backoff::window;
pub use ledger::{Ledger, LimitReached};
pub use machine::{AttemptPlan, CallMachine, End, Event, GiveUp, Step, WaitPlan, WaitReason};
pub use verdict::{Fact, Footing, Verdict, judge, verdict};
