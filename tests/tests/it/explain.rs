//! `litmpi explain`: traces, sequences, execution graphs, and what forbids an outcome.

use crate::command::root;
use crate::support::{Said, litmpi_in};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

fn explain(args: &[&str]) -> Said {
    litmpi_in(&root(), [&["explain"], args].concat())
}

/// Explains with `--out` and gives the folder too.
fn explain_into(args: &[&str]) -> (Said, TempDir) {
    let dir = TempDir::new().expect("a folder");
    let out = dir.path().join("new/folder").display().to_string();
    (explain(&[args, &["--out", &out]].concat()), dir)
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder.join("new/folder")).expect("a folder");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

fn text(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join("new/folder").join(name)).expect(name)
}

#[test]
fn an_mpi_trace_is_a_sequence_of_ranks_with_messages_and_collectives() {
    let (said, dir) = explain_into(&["litmus/mpi/coll-bcast-race.litmus"]);
    said.exits(0).says("rank 0").says("◀ transfer ──").says(": MPI_Bcast");
    let svg = text(&dir, "coll-bcast-race-sequence.svg");
    assert_eq!(svg.matches("<polygon").count(), 2, "two messages: {svg}");
    assert!(svg.contains("MPI_Bsend(2, dest: 1)") && svg.contains(">MPI_Bcast</text>"), "{svg}");
    assert!(text(&dir, "coll-bcast-race-steps.txt").contains("mpi-2-formal-spec Fig. 4, transfer"));
}

#[test]
fn a_deadlock_has_a_sequence_too_and_a_collective_that_nobody_ends_goes_on_to_its_end() {
    let said = explain(&["litmus/mpi/deadlock-barrier-missing.litmus", "--outcome", "deadlock"]);
    said.exits(0).says("these wait for ever").says(": MPI_Barrier");
}

#[test]
fn an_rdma_trace_has_a_lane_a_queue_pair() {
    let said = explain(&["litmus/rdma/ST2.litmus", "--outcome", "z=1"]);
    said.exits(0).says("1 → node 2").says("put/fetch");
}

#[test]
fn the_same_call_writes_the_same_bytes() {
    let args = ["litmus/rdma/ST2.litmus", "--outcome", "z=1"];
    let ((first, a), (second, b)) = (explain_into(&args), explain_into(&args));
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(files(a.path()), files(b.path()));
    for name in files(a.path()) {
        assert_eq!(text(&a, &name), text(&b, &name), "{name}");
    }
}
