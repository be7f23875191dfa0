//! Smallest programs on which two models differ, found by trying all.

use crate::command::root;
use crate::support::{at, folder, litmpi_in};
use serde_json::Value;

/// What the command finds, as JSON.
fn found(args: &[&str]) -> Value {
    let all = ["distinguish"].iter().chain(args).chain(&["--json"]).copied();
    litmpi_in(&root(), all).exits(0).json()
}

/// The bodies of the programs on which one of the models alone allows something.
fn programs(all: &Value, side: usize) -> Vec<String> {
    let rows = all["apart"].as_array().expect("programs");
    let tells = rows.iter().filter(|r| r["only"][side].as_array().is_some_and(|o| !o.is_empty()));
    tells.map(|r| r["program"].as_str().expect("a program").to_owned()).collect()
}

#[test]
fn the_smallest_programs_that_tell_tso_from_sc_are_those_of_the_literature() {
    let all = found(&["tso.cat", "sc.cat", "--with", "write,read", "--size", "4"]);
    let (tso, sc) = (programs(&all, 0), programs(&all, 1));
    // Store buffering, and R, whose last write is seen in the final memory.
    assert_eq!((tso.len(), sc.len()), (2, 0), "{all:#}");
    let holds = |text: &str| tso.iter().any(|p| p.contains(text));
    assert!(holds("  x1 := 11\n  a2 := x2\n}\nthread 2 on 1 {\n  x2 := 21\n  a2 := x1\n"), "{all:#}");
    assert!(holds("  x1 := 11\n  x2 := 12\n}\nthread 2 on 1 {\n  x2 := 21\n  a2 := x1\n"), "{all:#}");
}

#[test]
fn what_core_rma_allows_beyond_rdma_tso_is_found_in_programs_no_larger_than_those_of_the_papers() {
    // CRMA2 (rdma-tso Fig. 16) is that coreRMA lets the second of two puts fetch its source first: it has seven statements.
    let all = found(&["rdma-tso", "core-rma.cat", "--with", "write,put", "--size", "4"]);
    let alone = programs(&all, 1);
    assert!(!alone.is_empty(), "{all:#}");
    let two_puts = |p: &&String| p.matches("@2 := x").count() == 2;
    assert!(alone.iter().any(|p| two_puts(&p)), "{all:#}");
    assert!(all["apart"].as_array().expect("programs").iter().all(|r| r["size"].as_u64() <= Some(4)), "{all:#}");
}

#[test]
fn a_buffered_send_is_what_tells_the_variants_of_mpi() {
    let all = found(&["mpi:eager", "mpi:rendezvous", "--with", "MPI_Send,MPI_Recv", "--size", "2"]);
    let (eager, rendezvous) = (programs(&all, 0), programs(&all, 1));
    assert!(
        eager.iter().chain(&rendezvous).any(|p| p.matches("MPI_").count() == 1 && p.contains("MPI_Send")),
        "{all:#}"
    );
}

#[test]
fn programs_are_the_same_on_any_number_of_threads_and_can_be_kept() {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let args = ["distinguish", "rdma-tso", "rdma-tso:no-pcie", "--with", "read,write,get,put,poll", "--size", "3"];
    let said = |jobs: &str, more: &[&str]| {
        litmpi_in(&root(), args.iter().chain(&["--jobs", jobs]).chain(more).copied()).exits(0).stdout.clone()
    };
    assert_eq!(said("1", &["-o", &out]), said("3", &[]));
    let kept = std::fs::read_dir(&out).map_or(0, Iterator::count);
    if kept > 0 {
        litmpi_in(&root(), ["enumerate", &at(&dir, "out/apart-1.litmus")]).exits(0);
    }
}

#[test]
fn what_cannot_be_told_apart_is_said() {
    let said = |args: &[&str]| litmpi_in(&root(), ["distinguish"].iter().chain(args).copied());
    let none = ["rdma-tso", "rdma-tso:inline", "--size", "2", "--with", "write,read"];
    said(&none).exits(0).says("on 0 smallest ones");
    said(&["tso", "tso:default"]).exits(2).says("`tso` and `tso:default` are one model").says("NAME:VARIANT");
    said(&["rdma-tso", "core-rma"]).exits(2).says("core-rma declares programs, and its models are core-rma.cat");
    said(&["rdma-tso", "core-rmaa"])
        .exits(2)
        .says("did you mean `core-rma`?")
        .says("models of relations: ")
        .says(" core-rma.cat");
    let log = folder(&[("a.log", "Test SB Allowed\n")]);
    said(&[&at(&log, "a.log"), "tso"]).exits(2).says("a.log is a file, and no model").says("`litmpi compare LOG…`");
    said(&["mpi", "rdma-tso"]).exits(2).says("no two models of RDMA, nor of MPI");
    said(&["tso", "nonsense"]).exits(2).says("nonsense");
    said(&["tso", "sc", "--with", "put"]).exits(2).says("not made with `put`");
    said(&["rdma-tso", "rdma-tso.cat", "--size", "3", "--count"]).exits(0).says("3 statements: ");
}
