//! Clients of MPI, for refinement ([`litmpi_rdma_model::refine`]): small programs of sends, receives and their nonblocking
//! forms, with buffers that are written while a request is open, and collectives of all ranks.

use litmpi_rdma_model::refine::Alphabet;

/// What clients do beside sends and receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// `MPI_Barrier` and `MPI_Bcast`.
    Collectives,
}

/// Programs of `ranks` ranks with at most `length` calls each. Every receive has a variable of its own, which is
/// observed; `b` is a buffer of each rank that is sent from, written and read.
pub fn alphabet(ranks: usize, length: usize, beside: Beside) -> Alphabet {
    let statements = (0..ranks)
        .map(|r| {
            let others = (1..ranks).map(|k| (r + k) % ranks);
            let mut all: Vec<String> = vec![];
            for m in others {
                all.push(format!("MPI_Send({{v}}, dest: {m})"));
                all.push(format!("MPI_Isend(b, dest: {m}, request: q)"));
                all.push(format!("MPI_Recv({{r}}, source: {m})"));
                all.push(format!("MPI_Irecv({{r}}, source: {m}, request: q)"));
            }
            all.extend(["MPI_Recv({r}, source: any)", "MPI_Wait(q)", "b := {v}"].map(str::to_owned));
            if beside == Beside::Collectives {
                all.extend(["MPI_Barrier()", "MPI_Bcast({r}, root: 0)"].map(str::to_owned));
            }
            all
        })
        .collect();
    Alphabet { statements, length, ranks: true, memory: false, alike: beside == Beside::Nothing, shared: None }
}
