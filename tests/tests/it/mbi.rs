//! Programs of the MPI Bugs Initiative, each with the verdict that its authors expect: some of them. All of them are run by
//! `verify/suite/mbi.py`, by hand; docs/mbi.md says what came.

use crate::command::root;
use crate::suites::is_run;
use crate::support::here;
use tempfile::TempDir;

/// Of so many programs one is run.
const EVERY: &str = "97";

#[test]
fn programs_of_the_mpi_bugs_initiative_have_the_verdicts_that_are_recorded() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let results = TempDir::new().expect("a folder");
    if !is_run("mbi.py", "mbi", &["--every", EVERY], results.path()) {
        return;
    }
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("results");
    let verdict = |line: &str| line.split('\t').take(3).map(str::to_owned).collect::<Vec<_>>();
    let recorded = read(root().join("verify/suite/results/mbi.tsv"));
    let recorded: Vec<_> = recorded.lines().map(verdict).collect();
    let came: Vec<_> = read(results.path().join("mbi.tsv")).lines().map(verdict).collect();
    assert!(came.len() > 10, "{came:?}");
    let other: Vec<_> = came.iter().filter(|row| !recorded.contains(row)).collect();
    assert!(other.is_empty(), "not as recorded: {other:?}");
}
