//! Every critical cycle of some edges, one after another: nothing is kept but the cycle that is being made.

use super::Cycle;
use super::edge::{Edge, edges};

/// Every critical cycle of so many edges in at most so many threads, each once, in a fixed order.
///
/// ```
/// use litmpi_rdma_model::cycles::{Cycles, Edge};
/// let edges = ["PodWR", "PodPwR", "Fre"].map(|name| Edge::named(name).expect("an edge"));
/// let names: Vec<String> = Cycles::new(edges.to_vec(), 4, 2).map(|c| c.name()).collect();
/// assert_eq!(names, ["PodWR-Fre-PodWR-Fre", "PodPwR-Fre-PodPwR-Fre"]);
/// ```
#[derive(Debug, Clone)]
pub struct Cycles {
    of: Vec<Edge>,
    /// For each edge, those that may come next.
    next: Vec<Vec<usize>>,
    size: usize,
    threads: usize,
    /// The row being made, as places in the lists that they were taken from.
    row: Vec<usize>,
    /// For each place of the row and the one behind it, which of the list comes next.
    cursor: Vec<usize>,
}

/// The edges, each once, in their own order, with the accesses that may stand alone between those of communication.
fn vocabulary(of: Vec<Edge>) -> Vec<Edge> {
    let mut of = of;
    if !of.iter().any(|e| !e.is_edge()) {
        // A write that stands alone is by the CPU, if no other is named.
        of.extend(Edge::named("W"));
    }
    of.sort_unstable();
    of.dedup();
    of
}

fn followers(of: &[Edge]) -> Vec<Vec<usize>> {
    of.iter().map(|e| (0..of.len()).filter(|j| e.may_precede(of[*j])).collect()).collect()
}

impl Cycles {
    /// Cycles of `size` edges out of these in at most so many threads.
    pub fn new(of: Vec<Edge>, size: usize, threads: usize) -> Cycles {
        let of = vocabulary(of);
        Cycles { next: followers(&of), of, size, threads, row: vec![], cursor: vec![0] }
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

    fn edges(&self) -> usize {
        self.row.iter().filter(|i| self.of[**i].is_edge()).count()
    }

    fn external(&self) -> usize {
        self.row.iter().filter(|i| self.of[**i].is_external()).count()
    }

    /// What may stand at the end of the row.
    fn choices(&self) -> usize {
        self.row.last().map_or(self.of.len(), |i| self.next[*i].len())
    }

    fn choice(&self, k: usize) -> usize {
        self.row.last().map_or(k, |i| self.next[*i][k])
    }

    /// The row as a cycle, if it is one and begins where its name does.
    fn made(&self) -> Option<Cycle> {
        let first = self.of[*self.row.first()?];
        let last = self.of[*self.row.last()?];
        let external = self.external();
        if self.edges() != self.size || !last.may_precede(first) || external > 0 && !last.is_external() {
            return None;
        }
        let row: Vec<Edge> = self.row.iter().map(|i| self.of[*i]).collect();
        let cycle = Cycle::new(row.clone()).ok()?;
        (cycle.edges == row && cycle.threads() <= self.threads).then_some(cycle)
    }

    /// Whether no cycle that has its least name comes of this row.
    fn is_hopeless(&self) -> bool {
        let first = self.row[0];
        let begins = |k: usize| k == 0 || self.of[self.row[k - 1]].is_external();
        matches!(self.of[first], Edge::Com { .. })
            || self.external() > self.threads
            || (0..self.row.len()).any(|k| begins(k) && self.row[k] < first)
            || self.edges() > self.size
            || self.edges() == self.size && !matches!(self.of[self.row[self.row.len() - 1]], Edge::Com { .. })
    }
}

impl Iterator for Cycles {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        loop {
            let k = *self.cursor.last()?;
            if k >= self.choices() {
                self.cursor.pop();
                self.row.pop();
                if let Some(last) = self.cursor.last_mut() {
                    *last += 1;
                }
                continue;
            }
            self.row.push(self.choice(k));
            if self.is_hopeless() {
                self.row.pop();
                if let Some(last) = self.cursor.last_mut() {
                    *last += 1;
                }
                continue;
            }
            self.cursor.push(0);
            if let Some(cycle) = self.made() {
                return Some(cycle);
            }
        }
    }
}

/// How many rows of so many edges there are that come back to their beginning: more than there are cycles, and counted without making one.
pub fn most(of: Vec<Edge>, size: usize) -> u128 {
    let of = vocabulary(of);
    let next = followers(&of);
    // For each edge that a row begins with, how many rows of each number of edges end with each edge.
    let mut total = 0_u128;
    for start in (0..of.len()).filter(|i| !matches!(of[*i], Edge::Com { .. })) {
        let weight = |i: usize| usize::from(of[i].is_edge());
        let mut rows: Vec<Vec<u128>> = vec![vec![0; of.len()]; size + 1];
        if weight(start) <= size {
            rows[weight(start)][start] = 1;
        }
        // Accesses alone cost nothing, and stand behind edges: of rows of as many edges, those that end with one come second.
        for n in 0..=size {
            for i in (0..of.len()).filter(|i| of[*i].is_edge()).chain((0..of.len()).filter(|i| !of[*i].is_edge())) {
                let many = rows[n][i];
                if many == 0 {
                    continue;
                }
                for j in &next[i] {
                    let to = n + weight(*j);
                    if to <= size {
                        rows[to][*j] = rows[to][*j].saturating_add(many);
                    }
                }
            }
        }
        let ends = (0..of.len()).filter(|i| of[*i].may_precede(of[start]));
        total = ends.fold(total, |t, i| t.saturating_add(rows[size][i]));
    }
    total
}
