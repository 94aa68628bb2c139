//! Which of its servers each endpoint of a source is called at.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;

use crate::catalog::{Binding, Endpoint};

/// A list of servers, and what is left of it.
struct Chosen {
    /// Kept, so that no other list takes its address.
    all: Arc<[String]>,
    left: Arc<[String]>,
}

/// Leaves each endpoint of a source the server of this number, counted from 1.
///
/// An endpoint with servers of its own may have fewer. It has none then, and a call of it is refused: another server
/// than the one that was chosen would be a guess.
pub(super) fn choose(source: &str, number: NonZeroUsize, endpoints: &mut [Endpoint]) -> Result<(), Error> {
    // Endpoints share their lists, and so they do what is left of them.
    let mut chosen: HashMap<*const [String], Chosen> = HashMap::new();
    for endpoint in &mut *endpoints {
        let Binding::Http(plan) = &mut endpoint.binding else { continue };
        let list = chosen.entry(Arc::as_ptr(&plan.servers)).or_insert_with(|| {
            let left = plan.servers.get(number.get() - 1).cloned().into_iter().collect();
            Chosen { all: Arc::clone(&plan.servers), left }
        });
        plan.servers = Arc::clone(&list.left);
    }
    if endpoints.is_empty() || chosen.values().any(|list| !list.left.is_empty()) {
        return Ok(());
    }
    let most = chosen.values().map(|list| list.all.len()).max().unwrap_or(0);
    let message = format!("server {number} of `{source}` is chosen, and its endpoints have {most}");
    Err(Error::rejected(ErrorKind::MissingServer, message)
        .with_hint("`schemarouter describe` lists the servers of an endpoint, the first one is number 1"))
}
