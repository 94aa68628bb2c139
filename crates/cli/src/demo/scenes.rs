//! What the demonstration shows, as commands.

use crate::exit::Exit;

/// One call, and what there is to learn from it.
pub(super) struct Scene {
    pub(super) title: &'static str,
    /// What follows `schemarouter invoke orders.json`, without the server's address.
    pub(super) words: &'static [&'static str],
    /// How it ends.
    pub(super) exit: Exit,
    /// How many requests the server gets.
    pub(super) requests: usize,
    pub(super) why: &'static str,
}

pub(super) const SCENES: [Scene; 4] = [
    Scene {
        title: "A read survives an overloaded server",
        words: &["getOrder", "id=7", "--max-attempts", "3", "--initial-backoff", "100ms"],
        exit: Exit::Success,
        requests: 3,
        why: "A GET changes nothing, so it may be repeated: within the attempts that you allow, each after a longer \
              wait.",
    },
    Scene {
        title: "A write is refused until somebody allows it",
        words: &["createOrder", r#"body={"lines":[{"sku":"tea-100","quantity":2}]}"#],
        exit: Exit::NotAttempted,
        requests: 0,
        why: "A document from elsewhere gives no permission. Whoever runs the call does, with --allow-mutations; a \
              request never can.",
    },
    Scene {
        title: "A write without an answer is not sent again",
        words: &[
            "payOrder",
            "id=7",
            r#"body={"cents":1900}"#,
            "--allow-mutations",
            "--max-attempts",
            "3",
            "--timeout",
            "300ms",
        ],
        exit: Exit::Indeterminate,
        requests: 1,
        why: "Three attempts were allowed, and one was made: the payment may have been taken. Exit code 12 says so, \
              and only --retry-non-read-only would repeat it.",
    },
    Scene {
        title: "A wait that does not fit is not begun",
        words: &["dailyReport", "day=2026-01-31", "--max-attempts", "3", "--max-elapsed", "5s"],
        exit: Exit::Budget,
        requests: 1,
        why: "The server asks for 30 seconds and the call may take 5: it fails at once, without asking early and \
              without waiting in vain.",
    },
];
