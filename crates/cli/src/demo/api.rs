//! The API of the demonstration: its document, and a server that fails on purpose.

use std::sync::atomic::{AtomicUsize, Ordering};

use schemarouter_loopback::{Action, Reply, Request, Script};

/// The document.
pub(super) const DOCUMENT: &str = include_str!("orders.json");

const ORDER: &str = r#"{"id": 7, "status": "paid", "lines": [{"sku": "tea-100", "quantity": 2}]}"#;

/// The server's behaviour, by path: each scene meets one kind of failure.
pub(super) fn script() -> Script {
    let reads = AtomicUsize::new(0);
    Script::route(move |request: &Request| -> Action {
        match (request.method.as_str(), request.path()) {
            // Overloaded twice, then fine.
            ("GET", "/orders/7") if reads.fetch_add(1, Ordering::Relaxed) < 2 => Reply::status(503).into(),
            ("GET", "/orders/7") => Reply::json(200, ORDER).into(),
            // Takes the payment in and never says so.
            ("POST", "/orders/7/payments") => Action::stall(),
            // Closed for half a minute.
            ("GET", "/reports/daily") => Reply::status(503).header("Retry-After", "30").into(),
            _ => Reply::status(404).into(),
        }
    })
}
