//! --cache: a document that was compiled before is not compiled again, and nothing else is different.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Ran, assert_valid, schemarouter};

/// A folder with a document, `shop.json`.
struct Folder(TempDir);

fn document(summary: &str) -> Value {
    let reply = json!({"200": {"description": "ok", "content": {"application/json": {"schema": {
        "$ref": "#/components/schemas/Item"}}}}});
    json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://{region}.shop.test", "variables": {"region": {"default": "eu"}}}],
        "components": {
            "schemas": {"Item": {"type": "object", "required": ["id"], "properties": {
                "id": {"type": "string", "readOnly": true, "pattern": "^i"}, "part": {"$ref": "#/components/schemas/Item"}}}},
            "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}},
        },
        "security": [{"key": []}, {}],
        "paths": {
            "/items": {
                "get": {"operationId": "list", "summary": summary, "tags": ["items"], "responses": reply,
                    "parameters": [{"name": "filter", "in": "query", "style": "deepObject", "schema": {"type": "object"}}]},
                "post": {"operationId": "add", "responses": reply, "requestBody": {"content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/Item"}},
                }}},
                "put": {"operationId": "form", "responses": reply, "requestBody": {"content": {
                    "application/x-www-form-urlencoded": {"schema": {"type": "object"}, "encoding": {"a": {"style": "pipeDelimited", "explode": false}}}}}},
            },
            "/items/{id}": {"delete": {"operationId": "drop", "responses": reply, "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}, "description": "Which one. ".repeat(30)}]},
                "get": {"operationId": "lost", "parameters": [{"$ref": "other.json"}], "responses": reply}},
        },
    })
}

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write(&document("List items"));
        folder
    }

    fn write(&self, document: &Value) {
        fs::write(self.0.path().join("shop.json"), document.to_string()).unwrap();
    }

    fn run(&self, words: &[&str]) -> Ran {
        Ran::of(schemarouter(words).current_dir(self.0.path()).output().unwrap())
    }

    /// The saved catalogs, by name.
    fn catalogs(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.0.path().join("kept")).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl")).collect();
        files.sort();
        files
    }
}

const WORDS: &[&[&str]] = &[
    &["list", "shop.json", "--json"],
    &["list", "shop.json", "*o*"],
    &["describe", "shop.json", "list", "--json"],
    &["describe", "shop.json", "add", "--json"],
    &["describe", "shop.json", "drop"],
    &["describe", "shop.json", "lost"],
    &["describe", "shop.json", "dropp"],
    &["invoke", "shop.json", "list", r#"filter={"a": 1}"#, "--dry-run"],
    &["invoke", "shop.json", "add", r#"body={"part": {"id": "i"}}"#, "--dry-run"],
    &["invoke", "shop.json", "add", r#"body={"part": {"id": 7}}"#, "--dry-run"],
    &["invoke", "shop.json", "form", r#"body={"a": [1, 2]}"#, "--dry-run"],
    &["invoke", "shop.json", "drop", "id=../x", "--dry-run"],
    &["invoke", "shop.json", "drop", "id=x", "--dry-run", "--server", "2"],
];

#[test]
fn what_is_kept_answers_as_the_document_does() {
    for words in WORDS {
        let folder = Folder::new();
        let without = folder.run(words);
        // The first compiles and keeps, the second opens what is kept.
        for _ in 0..2 {
            let with = folder.run(&[words, &["--cache", "kept"][..]].concat());
            assert_eq!(
                (with.code, &with.out, &with.err),
                (without.code, &without.out, &without.err),
                "{words:?}"
            );
            assert_eq!(folder.catalogs().len(), 1);
        }
    }
}

#[test]
fn the_second_start_does_not_need_the_compiler() {
    let folder = Folder::new();
    let words = ["describe", "shop.json", "list", "--cache", "kept"];
    folder.run(&["compile", "shop.json", "--cache", "kept"]).ends_with(0);
    let [kept] = &folder.catalogs()[..] else { panic!("one document, one file") };
    let text = fs::read_to_string(kept).unwrap();
    for line in text.lines() {
        assert_valid("catalog", &serde_json::from_str(line).unwrap());
    }
    // What is not as it was written shows that it is what is read.
    fs::write(kept, text.replacen("\"endpoint\"", "\"endpiont\"", 1)).unwrap();
    let ran = folder.run(&words).ends_with(14);
    assert!(ran.err.contains("the saved catalog is damaged"), "{}", ran.err);
    assert!(ran.err.contains("hint: compile the document anew"), "{}", ran.err);
    // What does not fit from the first line on is as good as nothing.
    fs::write(kept, &text[..text.len() / 2]).unwrap();
    folder.run(&words).ends_with(0);
    assert_eq!(fs::read_to_string(kept).unwrap(), text);
}

#[test]
fn another_state_of_the_document_takes_the_place_of_the_old_one() {
    let folder = Folder::new();
    let words = ["list", "shop.json", "*.list", "--cache", "kept"];
    assert!(folder.run(&words).ends_with(0).out.contains("List items"));
    let before = folder.catalogs();
    // Of the same length: only its bytes tell.
    folder.write(&document("Find items"));
    assert!(folder.run(&words).ends_with(0).out.contains("Find items"));
    assert!(folder.run(&words).ends_with(0).out.contains("Find items"));
    assert_eq!(folder.catalogs(), before);
    // Other options are another file.
    for other in [["--undefined-styles", "brackets"], ["--server-variable", "region=us"], ["--name", "other"]]
    {
        folder.run(&[&words[..], &other].concat()).ends_with(0);
    }
    assert_eq!(folder.catalogs().len(), 4);
}

#[test]
fn a_lock_holds_for_what_is_kept() {
    let folder = Folder::new();
    folder.run(&["compile", "shop.json", "--lock", "--cache", "kept"]).ends_with(0);
    let words = ["invoke", "shop.json", "list", "--locked", "--dry-run", "--cache", "kept"];
    folder.run(&words).ends_with(0);
    folder.write(&document("Find items"));
    for _ in 0..2 {
        assert!(folder.run(&words).ends_with(14).err.contains("stale_fingerprint"));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_costs_nothing_else() {
    let folder = Folder::new();
    let ran = folder.run(&["list", "shop.json", "--cache", "shop.json/kept"]).ends_with(0);
    assert!(
        ran.err.starts_with("`shop.json/kept/shop-") && ran.err.contains("is not written"),
        "{}",
        ran.err
    );
    assert_eq!(ran.out, folder.run(&["list", "shop.json"]).out);
}

#[cfg(unix)]
#[test]
fn the_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.run(&["list", "shop.json", "--cache", "kept"]).ends_with(0);
    let mode = fs::metadata(folder.0.path().join("kept")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
