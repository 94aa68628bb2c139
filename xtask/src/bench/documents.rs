//! Which published documents are measured, against what, and with which goals.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::contest::{Contest, Goals, succeeds};
use super::programs::Programs;

/// Where they stand in the corpus.
const FOLDER: &str = "openapi";
/// How many YAML documents are measured: the largest that can be read.
const YAML_DOCUMENTS: usize = 3;
const YAML_CPU: f64 = 2.5;
/// A start from a saved catalog, in parts of parsing the document.
const SAVED_CPU: f64 = 0.1;

/// A published document in JSON.
struct Published {
    name: &'static str,
    file: &'static str,
    goals: Goals,
    /// An operation to start with.
    operation: &'static str,
    refused: Option<&'static str>,
}

const LARGE: Goals = Goals { cpu: Some(1.0), peak: Some(0.8) };

const PUBLISHED: &[Published] = &[
    Published {
        name: "github",
        file: "github-api.github.com.json",
        goals: LARGE,
        operation: "issues/create",
        refused: None,
    },
    Published {
        name: "graph",
        file: "oad-microsoft.com_graph.json",
        goals: LARGE,
        operation: "me.user.GetUser",
        refused: None,
    },
    Published {
        name: "stripe",
        file: "oad-stripe.com.json",
        goals: Goals { cpu: Some(1.2), peak: None },
        operation: "GetCharges",
        refused: None,
    },
    Published {
        name: "kubernetes",
        file: "kubernetes-swagger2.json",
        goals: Goals { cpu: None, peak: None },
        operation: "listCoreV1Node",
        refused: Some("Swagger 2.0 is refused so far"),
    },
];

/// Everything that is measured on the documents of this corpus.
pub(super) fn contests(programs: &Programs, corpus: &Path) -> Vec<Contest> {
    let folder = corpus.join(FOLDER);
    let json = PUBLISHED.iter().map(|published| compile(programs, published, &folder.join(published.file)));
    let is_read = |file: &PathBuf| succeeds(&mut programs.helper("yaml", file));
    let largest = by_size(&folder, &["yaml", "yml"]).into_iter().filter(is_read).take(YAML_DOCUMENTS);
    let saved = PUBLISHED.iter().map(|published| saved(programs, published, &folder.join(published.file)));
    json.chain(saved).chain(largest.map(|file| yaml(programs, &file))).collect()
}

/// Everything that compiling tells, against parsing alone.
fn compile(programs: &Programs, published: &Published, file: &Path) -> Contest {
    let words = [OsStr::new("compile"), file.as_os_str(), OsStr::new("--json")];
    Contest {
        document: published.name.to_owned(),
        what: "compile / Value",
        contenders: [programs.command_line(&words), programs.helper("value", file)],
        goals: published.goals,
        refused: published.refused,
    }
}

/// A start from what was kept of the document, against parsing it.
fn saved(programs: &Programs, published: &Published, file: &Path) -> Contest {
    let cache = programs.scratch("cache");
    let words =
        [OsStr::new("describe"), file.as_os_str(), OsStr::new(published.operation), OsStr::new("--cache")];
    Contest {
        document: published.name.to_owned(),
        what: "saved / Value",
        contenders: [
            programs.command_line(&[&words[..], &[cache.as_os_str()]].concat()),
            programs.helper("value", file),
        ],
        goals: Goals { cpu: Some(SAVED_CPU), peak: None },
        refused: published.refused,
    }
}

/// Our tree of a YAML document, against the events of the parser that it is made of.
fn yaml(programs: &Programs, file: &Path) -> Contest {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    Contest {
        document: shortened(&name).to_owned(),
        what: "YAML / events",
        contenders: [programs.helper("yaml", file), programs.helper("events", file)],
        goals: Goals { cpu: Some(YAML_CPU), peak: None },
        refused: None,
    }
}

/// The owner, where a file is named for owner, repository and path.
fn shortened(name: &str) -> &str {
    name.split("__").next().unwrap_or(name)
}

/// The files of a folder with one of these ends, the largest first.
fn by_size(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let matches = |path: &PathBuf| path.extension().is_some_and(|end| ends.iter().any(|one| end == *one));
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sized: Vec<_> =
        paths.filter(matches).filter_map(|path| Some((fs::metadata(&path).ok()?.len(), path))).collect();
    sized.sort_by(|one, other| other.cmp(one));
    sized.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::{by_size, fs, shortened};
    use crate::process::root;

    #[test]
    fn files_are_ordered_by_size_and_others_left_out() {
        let folder = root().join("fixtures/documents");
        let sizes: Vec<_> = by_size(&folder, &["json"])
            .iter()
            .map(|file| fs::metadata(file).expect("it is there").len())
            .collect();
        assert!(sizes.len() > 1 && sizes.iter().rev().is_sorted(), "{sizes:?}");
        let yaml = by_size(&folder, &["yaml", "yml"]);
        assert!(
            !yaml.is_empty() && yaml.iter().all(|file| file.to_string_lossy().ends_with("ml")),
            "{yaml:?}"
        );
        assert!(by_size(&root().join("no-such-folder"), &["json"]).is_empty());
    }

    #[test]
    fn long_names_are_shortened() {
        assert_eq!(shortened("owner__repository__openapi"), "owner");
        assert_eq!(shortened("plain-v1"), "plain-v1");
    }
}
