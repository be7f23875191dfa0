//! mpi4py's own tests on litmpi's MPI library: a few classes of them, in the order that comes and in random ones. All of them are run by
//! `verify/suite/mpi4py.py`, by hand.

use crate::command::{binary, root};
use std::process::Command;
use tempfile::TempDir;

/// What the script ends with where mpi4py cannot be had.
const NOT_HAD: i32 = 77;
/// Ranks, the order, and the classes.
const SOME: [(&str, &str, &[&str]); 3] = [
    ("1", "default", &["test_status", "test_request.TestRequest.", "test_errorcode", "test_msgspec.TestMessageBlock"]),
    ("2", "default", &["test_p2p_obj_matched", "test_group.TestGroupWorld", "test_cco_ngh_obj.TestCCONghObjWorld."]),
    ("3", "random", &["test_cco_obj.TestCCOObjWorld.testBarrier"]),
];

#[test]
fn tests_of_mpi4py_pass_on_the_rules() {
    let folder = root().join("target/tmp/mpi4py-suite");
    for (ranks, order, tests) in SOME {
        let results = TempDir::new().expect("a folder");
        let mut command = Command::new("python3");
        command.arg(root().join("verify/suite/mpi4py.py")).arg(&folder).args([ranks, "--order", order, "--results"]);
        let said = command.arg(results.path()).args(tests).env("LITMPI", binary()).output();
        let said = match said {
            Ok(said) if said.status.code() != Some(NOT_HAD) => said,
            Ok(said) => {
                return println!("skipped: {} (./dev setup python)", String::from_utf8_lossy(&said.stderr).trim());
            }
            Err(e) => return println!("skipped: there is no python3: {e} (./dev setup python)"),
        };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let came =
            std::fs::read_to_string(results.path().join(format!("mpi4py-{ranks}-{order}.tsv"))).expect("results");
        let bad: Vec<&str> =
            came.lines().filter(|l| !["pass", "skip"].contains(&l.split('\t').nth(1).unwrap_or(""))).collect();
        assert!(bad.is_empty(), "{ranks} ranks, {order} order:\n{}", bad.join("\n"));
        assert!(came.lines().count() >= tests.len(), "{ranks} ranks, {order} order: {came}");
    }
}
