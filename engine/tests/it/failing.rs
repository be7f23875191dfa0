//! `tests/fail`: one mistake a file, and the whole message beside it.

use crate::world::World;
use litmpi_spec::diag::Report;
use litmpi_spec::load::load;
use litmpi_spec::shipped::FILES;
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a user is told about a file: when it is loaded, else when a small program runs under it.
fn complaint(path: &Path) -> Option<Report> {
    let spec = match load(path) {
        Ok(spec) => Arc::new(spec),
        Err(report) => return Some(report),
    };
    // One node with `x = 1` and `a[2]`, and one thread that runs `go(x)`.
    let mut world = World::new(&spec);
    let node = world.node(1);
    let x = world.loc("x", node, 1);
    world.array("a", node, 2);
    let t = world.thread(1, node);
    world.exec(t, "go", vec![x]);
    world.machine().and_then(|m| crate::world::explore(&m).map(drop)).err().map(Report::from)
}

#[test]
fn every_mistake_is_told_as_the_file_beside_it_says() {
    let mut wrong = String::new();
    // New rules are no new message.
    let shipped = FILES.map(|(name, _)| name).join(", ");
    let accept = std::env::var_os("UPDATE").is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir("tests/fail")
        .expect("tests run in the package's folder")
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let specs: Vec<&PathBuf> = files.iter().filter(|f| f.extension().is_some_and(|e| e == "spec")).collect();
    assert!(specs.len() > 50, "the files are found");
    for path in specs {
        let found = match complaint(path) {
            None => {
                wrong += &format!("{}: nobody complains\n", path.display());
                continue;
            }
            Some(report) => report.render(false).replace(&shipped, "…"),
        };
        let beside = path.with_extension("expected");
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if accept {
            std::fs::write(&beside, found).expect("the expected message is written");
        } else if found != expected {
            let diff = TextDiff::from_lines(&expected, &found);
            wrong += &format!("{}\n{}", path.display(), diff.unified_diff().header("expected", "found"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}\nto accept what was found: UPDATE=1 cargo test -p litmpi-engine failing");
}

#[test]
fn every_expected_message_has_its_file() {
    for entry in std::fs::read_dir("tests/fail").expect("tests run in the package's folder") {
        let path = entry.unwrap().path();
        assert!(path.with_extension("spec").exists(), "{} is left over", path.display());
    }
}
