//! A listing of five items, two to a page, of which the last page fails at first: what came is kept, and it goes on later.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::router::{Layers, NextPageHandle, Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::json;

const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Notes, version: '1'}
paths:
  /notes:
    get:
      operationId: listNotes
      parameters:
        - {name: after, in: query, schema: {type: string}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}
";

const OVERLAY: &str = "
version: 1
endpoints:
  notes.listNotes: {next_page: {cursor: {pointer: /next, argument: after, items: /notes}}}
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = |notes: &[&str], next| Reply::json(200, json!({"notes": notes, "next": next}).to_string());
    let server = Server::start(Script::sequence([
        page(&["milk", "bread"], Some("b")),
        page(&["salt", "soap"], Some("c")),
        Reply::status(503),
        page(&["tea"], None),
    ]));
    let server = server.await?;
    let config = format!(
        "version: 1\nhttp: {{allow_loopback: true}}\nsources: {{notes: {{base_url: '{}'}}}}\n",
        server.url()
    );
    let settings =
        Layers::default().file("router.yaml", config)?.overlay("notes.yaml", OVERLAY)?.resolve()?;
    let document = Document::from_yaml(DOCUMENT, &Limits::default())?;
    let router =
        Router::builder().source(compile(document, &Options::new("notes"))?).settings(settings).build()?;

    let mut pages = router.pages(Request::new("notes.listNotes", json!({})), &RunConfig::default());
    while let Some(page) = pages.next().await {
        match page {
            Ok(page) => println!("{}", page.data.json().ok_or("it is JSON")?["notes"]),
            Err(error) => println!("page {}: {error}", error.report().details["page"]),
        }
    }
    println!("{:?} after {} items", pages.ended(), pages.delivered().items);

    // Text that can be kept until then, and handed on.
    let kept = pages.resume().ok_or("there is more")?.to_string();
    let mut rest = router.resume(&kept.parse::<NextPageHandle>()?, &RunConfig::default());
    while let Some(page) = rest.next().await {
        println!("{}", page?.data.json().ok_or("it is JSON")?["notes"]);
    }
    println!("{:?}", rest.ended());
    Ok(())
}
