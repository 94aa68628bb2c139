//! A listing, page by page: each page is a call of one run.

mod fits;
mod handle;
mod limits;
mod next;
mod place;
mod query;
mod step;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use schemarouter_kernel::base::disposition::Disposition;
use schemarouter_kernel::base::error::Error;
use schemarouter_kernel::base::kind::ErrorKind;
use serde_json::Value;

use super::admitted::{Admitted, As, Called, Config};
use super::outcome::Outcome;
use super::request::Request;
use super::router::Router;
use super::run::Run;
use super::run_config::RunConfig;
use crate::catalog::NextPage;

pub(super) use fits::{fits, may_be_paged};
pub(super) use handle::Ask;
pub use handle::NextPageHandle;
pub use limits::{Delivered, PageLimits, PagesEnd};
pub(super) use next::{Counted, Next, after, counted, handle};

/// A listing that is under way: a stream of its pages.
///
/// All pages are calls of one run: they share its budget and its deadline, which counts from [`Router::pages`]. A page that
/// fails, after its retries, is the last item of the stream; what came before it is delivered, and
/// [`resume`](Self::resume) goes on with it. Pages have no fallback: what names the next page means something to its own
/// endpoint only.
///
/// Dropping it ends the run, as dropping a call does.
pub struct Pages {
    run: Arc<Run<'static>>,
    /// The next page; an error where it cannot be asked for.
    turn: Option<Result<Turn, Error>>,
    under_way: Option<Pin<Box<dyn Future<Output = Turned> + Send>>>,
    limits: PageLimits,
    delivered: Delivered,
    seen: HashSet<u64>,
    /// The items of the page before, where a rule counts.
    items: Option<u64>,
    resume: Option<NextPageHandle>,
    ended: Option<PagesEnd>,
}

/// What comes next.
enum Turn {
    /// The first page of this run, and where it is if it has a URL of its own.
    First(Box<Request>, Option<String>),
    /// The page after this call, and after a wait.
    After(Box<Admitted>, Ask, Duration),
}

/// What came of a turn.
type Turned = Result<(Box<Admitted>, Called), Failed>;

struct Failed {
    /// The call, if it was admitted.
    call: Option<Box<Admitted>>,
    error: Error,
}

impl Router {
    /// Asks for page after page, by the [rule](NextPage) that the operator has declared for the endpoint; nothing is sent
    /// before the stream is polled.
    ///
    /// Only what is explicitly read-only has pages. Whoever has to approve the call does so once, for all its pages.
    ///
    /// # Examples
    /// ```
    /// use schemarouter::catalog::NextPage;
    /// use schemarouter::executor::{Invocation, Reply, from_fn};
    /// use schemarouter::kernel::base::disposition::Effect;
    /// use schemarouter::router::{Contract, Declaration, PagesEnd, Request, Router, RunConfig};
    /// use serde_json::json;
    ///
    /// let names = from_fn(|call: Invocation| async move {
    ///     let skip = call.arguments.get("skip").and_then(|skip| skip.as_u64()).unwrap_or(0) as usize;
    ///     let page: Vec<_> = ["Ada", "Bo", "Cy"].into_iter().skip(skip).take(2).collect();
    ///     Ok(Reply::of_json(json!({"names": page})))
    /// });
    /// let rule = NextPage::Offset { argument: "skip".into(), items: "/names".into(), total: None, limit: None };
    /// let contract = Contract::new("people", "list", Effect::ReadOnly)
    ///     .with_arguments(json!({"type": "object", "properties": {"skip": {"type": "integer"}}}));
    /// let router = Router::builder()
    ///     .register(contract, names)
    ///     .declare("people.list", Declaration { next_page: Some(rule), ..Declaration::default() })
    ///     .build()?;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut pages = router.pages(Request::new("people.list", json!({})), &RunConfig::default());
    /// while let Some(page) = pages.next().await {
    ///     println!("{:?}", page?.data.json());
    /// }
    /// assert_eq!(pages.ended(), Some(PagesEnd::Exhausted));
    /// assert_eq!(pages.delivered().items, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pages(&self, request: Request, config: &RunConfig) -> Pages {
        Pages::open(self, config, Turn::First(Box::new(request), None), None)
    }

    /// Goes on with a listing at the page that a handle names, as a run of its own.
    ///
    /// The handle is checked as a request is: endpoint, contract, permission, arguments, approval; and the URL of a page, as
    /// when a reply names it.
    pub fn resume(&self, handle: &NextPageHandle, config: &RunConfig) -> Pages {
        let mut request = Request::new(&handle.endpoint, Value::Null).with_fingerprint(handle.pin);
        request.arguments.clone_from(&*handle.ask.arguments);
        request.fields.clone_from(&handle.ask.fields);
        let first = Turn::First(Box::new(request), handle.ask.url.clone());
        Pages::open(self, config, first, Some(handle.clone()))
    }
}

impl Pages {
    fn open(router: &Router, config: &RunConfig, first: Turn, resume: Option<NextPageHandle>) -> Self {
        Self {
            run: Arc::new(Run::open(&router.0, Config::Own(Box::new(config.clone())))),
            turn: Some(Ok(first)),
            under_way: None,
            limits: config.page_limits,
            delivered: Delivered::default(),
            seen: HashSet::new(),
            items: None,
            resume,
            ended: None,
        }
    }

    /// The next page; `None` at the end, and after a failure.
    ///
    /// # Errors
    /// Why the page did not come, with its number of this run in the details. `pagination_loop`, where a page was asked
    /// for before, or counting pages leads to the same items again; `egress_denied`, where it would be at another origin
    /// or path; `contract_violation`, where the reply before it is not as the rule says.
    ///
    /// # Cancel safety
    /// Nothing is lost when the future is dropped: the page is still under way, and the next call goes on waiting for it.
    pub async fn next(&mut self) -> Option<Result<Outcome, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Why the stream has ended; `None` where it has not.
    pub const fn ended(&self) -> Option<PagesEnd> {
        self.ended
    }

    /// What has come so far.
    pub const fn delivered(&self) -> Delivered {
        self.delivered
    }

    /// The page that would be the next one, to go on with it later; also after a limit or a failure.
    ///
    /// `None` before the first page was admitted, where there is no next page, where it was lost (a loop, another origin, a
    /// reply that breaks the rule), and where the handle would hold a credential that the other side repeats.
    pub const fn resume(&self) -> Option<&NextPageHandle> {
        self.resume.as_ref()
    }

    fn settle(&mut self, turned: Turned) -> Result<Outcome, Error> {
        let number = self.delivered.pages.saturating_add(1);
        let on_page = |error: Error, number: u32| error.with_detail("page", number.to_string());
        let (call, called) = match turned {
            Ok(came) => came,
            Err(Failed { call, error }) => {
                if self.resume.is_none() {
                    self.resume = call.and_then(|call| handle(&call.endpoint, call.ask(), call.http()));
                }
                self.ended = Some(PagesEnd::Failed);
                return Err(on_page(error, number));
            }
        };
        let endpoint = Arc::clone(&call.endpoint);
        let lost = |error: Error, number| on_page(error.with_endpoint(endpoint.key.as_str()), number);
        // It was there when the call was admitted.
        let Some(rule) = endpoint.next_page.as_deref() else { return Ok(called.outcome) };
        if let Err(error) = self.leads_on(rule, &called, number) {
            self.stop(PagesEnd::Failed);
            return Err(lost(error, number));
        }
        self.delivered.pages = number;
        self.delivered.bytes += called.outcome.data.bytes().map_or(0, |bytes| bytes.len() as u64);
        self.seen.insert(hash(&next::identity(rule, call.ask(), call.http())));
        self.resume.clone_from(&called.outcome.next_page);
        match called.next {
            Next::End => self.stop(PagesEnd::Exhausted),
            Next::Incomplete(_) => self.stop(PagesEnd::Incomplete),
            Next::Lost(error) => self.turn = Some(Err(lost(*error, number + 1))),
            Next::Page(ask, _) if self.seen.contains(&hash(&next::identity(rule, &ask, None))) => {
                self.resume = None;
                let error = looped("the next page leads back to one that came before".to_owned());
                self.turn = Some(Err(lost(error, number + 1)));
            }
            Next::Page(ask, wait) => self.turn = Some(Ok(Turn::After(call, ask, wait))),
        }
        Ok(called.outcome)
    }

    /// Counts the items of a page. Where the other side does not heed the argument that counts, each page is the first.
    fn leads_on(&mut self, rule: &NextPage, called: &Called, number: u32) -> Result<(), Error> {
        let Some(Counted { items, these }) = called.items else { return Ok(()) };
        if matches!(rule, NextPage::Offset { .. } | NextPage::PageNumber { .. }) {
            if these.is_some() && these == self.items {
                let argument = rule.arguments().next().unwrap_or_default();
                let message = format!(
                    "page {number} has the items of the page before; argument `{argument}` seems not to be heeded"
                );
                return Err(looped(message));
            }
            self.items = these;
        }
        self.delivered.items += items;
        Ok(())
    }

    fn stop(&mut self, end: PagesEnd) {
        self.ended = Some(end);
        self.resume = None;
    }
}

impl Stream for Pages {
    type Item = Result<Outcome, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let pages = self.get_mut();
        loop {
            if let Some(page) = &mut pages.under_way {
                let turned = ready!(page.as_mut().poll(context));
                pages.under_way = None;
                return Poll::Ready(Some(pages.settle(turned)));
            }
            match pages.turn.take() {
                None => return Poll::Ready(None),
                Some(Err(error)) => {
                    pages.ended = Some(PagesEnd::Failed);
                    return Poll::Ready(Some(Err(error)));
                }
                Some(Ok(turn)) => match pages.limits.reached(pages.delivered) {
                    Some(limit) => pages.ended = Some(limit),
                    None => pages.under_way = Some(Box::pin(page(Arc::clone(&pages.run), turn))),
                },
            }
        }
    }
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages")
            .field("delivered", &self.delivered)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Admits and makes the call of one page.
async fn page(run: Arc<Run<'static>>, turn: Turn) -> Turned {
    let admitted = match turn {
        Turn::First(request, url) => run.admit_as(*request, As::Listing(url)).await,
        Turn::After(call, ask, wait) => match run.pause(&call, wait).await {
            Ok(()) => run.again(&call, ask),
            Err(error) => Err(error),
        },
    };
    let call = admitted.map_err(|error| Failed { call: None, error })?;
    match run.call(call.clone()).await {
        Ok(called) => Ok((call, called)),
        Err(error) => Err(Failed { call: Some(call), error }),
    }
}

fn looped(message: String) -> Error {
    Error::new(ErrorKind::PaginationLoop, Disposition::NonRetryable, message)
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
