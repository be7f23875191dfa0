//! Planted wrong rules make tests fail, and `explain` shows the step that is wrong.

use crate::command::{litmpi, stderr, stdout};
use litmpi_spec::shipped;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The shipped specifications in a folder of their own, with one text in one of them replaced.
pub(crate) fn planted(file: &str, right: &str, wrong: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in shipped::FILES {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("can be made");
        let text = if name == file {
            assert!(text.contains(right), "{file} no longer says `{right}`");
            text.replacen(right, wrong, 1)
        } else {
            text.to_owned()
        };
        std::fs::write(path, text).expect("can be written");
    }
    dir
}

fn model(dir: &TempDir, file: &str) -> PathBuf {
    dir.path().join(file)
}

/// Checks the tests under a planted model; the names of those that fail are in the output.
fn fails(spec: &Path, tests: &str) -> String {
    let out = litmpi(&["check", "--spec", spec.to_str().expect("a plain path"), tests]);
    assert_eq!(out.status.code(), Some(1), "{}{}", stdout(&out), stderr(&out));
    stdout(&out)
}

fn explanation(spec: &Path, test: &str, outcome: &str) -> String {
    let out = litmpi(&["explain", "--spec", spec.to_str().expect("a plain path"), test, "--outcome", outcome]);
    assert_eq!(out.status.code(), Some(0), "{}{}", stdout(&out), stderr(&out));
    stdout(&out)
}

#[test]
fn messages_that_overtake_are_caught_and_explained() {
    let dir = planted(
        "mpi/point-to-point.spec",
        "       not (any s' in Γ1 : matches(s', q, r) and not overtakes(s'.promised)),\n       not (any r' in Δ1 : matches(s, q, r') and not overtakes(r'.promised)),\n",
        "",
    );
    let spec = model(&dir, "mpi/mpi.spec");
    assert!(fails(&spec, "litmus/mpi").contains("FAIL litmus/mpi/order-same-tag.litmus"));
    let told = explanation(&spec, "litmus/mpi/order-same-tag.litmus", "a=2");
    assert!(told.contains("transfer (p = "), "{told}");
}

#[test]
fn a_barrier_that_lets_processes_through_is_caught() {
    let dir = planted(
        "mpi/collective.spec",
        "then enter(t.node, entry(t.node, comm, Barrier, blocking, [], [], Await(peers(communicator(t.node, comm)))), r)",
        "then enter(t.node, entry(t.node, comm, Barrier, blocking, [], [], Await([])), r)",
    );
    assert!(fails(&model(&dir, "mpi/mpi.spec"), "litmus/mpi").contains("FAIL litmus/mpi/coll-barrier"));
}

#[test]
fn a_synchronous_send_that_completes_alone_is_caught() {
    let dir = planted("mpi/completion.spec", "(s.sent or s.mode ≠ Synchronous)", "true");
    let said = fails(&model(&dir, "mpi/mpi.spec"), "litmus/mpi");
    assert!(said.contains("FAIL litmus/mpi/deadlock-ssend-ssend.litmus"), "{said}");
}

#[test]
fn a_remote_read_that_does_not_flush_is_caught() {
    let dir = planted("rdma/simplified.spec", "       pcie implies QP[t][n].wbR = []\n", "       true\n");
    let said = fails(&model(&dir, "rdma/simplified.spec"), "litmus/rdma");
    assert!(said.contains("FAIL litmus/rdma/"), "{said}");
}

#[test]
fn a_poll_that_returns_before_the_completion_is_caught_and_explained() {
    let dir = planted(
        "rdma/write-back.spec",
        "  when QP[t][n].wbL is α · CN\n  then QP[t][n].wbL := α\n",
        "  then QP[t][n].wbL := QP[t][n].wbL\n",
    );
    let spec = model(&dir, "rdma/simplified.spec");
    assert!(fails(&spec, "litmus/rdma").contains("FAIL litmus/rdma/ST3.litmus"));
    let told = explanation(&spec, "litmus/rdma/ST3.litmus", "z=1");
    let (poll, fetch) = (told.find("poll (t = 1)"), told.find("put/fetch (t = 1"));
    assert!(poll.is_some() && poll < fetch, "the poll should come before the fetch:\n{told}");
}

#[test]
fn a_library_that_does_more_than_the_rules_allow_is_a_violation() {
    let dir = planted("mpi/point-to-point.spec", "const buffering: Bool = true", "const buffering: Bool = false");
    let spec = model(&dir, "mpi/mpi.spec");
    let out_dir = dir.path().join("out");
    let args = [
        "run",
        "--spec",
        spec.to_str().expect("a plain path"),
        "litmus/mpi/eager-head-to-head.litmus",
        "--target",
        "openmpi",
        "--sizes",
        "8",
        "--out",
        out_dir.to_str().expect("a plain path"),
    ];
    let out = litmpi(&args);
    if stdout(&out).contains("skipped") {
        eprintln!("skipped: {}", stdout(&out));
        return;
    }
    assert_eq!(out.status.code(), Some(1), "{}{}", stdout(&out), stderr(&out));
    assert!(stdout(&out).contains("VIOLATION eager-head-to-head on openmpi"), "{}", stdout(&out));
}
