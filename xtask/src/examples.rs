//! The library's examples: each has to run to its end, offline.

use std::fs;
use std::path::Path;

use crate::process::{cargo, root, run as execute};
use crate::report::{Outcome, Report};

pub(crate) fn run(report: &mut Report) {
    let names = names(&root().join("examples"));
    if names.is_empty() {
        report.step("examples", || Outcome::Skipped("there are none".to_owned()));
    }
    for name in names {
        let run = format!("run --locked --offline --quiet --example {name}");
        report.step(format!("example {name}"), || execute(&mut cargo(&run)));
    }
}

/// `name.rs` and `name/main.rs`, in order. A folder that is not there has none.
fn names(folder: &Path) -> Vec<String> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let examples = paths
        .filter(|path| path.extension().is_some_and(|end| end == "rs") || path.join("main.rs").is_file());
    let mut names: Vec<_> =
        examples.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::{names, root};

    #[test]
    fn files_and_folders_with_a_main_are_examples() {
        // The workspace's own folders stand in: this package's sources, and the folder that holds `src/main.rs`.
        let sources = names(&root().join("xtask/src"));
        assert!(sources.contains(&"examples".to_owned()) && sources.is_sorted());
        assert_eq!(names(&root().join("xtask")), ["src"]);
        assert_eq!(names(&root().join("no-such-folder")), [""; 0]);
    }
}
