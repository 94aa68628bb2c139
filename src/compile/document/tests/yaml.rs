//! YAML 1.2: scalars, keys, tags, merge keys, aliases, places, refusals.

use std::fmt::Write as _;

use crate::compile::document::ReadErrorKind::{self as Rule, *};
use crate::compile::document::{Document, Format, Kind, Limits, Node, ReadError};

fn read(text: &str) -> Document {
    Document::from_yaml(text, &Limits::default()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn refused(text: &str) -> ReadError {
    match Document::from_yaml(text, &Limits::default()) {
        Ok(document) => panic!("{text:?} is read as {}", document.root().to_value()),
        Err(error) => error,
    }
}

/// YAML, and the JSON that it stands for.
const MEANINGS: &[(&str, &str)] = &[
    // Documents.
    ("---\n", "null"),
    ("a", "\"a\""),
    ("# first\na: 1 # one\n# last\n", "{\"a\":1}"),
    ("---\na: 1\n...\n", "{\"a\":1}"),
    ("%YAML 1.1\n---\n[yes, 010]", "[\"yes\",10]"),
    ("\u{FEFF}a: 1", "{\"a\":1}"),
    ("a: 1\r\nb:\r\n  - x\r\n", "{\"a\":1,\"b\":[\"x\"]}"),
    // Scalars.
    ("[~, null, true, False, 1.10, 0x1F, .5]", "[null,null,true,false,1.10,31,0.5]"),
    (
        "[on, Off, no, Yes, y, n, 12:30:45, 2020-01-01, 1_000]",
        r#"["on","Off","no","Yes","y","n","12:30:45","2020-01-01","1_000"]"#,
    ),
    ("['1', \"true\", 'it''s', \"caf\\xe9 \\u00e9 \\U0001F600\"]", r#"["1","true","it's","café é 😀"]"#),
    ("a: |\n  1\n   2\n\nb: >-\n  x\n  y\n\n  z\n", r#"{"a":"1\n 2\n","b":"x y\nz"}"#),
    ("a: |\n  1", r#"{"a":"1"}"#),
    ("a: long\n  text\nb: \"x\n  y\"\n", r#"{"a":"long text","b":"x y"}"#),
    ("a:\nb:\n- \n- c: \n", r#"{"a":null,"b":[null,{"c":null}]}"#),
    // Keys.
    (
        "200: a\n1.10: b\nnull: c\n2020-01-01: d\non: e\ntrue: f\n~: g\n012: h\n.inf: i\n0x1F: j\n",
        r#"{"200":"a","1.10":"b","null":"c","2020-01-01":"d","on":"e","true":"f","~":"g","012":"h",".inf":"i","0x1F":"j"}"#,
    ),
    ("? a\n: 1\n? b\n", r#"{"a":1,"b":null}"#),
    ("{'a': 1, \"b\":2, c, : 3}", r#"{"a":1,"b":2,"c":null,"":3}"#),
    ("[a: 1, b]", r#"[{"a":1},"b"]"#),
    // Tags.
    (
        "[!!str 200, !!str, ! 12, !!binary aGk=, !!str '', !<tag:yaml.org,2002:str> ~]",
        r#"["200","","12","aGk=","","~"]"#,
    ),
    (
        "[!!int \"012\", !!float 1, !!float '1.5', !!bool \"true\", !!null '', !!int 0xE]",
        "[12,1,1.5,true,null,14]",
    ),
    ("!!map {a: !!seq [1]}", r#"{"a":[1]}"#),
    ("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", "\"1\""),
    ("!!str 1: a", r#"{"1":"a"}"#),
    // Aliases.
    (
        "a: &a {x: [1, {y: 2}], z: {}}\nb: *a\nc: [*a]\n",
        r#"{"a":{"x":[1,{"y":2}],"z":{}},"b":{"x":[1,{"y":2}],"z":{}},"c":[{"x":[1,{"y":2}],"z":{}}]}"#,
    ),
    (
        "- &a 1.10\n- *a\n- *a : x\n- &b no\n- *b\n- &c \"\\x41\"\n- *c\n- &d\n- *d",
        r#"[1.10,1.10,{"1.10":"x"},"no","no","A","A",null,null]"#,
    ),
    ("&k 200: ok\nb: *k\n", r#"{"200":"ok","b":200}"#),
    ("- &a 1\n- &a 2\n- *a", "[1,2,2]"),
    // Merge keys.
    ("a: &a {x: 1, y: 2}\nb:\n  y: 3\n  <<: *a\n", r#"{"a":{"x":1,"y":2},"b":{"y":3,"x":1}}"#),
    ("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\n", r#"{"a":{"x":1,"y":2},"b":{"y":3,"x":1}}"#),
    (
        "- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- <<: [*a, *b, {w: 0}]\n  v: 0\n",
        r#"[{"x":1,"y":1},{"y":2,"z":2},{"v":0,"x":1,"y":1,"z":2,"w":0}]"#,
    ),
    (
        "- &a {x: {deep: [1]}}\n- &b\n  <<: *a\n- <<: *b\n- *b",
        r#"[{"x":{"deep":[1]}},{"x":{"deep":[1]}},{"x":{"deep":[1]}},{"x":{"deep":[1]}}]"#,
    ),
    ("<<: {a: 1}\n<<: {b: 2, a: 3}\n", r#"{"a":1,"b":2}"#),
    ("\"<<\": {a: 1}", r#"{"<<":{"a":1}}"#),
    ("<<: []", "{}"),
    ("!!merge <<: {a: 1}", r#"{"a":1}"#),
    ("[{! <<: {a: 1}}, {!!str << : 2}]", r#"[{"<<":{"a":1}},{"<<":2}]"#),
];

#[test]
fn yaml_stands_for_json() {
    for (yaml, json) in MEANINGS {
        let ours = read(yaml);
        let due = Document::from_json(*json, &Limits::default()).expect("the table is JSON");
        assert_eq!(shown(ours.root()), shown(due.root()), "{yaml:?}");
        assert_eq!(ours.format(), Format::Yaml);
        assert_eq!(ours.duplicate_keys(), [], "{yaml:?}");
        // Every node is where its pointer leads, repeated ones included.
        for node in super::properties::subtree(ours.root()) {
            assert_eq!(ours.at(&node.pointer()).map(Node::id), Some(node.id()), "{yaml:?}: {node:?}");
        }
    }
}

/// The value with its numbers as they are kept.
fn shown(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Number => node.number_text().unwrap_or_default().to_owned(),
        Kind::Array => format!("[{}]", node.items().map(shown).collect::<Vec<_>>().join(",")),
        Kind::Object => {
            let members = node.entries().map(|(key, value)| format!("{key:?}:{}", shown(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        _ => node.to_value().to_string(),
    }
}

#[test]
fn case_004_scalars_keep_the_text_they_are_written_with() {
    let document = read(
        "[1.10, 012, +1, 0x1F, .5, True, FALSE, no, 'q', \"\x41\", ~, [], !!int '012', !!bool \"true\", a
 b]",
    );
    let texts: Vec<_> = document.root().items().map(Node::scalar_text).collect();
    let due = [
        Some("1.10"),
        Some("012"),
        Some("+1"),
        Some("0x1F"),
        Some(".5"),
        Some("True"),
        Some("FALSE"),
        Some("no"),
        Some("q"),
        Some("A"),
        None,
        None,
        Some("012"),
        Some("true"),
        Some("a b"),
    ];
    assert_eq!(texts, due);
    let json = Document::from_json("[1.10, true, false, \"s\", null]", &Limits::default()).expect("JSON");
    let texts: Vec<_> = json.root().items().map(Node::scalar_text).collect();
    assert_eq!(texts, [Some("1.10"), Some("true"), Some("false"), Some("s"), None]);
    // Behind an alias, too.
    let repeated = read("a: &a {v: 012, t: True}\nb: *a");
    let text = |pointer| repeated.at(pointer).and_then(Node::scalar_text);
    assert_eq!((text("/b/v"), text("/b/t")), (Some("012"), Some("True")));
    assert_eq!(repeated.at("/b/v").and_then(Node::as_u64), Some(12));
}

#[test]
fn case_003_a_key_in_quotes_and_without_is_one_key() {
    let document = read("200: a\n'200': b\n\"2\\x300\": c\nx: 1\n");
    assert_eq!(shown(document.root()), r#"{"200":"c","x":1}"#);
    let duplicates = document.duplicate_keys();
    let offsets: Vec<_> = duplicates.iter().map(|duplicate| duplicate.key_offset).collect();
    assert_eq!(offsets, [0, 7]);
    assert!(duplicates.iter().all(|duplicate| document.node(duplicate.kept).key() == Some("200")));
}

#[test]
fn repeated_keys_of_a_repeated_value_are_told_once() {
    let document = read("a: &a {x: 1, x: {y: 2}}\nb: *a\nc: {<<: *a}\n");
    let due = r#"{"a":{"x":{"y":2}},"b":{"x":{"y":2}},"c":{"x":{"y":2}}}"#;
    assert_eq!(shown(document.root()), due);
    assert_eq!(document.duplicate_keys().len(), 1);
}

#[test]
fn merge_keys_of_large_objects() {
    let members = |from: u32, to: u32, value: &str| {
        (from..to).map(|n| format!("k{n}: {value}")).collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "a: &a {{{}}}\nb: &b {{{}}}\nc: {{{}, <<: [*a, *b]}}\nd: *a\n",
        members(0, 300, "a"),
        members(200, 500, "b"),
        members(100, 150, "c")
    );
    let document = read(&text);
    let c = document.at("/c").expect("it is there");
    assert_eq!(c.len(), 500);
    assert_eq!(document.duplicate_keys(), []);
    for (key, due) in [("k0", "a"), ("k100", "c"), ("k150", "a"), ("k299", "a"), ("k300", "b"), ("k499", "b")]
    {
        assert_eq!(c.get(key).and_then(Node::as_str), Some(due), "{key}");
    }
    assert!(c.get("<<").is_none());
    let d = document.at("/d").expect("it is there");
    assert_eq!((d.len(), d.get("k299").and_then(Node::as_str)), (300, Some("a")), "its index is its own");
    assert!(read("{<<: {}}").root().is_empty());
}

/// Text, rule, byte offset.
const REFUSED: &[(&str, Rule, usize)] = &[
    ("", Empty, 0),
    ("# only a comment\n", Empty, 17),
    ("\u{FEFF}", Empty, 3),
    ("a: 1\n---\nb: 2\n", SeveralDocuments, 5),
    ("--- a\n--- b\n", SeveralDocuments, 6),
    ("[a, b]: 1", ComplexKey, 0),
    ("? {a: 1}\n: 2", ComplexKey, 2),
    ("- &a [1]\n- {*a : 2}", ComplexKey, 12),
    ("a: *b", UnknownAnchor, 3),
    ("a: **", UnknownAnchor, 3),
    ("a: &a [*a]", RecursiveAlias, 7),
    ("a: &a\n  b:\n    c: *a\n", RecursiveAlias, 18),
    ("&a a: &b\n  <<: *b\n", RecursiveAlias, 15),
    ("<<: 1", InvalidMerge, 4),
    ("<<:\na: 1", InvalidMerge, 2),
    ("<<: [{a: 1}, b]", InvalidMerge, 13),
    ("a: !foo b", UnknownTag, 8),
    ("a: !!timestamp 2020-01-01", UnknownTag, 15),
    ("!!set {a}", UnknownTag, 6),
    ("!foo a: b", UnknownTag, 5),
    ("- !<tag:example.com,2020:x> [1]", UnknownTag, 28),
    ("!!int a", TagMismatch, 6),
    ("!!merge a: {}", TagMismatch, 8),
    ("!!int a: 1", TagMismatch, 6),
    ("!!int 1.5", TagMismatch, 6),
    ("!!bool yes", TagMismatch, 7),
    ("!!null 0", TagMismatch, 7),
    ("!!map [1]", TagMismatch, 6),
    ("!!seq {a: 1}", TagMismatch, 6),
    ("!!str [1]", TagMismatch, 6),
    ("!!seq a", TagMismatch, 6),
    ("[1, .inf]", NotFinite, 4),
    ("a: -.INF", NotFinite, 3),
    ("a: .NaN", NotFinite, 3),
    ("a: 0x123456789abcdef0123456789abcdef01", IntegerTooLong, 3),
    ("a:\n\tb: 1", YamlTab, 4),
    ("a: b\n\tc: d", YamlTab, 3),
    ("description: a: b", UnquotedColon, 14),
    ("a: [1, 2", Unclosed, 3),
    ("a: \"b", Unclosed, 3),
    ("a: [1}", InvalidYaml, 3),
    ("a: @b", InvalidYaml, 3),
    ("a: 1\n b: 2", UnquotedColon, 7),
    ("\"\\q\"", InvalidYaml, 0),
    ("a: \u{1}", InvalidYaml, 3),
];

#[test]
fn everything_else_is_refused_where_it_shows() {
    let found: Vec<_> =
        REFUSED.iter().map(|(text, ..)| refused(text)).map(|error| (error.kind(), error.offset())).collect();
    let table: Vec<_> =
        REFUSED.iter().zip(found).filter(|((_, rule, offset), found)| (*rule, *offset) != *found).collect();
    assert!(table.is_empty(), "{table:#?}");
}

#[test]
fn every_refusal_of_yaml_names_place_rule_and_next_step() {
    let mut seen = Vec::new();
    let mut messages = String::new();
    for (text, rule, _) in REFUSED {
        if !seen.contains(rule) {
            seen.push(*rule);
            writeln!(messages, "{text:?}\n  {}", refused(text)).expect("a string takes any text");
        }
    }
    insta::assert_snapshot!(messages);
}

/// The generator of case 006: each level repeats the one before nine times.
fn bomb(levels: usize) -> String {
    let mut text = "openapi: 3.1.0\nx-bomb:\n  l0: &l0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..levels {
        let aliases = vec![format!("*l{}", level - 1); 9].join(",");
        writeln!(text, "  l{level}: &l{level} [{aliases}]").expect("a string takes any text");
    }
    text
}

#[test]
fn case_006_alias_bombs_are_stopped() {
    let error = refused(&bomb(9));
    assert_eq!(error.kind(), TooManyAliasNodes { limit: Limits::default().max_alias_nodes() });
    assert!(error.to_string().contains("max_alias_nodes"), "{error}");
    assert!(bomb(9)[error.offset()..].starts_with('*'), "the place is an alias");

    let merges = (0..40).fold("a: &a {k: v}\n".to_owned(), |text, n| {
        let items = if n == 0 { "*a, *a".to_owned() } else { format!("*m{0}, {{<<: *m{0}}}", n - 1) };
        text + &format!("m{n}: &m{n} {{x{n}: [{items}]}}\n")
    });
    assert!(matches!(refused(&merges).kind(), TooManyAliasNodes { .. }));

    // Three anchors, forty aliases.
    let anchors = "a: &a {x: 1}\nb: &b [*a]\nc: &c {<<: *a, y: *b}\n";
    let uses = (0..37).fold(String::new(), |text, n| text + &format!("u{n}: *{}\n", ["a", "b", "c"][n % 3]));
    let document = read(&format!("{anchors}{uses}"));
    assert_eq!(shown(document.at("/u35").expect("it is there")), r#"{"y":[{"x":1}],"x":1}"#);
}

#[test]
fn case_006_texts_that_aliases_copy_are_charged() {
    // Escapes are decoded into a copy; each alias of the text would make another.
    let text = format!("- &a \"{}\\n\"\n{}", "x".repeat(160_000), "- *a\n".repeat(1000));
    assert!(matches!(refused(&text).kind(), TooManyAliasNodes { .. }));
    let text = format!("- &a \"{}\"\n{}", "x".repeat(160_000), "- *a\n".repeat(1000));
    assert_eq!(read(&text).root().len(), 1001, "what stands in the text as it is costs nothing");
}

#[test]
fn limits_hold_for_yaml() {
    let read = |text: &str, limits: &Limits| {
        Document::from_yaml(text, limits).map_err(|error| (error.kind(), error.offset()))
    };
    let limits = Limits::default().with_max_depth(3);
    assert!(read("a: [{b: 1}]", &limits).is_ok());
    assert_eq!(read("a: [{b: []}]", &limits).err(), Some((TooDeep { limit: 3 }, 8)));
    assert!(read("- - - 1", &limits).is_ok());
    assert_eq!(read("- - - - 1", &limits).err(), Some((TooDeep { limit: 3 }, 6)));
    // Depth is counted where the alias stands.
    assert!(read("- &a [[1]]\n- *a", &limits).is_ok());
    assert_eq!(read("- &a [[1]]\n- [*a]", &limits).err(), Some((TooDeep { limit: 3 }, 14)));

    let limits = Limits::default().with_max_nodes(7);
    assert!(read("- &a [1, 2]\n- *a", &limits).is_ok());
    assert_eq!(read("- &a [1, 2]\n- *a\n- x", &limits).err(), Some((TooManyNodes { limit: 7 }, 19)));
    assert_eq!(read("- &a [1, 2, 3]\n- *a", &limits).err(), Some((TooManyNodes { limit: 7 }, 17)));

    let limits = Limits::default().with_max_alias_nodes(3);
    assert!(read("- &a [1, 2]\n- *a", &limits).is_ok());
    assert_eq!(read("- &a [1, 2]\n- [*a, *a]", &limits).err(), Some((TooManyAliasNodes { limit: 3 }, 19)));

    let limits = Limits::default().with_max_bytes(4);
    assert_eq!(read("a: bc", &limits).err(), Some((TooManyBytes { limit: 4 }, 4)));

    for open in ["[", "{a: ", "- ", ": "] {
        let error =
            read(&open.repeat(100_000), &Limits::default().with_max_depth(u32::MAX)).expect_err("deep");
        assert_eq!(error.0, TooDeep { limit: Limits::DEPTH_CEILING }, "{open:?}");
    }
    let depth = Limits::DEPTH_CEILING as usize;
    let deepest = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&deepest, &Limits::default().with_max_depth(u32::MAX)).is_ok());
    let block: String = (0..depth).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(read(&block, &Limits::default().with_max_depth(u32::MAX)).is_ok());
}

#[test]
fn offsets_are_bytes_from_the_first_one() {
    let text = "\u{FEFF}# \u{e9}\u{1F600}\r\ntitle: \"caf\u{e9}\"\r\n\u{e9}: &a\r\n  - \u{1F600}\r\n  - { k: !!str 1 }\r\nb: *a\r\nd: |\r\n  x\r\n";
    let document = read(text);
    let place = |pointer: &str| {
        let node = document.at(pointer).expect(pointer);
        let rest = &text[node.offset() as usize..];
        let start: String = rest.chars().take(3).collect();
        (start, document.position(node.offset()).to_string())
    };
    let due =
        |start: &str, line: u32, column: u32| (start.to_owned(), format!("line {line}, column {column}"));
    assert_eq!(place("/title"), due("\"ca", 2, 8));
    assert_eq!(place("/\u{e9}"), due("- \u{1F600}", 4, 3));
    assert_eq!(place("/\u{e9}/0"), due("\u{1F600}\r\n", 4, 5));
    assert_eq!(place("/\u{e9}/1"), due("{ k", 5, 5));
    assert_eq!(place("/\u{e9}/1/k"), due("1 }", 5, 16));
    assert_eq!(place("/b/1/k"), due("1 }", 5, 16));
    assert_eq!(place("/d"), due("x\r\n", 8, 3));
    let error = refused("\u{FEFF}\u{e9}: \u{e9}\r\nb: \u{1F600}\u{e9}: c");
    assert_eq!((error.kind(), error.position().line, error.position().column), (UnquotedColon, 2, 6));
}

#[test]
fn the_format_shows_in_the_content() {
    let formats: &[(&str, Format)] = &[
        ("{\"a\": 1}", Format::Json),
        ("\u{FEFF} \r\n[1]", Format::Json),
        ("{\"a\": 1, \"a\": 2}", Format::Json),
        ("a: 1", Format::Yaml),
        ("---\n{\"a\": 1}", Format::Yaml),
        ("# comment\n{\"a\": 1}", Format::Yaml),
        ("{a: 1}", Format::Yaml),
        ("{'a': 1}", Format::Yaml),
        ("{\"a\": 1} # end", Format::Yaml),
        ("{\"a\": 1,}", Format::Yaml),
        ("{\"a\": 1, # one\n \"b\": 2 # two\n}", Format::Yaml),
    ];
    for (text, format) in formats {
        let document = Document::from_text(*text, &Limits::default());
        assert_eq!(document.map(|document| document.format()), Ok(*format), "{text:?}");
    }
    let refusals: &[(&str, Rule, usize)] = &[
        ("", Empty, 0),
        ("{\"a\": 1", UnexpectedEnd, 7),
        ("{\"a\": 1 \"b\": 2}", ExpectedCommaOrBrace, 8),
        ("{\"a\": [1, 2}", ExpectedCommaOrBracket, 11),
        ("{\"a\": \"\\ud800\"}", LoneSurrogate, 7),
        ("[1 2]", ExpectedCommaOrBracket, 3),
        ("{\"a\": NaN}", UnknownWord, 6),
        ("{\"a\": yes}", UnknownWord, 6),
        ("{a: 1, b: [}", InvalidYaml, 10),
        ("{a: 1, b: .inf}", NotFinite, 10),
        ("{\"a\": 1}\n---\n{}", TrailingData, 9),
        ("a: b: c", UnquotedColon, 4),
    ];
    for (text, rule, offset) in refusals {
        let error = Document::from_text(*text, &Limits::default()).expect_err(text);
        assert_eq!((error.kind(), error.offset()), (*rule, *offset), "{text:?}: {error}");
    }
    let error = Document::from_text(b"a: \xFF".as_slice(), &Limits::default()).expect_err("not UTF-8");
    assert_eq!((error.kind(), error.offset()), (NotUtf8, 3));
}
