//! mpi4py's own tests on litmpi's MPI library: a few classes of them, in the order that comes and in random ones. All of them are run by
//! `verify/suite/mpi4py.py`, by hand.

use crate::suites::is_run;
use tempfile::TempDir;

/// Ranks, the order, and the classes.
const SOME: [(&str, &str, &[&str]); 3] = [
    ("1", "default", &["test_status", "test_request.TestRequest.", "test_errorcode", "test_msgspec.TestMessageBlock"]),
    ("2", "default", &["test_p2p_obj_matched", "test_group.TestGroupWorld", "test_cco_ngh_obj.TestCCONghObjWorld."]),
    ("3", "random", &["test_cco_obj.TestCCOObjWorld.testBarrier"]),
];

#[test]
fn tests_of_mpi4py_pass_on_the_rules() {
    for (ranks, order, tests) in SOME {
        let results = TempDir::new().expect("a folder");
        let words = [&[ranks, "--order", order], tests].concat();
        if !is_run("mpi4py.py", "mpi4py-suite", &words, results.path()) {
            return;
        }
        let came =
            std::fs::read_to_string(results.path().join(format!("mpi4py-{ranks}-{order}.tsv"))).expect("results");
        let bad: Vec<&str> =
            came.lines().filter(|l| !["pass", "skip"].contains(&l.split('\t').nth(1).unwrap_or(""))).collect();
        assert!(bad.is_empty(), "{ranks} ranks, {order} order:\n{}", bad.join("\n"));
        assert!(came.lines().count() >= tests.len(), "{ranks} ranks, {order} order: {came}");
    }
}
