//! A listing: page after page, each told when it has come.

use clap::Args;
use schemarouter::kernel::base::error::Error;
use schemarouter::kernel::base::kind::ErrorKind;
use schemarouter::router::{NextPageHandle, Outcome, PageLimits, Pages, PagesEnd};

use super::flags::InvokeArgs;
use super::prepare::Prepared;
use super::{Done, interrupt};
use crate::exit::Exit;
use crate::failure;
use crate::print::Console;

/// How much of a listing.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pages")]
pub(crate) struct PageArgs {
    /// Ask for page after page, as `next_page` of the endpoint says; with `--json` one outcome to a line.
    #[arg(long, conflicts_with_all = ["dry_run", "output"])]
    all_pages: bool,
    /// Pages at most, 1000 by default.
    #[arg(long, value_name = "N", requires = "all_pages", value_parser = clap::value_parser!(u32).range(1..))]
    max_pages: Option<u32>,
    /// No further page after this many items.
    #[arg(long, value_name = "N", requires = "all_pages")]
    max_items: Option<u64>,
    /// The page that this handle names instead of the first; `--json` prints it as `next_page`.
    #[arg(long, value_name = "HANDLE", conflicts_with_all = ["dry_run", "output", "values", "args", "fingerprint"])]
    next_page: Option<NextPageHandle>,
}

impl PageArgs {
    /// Whether a listing is asked for, and not one call.
    pub(super) const fn is_listing(&self) -> bool {
        self.all_pages || self.next_page.is_some()
    }

    fn limits(&self) -> PageLimits {
        let of_all = PageLimits::default();
        let max_pages = if self.all_pages { self.max_pages.unwrap_or(of_all.max_pages) } else { 1 };
        PageLimits { max_pages, max_items: self.max_items, ..of_all }
    }
}

/// Asks for the pages; `None` where the user stopped it.
pub(super) fn list(
    prepared: Prepared,
    args: &InvokeArgs,
    console: &mut Console,
) -> Result<Option<Done>, Error> {
    let Prepared { router, endpoint, request, config } = prepared;
    let config = config.with_page_limits(args.pages.limits());
    let mut pages = match &args.pages.next_page {
        None => router.pages(request, &config),
        Some(handle) if handle.endpoint() == endpoint.key.as_str() => router.resume(handle, &config),
        Some(handle) => {
            let message = format!("the handle is of `{}`, and not of `{}`", handle.endpoint(), endpoint.key);
            return Err(Error::rejected(ErrorKind::InvalidArguments, message));
        }
    };
    let told = async {
        while let Some(page) = pages.next().await {
            match page {
                Ok(page) => tell(&page, args.json, console),
                Err(error) => {
                    if args.json {
                        console.json_line(error.report());
                    }
                    return failure::tell(&error, false, console);
                }
            }
        }
        Exit::Success
    };
    let exit = interrupt::unless_interrupted(told)?;
    if let Some(ending) = ending(&pages) {
        console.talk(ending);
    }
    Ok(exit.map(Done::Listed))
}

fn tell(page: &Outcome, json: bool, console: &mut Console) {
    for warning in &page.warnings {
        console.talk(format_args!("warning: {warning}"));
    }
    if json {
        console.json_line(&page.report());
    } else if let Some(bytes) = page.data.bytes() {
        console.received(bytes);
    }
    // Whoever reads along sees each page when it has come.
    console.flush();
}

/// What came, and how it goes on; nothing where it did not begin.
fn ending(pages: &Pages) -> Option<String> {
    let came = pages.delivered();
    let items = if came.items > 0 { format!(", {} items", came.items) } else { String::new() };
    let next = match (pages.ended(), pages.resume()) {
        (Some(PagesEnd::Exhausted), _) => "that is all".to_owned(),
        (_, Some(handle)) => format!("there is more: --next-page {handle}"),
        (Some(PagesEnd::Incomplete), None) => "there is more, and the server does not say where".to_owned(),
        (_, None) if came.pages == 0 => return None,
        (_, None) => "the rest is not known".to_owned(),
    };
    Some(format!("pages: {}{items}; {next}", came.pages))
}
