use proptest::prelude::*;
use schemarouter_kernel::base::fingerprint::Fingerprint;

use super::*;

const CHANGED: fn(&mut Fingerprints) -> [&mut Fingerprint; 5] = |parts| {
    let Fingerprints { request, reply, security, destination, prose } = parts;
    [request, reply, security, destination, prose]
};

/// Fingerprints of five bytes, in the order of [`Part::ALL`].
fn parts(of: [u8; 5]) -> Fingerprints {
    let [request, reply, security, destination, prose] = of.map(|byte| Fingerprint::from_bytes([byte; 32]));
    Fingerprints { request, reply, security, destination, prose }
}

fn lock(endpoints: &[(&str, [u8; 5])]) -> Lock {
    let mut lock = Lock::default();
    for (key, of) in endpoints {
        let name = key.split_once('.').expect("a key").0;
        let source = Source { format: "openapi 3.1.0".to_owned(), endpoints: BTreeMap::new() };
        let source = lock.sources.entry(name.to_owned()).or_insert(source);
        source.endpoints.insert((*key).to_owned(), parts(*of));
    }
    lock
}

fn drift(before: &Lock, now: &Lock) -> Vec<String> {
    before.compare(now).iter().map(Drift::to_string).collect()
}

#[test]
fn each_change_names_its_part() {
    let before = lock(&[("a.x", [1, 2, 3, 4, 5])]);
    for (at, part) in Part::ALL.into_iter().enumerate() {
        let mut now = parts([1, 2, 3, 4, 5]);
        *CHANGED(&mut now)[at] = Fingerprint::from_bytes([9; 32]);
        let mut other = before.clone();
        other.sources.get_mut("a").and_then(|source| source.endpoints.insert("a.x".to_owned(), now));
        assert_eq!(
            before.compare(&other),
            [Drift { key: "a.x".to_owned(), change: Change::Changed(vec![part]) }]
        );
    }
}

#[test]
fn everything_that_differs_is_listed_by_key_with_a_summary() {
    let one = [1, 2, 3, 4, 5];
    let before = lock(&[("a.kept", one), ("a.gone", one), ("a.edited", one), ("b.whole", one)]);
    let now = lock(&[("a.new", one), ("a.kept", one), ("a.edited", [9, 2, 9, 4, 9])]);
    let due = [
        "a.edited: changed: request, security, prose",
        "a.gone: removed",
        "a.new: added",
        "b.whole: removed",
    ];
    assert_eq!(drift(&before, &now), due);
    let summary = |before: &Lock, now: &Lock| Drift::summary(&before.compare(now));
    assert_eq!(summary(&before, &now), "4 endpoints differ from the lock: 1 added, 2 removed, 1 changed");
    assert_eq!(summary(&now, &now), "nothing differs from the lock");
    let read = lock(&[("a.x", [1, 2, 3, 4, 6]), ("a.y", one)]);
    assert_eq!(
        summary(&lock(&[("a.x", one), ("a.y", one)]), &read),
        "1 endpoint differs from the lock, in prose only: what people and models read"
    );
    assert_eq!(
        summary(&lock(&[("a.x", one)]), &read),
        "2 endpoints differ from the lock: 1 added, 1 changed"
    );

    let some = before.clone().only(["a"]);
    assert_eq!(drift(&some, &now), &due[..3], "who uses one document asks about one");
    assert_eq!(drift(&before.only(["c"]), &Lock::default()), Vec::<String>::new());
}

#[test]
fn the_format_of_a_document_is_no_drift() {
    let before = lock(&[("a.x", [1, 2, 3, 4, 5])]);
    let mut now = before.clone();
    now.sources.values_mut().for_each(|source| "openapi 3.0.4".clone_into(&mut source.format));
    assert_ne!(before, now);
    assert_eq!(drift(&before, &now), Vec::<String>::new());
}

#[test]
fn the_file_is_sorted_and_shows_the_key_beside_every_change() {
    let shop = lock(&[("shop.b", [1, 2, 3, 4, 5]), ("shop.a", [1, 2, 3, 4, 5]), ("bank.c", [1, 2, 3, 4, 5])]);
    let text = shop.to_json();
    assert!(text.ends_with("}\n"));
    let places: Vec<_> = ["bank.c", "shop.a", "shop.b"]
        .map(|key| text.find(&format!("\"key\": \"{key}\"")).expect("a key"))
        .into();
    assert!(places.is_sorted());
    let members: Vec<_> =
        text.lines().filter_map(|line| line.trim().split_once(':')).map(|(name, _)| name).collect();
    assert_eq!(
        members[5..12],
        ["\"key\"", "\"prose\"", "\"destination\"", "\"pin\"", "\"request\"", "\"reply\"", "\"security\""]
    );
}

#[test]
fn what_is_no_lock_is_refused_with_its_place() {
    let good = lock(&[("a.x", [1, 2, 3, 4, 5]), ("a.y", [1, 2, 3, 4, 5])]).to_json();
    let (x, pin) = ("01".repeat(32), parts([1, 2, 3, 4, 5]).pin().to_string());
    let table = [
        (String::new(), "line 1, column 0: EOF while parsing a value"),
        (good.replacen("    {", "<<<<<<< ours\n    {", 1), "line 4, column 1: expected value"),
        (format!("{good}{good}"), "trailing characters"),
        ("[]".to_owned(), "`version`: a lock has a `version`, and this is none"),
        (r#"{"openapi": "3.1.0"}"#.to_owned(), "`version`: a lock has a `version`, and this is none"),
        (good.replacen('1', "2", 1), "`version`: the lock is of version 2, and 1 is what is read here"),
        (good.replacen("\"version\": 1", "\"version\": \"1\"", 1), "`version`: the lock is of version \"1\""),
        (
            good.replacen(&x, &x[1..], 1),
            "`sources[0].endpoints[0].request`: a fingerprint is 64 hexadecimal digits",
        ),
        (good.replacen("\"key\"", "\"name\"", 1), "`sources[0].endpoints[0].name`: unknown field `name`"),
        (good.replacen("\"format\"", "\"kind\"", 1), "`sources[0].kind`: unknown field `kind`"),
        (good.replacen("a.y", "a.x", 1), "`sources[0].endpoints[1].key`: `a.x` stands twice"),
        (good.replacen("a.y", "b.y", 1), "`sources[0].endpoints[1].key`: `b.y` is no key of the source `a`"),
        (
            good.replacen(&pin, &x, 1),
            "`sources[0].endpoints[0].pin`: the pin of `a.x` is not that of its request, reply and security",
        ),
    ];
    for (text, due) in table {
        let error = Lock::from_json(&text).expect_err(due);
        assert!(error.to_string().contains(due), "{error}\n{due}\n{text}");
        assert!(error.next_step().contains("--lock"));
    }
    let twice = lock(&[("a.x", [0; 5]), ("b.x", [0; 5])]).to_json().replace("\"b", "\"a");
    let error = Lock::from_json(&twice).expect_err("two sources have one name");
    assert_eq!((error.field(), error.message()), (Some("sources[1].name"), "`a` stands twice"));
}

fn locks() -> impl Strategy<Value = Vec<(String, [u8; 5])>> {
    let part = || 0..3_u8;
    let endpoint = ("[abc]\\.[xyz./é\"]{1,3}", [part(), part(), part(), part(), part()]);
    prop::collection::vec(endpoint, 0..8)
}

fn built(endpoints: &[(String, [u8; 5])]) -> Lock {
    let endpoints: Vec<_> = endpoints.iter().map(|(key, of)| (key.as_str(), *of)).collect();
    lock(&endpoints)
}

proptest! {
    /// Equal locks, no drift and equal bytes are one thing; and a lock is read as it was written.
    #[test]
    fn drift_is_what_makes_locks_differ(one in locks(), other in locks()) {
        let (one, other) = (built(&one), built(&other));
        let same = one.compare(&other).is_empty();
        prop_assert_eq!(same, other.compare(&one).is_empty());
        prop_assert_eq!(same, one == other);
        prop_assert_eq!(same, one.to_json() == other.to_json());
        prop_assert_eq!(Lock::from_json(&one.to_json()), Ok(one));
    }

    /// Whatever the order in which endpoints come.
    #[test]
    fn order_does_not_matter(endpoints in locks()) {
        let mut unique: BTreeMap<_, _> = endpoints.into_iter().collect();
        let forward: Vec<_> = std::mem::take(&mut unique).into_iter().collect();
        let backward: Vec<_> = forward.iter().rev().cloned().collect();
        prop_assert_eq!(built(&forward).to_json(), built(&backward).to_json());
    }
}
