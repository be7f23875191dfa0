//! `litmpi enumerate --depends`: on which choice of a model an outcome rests.

use crate::support::{folder, litmpi_in};

const LEAF: &str = "\
litmus mpi leaf \"the root of a broadcast may leave early\"
rank 0 { MPI_Bcast(a, root: 0)  MPI_Send(1, dest: 1) }
rank 1 { MPI_Recv(b, source: 0)  MPI_Bcast(c, root: 0) }
exists b = 1
  verdict mpi allowed cite MPI-4.1 \"§6.14\"
";

#[test]
fn a_deadlock_that_needs_a_synchronising_broadcast_says_so() {
    let dir = folder(&[("leaf.litmus", LEAF)]);
    litmpi_in(dir.path(), ["enumerate", "--depends", "leaf.litmus"])
        .exits(0)
        .says("Depends deadlock: not under non-synchronising (collectives never synchronise more than their data does)")
        .says("Depends b=1;: not under synchronising (collectives always synchronise)");
}

#[test]
fn dependences_are_part_of_the_json() {
    let dir = folder(&[("leaf.litmus", LEAF)]);
    let said = litmpi_in(dir.path(), ["enumerate", "--depends", "--json", "leaf.litmus"]);
    said.exits(0);
    let json = said.json();
    let depends = json[0]["depends"].as_array().unwrap_or_else(|| panic!("{said}"));
    assert!(depends.iter().any(|d| d["outcome"] == "deadlock" && d["not_under"] == "non-synchronising"), "{said}");
}

#[test]
fn an_outcome_that_every_variant_has_depends_on_nothing() {
    let sure = LEAF
        .replace("MPI_Send(1, dest: 1) }\n", "}\n")
        .replace("MPI_Recv(b, source: 0)  ", "")
        .replace("b = 1", "true");
    let dir = folder(&[("sure.litmus", &sure)]);
    let said = litmpi_in(dir.path(), ["enumerate", "--depends", "sure.litmus"]);
    said.exits(0).says("Explored");
    assert!(!said.to_string().contains("Depends"), "{said}");
}
