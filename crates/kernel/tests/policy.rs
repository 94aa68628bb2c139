//! Policies: defaults, files, what cannot be meant.

use std::time::Duration;

use schemarouter_kernel::base::disposition::Effect;
use schemarouter_kernel::policy::{
    ActivityClass, Declared, ExecutionBudget, ExecutionPolicy, Permission, RetryCeiling, RetryPolicy, Windows,
};

#[test]
fn r_319_the_default_is_one_attempt() {
    assert_eq!(RetryPolicy::default().max_attempts().get(), 1);
}

#[test]
fn the_file_shape_names_seconds() {
    insta::assert_json_snapshot!(RetryPolicy::default(), @r#"
    {
      "max_attempts": 1,
      "initial_backoff_seconds": 0.25,
      "backoff_multiplier": 2.0,
      "max_backoff_seconds": 5.0,
      "max_retry_after_seconds": 60.0,
      "retry_non_read_only": false,
      "full_jitter": false,
      "deadline_fit": "decline"
    }
    "#);
    let budget: ExecutionBudget = serde_json::from_str(r#"{"max_elapsed_seconds": 1.5}"#).expect("valid");
    assert_eq!(budget.max_elapsed, Some(Duration::from_millis(1500)));

    let all = r#"{"max_tool_calls":1,"per_tool_calls":{"*":9,"maps":2},"max_attempts":3,"max_remote_attempts":4,"max_cost_units":5,"max_response_bytes":6,"max_elapsed_seconds":7.0}"#;
    let budget: ExecutionBudget = serde_json::from_str(all).expect("valid");
    assert_eq!(serde_json::to_string(&budget).expect("JSON"), all);
}

#[test]
fn budgets_combine_by_minimum_for_every_endpoint() {
    let budget = |limits: &[(&str, u32)]| ExecutionBudget {
        per_tool_calls: limits.iter().copied().collect(),
        max_tool_calls: limits.first().map(|(_, most)| *most),
        ..Default::default()
    };
    // An endpoint that a run names gets no more than the operator gives to all, and the other way around.
    let operator = budget(&[("*", 5), ("maps", 3), ("maps.route", 8)]);
    let run = budget(&[("maps.tile", 9), ("mail", 2), ("maps.route", 4), ("*", 7)]);
    for both in [operator.min(&run), run.min(&operator)] {
        assert_eq!(both.max_tool_calls, Some(5));
        let most = |endpoint| both.per_tool_calls.get(endpoint).copied();
        for (endpoint, due) in
            [("maps.tile", 3), ("maps.other", 3), ("maps.route", 4), ("mail.send", 2), ("x.y", 5)]
        {
            assert_eq!(most(endpoint), Some(due), "{endpoint}");
        }
    }
    assert_eq!(operator.min(&ExecutionBudget::default()), operator);
}

#[test]
fn what_cannot_be_meant_names_the_setting_and_the_rule() {
    let table = [
        (r#"{"max_attempts": 0}"#, "`max_attempts` must be at least 1"),
        (r#"{"initial_backoff_seconds": -1}"#, "`initial_backoff_seconds` must be a number of seconds"),
        (r#"{"max_backoff_seconds": 1e300}"#, "`max_backoff_seconds` must be a number of seconds"),
        (r#"{"backoff_multiplier": 0.5}"#, "`backoff_multiplier` must be a number, 1 or more"),
        (r#"{"max_atempts": 3}"#, "unknown field `max_atempts`"),
    ];
    for (file, message) in table {
        let error = serde_json::from_str::<RetryPolicy>(file).expect_err(file).to_string();
        assert!(error.contains(message), "{file}: {error}");
    }
    let nan = RetryPolicy::builder().backoff_multiplier(f64::NAN).build();
    assert!(nan.is_err());
}

#[test]
fn permission_table() {
    let nothing = ExecutionPolicy::default();
    let writes = ExecutionPolicy { allow_mutations: true, ..ExecutionPolicy::default() };
    let all = ExecutionPolicy { allow_destructive: true, ..writes.clone() };
    let document = |effect, destructive| Declared { effect, destructive, by_operator: false };
    let operator = |effect| Declared { effect, destructive: false, by_operator: true };
    let table = [
        (&nothing, document(Effect::ReadOnly, false), None),
        (&nothing, document(Effect::Mutating, false), Some("allow_mutations")),
        (&nothing, document(Effect::Idempotent, false), Some("allow_mutations")),
        (&nothing, document(Effect::Unknown, false), Some("allow_unclassified")),
        (&nothing, operator(Effect::Unknown), None),
        (&writes, document(Effect::Mutating, false), None),
        (&writes, document(Effect::Idempotent, true), Some("allow_destructive")),
        (&writes, document(Effect::Unknown, false), Some("allow_unclassified")),
        (&all, document(Effect::Idempotent, true), None),
    ];
    for (policy, declared, missing) in table {
        let due = missing.map_or(Permission::Granted, Permission::Missing);
        assert_eq!(policy.permission("a.b", declared), due, "{policy:?} {declared:?}");
    }
}

#[test]
fn the_first_rule_that_is_about_a_call_decides_it() {
    let file = r#"{"allow_mutations": true, "rules": [
        {"endpoints": "shop.search", "action": "allow"},
        {"endpoints": "*", "effects": ["unknown"], "action": "deny"},
        {"endpoints": "shop.*", "destructive": true, "action": "require_approval"},
        {"endpoints": "shop.*", "effects": ["mutating"], "action": "deny"},
        {"endpoints": "code.*", "action": "require_approval"}
    ]}"#;
    let policy: ExecutionPolicy = serde_json::from_str(file).expect("valid");
    let again = serde_json::to_string(&policy).expect("JSON");
    assert_eq!(serde_json::from_str::<ExecutionPolicy>(&again).expect("valid"), policy);
    let table = [
        ("shop.search", Effect::Unknown, false, "granted"),
        ("shop.other", Effect::Unknown, true, "denied by *"),
        ("shop.drop", Effect::Idempotent, true, "approval by shop.*"),
        ("shop.add", Effect::Mutating, false, "denied by shop.*"),
        ("shop.put", Effect::Idempotent, false, "granted"),
        ("bank.pay", Effect::Mutating, false, "granted"),
        ("bank.drop", Effect::Mutating, true, "missing allow_destructive"),
        ("code.run", Effect::ReadOnly, false, "approval by code.*"),
    ];
    for by_operator in [false, true] {
        for (key, effect, destructive, due) in table {
            let told = match policy.permission(key, Declared { effect, destructive, by_operator }) {
                Permission::Granted => "granted".to_owned(),
                Permission::NeedsApproval(rule) => format!("approval by {}", rule.endpoints.as_str()),
                Permission::Denied(rule) => format!("denied by {}", rule.endpoints.as_str()),
                Permission::Missing(setting) => format!("missing {setting}"),
            };
            // Rules hold for registered code too, settings do not.
            let due = if by_operator && due.starts_with("missing") { "granted" } else { due };
            assert_eq!(told, due, "{key} {by_operator}");
        }
    }
    let unknown = r#"{"rules": [{"endpoints": "*", "action": "ask"}]}"#;
    let error = serde_json::from_str::<ExecutionPolicy>(unknown).expect_err("no such action").to_string();
    assert!(
        error.contains("unknown variant `ask`, expected one of `allow`, `deny`, `require_approval`"),
        "{error}"
    );
}

#[test]
fn r_215_a_declared_limit_gives_the_windows_of_a_class() {
    let seconds = Duration::from_secs;
    for (limit, heartbeat) in [(600, 60), (300, 30), (100, 10), (50, 5), (30, 5), (900, 60), (8, 4)] {
        let windows = ActivityClass::Model.windows_within(seconds(limit));
        assert_eq!((windows.start_to_close, windows.heartbeat), (seconds(limit), Some(seconds(heartbeat))));
        assert!(Windows::new(windows.start_to_close, windows.heartbeat).is_ok(), "{limit}");
        assert_eq!(ActivityClass::Tool.windows_within(seconds(limit)).heartbeat, None, "it gives none");
    }
}

#[test]
fn r_218_silence_may_not_last_as_long_as_the_work() {
    let windows = |limit: f64, heartbeat: f64| {
        Windows::new(Duration::from_secs_f64(limit), Some(Duration::from_secs_f64(heartbeat)))
    };
    for (limit, heartbeat, rule) in
        [(10.0, 30.0, "less than"), (10.0, 10.0, "less than"), (10.0, 0.0, "zero"), (0.0, 1.0, "zero")]
    {
        let error = windows(limit, heartbeat).expect_err("it cannot be meant");
        assert!(error.to_string().contains(rule), "{error}");
    }
    assert!(windows(10.0, 9.9).is_ok());
}

#[test]
fn a_ceiling_takes_from_a_policy_and_never_gives() {
    let asked = RetryPolicy::builder()
        .max_attempts(9)
        .max_backoff(Duration::from_secs(30))
        .max_retry_after(Duration::from_mins(10))
        .retry_non_read_only(true)
        .build()
        .expect("valid");
    assert_eq!(RetryCeiling::default().limit(&asked), asked);
    let ceiling: RetryCeiling = serde_json::from_str(
        r#"{"max_attempts":4,"max_backoff_seconds":5.0,"max_retry_after_seconds":60.0,"retry_non_read_only":false}"#,
    )
    .expect("valid");
    let allowed = ceiling.limit(&asked);
    assert_eq!(
        (
            allowed.max_attempts().get(),
            allowed.max_backoff(),
            allowed.max_retry_after(),
            allowed.retry_non_read_only()
        ),
        (4, Duration::from_secs(5), Duration::from_mins(1), false)
    );
    let open = RetryCeiling { retry_non_read_only: Some(true), ..ceiling };
    assert_eq!(open.limit(&RetryPolicy::default()), RetryPolicy::default());
    assert!(serde_json::from_str::<RetryCeiling>(r#"{"max_attempts": 0}"#).is_err());
}
