//! From a document to an outcome: compile, look, call.

#![allow(clippy::print_stdout, reason = "an example shows what comes of it")]

use schemarouter::compile::document::{Document, Limits};
use schemarouter::compile::{Options, compile};
use schemarouter::invokers::http::{EgressPolicy, HttpSettings};
use schemarouter::router::{Request, Router, RunConfig};
use schemarouter_loopback::{Reply, Script, Server};
use serde_json::json;

const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: 'https://pets.test/v1'}]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200':
          description: The pet.
          content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server on this machine, so that the example runs offline; yours is where the document says.
    let server = Server::start(Script::repeat(Reply::json(200, r#"{"name": "Rex"}"#))).await?;
    let http = HttpSettings::default()
        .with_base_url("pets", server.url().parse()?)
        .with_egress(EgressPolicy { allow_loopback: true, ..EgressPolicy::default() });

    let document = Document::from_yaml(DOCUMENT, &Limits::default())?;
    let router = Router::builder().source(compile(document, &Options::new("pets"))?).http(http).build()?;

    let endpoint = router.endpoint("pets.getPet")?;
    println!("{} is {}, pinned as {}", endpoint.key, endpoint.effect, endpoint.fingerprints.pin().short());

    let outcome =
        router.ainvoke(Request::new("pets.getPet", json!({"id": 7})), &RunConfig::default()).await?;
    println!("{:?} {:?}", outcome.status, outcome.data.json());

    // What a model gets wrong is told in words that it can use, before anything is sent.
    let wrong = Request::new("pets.getPet", json!({"ident": 7}));
    let Err(error) = router.ainvoke(wrong, &RunConfig::default()).await else {
        return Err("the argument has another name".into());
    };
    println!("{error}");
    println!("requests that the server saw: {}", server.requests().len());
    Ok(())
}
