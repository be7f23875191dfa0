//! Every critical cycle of some edges, one after another: nothing is kept but the cycle that is being made.

use super::Cycle;
use super::edge::{Edge, edges};
use litmpi_litmus::critical::{Edge as _, Rows};

/// Every critical cycle of so many edges in at most so many threads, each once, in a fixed order.
///
/// ```
/// use litmpi_rdma_model::cycles::{Cycles, Edge};
/// let edges = ["PodWR", "PodPwR", "Fre"].map(|name| Edge::named(name).expect("an edge"));
/// let names: Vec<String> = Cycles::new(edges.to_vec(), 4, 2).map(|c| c.name()).collect();
/// assert_eq!(names, ["PodWR-Fre-PodWR-Fre", "PodPwR-Fre-PodPwR-Fre"]);
/// ```
#[derive(Debug, Clone)]
pub struct Cycles(Rows<Edge>);

/// The edges with the accesses that may stand alone between those of communication.
fn vocabulary(mut of: Vec<Edge>) -> Vec<Edge> {
    if !of.iter().any(|e| !e.is_edge()) {
        // A write that stands alone is by the CPU, if no other is named.
        of.extend(Edge::named("W"));
    }
    of
}

impl Cycles {
    /// Cycles of `size` edges out of these in at most so many threads.
    pub fn new(of: Vec<Edge>, size: usize, threads: usize) -> Cycles {
        Cycles(Rows::new(vocabulary(of), size, threads))
    }

    /// The edges that cycles are made of if none are named: all but those with compare-and-swaps, atomic operations, waits, and fences that do nothing by
    /// themselves.
    pub fn usual() -> Vec<Edge> {
        let special = ["C", "A", "Al", "Wait", "Amo"];
        edges()
            .filter(|e| {
                let name = e.to_string();
                let mfence = name.starts_with("Mfence") && name != "MfencedWR";
                // Names of other accesses have no such letters: `C` begins `Coe`, too.
                let com = matches!(e, Edge::Com { .. });
                com || !mfence && !special.iter().any(|s| name.contains(s))
            })
            .collect()
    }
}

impl Iterator for Cycles {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        self.0.find_map(|row| Cycle::new(row).ok())
    }
}

/// How many rows of so many edges there are that come back to their beginning: more than there are cycles, and counted without making one.
pub fn most(of: Vec<Edge>, size: usize) -> u128 {
    Rows::new(vocabulary(of), size, usize::MAX).most()
}
