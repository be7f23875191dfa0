//! Programs of the MPI Bugs Initiative, each with the verdict that its authors expect: some of them. All of them are run by
//! `verify/suite/mbi.py`, by hand; docs/mbi.md says what came.

use crate::command::{binary, root};
use crate::support::here;
use std::process::Command;
use tempfile::TempDir;

/// What the script ends with where the generators cannot be had.
const NOT_HAD: i32 = 77;
/// Of so many programs one is run.
const EVERY: &str = "97";

#[test]
fn programs_of_the_mpi_bugs_initiative_have_the_verdicts_that_are_recorded() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let results = TempDir::new().expect("a folder");
    let mut command = Command::new("python3");
    command.arg(root().join("verify/suite/mbi.py")).arg(root().join("target/tmp/mbi")).args(["--every", EVERY]);
    let said = match command.arg("--results").arg(results.path()).env("LITMPI", binary()).output() {
        Ok(said) if said.status.code() != Some(NOT_HAD) => said,
        Ok(said) => return println!("skipped: {}", String::from_utf8_lossy(&said.stderr).trim()),
        Err(e) => return println!("skipped: there is no python3: {e} (./dev setup python)"),
    };
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("results");
    let verdict = |line: &str| line.split('\t').take(3).map(str::to_owned).collect::<Vec<_>>();
    let recorded = read(root().join("verify/suite/results/mbi.tsv"));
    let recorded: Vec<_> = recorded.lines().map(verdict).collect();
    let came: Vec<_> = read(results.path().join("mbi.tsv")).lines().map(verdict).collect();
    assert!(came.len() > 10, "{came:?}");
    let other: Vec<_> = came.iter().filter(|row| !recorded.contains(row)).collect();
    assert!(other.is_empty(), "not as recorded: {other:?}");
}
