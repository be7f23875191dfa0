//! `litmpi refine`: implementations against specifications, on all clients up to a bound.

use crate::support::litmpi_in;
use std::path::Path;

fn refine(args: &[&str]) -> crate::support::Said {
    litmpi_in(Path::new("."), ["refine"].iter().chain(args))
}

#[test]
fn rdma_wait_over_rdma_tso_has_only_outcomes_of_its_declaration() {
    let small = ["--with", "write,read,wput,wget,wait", "--size", "3", "--names", "2", "--random", "40"];
    refine(&[&["rdma-wait-simplified", "--against", "rdma-wait.cat"], &small[..]].concat())
        .exits(0)
        .says("Tried 620 clients: 5 of size 1, 55 of size 2, 520 of size 3; 40 random")
        .says("every outcome of the implementation is one of the specification");
}

#[test]
fn a_variant_of_mpi_is_within_mpi_and_mpi_is_not_within_the_variant() {
    refine(&["mpi:synchronising", "--against", "mpi", "--size", "2"]).exits(0);
    refine(&["mpi", "--against", "mpi:synchronising", "--size", "2"])
        .exits(1)
        .says("NOT a refinement: a client of 1 statements")
        .says("MPI_Bcast(a0, root: 0)")
        .says("Nothing is left to do: 0:a0=0;");
}

#[test]
fn sides_that_cannot_be_compared_are_told() {
    refine(&["mpi", "--against", "rdma-tso"]).exits(2).says("the two sides have no instruction in common");
    refine(&["rdma-tso", "--against", "rdma-tso.cat", "--with", "MPI_Send"]).exits(2).says("cannot use `MPI_Send`");
    refine(&["rdma-tso:weak", "--against", "rdma-tso.cat"]).exits(2).says("has no variant `weak`");
}
