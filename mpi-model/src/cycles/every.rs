//! Every critical cycle of some edges, one after another: nothing is kept but the cycle that is being made.

use super::edge::{Com, Edge, Kind, Place, What};
use super::{Cycle, Vocabulary};
use litmpi_litmus::critical::Rows;

/// Every critical cycle of so many edges in at most so many ranks, each once, in a fixed order.
#[derive(Debug, Clone)]
pub struct Cycles(Rows<Edge>);

/// Which edges are taken if none are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usual {
    /// Of messages.
    Messages,
    /// Of collectives, and messages between them.
    Collectives,
    /// Of accesses to windows, and messages between them.
    Windows,
}

const MESSAGES: [&str; 10] = ["Send", "Ssend", "Bsend", "Isend", "Recv", "Recvany", "Irecv", "Iprobe", "Wait", "Test"];
const COLLECTIVES: [&str; 11] = [
    "Send",
    "Ssend",
    "Recv",
    "Recvany",
    "Barrier",
    "Ibarrier",
    "Bcast",
    "Bcastroot",
    "Reduce",
    "Reduceroot",
    "Allreduce",
];
const WINDOWS: [&str; 9] =
    ["Send", "Recv", "Load", "Store", "Put", "Get", "Accumulate", "Get_accumulateno", "Fetch_and_op"];
const BETWEEN: [&str; 4] = ["Wait", "Win_flush", "Win_flush_local", "Win_sync"];

impl Usual {
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Usual::Messages => &MESSAGES,
            Usual::Collectives => &COLLECTIVES,
            Usual::Windows => &WINDOWS,
        }
    }

    /// Events that may stand alone.
    fn alone(self) -> &'static [&'static str] {
        match self {
            Usual::Messages => &["Send", "Irecvany"],
            Usual::Collectives => &["Send"],
            Usual::Windows => &["Send", "Put", "Accumulate"],
        }
    }
}

/// The edges with the events that may stand alone between those of communication.
fn with_alone(mut of: Vec<Edge>, vocabulary: &Vocabulary) -> Vec<Edge> {
    if !of.iter().any(|e| matches!(e.what, What::Alone(_))) {
        // A message, or a write, that stands alone is of the plainest kind, if no other is named.
        of.extend(["Send", "Store"].iter().filter_map(|name| vocabulary.named(name)));
    }
    of
}

impl Cycles {
    /// Cycles of `size` edges out of these in at most so many ranks.
    pub fn new(of: Vec<Edge>, size: usize, ranks: usize, vocabulary: &Vocabulary) -> Cycles {
        Cycles(Rows::new(with_alone(of, vocabulary), size, ranks))
    }

    /// How many rows of edges there are that come back to their beginning: more than there are cycles, and counted without making one.
    pub fn most(&self) -> u128 {
        self.0.most()
    }

    /// The edges of program order between events of these kinds, with these functions between them or none, and all of communication.
    pub fn between(kinds: &[Kind], functions: &[&str], vocabulary: &Vocabulary) -> Vec<Edge> {
        let mut out = Edge::communication();
        let between: Vec<_> = std::iter::once(None).chain(functions.iter().map(|f| vocabulary.function(f))).collect();
        for from in kinds {
            for to in kinds {
                for between in &between {
                    for place in [Place::Same, Place::Queue, Place::Tag, Place::Communicator, Place::Different] {
                        let (from, to) = (from.clone(), to.clone());
                        out.extend(Edge::new(What::Then { between: between.clone(), place, from, to }));
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The edges that cycles are made of if none are named.
    pub fn usual(of: Usual, vocabulary: &Vocabulary) -> Vec<Edge> {
        let kinds: Vec<Kind> = of.kinds().iter().filter_map(|name| vocabulary.kind(name)).collect();
        let alone = of.alone().iter().filter_map(|name| vocabulary.named(name));
        // Those of messages alone have none of the edges that are of collectives and epochs.
        let is_other = |e: &Edge| of == Usual::Messages && matches!(e.what, What::Com { com: Com::Sy, .. });
        Cycles::between(&kinds, &BETWEEN, vocabulary).into_iter().filter(|e| !is_other(e)).chain(alone).collect()
    }
}

impl Iterator for Cycles {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        self.0.find_map(|row| Cycle::new(row).ok())
    }
}
