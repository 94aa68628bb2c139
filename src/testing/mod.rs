//! What tests of registered code, gates and approvers need: dropping a call wherever it can be dropped.

mod cut;

pub use cut::{Cut, MOST_POLLS, cut_points};
