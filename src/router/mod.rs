//! Requests in, outcomes out: finds the endpoint, admits the call, has it carried out, judges the reply.

mod admission;
mod admitted;
mod approval;
mod arguments;
mod blocking;
mod builder;
mod contract;
mod cut;
mod declaration;
mod declarations;
mod download;
mod fallback;
mod idempotency;
mod outcome;
mod pages;
mod plan;
mod reply_check;
mod request;
#[expect(clippy::module_inception, reason = "the router itself is the room's main word")]
mod router;
mod run;
mod run_config;
mod seed;
mod selection;
mod settings;
mod sources;
mod stale;
mod tree;

pub use approval::{Approval, ApprovalRequest, Approver};
pub use builder::RouterBuilder;
pub use contract::Contract;
pub use cut::{Cut, CutPlace, Piece, ResultHandle, Unit};
pub use declaration::{Declaration, FallbackTo, KeyCarrier};
pub use download::Download;
pub use fallback::Fallback;
pub use outcome::{Data, Outcome, OutcomeReport};
pub use pages::{Delivered, NextPageHandle, PageLimits, Pages, PagesEnd};
pub use plan::{CallResult, Plan, PlanOutcome};
pub use reply_check::ReplyValidation;
pub use request::Request;
pub use router::Router;
pub use run_config::RunConfig;
pub use settings::{
    CredentialVariables, HttpValues, Layers, Origin, OverlayFile, Setting, Settings, SourceValues, Values,
    read_file,
};
pub use tokio_util::sync::CancellationToken;
