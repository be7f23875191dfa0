//! The literature: works by the short names under which rules, events and tests cite them.

use crate::suggest::nearest;

/// The works that are cited by what is shipped. Others may be cited; one that is nearly one of these is a slip.
pub const WORKS: [&str; 15] = [
    "GPUDirect",
    "InfiniBand",
    "Intel-SDM",
    "MPI-4.1",
    "PCIe",
    "RDMA-RMW",
    "core-rma",
    "iWARP",
    "libfabric",
    "libibverbs",
    "loco-mowgli",
    "mpi-2-formal-spec",
    "rdma-robustness",
    "rdma-tso",
    "x86-TSO",
];

/// The work that was meant where none is called so; none if the name is one of these, or like none of them.
pub fn meant(work: &str) -> Option<&'static str> {
    if WORKS.contains(&work) { None } else { nearest(work, WORKS) }
}
