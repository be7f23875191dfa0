//! RDMA programs made from critical cycles, as diy makes those of processors (Shasha, Snir 1988; Alglave 2010).
//!
//! A cycle is a row of edges, each from one access to the next and the last one back to the first: program order in a thread, the
//! copying within a put, a get or an atomic operation, and communication on a location (reads-from `Rf`, from-read `Fr`, coherence `Co`;
//! `e` to another thread, `i` within one). The program has just these accesses, and its condition asks for the execution that has all
//! these edges. Whether a model allows it is the model's to say. Names are the edges, with `-` between them:
//!
//! | | |
//! |---|---|
//! | accesses | a CPU's `W`, `R`, `C` (compare-and-swap); `Pr` and `Pw`, the read and the write of a put; `Gr` and `Gw` of a get; `A` and `Al` of an atomic operation, there and here |
//! | `PodWR` | program order from a write to a read of a different location; `s`, of the same one |
//! | `PodqPwGr` | the same from a put's write to a get's read on the same queue pair; `o`, on another, towards another node |
//! | `Mfence…`, `Rfence…`, `Poll…`, `Wait…` | the same with a fence, polls or a wait between them |
//! | `Put`, `Get`, `Amo` | from the read of an operation to where the value goes |
//! | `Rfe`, `Fri`, `Coe` | communication; `Rfiq`, `Rfio` where two local accesses of operations are on one queue pair, or not |
//! | `Fre-Pw-Rfe` | an access between two edges of communication stands alone |
//!
//! Cycles are critical: none has an edge that a shorter cycle does not need. A cycle of one location has one edge of program order, and
//! asks what coherence is about. In a cycle of one thread the last edge goes back in program order, and all others go forward; so its name
//! begins with the first access. Else a name begins at a thread, and with the least of its edges.

mod edge;
mod every;
mod place;
mod text;

pub use edge::{Between, Com, Edge, Kind, Queue, edges};
pub use every::{Cycles, most};

pub use litmpi_litmus::critical::Misfit;

use litmpi_litmus::critical::{self, Edge as _};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use place::Places;
use std::sync::Arc;

/// A critical cycle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle {
    edges: Vec<Edge>,
}

impl Cycle {
    /// The cycle of these edges, beginning where its name does.
    ///
    /// # Errors
    /// Edges that are no critical cycle, or that no nodes and queue pairs fit.
    pub fn new(edges: Vec<Edge>) -> Result<Cycle, Misfit> {
        check(&edges)?;
        let (n, shift) = (edges.len(), critical::beginning(&edges));
        let cycle = Cycle { edges: (0..n).map(|k| edges[(shift + k) % n]).collect() };
        Places::new(&cycle).map_err(|m| Misfit { at: (m.at + shift) % n, ..m })?;
        Ok(cycle)
    }

    /// Reads a cycle: edges with blanks, commas or `-` between them.
    ///
    /// # Errors
    /// An unknown edge, one that does not fit where it stands.
    pub fn parse(source: &Arc<Source>) -> Result<Cycle, Report> {
        let named = read(source)?;
        let spans: Vec<Span> = named.iter().map(|(_, span)| span.clone()).collect();
        if named.is_empty() {
            let d = Diagnostic::general(format!("{} has no edges", source.name));
            return Err(d.help("write a cycle such as `PodWR-Fre-PodWR-Fre`").into());
        }
        Cycle::new(named.into_iter().map(|(edge, _)| edge).collect()).map_err(|m| m.told(&spans))
    }

    /// Its edges, as its name has them.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// How many edges it has; accesses that stand alone are none.
    pub fn size(&self) -> usize {
        self.edges.iter().filter(|e| e.is_edge()).count()
    }

    /// How many threads its program has.
    pub fn threads(&self) -> usize {
        critical::threads(&self.edges)
    }

    /// Its edges with `-` between them, which tell it from all others.
    pub fn name(&self) -> String {
        critical::name(&self.edges)
    }

    /// Whether it waits for work identifiers in the place of polls, as RDMA^WAIT does.
    pub fn waits(&self) -> bool {
        self.edges.iter().any(|e| matches!(e, Edge::Then { between: Between::Wait, .. }))
    }

    /// The program of the family `rdma`, with a claim that asks for the execution of the cycle and has no verdict.
    pub fn text(&self) -> String {
        text::program(self)
    }
}

/// Reads the edges of a file or of an argument: `#` begins a comment.
///
/// # Errors
/// An edge that there is not.
pub fn read(source: &Arc<Source>) -> Result<Vec<(Edge, Span)>, Report> {
    let (mut out, mut wrong) = (vec![], vec![]);
    for (word, span) in critical::words(source) {
        match Edge::named(word) {
            Some(edge) => out.push((edge, span)),
            None => wrong.push(unknown(word, &span)),
        }
    }
    if wrong.is_empty() { Ok(out) } else { Err(Report(wrong)) }
}

fn unknown(word: &str, span: &Span) -> Diagnostic {
    let all: Vec<String> = edges().map(|e| e.to_string()).collect();
    // Those that are all but the same, or else those that begin as it does.
    let begins = |k: usize| all.iter().filter(move |e| word.is_char_boundary(k) && e.starts_with(&word[..k]));
    let longest = (3..word.len()).rev().find(|k| begins(*k).next().is_some());
    let mut near: Vec<&str> = all.iter().filter(|e| critical::alike(e, word)).map(String::as_str).take(8).collect();
    if near.is_empty() {
        near.extend(longest.into_iter().flat_map(begins).map(String::as_str).take(8));
    }
    let help = if near.is_empty() {
        "edges are those as `PodWR`, `PodqPwGr`, `PolldGwR`, `MfencedWR`, `RfencedqGwPr`, `Put`, `Get`, `Amo`, `Rfe`, `Fri`, `Coe`".to_owned()
    } else {
        format!("near it are: {}", near.join(", "))
    };
    Diagnostic::at(span, format!("there is no edge `{word}`")).found("not an edge").help(help)
}

/// What can be said of a row of edges before nodes are looked for.
fn check(all: &[Edge]) -> Result<(), Misfit> {
    let n = all.len();
    let numbered = || all.iter().copied().enumerate();
    critical::fit(all, edges())?;
    let external = all.iter().filter(|e| e.is_external()).count();
    let last = all[n - 1];
    if external == 1 {
        let at = all.iter().position(|e| e.is_external()).unwrap_or(0);
        let why = format!("`{}` is the only edge to another thread, so that the cycle does not come back", all[at]);
        return Err(Misfit::new(
            at,
            why,
            "end the cycle with a second edge to another thread, or make this one internal",
        ));
    }
    if external == 0 && !matches!(last, Edge::Com { .. }) {
        return Err(Misfit::new(
            n - 1,
            format!("a cycle of one thread cannot end with `{last}`"),
            "the last edge of a cycle of one thread is communication (`Rfi`, `Fri`, `Coi`), from its last instruction to its first",
        ));
    }
    let changes = all.iter().filter(|e| e.changes_location()).count();
    let same = |e: &Edge| matches!(e, Edge::Then { same: true, .. });
    let stay: Vec<usize> = numbered().filter(|(_, e)| same(e)).map(|(i, _)| i).collect();
    let first_change = || all.iter().position(|e| e.changes_location()).unwrap_or(0);
    match (changes, &stay[..]) {
        (0, [_]) => {}
        (0, []) => {
            return Err(Misfit::new(
                0,
                "the cycle has no program order",
                "a cycle of one location has an edge such as `PosWR`",
            ));
        }
        (0, [_, second, ..]) => {
            return Err(Misfit::new(
                *second,
                format!("`{}` is a second edge of program order of a cycle of one location", all[*second]),
                "what coherence forbids has one; write `d` where the location changes",
            ));
        }
        (1, _) => {
            return Err(Misfit::new(
                first_change(),
                format!("`{}` is the only edge that ends at another location than it begins", all[first_change()]),
                "no edge comes back to the first location: add one of program order to a different location (`d`), or write `s` here",
            ));
        }
        (_, []) => {}
        (_, [at, ..]) => {
            return Err(Misfit::new(
                *at,
                format!("`{}` is between accesses of one location in a cycle of several", all[*at]),
                "a shorter cycle, of that location alone, asks what it is about; write `d`, or internal communication",
            ));
        }
    }
    let waits = |e: &Edge| matches!(e, Edge::Then { between: Between::Wait, .. });
    if all.iter().any(waits) {
        let other = |e: Edge| match e {
            Edge::Then { between: Between::Poll, .. } => true,
            Edge::Then { from, to, .. } => [from, to].iter().any(|k| matches!(k, Kind::A | Kind::Al)),
            Edge::Within(from, _) | Edge::Alone(from) => from == Kind::A,
            Edge::Com { .. } => false,
        };
        if let Some((at, edge)) = numbered().find(|(_, e)| other(*e)) {
            return Err(Misfit::new(
                at,
                format!("`{edge}` cannot stand beside `Wait…`"),
                "programs with work identifiers have no polls and no atomic operations",
            ));
        }
    }
    Ok(())
}
