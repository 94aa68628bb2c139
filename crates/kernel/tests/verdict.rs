//! The verdict table, whole.

use std::fmt::Write as _;

use schemarouter_kernel::base::disposition::{Disposition, Effect};
use schemarouter_kernel::kernel::{Fact, Footing, Verdict, verdict};
use schemarouter_kernel::policy::RetryPolicy;

const FACTS: [(&str, Fact); 11] = [
    ("unsendable", Fact::Unsendable),
    ("not sent", Fact::NotSent),
    ("gate refused", Fact::Refused),
    ("timed out", Fact::TimedOut),
    ("broken", Fact::Broken),
    ("unusable reply", Fact::UnusableReply),
    ("declared transient", Fact::Declared(Disposition::Transient)),
    ("declared unavailable", Fact::Declared(Disposition::Unavailable)),
    ("declared indeterminate", Fact::Declared(Disposition::Indeterminate)),
    ("declared non_retryable", Fact::Declared(Disposition::NonRetryable)),
    ("unclassified", Fact::Unclassified),
];

fn footing(effect: Effect, judged: bool) -> Footing {
    let policy = RetryPolicy::builder().retry_non_read_only(judged).build().expect("valid policy");
    Footing::of(effect, &policy)
}

fn cell(verdict: Option<Verdict>) -> String {
    verdict.map_or_else(
        || "success".to_owned(),
        |v| {
            let repeat = if v.repeat { "repeat" } else { "once" };
            let applied = v.applied.map_or_else(String::new, |applied| format!(", applied {applied:?}"));
            format!("{}, {:?}, {repeat}{applied}", v.disposition, v.recovery)
        },
    )
}

/// Rows of equal neighbouring statuses are folded into ranges, so that the table reads like the one it proves.
fn table(on: Footing) -> String {
    let mut lines = String::new();
    for (name, fact) in FACTS {
        let _ = writeln!(lines, "{name:<22} | {}", cell(verdict(fact, on)));
    }
    let mut start = 100;
    for status in 100..=699 {
        let here = cell(verdict(Fact::Status(status), on));
        if status == 699 || cell(verdict(Fact::Status(status + 1), on)) != here {
            let range =
                if start == status { format!("status {status}") } else { format!("status {start}-{status}") };
            let _ = writeln!(lines, "{range:<22} | {here}");
            start = status + 1;
        }
    }
    lines
}

#[test]
fn verdict_table() {
    let columns = [
        ("judged safe: read-only", footing(Effect::ReadOnly, false)),
        ("judged safe: a write that trusted code judges repeatable", footing(Effect::Mutating, true)),
        ("not judged: a write", footing(Effect::Mutating, false)),
        (
            "not judged: a write whose 503 proves rejection",
            Footing { unavailable_proves_rejection: true, ..footing(Effect::Mutating, false) },
        ),
    ];
    let mut whole = String::new();
    for (name, on) in columns {
        let _ = writeln!(whole, "## {name}\n{}", table(on));
    }
    insta::assert_snapshot!(whole);
}

#[test]
fn effects_but_read_only_share_a_column() {
    for status in 100..=699 {
        for judged in [false, true] {
            let of = |effect| verdict(Fact::Status(status), footing(effect, judged));
            assert_eq!(of(Effect::Mutating), of(Effect::Idempotent), "status {status}");
            assert_eq!(of(Effect::Mutating), of(Effect::Unknown), "status {status}");
        }
    }
}

#[test]
fn r_310_seven_statuses_are_retryable() {
    for status in [408, 425, 429, 500, 502, 503, 504] {
        let v = verdict(Fact::Status(status), footing(Effect::ReadOnly, false)).expect("a failure");
        assert!(v.repeat && v.recovery.is_retryable(), "status {status}");
    }
}

#[test]
fn r_311_every_other_error_status_fails_at_once() {
    for status in (400..=599).filter(|s| ![408, 425, 429, 500, 502, 503, 504].contains(s)) {
        let v = verdict(Fact::Status(status), footing(Effect::ReadOnly, true)).expect("a failure");
        assert!(!v.repeat && v.disposition == Disposition::NonRetryable, "status {status}");
    }
}
